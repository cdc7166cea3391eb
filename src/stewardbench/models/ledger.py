"""What one episode asked of its model: every exchange, the calls still in flight, and the cap on calls per turn."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatReply, ChatRequest, Exchange

CALL_LIMIT = "turn_call_limit"
CLIENT_GONE = 499  # the status that an exchange records when the client left before the answer


@dataclass
class Call:
    """One request from its arrival until its answer was written."""

    index: int
    stage: str
    turn: int
    started: float
    request: ChatRequest = field(default_factory=lambda: ChatRequest(messages=()))
    streamed: bool = False
    reply: ChatReply | None = None
    error: str | None = None
    status: int = CLIENT_GONE

    def failed(self, error: ModelError) -> None:
        """Book a failure under its name."""
        self.reply, self.status, self.error = None, error.status, f"{error.kind}: {error.message}"


class CallLedger:
    """The books of one episode. ``failure`` is an exception that was no ModelError: a bug, or an Inspect limit."""

    def __init__(self) -> None:
        self.in_flight = 0
        self.failure: Exception | None = None
        self._stage, self._turn = "", 0
        self._max_calls: int | None = None
        self._calls_in_turn = 0
        self._opened = 0
        self._exchanges: list[Exchange] = []
        self._quiet = asyncio.Event()
        self._quiet.set()

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """All finished exchanges, in order of arrival."""
        return tuple(sorted(self._exchanges, key=lambda exchange: exchange.index))

    @property
    def calls_in_turn(self) -> int:
        """Chat requests that arrived since the last ``declare``, answered or not."""
        return self._calls_in_turn

    def declare(self, stage: str, turn: int, max_calls: int | None) -> None:
        """Say which turn the coming calls belong to, and how many of them are answered."""
        self._stage, self._turn, self._max_calls = stage, turn, max_calls
        self._calls_in_turn = 0

    def arrive(self) -> None:
        """A client's request is here; the agent is not quiet."""
        self.in_flight += 1
        self._quiet.clear()

    def leave(self) -> None:
        """A request was answered, or its client left."""
        self.in_flight -= 1
        if self.in_flight == 0:
            self._quiet.set()

    def open(self, now: float) -> Call:
        """Start to book a chat request. ``now`` is in seconds of a monotonic clock."""
        call = Call(index=self._opened, stage=self._stage, turn=self._turn, started=now)
        self._opened += 1
        self._calls_in_turn += 1
        return call

    def check_limit(self) -> None:
        """Raises ModelError (422, which clients do not retry) when the turn has used up its calls."""
        if self._max_calls is not None and self._calls_in_turn > self._max_calls:
            raise ModelError(
                f"This turn has already made {self._max_calls} model calls; no more are answered.",
                status=422,
                kind=CALL_LIMIT,
                hint="Look for a tool call that fails and is repeated, or raise max_model_calls_per_turn.",
            )

    def unexpected(self, error: Exception) -> ModelError:
        """Keep an exception that is no ModelError for ``quiet``, and say what the client is told meanwhile."""
        self.failure = self.failure or error
        return ModelError(f"{type(error).__name__}: {error}", status=500, kind="internal_error")

    def book(self, call: Call, now: float) -> None:
        """Close a call and keep it."""
        self._exchanges.append(
            Exchange(
                index=call.index,
                stage=call.stage,
                turn=call.turn,
                request=call.request,
                reply=call.reply,
                error=call.error,
                status=call.status,
                streamed=call.streamed,
                elapsed_s=round(now - call.started, 6),
            )
        )

    async def quiet(self) -> None:
        """Wait until nothing is in flight.

        Re-raises ``failure``: a bug or a limit must never look like the agent's fault.
        """
        await self._quiet.wait()
        if self.failure is not None:
            raise self.failure
