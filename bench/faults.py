"""A fault campaign: runs are killed and starved at random moments, and what is left of them is counted.

    python -m bench.faults                                  100 faults of each kind of the cheap agent, 10 of Hermes
    python -m bench.faults runner disk --count 20 --seconds 120 --seed 7

The faults, each at a seeded random moment of a PASB run:

    runner     kill -9 of the runner; the same command resumes
    disk       the runner cannot write any more (a limit of file size, which a write meets as it meets a full disk)
    endpoint   the model's server refuses and cuts connections for a while
    agent      kill -9 of a process of the agent, on the real Hermes
    forwarder  kill -9 of the slot's way out, on the real Hermes
    gateway    the gateway's socket goes away, on the real Hermes

The first three run the example agent of ``examples/your_agent``, which is a real agent without processes of its own and
costs little; the others need an agent in a sandbox. The model is a server that always thanks. *lost* counts finished
attempts that are gone or changed after a fault, *repeated* tasks with two valid attempts, *stuck* runs that a last
start without faults does not finish: all must be 0.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from stewardbench.runs.slots import slot_folder
from stewardbench.seeding import generator
from stewardbench.workspace.processes import descendants

ROOT = Path(__file__).parents[1]
EXAMPLE = "your-agent"
KINDS = {
    **dict.fromkeys(("runner", "disk", "endpoint"), EXAMPLE),
    **dict.fromkeys(("agent", "forwarder", "gateway"), "hermes"),
}
HEADER = f"{'fault':10} {'agent':11} {'faults':>6} {'attempts':>8} {'survived':>8} {'invalid':>7} {'lost':>4} "
HEADER += f"{'repeated':>8} {'stuck':>5} {'tracebacks':>10} {'s':>5}  invalid by reason"
TASKS = 16
# The runner's modules are loaded once, in a process that every runner is a copy of: starting it costs next to nothing.
PRELOAD = ["stewardbench.cli", "stewardbench.pasb.run.evaluation", "stewardbench.pasb.run.closing", "inspect_ai"]


class Runner:
    """A run in a process of its own."""

    def __init__(self, arguments: list[str], log: Path) -> None:
        self._process = multiprocessing.get_context("forkserver").Process(target=run_command, args=(arguments, log))
        self._process.start()
        self.pid = int(self._process.pid or 0)

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.is_alive()

    def kill(self) -> None:
        """kill -9, of this process alone."""
        self._process.kill()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it ended within so many seconds."""
        self._process.join(seconds)
        return not self._process.is_alive()


def run_command(arguments: list[str], log: Path) -> None:
    """Be the command line, with its output in a file."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(output, stream)
    from stewardbench.cli import main as command_line

    sys.argv = ["stewardbench", *arguments]
    command_line()


class Server(ThreadingHTTPServer):
    """A model server that always gives the same answer, and that can be cut off."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.down, self.refused = False, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a runner that is killed leaves its connections in the middle of a word."""

    @property
    def model(self) -> str:
        """The model's name for ``--model``."""
        return f"http://127.0.0.1:{self.server_port}/v1#thankful"


