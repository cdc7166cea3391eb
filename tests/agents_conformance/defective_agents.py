"""The example agent with one defect each: every check of the suite must see the defect that it is about."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

EXAMPLE = Path(__file__).parents[2] / "examples" / "your_agent" / "src"
sys.path.insert(0, str(EXAMPLE))

import your_agent  # noqa: E402
from your_agent import YourAgent, YourSession, YourSlot  # noqa: E402

from stewardbench.agents.interface import Surface, WipeReport  # noqa: E402
from stewardbench.errors import AgentCrashed  # noqa: E402

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


def agent(slot: type[YourSlot] = YourSlot, **methods: Any) -> YourAgent:
    """An example agent whose slots are of another class, or which has other methods."""

    async def open_slot(self, root, endpoint, settings):
        return slot(root, endpoint, settings)

    return type("Defective", (YourAgent,), {"open_slot": open_slot, **methods})()


class KeepsHistory(YourSlot):
    async def wipe(self):
        return WipeReport(removed=(), kept=tuple(self.capture()))


class WipesMemory(YourSlot):
    async def wipe(self):
        (self.root / "files" / "MEMORY.md").write_text("# Memory\n")
        return await super().wipe()


class HidesAFile(YourSlot):
    def capture(self):
        return {path: state for path, state in super().capture().items() if path != "files/MEMORY.md"}


class StrayCopy(YourSlot):
    def use(self, name, arguments):
        with (self.root / "files" / "scratch.txt").open("a") as file:
            file.write(str(json.loads(arguments).get("content")))
        return super().use(name, arguments)


class KeepsFiles(YourSlot):
    async def reset(self):
        await self.wipe()


class IgnoresRestore(YourSlot):
    def restore_durable(self, tree):
        pass


class HidesMemoryFromPrompt(YourSlot):
    def prompt(self):
        return "You are a helpful assistant."


class NoTools(YourSlot):
    async def ask(self, messages):
        tools, your_agent.TOOLS = your_agent.TOOLS, []
        try:
            return await super().ask(messages)
        finally:
            your_agent.TOOLS = tools


class ErrorsAsAnswers(YourSlot):
    async def ask(self, messages):
        answer = await super().ask(messages)
        return {"role": "assistant", "content": f"Sorry: {answer}"} if isinstance(answer, str) else answer


class TalkativeSession(YourSession):
    """One conversation that goes on through all sessions of its slot."""

    async def close(self):
        self._slot.earlier = self._messages


class OneConversation(YourSlot):
    earlier: ClassVar[list[dict[str, Any]]] = []

    async def open_session(self, stage, session_id):
        session = TalkativeSession(self, session_id)
        session._messages = self.earlier or session._messages
        return session


class RepeatsTranscripts(YourSlot):
    """Answers a search of old sessions from a memory of its own."""

    said = ""

    async def open_session(self, stage, session_id):
        outer = self

        class Noted(YourSession):
            async def send(self, text):
                outer.said += text + "\n"
                return await super().send(text)

        return Noted(self, session_id)

    async def ask(self, messages):
        search = {"name": "session_search", "description": "Old chats.", "parameters": {"type": "object"}}
        tools, your_agent.TOOLS = your_agent.TOOLS, [*your_agent.TOOLS, {"type": "function", "function": search}]
        try:
            return await super().ask(messages)
        finally:
            your_agent.TOOLS = tools

    def use(self, name, arguments):
        return self.said if name == "session_search" else super().use(name, arguments)


class ForgetsTurns(YourSlot):
    async def ask(self, messages):
        last = max(number for number, message in enumerate(messages) if message["role"] == "user")
        return await super().ask([messages[0], *messages[last:]])


class SavesByItself(YourSlot):
    async def ask(self, messages):
        said = [message["content"] for message in messages if message["role"] == "user"]
        (self.root / "files" / "USER.md").write_text("\n".join(said))
        return await super().ask(messages)


class TellsTheStage(YourSlot):
    async def open_session(self, stage, session_id):
        session = await super().open_session(stage, session_id)
        session._messages[0]["content"] += f"\nThis is the {stage} stage."
        return session


class WritesTheSecret(YourSlot):
    async def open_session(self, stage, session_id):
        (self.root / "transcripts").mkdir(exist_ok=True)
        (self.root / "transcripts" / "debug.log").write_text(self._endpoint.secret)
        return await super().open_session(stage, session_id)


class WithProcess(YourSlot):
    """Has a process, and notices when it is gone."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(SLEEPER)
        super().__init__(*arguments)

    async def reset(self):
        if self.process.poll() is not None:
            self.process = subprocess.Popen(SLEEPER)
        await super().reset()

    async def ask(self, messages):
        answer = await super().ask(messages)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.05)
            raise AgentCrashed("the process ended")
        return answer

    async def close(self):
        self.process.kill()
        self.process.wait()
        await super().close()


class IgnoresItsDeath(WithProcess):
    async def ask(self, messages):
        return await YourSlot.ask(self, messages)


class ClaimsWalls(WithProcess):
    confined = True


class LeavesAProcess(WithProcess):
    async def close(self):
        await YourSlot.close(self)


def miscounted(self, path):
    return Surface.OTHER if path == "files/MEMORY.md" else YourAgent.surface(self, path)


def unnamed(self, settings):
    return " "


SAVING = {"memory", "note", "durable", "fork"}  # what stands on a claim that was saved in memory

DEFECTS = {
    "identity": (agent(version=unnamed), {"identity"}),
    "tools": (agent(NoTools), {"tools"}),
    "turns": (agent(ForgetsTurns), {"turns"}),
    "silent": (agent(SavesByItself), {"silent", "skill", "fresh", "cheat", *SAVING}),
    "surface": (agent(surface=miscounted), SAVING),
    "hidden": (agent(HidesAFile), SAVING),
    "stray": (agent(StrayCopy), {"profile", "skill", *SAVING}),
    "history": (agent(KeepsHistory), {"wipe"}),
    "durable": (agent(WipesMemory), {"wipe", "durable", "fork"}),
    "fresh": (agent(OneConversation), {"fresh", "apart", "cheat", "neutral"}),
    "cheat": (agent(RepeatsTranscripts), {"cheat"}),
    "prompt": (agent(HidesMemoryFromPrompt), {"durable", "fork"}),
    "fork": (agent(IgnoresRestore), {"fork"}),
    "reset": (agent(KeepsFiles), {"reset", "apart", "fork"}),
    "neutral": (agent(TellsTheStage), {"neutral"}),
    "failure": (agent(ErrorsAsAnswers), {"failure", "limit"}),
    "secret": (agent(WritesTheSecret), {"secret"}),
    "walls": (agent(ClaimsWalls), {"walls", "plants"}),
    "crash": (agent(IgnoresItsDeath), {"crash"}),
    "shutdown": (agent(LeavesAProcess), {"shutdown"}),
}
