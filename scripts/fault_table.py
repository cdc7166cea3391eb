"""Prints what every command makes of every fault of an endpoint, and writes it as a page of the documentation.

All rows come from one uninterrupted run of the real commands against a loopback server; PASB runs the example agent.
``make fault-table`` runs it; it takes some minutes. Waiting times are shortened, nothing else is.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to" / "endpoint-faults.md"
EXAMPLE = ROOT / "examples" / "your_agent"
HEAD = """# What every command makes of a failing endpoint

Written by `make fault-table`: {count} faults of a loopback server under the real commands, in one run
({seconds:.0f} s, calls limited to {call:g} s and patience to {patience:g} s). Harness check: PASB ran on the example
agent, the judge read a stored run of a scripted model; nothing here rates a model. A cell is the exit code and the last
line, *attempts used* counts what the fault used up, *resumed* and *repeated* are the exit codes of the same command
once the fault is gone.

"""


def main() -> int:
    """Run every row; 1 where a resume did not end well after a fault of the infrastructure."""
    sys.path += [str(ROOT / "tests" / "runs"), str(ROOT / "tests" / "protocol")]
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder, "site"))
        from endpoint_faults import CALL_S, FAULTS, HEADS, INFRASTRUCTURE, PATIENCE_S, impatient, invoke, row
        from faulty_endpoint import Endpoint

        endpoint, start, found = Endpoint(), time.monotonic(), []
        with impatient():
            for number, name in enumerate(FAULTS):
                place = Path(folder, str(number))
                shared = ("--tasks", "smoke", "--sample", "1", "--out", str(place / "judged"))
                invoke("run", "pasb", "--agent", "your-agent", "--model", "scripted/silent", *shared)
                found.append(row(name, endpoint, place, "your-agent"))
                print(" | ".join(found[-1].cells()), flush=True)
    lines = [HEADS, tuple("---" for _ in HEADS), *(one.cells() for one in found)]
    table = "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
    seconds = time.monotonic() - start
    head = HEAD.format(count=len(found), seconds=seconds, call=CALL_S, patience=PATIENCE_S)
    PAGE.write_text((head + table).replace(f":{endpoint.server_address[1]}/", ":PORT/"), encoding="utf-8")
    stuck = [
        one.fault
        for one in found
        if one.kind in INFRASTRUCTURE and (one.pasb.again, one.sovereignpa.again, one.judge.again) != (0, 0, 0)
    ]
    print(f"{len(found)} faults in {seconds:.0f} s; not resumed: {', '.join(stuck) or 'none'}; written: {PAGE.name}")
    return 1 if stuck else 0


def install(target: Path) -> None:
    """Install the example agent, as a third party would, into a folder on the path."""
    command = [str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*command, "--target", str(target), str(EXAMPLE)], check=True)
    sys.path.insert(0, str(target))


if __name__ == "__main__":
    sys.exit(main())