class _Answer(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if server.down:
            server.refused += 1
            self.close_connection = True
            self.connection.close()
            return
        message = {"role": "assistant", "content": "Thank you, I have read it."}
        body = json.dumps(
            {
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000, "model": "thankful",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
            }
        ).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nothing: thousands of requests."""


@dataclass
class Tally:
    """What one kind of fault did, and what was left."""

    kind: str
    faults: int = 0
    attempts: int = 0
    survived: int = 0
    invalid: int = 0
    lost: int = 0
    repeated: int = 0
    stuck: int = 0
    tracebacks: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        """Whether nothing was lost, repeated, stuck or ended with a traceback."""
        return not (self.lost or self.repeated or self.stuck or self.tracebacks)

    def line(self) -> str:
        """A row of the table."""
        t, reasons = self, ", ".join(f"{reason} {number}" for reason, number in sorted(self.reasons.items()))
        counts = f"{t.faults:6} {t.attempts:8} {t.survived:8} {t.invalid:7} {t.lost:4} {t.repeated:8} {t.stuck:5}"
        return f"{t.kind:10} {KINDS[t.kind]:11} {counts} {t.tracebacks:10} {t.seconds:5.0f}  {reasons}"


class Campaign:
    """Faults of one kind, over as many run folders as they need."""

    def __init__(self, kind: str, server: Server, root: Path, rng: random.Random) -> None:
        self.kind, self.server, self.root, self.rng = kind, server, root, rng
        self.tally = Tally(kind)
        self._seen: list[bytes] = []
        self._folders = 0
        self._new_folder()

    def _new_folder(self) -> None:
        self._folders += 1
        self.folder, self._seen = self.root / f"{self.kind}-{self._folders}", []

    def start(self) -> Runner:
        """The run, begun or resumed."""
        command = ["run", "pasb", "--agent", KINDS[self.kind], "--model", self.server.model, "--tasks", "smoke"]
        command += ["--limit", str(TASKS), "--workers", "2", "--max-attempts", "100", "--out", str(self.folder)]
        return Runner(command, self.root / f"{self.kind}.err")

    def whole_lines(self) -> list[bytes]:
        """The finished attempts, as they stand on disk."""
        path = self.folder / "episodes.jsonl"
        data = path.read_bytes() if path.exists() else b""
        return data[: data.rfind(b"\n") + 1].splitlines(keepends=True)

    def until(self, run: Runner, more: int, pause_s: float, most_s: float = 60.0) -> bool:
        """Wait until so many more attempts are finished and a moment has gone by; False where the run ended first."""
        wanted, end = len(self._seen) + more, time.monotonic() + most_s
        while run.running and len(self.whole_lines()) < wanted and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(pause_s)
        return run.running

    def look(self) -> None:
        """Compare what is there with what was there: finished attempts are neither lost nor changed."""
        found = self.whole_lines()
        self.tally.lost += sum(now != before for now, before in zip(found, self._seen, strict=False))
        self.tally.lost += max(0, len(self._seen) - len(found))
        self._seen = found

    def end(self, run: Runner, seconds: float = 180.0) -> None:
        """Let a run end by itself; one that does not is stuck."""
        if not run.wait(seconds):
            self.tally.stuck += 1
            run.kill()
            run.wait()

    def close_folder(self) -> None:
        """Finish the run without faults, and count what it holds."""
        self.end(self.start(), 400)
        self.look()
        rows = [json.loads(line) for line in self._seen]
        valid = [row["task_id"] for row in rows if row["valid"]]
        self.tally.attempts += len(rows)
        self.tally.survived += len(valid)
        self.tally.invalid += len(rows) - len(valid)
        self.tally.repeated += len(valid) - len(set(valid))
        self.tally.stuck += len(set(valid)) < TASKS
        for row in rows:
            if not row["valid"]:
                self.tally.reasons[row["invalid_reason"]] = self.tally.reasons.get(row["invalid_reason"], 0) + 1

    def finished(self) -> bool:
        """Whether every task of the folder has a valid attempt."""
        return sum(b'"valid":true' in line for line in self.whole_lines()) >= TASKS

    def carry_out(self, count: int, seconds: float) -> Tally:
        """So many faults, or as many as the time allows, then the count."""
        began = time.monotonic()
        act = {"runner": self._kill_runner, "disk": self._fill_disk}.get(self.kind, self._strike)
        while self.tally.faults < count and time.monotonic() - began < seconds:
            if self.finished():
                self.close_folder()
                self._new_folder()
            act(count, began + seconds)
            self.look()
        self.close_folder()
        text = (self.root / f"{self.kind}.err").read_text(errors="replace")
        self.tally.tracebacks = text.count("Traceback (most recent call last)")
        self.tally.seconds = time.monotonic() - began
        return self.tally

    def _kill_runner(self, count: int, end: float) -> None:
        run = self.start()
        if self.until(run, self.rng.randint(0, 3), self.rng.uniform(0, 0.5)):
            self.tally.faults += 1
            run.kill()
        run.wait()

    def _fill_disk(self, count: int, end: float) -> None:
        run = self.start()
        if self.until(run, self.rng.randint(1, 3), self.rng.uniform(0, 0.2)):
            room = len(b"".join(self.whole_lines())) + self.rng.randint(0, 4000)
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
                self.tally.faults += 1
        self.end(run)

    def _strike(self, count: int, end: float) -> None:
        """Faults on a run that goes on, until it ends."""
        strike: Callable[[Runner], bool] = getattr(self, f"_strike_{self.kind}")
        run = self.start()
        while run.running and self.tally.faults < count and time.monotonic() < end:
            self.until(run, self.rng.randint(0, 1), self.rng.uniform(0.05, 0.6))
            self.tally.faults += strike(run)
            self.look()
        self.end(run)

    def _strike_endpoint(self, run: Runner) -> bool:
        before, self.server.down = self.server.refused, True
        time.sleep(self.rng.uniform(0.02, 0.3))
        self.server.down = False
        return self.server.refused > before

    def _strike_agent(self, run: Runner) -> bool:
        return self._kill_below(run, {0, 2})

    def _strike_forwarder(self, run: Runner) -> bool:
        return self._kill_below(run, {1})

    def _kill_below(self, run: Runner, levels: set[int]) -> bool:
        """Kill one of Hermes' processes: 0 is the warm one, 1 what keeps a session and forwards, 2 the session."""
        parents: dict[int, int] = {}
        for pid in descendants(run.pid):
            with contextlib.suppress(OSError, IndexError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                if b"child.zygote" in command and b"bwrap" not in command[:40]:
                    stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
                    parents[pid] = int(stat.rpartition(")")[2].split()[1])
        found = [pid for pid in sorted(parents) if _level(pid, parents) in levels]
        if not found:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.rng.choice(found), signal.SIGKILL)
            return True
        return False

    def _strike_gateway(self, run: Runner) -> bool:
        place = slot_folder(self.folder)
        sockets = sorted(place.parent.glob(f"{place.name}*/*.sock"))
        if not sockets:
            return False
        with contextlib.suppress(FileNotFoundError):
            self.rng.choice(sockets).unlink()
            return True
        return False


def _level(pid: int, parents: dict[int, int]) -> int:
    level = 0
    while (pid := parents.get(pid, 0)) in parents:
        level += 1
    return level


def example_agent(root: Path) -> str:
    """A folder to be put on the path that holds the example agent, installed."""
    target = root / "site"
    uv = Path(sys.executable).with_name("uv")
    pip = [str(uv), "pip", "install", "--quiet"] if uv.exists() else [sys.executable, "-m", "pip", "install", "-q"]
    source = str(ROOT / "examples" / "your_agent")
    subprocess.run([*pip, "--no-deps", "--target", str(target), source], check=True)
    return str(target)


def main(arguments: list[str] | None = None) -> int:
    """Carry the campaign out and print the table; 1 where anything was lost, repeated or stuck."""
    wanted = argparse.ArgumentParser(prog="python -m bench.faults", description="Faults at random moments.")
    wanted.add_argument("kinds", nargs="*", default=[], help=f"of {', '.join(KINDS)}; all without any")
    wanted.add_argument("--count", type=int, help="faults of each kind; 100 for the example agent, 10 for Hermes")
    wanted.add_argument("--seconds", type=float, default=1200.0, help="at most so long for each kind")
    wanted.add_argument("--seed", type=int, default=0)
    chosen = wanted.parse_args([] if arguments is None else arguments)
    unknown = [kind for kind in chosen.kinds if kind not in KINDS]
    if unknown:
        wanted.error(f"no such fault: {', '.join(unknown)}; there are: {', '.join(KINDS)}")
    tallies = []
    print(HEADER)
    with tempfile.TemporaryDirectory() as name:
        root, server = Path(name), Server()
        sys.path.insert(0, example_agent(root))  # which the runners inherit
        multiprocessing.set_forkserver_preload(PRELOAD)
        for kind in chosen.kinds or KINDS:
            count = chosen.count or (100 if KINDS[kind] == EXAMPLE else 10)
            one = Campaign(kind, server, root, generator(chosen.seed, "faults", kind))
            tally = one.carry_out(count, chosen.seconds)
            tallies.append(tally)
            print(tally.line(), flush=True)
            if not tally.clean:
                print((root / f"{kind}.err").read_text(errors="replace")[-3000:], file=sys.stderr)
        server.shutdown()
    return 0 if all(tally.clean and tally.faults for tally in tallies) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
