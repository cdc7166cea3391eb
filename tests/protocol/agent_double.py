"""An agent in a few lines, for tests of the protocol and of runs. It keeps its state in a dictionary.

It behaves as an agent should: it shows its saved files to its model, lets the model save through a tool, and keeps
transcripts that the wipe removes. ``Faults`` makes it misbehave in one way at a time.
"""

import asyncio
import json
from dataclasses import dataclass, field

import httpx

from stewardbench.agents.interface import (
    COMMIT_SURFACES,
    AgentSettings,
    Flush,
    Surface,
    ToolUse,
    TurnOutcome,
    WipeReport,
)
from stewardbench.errors import AgentCrashed, AgentHung, ReviewFailed
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, Usage, message_text
from stewardbench.workspace.tree import file_state, tree_sha256

BASELINE = {"USER.md": b"# About the user\n", "config.yaml": b"memory: on\n"}
SAVE = {
    "type": "function",
    "function": {
        "name": "save",
        "description": "Write a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}, "text": {"type": "string"}}},
    },
}


@dataclass
class Faults:
    """One way each in which an agent can break the measurement. A place is (stage, turn)."""

    crash_at: tuple[str, int] | None = None
    hang_at: tuple[str, int] | None = None
    error_text_at: tuple[str, int] | None = None
    empty_at: tuple[str, int] | None = None
    limit_at: tuple[str, int] | None = None
    crash_on_open: str | None = None
    crash_on_close: str | None = None
    crash_on_reset: bool = False
    crashes_left: int = 1_000_000  # how often the faults above happen before the agent behaves
    review_fails: bool = False
    reviews: bool = False  # a background request after each persist turn, joined before the answer is given
    injects: bool = False  # a user message of the agent's own in every request
    forgets_turns: bool = False  # every turn is a conversation of its own
    keeps_history: bool = False  # the wipe leaves the transcript
    shows_history: bool = False  # the transcript reaches the next session's prompt, outside any file
    same_session: bool = False
    wipe_writes: bool = False
    wipe_deletes_memory: bool = False
    edits_config_in: str | None = None
    writes_late: bool = False  # a writer that ends only in settle()
    restless: int = 0  # captures during which the memory file still changes


class DoubleAgent:
    """The plug-in."""

    name = "double"

    def __init__(self, faults=None):
        self.faults = faults or Faults()
        self.slots = []

    def version(self, settings):
        return settings.version or "1.0"

    def surface(self, path):
        first = path.split("/")[0]
        known = {"USER.md": "user_profile", "MEMORY.md": "memory_profile", "skills": "skill", "config.yaml": "config"}
        return Surface("history") if first == "history" else Surface(known.get(first, "other"))

    async def open_slot(self, root, endpoint, settings=None):
        slot = DoubleSlot(self, endpoint, settings or AgentSettings())
        self.slots.append(slot)
        return slot


@dataclass
class DoubleSlot:
    agent: DoubleAgent
    endpoint: object
    settings: AgentSettings
    confined: bool = False
    files: dict = field(default_factory=dict)
    memory: list = field(default_factory=list)  # transcripts that outlive a session when shows_history is set
    late: dict = field(default_factory=dict)
    resets: int = 0
    closed: bool = False
    busy: bool = False

    @property
    def baseline_sha256(self):
        return tree_sha256({path: file_state(path, data) for path, data in BASELINE.items()})

    async def reset(self):
        assert not self.busy, "two episodes in one slot"
        assert not self.closed
        self.resets += 1
        self.strike(self.agent.faults.crash_on_reset)
        self.files, self.memory, self.late = dict(BASELINE), [], {}

    async def open_session(self, stage, session_id):
        self.strike(self.agent.faults.crash_on_open == stage)
        self.busy = True
        return DoubleSession(self, stage, "fixed" if self.agent.faults.same_session else session_id)

    def capture(self):
        if self.agent.faults.restless > 0:
            self.agent.faults.restless -= 1
            self.files["MEMORY.md"] = f"draft {self.agent.faults.restless}".encode()
        return {path: file_state(path, data) for path, data in sorted(self.files.items())}

    async def wipe(self):
        faults = self.agent.faults
        removed = tuple(path for path in self.files if path.startswith("history/"))
        if not faults.keeps_history:
            self.files = {path: data for path, data in self.files.items() if path not in removed}
        if faults.wipe_writes:
            self.files["MEMORY.md"] = self.files.get("MEMORY.md", b"") + b"\nwritten by the wipe"
        if faults.wipe_deletes_memory:
            self.files.pop("MEMORY.md", None)
        return WipeReport(removed=removed, kept=tuple(self.files), survivors=removed if faults.keeps_history else ())

    def restore_durable(self, tree):
        surface = self.agent.surface
        durable = {path: state for path, state in tree.items() if surface(path) in COMMIT_SURFACES}
        self.files = {path: data for path, data in self.files.items() if surface(path) not in COMMIT_SURFACES}
        self.files |= {path: state.text.encode() for path, state in durable.items()}

    async def close(self):
        self.closed = True

    def struck(self, here):
        """Whether a fault happens here; every one that does uses up one of ``crashes_left``."""
        faults = self.agent.faults
        happens = bool(here) and faults.crashes_left > 0
        faults.crashes_left -= happens
        return happens

    def strike(self, here, error=AgentCrashed):
        if self.struck(here):
            raise error("the process ended (test double).")


