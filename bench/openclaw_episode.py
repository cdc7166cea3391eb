"""What an eight-turn episode costs on the real OpenClaw: a warm gateway, a cold one, and one process per turn.

Every way runs the same episode with the same model, which answers at once: a note is written in the persist stage and
searched in the query stage. CPU is that of all processes of the agent, sampled while they live. The way of one process
per turn is measured for one turn and multiplied.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from stewardbench.agents.interface import AgentSettings, Stage
from stewardbench.agents.openclaw import OpenClawAgent, install
from stewardbench.agents.openclaw.baseline import STANDING, put_in_place, seed_files
from stewardbench.agents.openclaw.config import Place, document, environment
from stewardbench.agents.openclaw.releases import release
from stewardbench.agents.openclaw.slot import OpenClawSlot
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, message_text
from stewardbench.workspace.processes import descendants

WARM_EPISODES = 20
COLD_EPISODES = 2
TURNS = 8
SAMPLE_S = 0.1
TICKS = os.sysconf("SC_CLK_TCK")


class Caller:
    """A model that makes the one tool call that its user turn spells out, at once."""

    name = "caller"

    async def complete(self, request: ChatRequest) -> ChatReply:
        users = [number for number, message in enumerate(request.messages) if message["role"] == "user"]
        asked = re.search(r"@call (\w+) (\{.*\})", message_text(request.messages[users[-1]]))
        if asked and users[-1] == len(request.messages) - 1:
            call = ToolCall(id=f"call_{len(request.messages)}", name=asked[1], arguments=asked[2])
            return ChatReply(tool_calls=(call,), finish_reason="tool_calls")
        return ChatReply(text="Done.")


class Meter:
    """CPU-seconds and peak memory of all processes below this one, read while they live."""

    def __init__(self) -> None:
        self._cpu: dict[int, float] = {}
        self._peak: dict[int, float] = {}

    async def run(self) -> None:
        while True:
            self.sample()
            await asyncio.sleep(SAMPLE_S)

    def sample(self) -> None:
        for pid in descendants(os.getpid()):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                status = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            self._cpu[pid] = (int(fields[11]) + int(fields[12])) / TICKS
            if peak := re.search(r"VmHWM:\s+(\d+)", status):
                self._peak[pid] = int(peak[1]) / 1024

    @property
    def cpu(self) -> float:
        return sum(self._cpu.values())

    @property
    def peak_mb(self) -> float:
        return max(self._peak.values(), default=0.0)


@dataclass(frozen=True)
class Cost:
    """Means per episode; ``peak_mb`` of the largest process."""

    wall: float
    cpu: float
    peak_mb: float


async def measured(work: Callable[[], Awaitable[int]]) -> Cost:
    meter = Meter()
    meter.sample()
    before = meter.cpu
    sampling = asyncio.create_task(meter.run())
    started = time.perf_counter()
    episodes = await work()
    wall = time.perf_counter() - started
    meter.sample()
    sampling.cancel()
    return Cost(wall / episodes, (meter.cpu - before) / episodes, meter.peak_mb)


class Desk:
    """One slot and its gateway; counts which canaries its searches found."""

    def __init__(self, slot: OpenClawSlot, gateway: Gateway, name: str) -> None:
        self.slot, self.gateway, self.name = slot, gateway, name
        self.own = self.foreign = self.count = 0

    async def episode(self) -> None:
        self.count += 1
        canary = f"{self.name}canary{self.count:04}"
        self.gateway.begin()
        await self.slot.reset()
        note = json.dumps({"path": "memory/2026-01-05.md", "content": f"- the harvest supper is planned {canary}\n"})
        await self._talk("persist", f"From now on, check {canary}.", "Two.", f"@call write {note}", "Four.", "Five.")
        self.slot.capture()
        await self.slot.wipe()
        search = json.dumps({"query": "the harvest supper is planned"})
        found = await self._talk("query", f"@call memory_search {search}", "Seven.", "Eight.")
        seen = set(re.findall(r"\w+canary\d+", found))
        asked = [message_text(message) for each in self.gateway.exchanges for message in each.request.messages]
        self.own += canary in seen
        self.foreign += bool(set(re.findall(r"\w+canary\d+", " ".join(asked))) - {canary})

    async def _talk(self, stage: Stage, *texts: str) -> str:
        session = await self.slot.open_session(stage, f"{stage[0]}{self.name}{self.count:06x}")
        outcomes = [await session.send(text) for text in texts]
        await session.settle()
        await session.close()
        assert all(outcome.error is None for outcome in outcomes), outcomes
        return " ".join(use.result for outcome in outcomes for use in outcome.tool_uses)


async def desks(stack: AsyncExitStack, folder: Path, number: int, settings: AgentSettings) -> list[Desk]:
    made = []
    for index in range(number):
        name = "abcdefgh"[index]
        gateway = await stack.enter_async_context(Gateway(Caller(), socket=folder / f"{name}.sock"))
        slot = await OpenClawAgent().open_slot(folder / name, gateway.endpoint, settings)
        stack.push_async_callback(slot.close)
        made.append(Desk(slot, gateway, name))
    return made


async def run_slots(number: int, episodes: int, settings: AgentSettings) -> tuple[Cost, list[Desk]]:
    """Cost per episode of some slots at work together; a warm slot's first start is not part of it."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        async with AsyncExitStack() as stack:
            at_work = await desks(stack, Path(folder), number, settings)
            if at_work[0].slot.warm:
                await asyncio.gather(*(desk.slot.reset() for desk in at_work))

            async def share(desk: Desk) -> None:
                for _ in range(episodes // number):
                    await desk.episode()

            async def work() -> int:
                await asyncio.gather(*map(share, at_work))
                return episodes // number * number

            return await measured(work), at_work


async def process_per_turn(version: str) -> Cost:
    """One turn of ``openclaw agent --local``, times eight."""
    chosen = release(version)
    installation = install.install(chosen)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = Path(folder)
        async with Gateway(Caller()) as gateway:
            place = Place(str(root), str(root / "tmp"), str(root / "logs"), gateway.endpoint.base_url)
            put_in_place(Path(place.workspace), seed_files(installation), STANDING)
            (root / "tmp").mkdir()
            config = document(chosen, AgentSettings(version=version), place, "assistant")
            Path(place.state, "openclaw.json").write_text(json.dumps(config))
            path = f"{installation.node.parent}:/usr/bin:/bin"
            variables = environment(place, path, gateway.endpoint.secret, "unused")

            async def turn() -> int:
                process = await asyncio.create_subprocess_exec(
                    *[str(installation.node), str(installation.openclaw / "openclaw.mjs"), "agent", "--local"],
                    *["--agent", "main", "--session-id", "bench", "--message", "One.", "--json"],
                    env=variables,
                    cwd=root,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                )
                _, said = await process.communicate()
                assert process.returncode == 0, said.decode()[-800:]
                return 1

            await turn()  # the first one also creates the state
            once = await measured(turn)
            assert len(gateway.exchanges) == 2
    return Cost(once.wall * TURNS, once.cpu * TURNS, once.peak_mb)


def main() -> None:
    """Print one line per way."""
    warm, (desk,) = asyncio.run(run_slots(1, WARM_EPISODES, AgentSettings()))
    pair, both = asyncio.run(run_slots(2, WARM_EPISODES, AgentSettings()))
    cold, _ = asyncio.run(run_slots(1, COLD_EPISODES, AgentSettings(options={"restart": "phase"})))
    single = asyncio.run(process_per_turn(""))
    print(f"OpenClaw {release().version}, {TURNS} turns, per episode")
    print(f"{'':32}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}{'CPU against':>14}")
    for name, cost in (
        ("warm, 1 slot", warm),
        ("warm, 2 slots", pair),
        ("cold (a process per session)", cold),
        ("one process per turn", single),
    ):
        print(f"{name:32}{cost.wall:9.1f}{cost.cpu:9.1f}{cost.peak_mb:9.0f}{cost.cpu / single.cpu:13.3f}x")
    found, foreign = desk.own + sum(each.own for each in both), desk.foreign + sum(each.foreign for each in both)
    print(f"own note found in {desk.own} of {desk.count} consecutive warm episodes, foreign notes in {desk.foreign}")
    print(f"all warm episodes: own {found} of {desk.count + sum(each.count for each in both)}, foreign {foreign}")
