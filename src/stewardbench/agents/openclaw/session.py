"""One conversation with a running gateway."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from stewardbench.agents.interface import AgentSettings, Flush, TurnOutcome
from stewardbench.agents.openclaw import transcript
from stewardbench.agents.openclaw.client import GatewayFault, session_key
from stewardbench.agents.openclaw.gateway import Folders, Gateway
from stewardbench.workspace.folders import list_files

QUIET_S = 0.5  # the durable files must stay unchanged for this long
SETTLE_CAP_S = 20.0  # the paper's fixed wait for OpenClaw (B.5), here the limit


class OpenClawSession:
    """A conversation under one session key.

    ``moment`` is told the number of every turn before it begins; ``can_tell`` says that the release reports when it is
    idle; ``finish`` is called at the end.
    """

    def __init__(
        self,
        session_id: str,
        gateway: Gateway,
        folders: Folders,
        settings: AgentSettings,
        *,
        moment: Callable[[int], None],
        can_tell: bool,
        finish: Callable[[], Awaitable[None]],
    ) -> None:
        self.session_id = session_id
        self._gateway, self._folders, self._settings = gateway, folders, settings
        self._can_tell, self._moment, self._turns = can_tell, moment, 0
        self._finish = finish

    async def send(self, text: str) -> TurnOutcome:
        """Send one user turn. Raises AgentCrashed when the gateway died, AgentHung when the turn took too long."""
        self._turns += 1
        self._moment(self._turns)
        before, started = len(self._messages()), time.perf_counter()
        reply, error = "", None
        try:
            reply = await self._gateway.turn(self.session_id, text, self._settings.turn_timeout_s)
        except GatewayFault as problem:
            error = str(problem)
        turn = self._messages()[before:]
        calls = transcript.model_calls(turn)
        error = transcript.fault(turn) if error is None or _is_empty_answer(turn) else error
        return TurnOutcome(
            reply=reply if error is None and transcript.answered(turn) else "",
            tool_uses=transcript.tool_uses(turn),
            model_calls=calls,
            elapsed_s=time.perf_counter() - started,
            error=error,
            stopped_by_limit=calls > self._settings.max_model_calls_per_turn,
        )

    async def settle(self) -> Flush:
        """Wait until no durable file has changed for half a second, at most the paper's 20 s.

        A release that can tell must also say that it is idle.
        """
        cap_s = float(self._settings.options.get("settle_cap_s", SETTLE_CAP_S))
        started = changed = time.monotonic()
        seen = self._durable_state()
        while (now := time.monotonic()) - changed < QUIET_S and now - started < cap_s:
            await asyncio.sleep(QUIET_S / 5)
            state = self._durable_state()
            if state != seen or (self._can_tell and not await self._gateway.idle()):
                seen, changed = state, time.monotonic()
        quiescent = now - changed >= QUIET_S
        return Flush(
            policy=f"durable files unchanged for {QUIET_S:g} s, at most {cap_s:g} s",
            waited_s=now - started,
            quiescent=quiescent,
            pending=() if quiescent else ("OpenClaw is still writing",),
        )

    async def close(self) -> None:
        """End the conversation; a gateway that serves one session at a time ends with it."""
        await self._finish()

    def _messages(self) -> Sequence[transcript.Message]:
        return transcript.read_messages(self._folders.agent, session_key(self.session_id))

    def _durable_state(self) -> list[tuple[str, int, int]]:
        return sorted(_stamps(self._folders.workspace) + _stamps(self._folders.pending))


def _is_empty_answer(turn: Sequence[transcript.Message]) -> bool:
    """Whether the model answered, without a word: OpenClaw calls that an incomplete response and answers with 400."""
    return transcript.model_calls(turn) > 0 and transcript.fault(turn) is None and not transcript.answered(turn)


def _stamps(folder: Path) -> list[tuple[str, int, int]]:
    stamps = []
    for name in list_files(folder):
        try:
            stat = (folder / name).lstat()
        except FileNotFoundError:
            continue
        stamps.append((name, stat.st_mtime_ns, stat.st_size))
    return stamps
