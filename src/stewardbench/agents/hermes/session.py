"""One conversation with Hermes, as the parent sees it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

from stewardbench.agents.interface import Flush, ToolUse, TurnOutcome
from stewardbench.agents.worker import Worker
from stewardbench.errors import AgentCrashed, ReviewFailed

WRITERS = frozenset({"memory", "skill_manage", "write_file", "patch"})
# How Hermes words a write that it blocks on its own judgement, as opposed to one with wrong arguments.
REFUSAL = re.compile(
    r'"error":\s*"(Operation \d+: )?(Blocked:|Refusing|Security scan blocked|Background review denied)'
)
CLOSE_TIMEOUT_S = 60.0
LEAST_REVIEW_S = 1.0
GRACE_S = 5.0  # what a late answer may add to its limit


class HermesSession:
    """A forked process that holds one ``AIAgent``."""

    def __init__(
        self,
        worker: Worker,
        session_id: str,
        *,
        turn_timeout_s: float,
        review_timeout_s: float,
        review: str,
        final_review: bool,
    ) -> None:
        self.session_id = session_id
        self._worker = worker
        self._turn_timeout_s, self._review_timeout_s = turn_timeout_s, review_timeout_s
        self._review, self._final_review = review, final_review
        self._reviews = 0
        self._open = True

    async def send(self, text: str) -> TurnOutcome:
        """Send one user turn; wait for the answer and then for the background review that it started.

        The turn's limit covers both. Raises AgentCrashed, AgentHung when the answer, or ReviewFailed when the review,
        fails or outlives it.
        """
        start = time.monotonic()
        answer = await self._ask({"op": "turn", "text": text}, "reply", self._turn_timeout_s)
        elapsed = time.monotonic() - start
        left = max(LEAST_REVIEW_S, self._turn_timeout_s - elapsed)
        background = await self._await_reviews(min(left, self._review_timeout_s))
        error = answer["error"]
        return TurnOutcome(
            reply=answer["reply"],
            tool_uses=(*_tool_uses(answer["tool_uses"]), *background),
            model_calls=answer["model_calls"],
            elapsed_s=elapsed,
            error=None if error is None else self._worker.redact(error),
            stopped_by_limit=answer["limit"],
        )

    async def settle(self) -> Flush:
        """Wait for background reviews; under the policy ``final`` start the one of this session first."""
        start = time.monotonic()
        late = await self._await_reviews(self._review_timeout_s, start_final=self._final_review)
        self._final_review = False
        return Flush(
            policy=self._review,
            waited_s=time.monotonic() - start,
            quiescent=True,
            background_reviews=self._reviews,
            tool_uses=late,
        )

    async def close(self) -> None:
        """End the conversation's process and everything it left running. Does nothing when it is gone already."""
        if not self._open or not self._worker.alive:
            return
        self._open = False
        ended = await self._worker.request({"op": "close"}, timeout_s=CLOSE_TIMEOUT_S)
        if ended.get("ended") != 0:
            await self._worker.kill()  # a new one starts for the next session
            raise AgentCrashed(
                f"{self._worker.name}: its session ended with code {ended.get('ended')} at its close. "
                f"Its last words:\n{self._worker.tail()}"
            )

    async def _await_reviews(self, timeout_s: float, *, start_final: bool = False) -> tuple[ToolUse, ...]:
        message = {"op": "reviews", "start_final": start_final, "timeout_s": timeout_s}
        answer = await self._ask(message, "reviews", timeout_s + GRACE_S)
        self._reviews += answer["reviews"]
        if answer["failure"]:
            failure = self._worker.redact(answer["failure"])
            await self._abandon()  # a review that still runs cannot be stopped in any other way
            raise ReviewFailed(f"Hermes' background review failed: {failure}.")
        return _tool_uses(answer["tool_uses"], background=True)

    async def _ask(self, message: Mapping[str, Any], expected: str, timeout_s: float) -> dict[str, Any]:
        answer = await self._worker.request(message, timeout_s=timeout_s)
        if expected not in answer:  # the zygote answered: the session's process is gone
            await self._abandon()
            raise AgentCrashed(
                f"{self._worker.name}: its session ended with code {answer.get('ended')} in the middle of a turn. "
                f"Its last words:\n{self._worker.tail()}"
            )
        return answer

    async def _abandon(self) -> None:
        self._open = False
        await self._worker.kill()


def _tool_uses(uses: Iterable[Mapping[str, Any]], *, background: bool = False) -> tuple[ToolUse, ...]:
    return tuple(
        ToolUse(
            name=use["name"],
            arguments=use["arguments"],
            result=use["result"],
            refused=use["name"] in WRITERS and REFUSAL.search(use["result"]) is not None,
            background=background,
        )
        for use in uses
    )
