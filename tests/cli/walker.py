"""Runs many command lines, each in a process of its own that begins with everything loaded.

Started as a program: its input is JSON of command lines and of where their standard output goes ("file", "closed"
for a pipe that nobody reads, or "full" for a full disk); its output JSON of exit codes and what was said.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import signal
import sys
import tempfile
import time
from pathlib import Path

LIMIT_S = 60  # of one command; a command that waits is killed by it


HEAVY = ("altair", "openai", "scipy.stats", "rich.progress", "rich.status", "vl_convert", "inspect_ai._eval.eval")


def preload() -> None:
    import stewardbench

    for name in HEAVY:
        importlib.import_module(name)
    for found in pkgutil.walk_packages(stewardbench.__path__, "stewardbench."):
        if ".child" not in found.name and ".inside" not in found.name and "__main__" not in found.name:
            importlib.import_module(found.name)
    sys.path.insert(0, str(Path(__file__).parents[1] / "protocol"))
    from agent_double import DoubleAgent, Faults

    from stewardbench.pasb.run import evaluation

    evaluation.load_agent = lambda name: DoubleAgent(Faults())  # real agents have tests of their own


def output(kind: str, file: Path) -> int:
    if kind == "full":
        return os.open("/dev/full", os.O_WRONLY)
    if kind == "closed":
        reader, writer = os.pipe()
        os.close(reader)
        return writer
    return os.open(file, os.O_WRONLY | os.O_CREAT)


def run(line: list[str], kind: str, folder: Path) -> dict[str, object]:
    """One command. In the child this does not return: it ends as the console script does."""
    said, errors = folder / "out", folder / "err"
    for path in (said, errors):
        path.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        from stewardbench.cli import main

        signal.alarm(LIMIT_S)
        os.dup2(output(kind, said), 1)
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
        sys.argv = ["stewardbench", *line]
        main()
        raise AssertionError("the program did not end")
    start = time.monotonic()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    read = [path.read_text(errors="replace") if path.exists() else "" for path in (said, errors)]
    return {"code": code, "s": round(time.monotonic() - start, 1), "out": read[0], "err": read[1]}


def walk() -> None:
    asked = json.load(sys.stdin)
    preload()
    folder = Path(tempfile.mkdtemp(dir=asked["results"]))  # no context: a child leaves this function too
    found = [run(line, asked["stdout"], folder) for line in asked["lines"]]
    print(json.dumps(found))


if __name__ == "__main__":
    walk()
