"""Patience with an endpoint, the same at every upstream: transient failures of a call are tried again, with growing
pauses or the pause that the endpoint asked for.

A call gives up when its pauses would exceed the patience. Tries that timed out count like pauses, but for the first: an
endpoint that hangs would otherwise hold one call for hours. The endpoint then counts as down: the calls after it get
one try each, so that a run notices an outage in seconds, until one of them is answered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential

from stewardbench.errors import ModelError
from stewardbench.models.failures import is_transient
from stewardbench.models.in_flight import CALLS
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream, control

PATIENCE_S = 180.0
FIRST_S, LONGEST_S = 1.0, 30.0

Answer = TypeVar("Answer")
Sleep = Callable[[float], Awaitable[None]]


class Retrying:
    """An upstream whose transient failures are retried for ``patience_s`` seconds of pauses per call; 0 is no retry."""

    def __init__(
        self,
        upstream: Upstream,
        patience_s: float = PATIENCE_S,
        *,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = upstream.name
        self.down = False
        self.waiting = 0
        self._upstream, self._patience_s, self._sleep, self._clock = upstream, patience_s, sleep, clock

    def __repr__(self) -> str:
        return f"Retrying({self._upstream!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Raises the ModelError of the last try."""
        with CALLS.waiting():  # pauses and all: that is how long somebody waits for it
            return await self._patiently(lambda: self._upstream.complete(request))

    async def control(self, action: str, body: dict[str, Any]) -> dict[str, Any]:
        """Hand an action on. Raises the ModelError of the last try."""
        return await self._patiently(lambda: control(self._upstream, action, body))

    async def _patiently(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        late: list[float] = []  # seconds of each try that timed out

        def enough(state: RetryCallState) -> bool:
            return self.down or state.idle_for + state.upcoming_sleep + sum(late[1:]) > self._patience_s

        try:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception(is_transient), wait=_pause, stop=enough, sleep=self._wait, reraise=True
            ):
                with attempt:
                    start = self._clock()
                    try:
                        answer = await call()
                    except ModelError as error:
                        late += [self._clock() - start] if error.kind == "timeout" else []
                        raise
        except ModelError as error:
            self.down = self.down or is_transient(error)
            raise
        self.down = False
        return answer

    async def _wait(self, seconds: float) -> None:
        self.waiting += 1
        try:
            await self._sleep(seconds)
        finally:
            self.waiting -= 1


def _pause(state: RetryCallState) -> float:
    """Seconds before the next try: doubling, and never shorter than the endpoint asked for."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after_s if isinstance(error, ModelError) else None
    return max(asked or 0.0, float(_GROWING(state)))


_GROWING = wait_exponential(multiplier=FIRST_S, max=LONGEST_S)
