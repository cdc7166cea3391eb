"""What an eight-turn PASB episode costs on the real Hermes-Agent: our driver against one CLI process per turn.

Ours runs with everything switched on: confinement, capture, attestation, records, judging, the Inspect log. Its cost is
the difference of two runs of different length, so that start-up (imports, the agent's first start) cancels out. The
other way is eight processes of ``hermes chat -q`` and a fixed wait of 15 s, as published runs were made. Both ask the
same scripted model, which answers at once. CPU is that of our process and of all agent processes together.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import yaml

from stewardbench.agents.hermes import HermesAgent
from stewardbench.agents.hermes.settings import config_yaml
from stewardbench.agents.interface import AgentSettings
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream
from stewardbench.models.scripted.lexicon import Lexicon
from stewardbench.models.scripted.model import ScriptedModel
from stewardbench.pasb.records import Episode, Task
from stewardbench.pasb.run import evaluation as pasb_eval
from stewardbench.pasb.run.settings import pasb_settings
from stewardbench.pasb.run.store import EPISODES, read_records
from stewardbench.pasb.tasks.load import load_tasks
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.slots import SlotPool

MODEL = "scripted/copier-memory"
FIXED_WAIT_S = 15.0  # paper B.5
SLOW_CALL_S = 2.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """Seconds of one episode."""

    wall: float
    agents: float
    ours: float

    @property
    def cpu(self) -> float:
        """CPU of agents and harness."""
        return self.agents + self.ours


def main() -> None:
    """Print the table."""
    agent = HermesAgent()
    agent.install(AgentSettings())
    measure(1, 1)  # what is imported and written once is no part of an episode
    cli = asyncio.run(cli_episode(agent, load_tasks("smoke")[0]))
    print(f"{'':34}{'wall s':>8}{'CPU s':>8}   of it agent + harness   to the CLI way: wall, CPU")
    _row("one CLI process per turn, 1 worker", cli, cli)
    for workers in (1, 2, 4):
        _row(f"stewardbench, {workers} worker{'s' * (workers > 1)}", marginal(workers), cli)
    added, calls = slow_calls()
    print(f"\nmodel calls of {SLOW_CALL_S:g} s: {added:+.1%} of wall time beside the {calls} calls, 1 worker")


def _row(name: str, cost: Cost, cli: Cost) -> None:
    ratio = "" if cost is cli else f"1/{cli.wall / cost.wall:.0f}, 1/{cli.cpu / cost.cpu:.0f}"
    print(f"{name:34}{cost.wall:8.2f}{cost.cpu:8.2f}   {cost.agents:8.2f} + {cost.ours:.2f}{'':8}{ratio:>12}")


def marginal(workers: int, episodes: int = 24) -> Cost:
    """One episode more in a run that is under way."""
    short, long = measure(workers, workers), measure(workers, workers + episodes)
    return Cost(*((after - before) / episodes for before, after in zip(short, long, strict=True)))


def measure(workers: int, tasks: int) -> tuple[float, float, float]:
    """(wall, agents' CPU, our CPU) of a run, in seconds; every episode has to be valid."""
    settings = pasb_settings(agent="hermes", model=MODEL, judge="reference", tasks="smoke", sample=tasks)
    with tempfile.TemporaryDirectory() as folder, agents_watched() as spent:
        ours, wall = _own_cpu(), time.perf_counter()
        progress = asyncio.run(pasb_eval.run_pasb(settings, Path(folder), workers=workers))
        if progress.done != tasks:
            raise SystemExit(f"{tasks - progress.done} of {tasks} episodes are not valid; nothing was measured")
        return time.perf_counter() - wall, spent[0], _own_cpu() - ours


def slow_calls(episodes: int = 2) -> tuple[float, int]:
    """(added share of wall time, calls) when each model call takes SLOW_CALL_S: what is not the model's."""
    settings = pasb_settings(agent="hermes", model=MODEL, judge="reference", tasks="smoke", sample=episodes)
    whole = pasb_eval.open_upstream
    pasb_eval.open_upstream = lambda name, **_: Slow(whole(name))
    try:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(pasb_eval.run_pasb(settings, Path(folder), workers=1))
            found = list(read_records(RunFolder.read(Path(folder)), EPISODES, Episode))
    finally:
        pasb_eval.open_upstream = whole
    calls = sum(turn.model_calls for episode in found for turn in (*episode.persist, *episode.query))
    wall = sum(_seconds(episode.started_at, episode.completed_at) for episode in found)
    return wall / (calls * SLOW_CALL_S) - 1, calls


class Slow:
    """An upstream whose every answer takes SLOW_CALL_S."""

    def __init__(self, upstream: Upstream) -> None:
        self.name, self._upstream = upstream.name, upstream

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Wait, then answer."""
        await asyncio.sleep(SLOW_CALL_S)
        return await self._upstream.complete(request)


async def cli_episode(agent: HermesAgent, task: Task) -> Cost:
    """Eight ``hermes chat -q`` processes on one home and the fixed wait between the stages."""
    environment = agent.installed(AgentSettings())
    assert environment is not None
    home = Path(tempfile.mkdtemp(prefix="hermes-cli-"))
    upstream = ScriptedModel(MODEL, Lexicon.of_tasks([task]))
    try:
        async with Gateway(upstream) as gateway:
            config = yaml.safe_load(config_yaml(AgentSettings()))
            config["model"] |= {"base_url": gateway.endpoint.base_url, "api_key": gateway.endpoint.secret}
            (home / "config.yaml").write_text(yaml.safe_dump(config))
            before, ours, wall = _children_cpu(), _own_cpu(), time.perf_counter()
            session = ""
            for turn in task.persist_turns:
                session = await _chat(environment, home, turn.text, session)
            await asyncio.sleep(FIXED_WAIT_S)
            session = ""
            for query in task.query_turns:
                session = await _chat(environment, home, query.text, session)
            return Cost(time.perf_counter() - wall, _children_cpu() - before, _own_cpu() - ours)
    finally:
        shutil.rmtree(home, ignore_errors=True)


async def _chat(environment: Path, home: Path, text: str, session: str) -> str:
    """One turn as a process; returns the session to resume."""
    resume = ["--resume", session] if session else []
    process = await asyncio.create_subprocess_exec(
        *(str(environment / "bin" / "hermes"), "chat", "-Q", "-q", text, "-t", "memory,skills", *resume),
        cwd=home,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "HERMES_HOME": str(home), "HERMES_DISABLE_LAZY_INSTALLS": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    if process.returncode:
        raise SystemExit(f"hermes chat failed:\n{said.decode(errors='replace')[-2000:]}")
    found = re.search(r"session[_ ]id:?\s*(\S+)", said.decode(errors="replace"), re.IGNORECASE)
    return found[1] if found else ""


@contextlib.contextmanager
def agents_watched() -> Iterator[list[float]]:
    """A list whose one number becomes the CPU seconds of all agent processes when their pool is closed."""
    spent, close = [0.0], SlotPool.close

    async def measured(pool: SlotPool) -> None:
        spent[0] += _descendants_cpu(os.getpid())
        await close(pool)

    SlotPool.close = measured  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        SlotPool.close = close  # type: ignore[method-assign]


def _descendants_cpu(root: int) -> float:
    """CPU seconds of every living process below one, and of the dead ones that they waited for."""
    parents, used = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)], used[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))

    def below(pid: int) -> bool:
        while pid in parents and pid != root:
            pid = parents[pid]
        return pid == root

    return sum(ticks for pid, ticks in used.items() if pid != root and below(pid)) / TICKS


def _own_cpu() -> float:
    return time.process_time()


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
