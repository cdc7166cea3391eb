"""The check that nothing left behind is found again: a mark in every channel, and a look from the sessions after it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from stewardbench.agents.conformance import channels
from stewardbench.agents.conformance.bench import QUESTION, Bench, NotApplicable, expect
from stewardbench.agents.interface import COMMIT_SURFACES
from stewardbench.models.messages import ChatReply, ChatRequest
from stewardbench.seeding import derive
from stewardbench.workspace.confinement import INSIDE

ENTER = Path(__file__).with_name("enter.py")
VISIT_S = 60
RUNNERS = ("exec", "terminal", "process", "execute_code", "bash", "shell")
ONE_PROCESS = "one process serves both sessions, and no tool of its runs a program"
UNSEEN = "its mark is not found even where it was left"


class Visitor:
    """A model that lets a program into the agent's walls before it answers, once."""

    name = "conformance"

    def __init__(self, bench: Bench, act: str, mark: str, kept: str = "") -> None:
        self._bench, self._spec = bench, {"act": act, "mark": mark, "kept": kept}
        self.said: dict[str, Any] = {}
        self.process, self.tools, self.fault = "", frozenset[str](), ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer in words."""
        self.tools |= {str(tool["function"]["name"]) for tool in request.tools}
        if not self.said and not self.fault:
            await asyncio.to_thread(self._visit)
        return ChatReply(text="Yes.")

    def _visit(self) -> None:
        pid = innermost(self._bench.own_processes())
        if pid is None:
            self.fault = "the agent has no confined process of its own"
            return
        environment = dict(part.partition("=")[::2] for part in _text(pid, "environ").split("\0"))
        spec = json.dumps({**self._spec, "home": environment.get("HOME", "/")})
        self.process = f"{pid} {_text(pid, 'stat').rpartition(')')[2].split()[19]}"  # its id, and when it began
        command = [sys.executable, "-I", "-S", str(ENTER), str(INSIDE), str(pid), spec]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=VISIT_S)
        except subprocess.TimeoutExpired:
            self.fault = f"a program let into its walls did not end within {VISIT_S} s"
            return
        if done.returncode:
            self.fault = f"its walls could not be entered: {done.stderr.strip()[-700:]}"
        else:
            self.said = json.loads(done.stdout.splitlines()[-1])


async def plants(bench: Bench) -> str:
    """Leave a mark in every channel; look in the query session, and in the next episode."""
    if not bench.slot.confined:
        own = bench.own_processes()
        raise NotApplicable("the slot is not confined" if own else "the agent has no process of its own")
    mark = f"m{derive(0, 'conformance mark', os.getpid()):04x}"[:5]
    await bench.told("copier-memory")
    kept = [path for path in bench.slot.capture() if bench.agent.surface(path) in COMMIT_SURFACES]
    names = [PurePosixPath(path).name for path in kept if (PurePosixPath(path).suffix)]
    planted = await _visit(bench, "persist", Visitor(bench, "plant", mark, names[0] if names else ""))
    done: dict[str, str] = planted.said["planted"]
    await bench.slot.wipe()
    query = await _visit(bench, "query", Visitor(bench, "look", mark))
    shared = query.process == planted.process and not planted.tools & set(RUNNERS)
    await bench.slot.reset()
    following = await _visit(bench, "persist", Visitor(bench, "look", mark))
    carried = {"the query session": query.said["seen"], "the next episode": following.said["seen"]}
    for name, how in done.items():
        if shared and channels.CHANNELS[name].program:
            bench.channels[name] = f"not tried: {ONE_PROCESS}"
        elif how.startswith("missing"):
            bench.channels[name] = f"not tried: {how.partition(': ')[2]}"
        elif how == "planted" and name not in planted.said["seen"]:
            bench.channels[name] = f"not tried: {UNSEEN}"
        else:
            reached = [where for where, found in carried.items() if name in found]
            bench.channels[name] = f"carried to {' and '.join(reached)}" if reached else how
    return _verdict(bench.channels)


def innermost(pids: Sequence[int]) -> int | None:
    """The process behind the most walls: of those in another mount namespace than ours, the deepest."""
    ours = Path("/proc/self/ns/mnt").readlink()
    depths = {}
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/ns/mnt").readlink() != ours and _text(pid, "comm").strip() != "bwrap":
                line = next(line for line in _text(pid, "status").splitlines() if line.startswith("NSpid"))
                depths[pid] = len(line.split())
        except OSError:
            continue
    return max(depths, key=lambda pid: (depths[pid], pid)) if depths else None


def _verdict(found: dict[str, str]) -> str:
    carried = [f"{name} ({how})" for name, how in found.items() if how.startswith("carried")]
    expect(not carried, f"marks were found again: {'; '.join(carried)}")
    tried = [how for how in found.values() if not how.startswith("not tried")]
    refused = sum(how.startswith("refused") for how in tried)
    expect(bool(tried), "no channel could be tried")
    return (
        f"{len(tried)} channels tried, {refused} refused by the walls, 0 carried; {len(found) - len(tried)} not tried"
    )


async def _visit(bench: Bench, stage: Any, visitor: Visitor) -> Visitor:
    await bench.converse(stage, [QUESTION], visitor)
    expect(not visitor.fault, visitor.fault)
    expect(bool(visitor.said), "the model was never asked")
    return visitor


def _text(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