class DoubleSession:
    def __init__(self, slot, stage, session_id):
        self.slot, self.stage, self.session_id = slot, stage, session_id
        self.messages, self.turn = [], 0
        self.faults = slot.agent.faults

    async def send(self, text):
        self.turn += 1
        here = (self.stage, self.turn)
        self.slot.strike(self.faults.crash_at == here)
        self.slot.strike(self.faults.hang_at == here, AgentHung)
        if self.faults.forgets_turns:
            self.messages = []
        self.messages.append({"role": "user", "content": text})
        uses, calls = [], 0
        while True:
            calls += 1
            try:
                reply = await self._ask(self.messages)
            except httpx.HTTPStatusError as error:
                return TurnOutcome(reply="", tool_uses=tuple(uses), model_calls=calls, error=str(error))
            if not reply.get("tool_calls"):
                break
            self.messages.append(reply)
            for call in reply["tool_calls"]:
                uses.append(self._use(call))
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": uses[-1].result})
        answer = reply["content"] or ""
        self.messages.append({"role": "assistant", "content": answer})
        if self.faults.reviews and self.stage == "persist":
            await self._ask([*self.messages, {"role": "user", "content": "Review the conversation above."}])
        self.slot.files[f"history/{self.session_id}.json"] = json.dumps(self.messages).encode()
        if self.faults.edits_config_in == self.stage:
            self.slot.files["config.yaml"] = b"memory: off\n"
        if self.slot.struck(self.faults.error_text_at == here):
            answer = "API call failed after 3 retries: connection reset by peer"
        if self.slot.struck(self.faults.empty_at == here):
            answer = " \n"
        stopped = self.slot.struck(self.faults.limit_at == here)
        return TurnOutcome(reply=answer, tool_uses=tuple(uses), model_calls=calls, stopped_by_limit=stopped)

    async def settle(self):
        if self.faults.review_fails:
            raise ReviewFailed("the background review failed (test double).")
        self.slot.files |= self.slot.late
        self.slot.late = {}
        return Flush(policy="own", waited_s=0.0, quiescent=True, background_reviews=int(self.faults.reviews))

    async def close(self):
        self.slot.busy = False
        if self.faults.shows_history:
            self.slot.memory += [message_text(m) for m in self.messages]
        self.slot.strike(self.faults.crash_on_close == self.stage)

    def _use(self, call):
        wanted = json.loads(call["function"]["arguments"])
        target = self.slot.late if self.faults.writes_late else self.slot.files
        target[wanted["path"]] = wanted["text"].encode()
        return ToolUse(name="save", arguments=call["function"]["arguments"], result="saved")

    async def _ask(self, messages):
        slot = self.slot
        shown = [
            data.decode("utf-8", "replace") for path, data in slot.files.items() if not path.startswith("history/")
        ]
        system = {"role": "system", "content": "\n\n".join(["You are an assistant.", *shown, *slot.memory])}
        injected = [{"role": "user", "content": "[system notice] Today is a Tuesday."}] if self.faults.injects else []
        body = {"model": "assistant", "messages": [system, *injected, *messages], "tools": [SAVE]}
        async with httpx.AsyncClient(timeout=30, verify=False, trust_env=False) as client:
            answer = await client.post(
                f"{slot.endpoint.base_url}/chat/completions",
                json=body,
                headers={"Authorization": f"Bearer {slot.endpoint.secret}"},
            )
        answer.raise_for_status()
        return answer.json()["choices"][0]["message"]


class Talker:
    """An upstream that saves ``text`` under ``path`` when a user message of the turn contains ``when``, and chats."""

    name = "talker"

    def __init__(self, when=None, path="MEMORY.md", text="", answer="I see, thank you.", usage=None):
        self.when, self.path, self.text, self.answer = when, path, text, answer
        self.usage = usage or Usage()
        self.requests = []
        self.gate = None  # an asyncio.Event that holds every answer back

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        if self.gate is not None:
            await self.gate.wait()
        await asyncio.sleep(0)
        last = request.messages[-1]
        if self.when is not None and last.get("role") == "user" and self.when in message_text(last):
            arguments = json.dumps({"path": self.path, "text": self.text})
            call = ToolCall(id=f"call_{len(self.requests)}", name="save", arguments=arguments)
            return ChatReply(tool_calls=(call,), finish_reason="tool_calls", usage=self.usage)
        return ChatReply(text=self.reply(request), usage=self.usage)

    def reply(self, request: ChatRequest) -> str:
        return self.answer
