"""One user of the assistant: a new name for every episode, a new session for every conversation."""

from __future__ import annotations

import asyncio
import time
import uuid

from stewardbench.agents.black_box.options import Options
from stewardbench.agents.black_box.remote import Message, Remote
from stewardbench.agents.interface import AgentSettings, Flush, Stage, TurnOutcome, WipeReport
from stewardbench.agents.library import entries
from stewardbench.agents.library.entries import Entry
from stewardbench.errors import AgentError
from stewardbench.models.endpoint import Endpoint
from stewardbench.records import canonical_json, sha256_text
from stewardbench.workspace.tree import Tree

POLL_S = 0.25
READS = 20  # of an export that keeps changing


class HttpSession:
    """A conversation. The turns are kept here, or by the server where it says so."""

    def __init__(self, slot: HttpSlot, session_id: str) -> None:
        self.session_id = session_id
        self._slot, self._messages = slot, list[Message]()

    async def send(self, text: str) -> TurnOutcome:
        """Send one user turn. Raises AgentHung or Unreachable; an answer of the server that is none is an error."""
        started = time.monotonic()
        self._messages.append({"role": "user", "content": text})
        reply, error = await self._slot.say(self._messages, self.session_id)
        self._messages.append({"role": "assistant", "content": reply})
        return TurnOutcome(reply=reply, elapsed_s=time.monotonic() - started, error=error)

    async def settle(self) -> Flush:
        """Read the export until it stays as it is. Without one, what the server still writes cannot be seen."""
        return await self._slot.settle()

    async def close(self) -> None:
        """Nothing is told: the server learns of the end when the next session begins."""


class HttpSlot:
    """An assistant as one episode uses it. ``capture`` is what the server exported last."""

    confined = False  # it runs on a machine of its own

    def __init__(self, endpoint: Endpoint, options: Options, settings: AgentSettings) -> None:
        self._remote = Remote(endpoint, settings.turn_timeout_s)
        self._options, self._bounds = options, settings.limits.bounds
        self._user, self._entries = "", tuple[Entry, ...]()
        self.baseline_sha256 = self._digest()

    async def reset(self) -> None:
        """A user whom the server has never seen; where it knows how, it is told to forget all the same."""
        self._user = f"user-{uuid.uuid4().hex[:16]}"
        if self._options.api == "assistant":
            await self._remote.ask("reset", {"user": self._user})
        await self._read()
        self.baseline_sha256 = self._digest()

    async def open_session(self, stage: Stage, session_id: str) -> HttpSession:
        """A new session of the same user. The stage is not told."""
        if self._options.api == "assistant":
            await self._remote.ask("session", {"user": self._user, "session_id": session_id})
        return HttpSession(self, session_id)

    def capture(self) -> Tree:
        """The exported entries; nothing where there is no export."""
        return entries.as_tree(self._entries)

    async def wipe(self) -> WipeReport:
        """Nothing is removed by us: the next session is the cut, and the server declares it."""
        await self._read()
        return WipeReport(removed=(), kept=tuple(self.capture()))

    def restore_durable(self, tree: Tree) -> None:
        """Raises AgentError: nobody can put a memory into the server."""
        raise AgentError("An assistant behind an address cannot be forked: its memory cannot be set.")

    async def close(self) -> None:
        """Close kept connections."""
        await self._remote.close()

    async def say(self, messages: list[Message], session_id: str) -> tuple[str, str | None]:
        """One turn of a session: the answer, or why there is none."""
        options = self._options
        fields = {options.user_field: self._user}
        if options.session_field:
            fields[options.session_field] = session_id
        return await self._remote.say(messages[-1:] if options.server_keeps_history else messages, fields)

    async def settle(self) -> Flush:
        """See the session's."""
        if not self._options.export:
            return Flush(
                policy="not seen: no export", waited_s=0.0, quiescent=False, pending=("what the server writes",)
            )
        started, stable = time.monotonic(), False
        await self._read()
        for _ in range(READS):
            seen = self._entries
            await asyncio.sleep(POLL_S)
            await self._read()
            if stable := seen == self._entries:
                break
        return Flush(
            policy="export twice the same",
            waited_s=round(time.monotonic() - started, 3),
            quiescent=stable,
            pending=() if stable else ("the export still changing",),
        )

    async def _read(self) -> None:
        if self._options.export:
            self._entries = await self._remote.memory(self._user, self._bounds)

    def _digest(self) -> str:
        return sha256_text(canonical_json([self._options.model_dump(), [one.model_dump() for one in self._entries]]))
