"""A run of 64 tasks with two workers whose endpoint is gone for a minute, by the same command until it is whole.

The endpoint is a server process that is killed, with the connections that it holds, and started again on the same port;
the agent is the example agent. With the
usual patience the first command outlives the minute; with ``--patience 5`` it stops, says why, and the same command
goes on. ``make outage`` runs both. Harness check: nothing here rates a model.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fault_table import ROOT, install

GONE_S, TASKS, BEFORE, STARTS = 60.0, 64, 16, 5


def main() -> int:
    """Both kinds of patience; 1 unless all tasks are valid at the end of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gone", type=float, default=GONE_S, help="Seconds without an endpoint.")
    gone = parser.parse_args().gone
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder, "site"))
        return max(outage(Path(folder), patience, gone) for patience in ("180", "5"))


def outage(folder: Path, patience: str, gone: float) -> int:
    """One run: 0 when the command, repeated while it asks for that, ends with every task valid."""
    port = free_port()
    server = serve(port)
    out = folder / f"run-{patience}"
    command = [
        *(str(Path(sys.executable).with_name("stewardbench")), "run", "pasb", "--agent", "your-agent"),
        *("--model", f"http://127.0.0.1:{port}/v1#tiny", "--tasks", "smoke", "--sample", str(TASKS), "--workers", "2"),
        *("--patience", patience, "--out", str(out)),
    ]
    print(f"== patience {patience} s: stewardbench {' '.join(command[1:-2])} --out RUN", flush=True)
    start = time.monotonic()
    running = begin(command, folder)
    while stored(out) < BEFORE and running.poll() is None:
        time.sleep(0.1)
    stop(server)
    closed = time.monotonic()
    print(f"{closed - start:.0f} s: {stored(out)} episodes stored, the endpoint is killed", flush=True)
    code = None
    for number in range(1, STARTS + 1):
        while running.poll() is None and time.monotonic() < closed + gone:
            time.sleep(0.1)
        code = running.poll()
        if code is not None:
            print(f"{time.monotonic() - start:.0f} s: start {number} ended with exit code {code}", flush=True)
        if time.monotonic() < closed + gone:
            time.sleep(closed + gone - time.monotonic())
        if number == 1:
            server = serve(port)
            print(f"{time.monotonic() - start:.0f} s: the endpoint is there again", flush=True)
        if code is None:
            code = running.wait()
            print(f"{time.monotonic() - start:.0f} s: start {number} ended with exit code {code}", flush=True)
        if code == 0 or number == STARTS:
            break
        running = begin(command, folder)
    stop(server)
    print(f"stored: {stored(out)} attempts of {TASKS} tasks\n", flush=True)
    return 0 if code == 0 else 1


def free_port() -> int:
    """A port of loopback that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def serve(port: int) -> subprocess.Popen[bytes]:
    """Start the endpoint, and wait until it takes connections."""
    program = "import sys, threading; from faulty_endpoint import Endpoint; Endpoint(int(sys.argv[1]))"
    server = subprocess.Popen(
        [sys.executable, "-c", f"{program}; threading.Event().wait()", str(port)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests" / "runs")},
    )
    while server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return server
        time.sleep(0.1)
    raise RuntimeError(f"the endpoint ended with code {server.returncode}")


def stop(server: subprocess.Popen[bytes]) -> None:
    """Kill the endpoint with all its connections."""
    server.kill()
    server.wait()


def begin(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start the command; what it says goes where ours does."""
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(folder / "site")}, stderr=subprocess.STDOUT)


def stored(out: Path) -> int:
    """Attempts in the run folder."""
    file = out / "episodes.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
