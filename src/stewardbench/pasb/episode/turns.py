"""One conversation with an agent: its turns in order, each bounded, each either an answer or the reason for none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from stewardbench.agents.interface import AgentSession, AgentSettings, AgentSlot, Flush, Stage, TurnOutcome
from stewardbench.errors import AgentError, AgentHung
from stewardbench.models.messages import Exchange
from stewardbench.pasb.episode.validity import Failure, model_failure, turn_failure
from stewardbench.pasb.records import InvalidReason, Turn

BACKGROUND_CALLS = 32  # calls that an agent's own reviews may add to a turn before the gateway stops answering
GRACE_S = 30.0  # an agent enforces its own turn limit; this much later we do


class ModelCalls(Protocol):
    """What a conversation needs of its slot's gateway."""

    def declare(self, stage: str, turn: int, max_calls: int | None = None) -> None:
        """Say which turn the coming model calls belong to, and how many of them are answered."""
        ...

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every finished model call of this episode, in order of arrival."""
        ...

    async def idle(self) -> None:
        """Wait until no call is in flight. Raises what was no model error: a bug, or a limit of Inspect."""
        ...


@dataclass(frozen=True, slots=True)
class Rig:
    """What an episode runs on: one agent in its slot, and the gateway through which it reaches its model."""

    slot: AgentSlot
    calls: ModelCalls


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said. ``turns`` ends with the turn that failed, if one did; ``exchanges`` are the model calls."""

    session_id: str
    texts: tuple[str, ...]
    turns: tuple[Turn, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    flush: Flush | None = None
    failure: Failure | None = None


async def hold_conversation(
    rig: Rig,
    settings: AgentSettings,
    stage: Stage,
    *,
    session_id: str,
    texts: Sequence[str],
    settle: Callable[[AgentSession], Awaitable[Flush]],
) -> Conversation:
    """Open a session, send every text and wait for each answer, let the agent settle, close.

    Failures of the agent and of its model end the conversation and are named in the result; whatever happens, the
    session is closed, and nothing of it runs afterwards.
    """
    first = len(rig.calls.exchanges)
    turns: list[Turn] = []
    flush: Flush | None = None
    failure: Failure | None = None
    try:
        session = await rig.slot.open_session(stage, session_id)
    except AgentError as error:
        return Conversation(session_id, tuple(texts), failure=named(error))
    try:
        for number, text in enumerate(texts, 1):
            turn, failure = await _take_turn(session, rig.calls, settings, stage, (number, text))
            turns.append(turn)
            if failure is not None:
                break
        else:
            flush = await settle(session)
    except AgentError as error:
        failure = named(error)
    finally:
        closing = await _close(session)
    async with asyncio.timeout(GRACE_S):
        await rig.calls.idle()
    return Conversation(
        session.session_id, tuple(texts), tuple(turns), rig.calls.exchanges[first:], flush, failure or closing
    )


async def _take_turn(
    session: AgentSession, calls: ModelCalls, settings: AgentSettings, stage: Stage, said: tuple[int, str]
) -> tuple[Turn, Failure | None]:
    number, text = said
    calls.declare(stage, number, settings.max_model_calls_per_turn + BACKGROUND_CALLS)
    first = len(calls.exchanges)
    try:
        outcome = await _send(session, text, settings.turn_timeout_s)
        failure = turn_failure(outcome, calls.exchanges[first:])
    except AgentError as error:
        cause = model_failure(calls.exchanges[first:][-1:])  # an agent may well break of an endpoint that is down
        outcome = TurnOutcome(reply="", error=error.message)
        failure = (cause[0], f"{error.message} ({cause[1]})") if cause else named(error)
    exchanges = calls.exchanges[first:]
    turn = Turn(
        turn=number,
        user=text,
        agent=outcome.reply,
        tool_calls=outcome.tool_uses,
        session_id=session.session_id,
        elapsed_s=round(outcome.elapsed_s, 3),
        model_calls=len(exchanges),
        retries=sum(exchange.error is not None for exchange in exchanges),
        error=failure[1] if failure else outcome.error,
    )
    return turn, failure


async def _send(session: AgentSession, text: str, limit_s: float) -> TurnOutcome:
    try:
        async with asyncio.timeout(limit_s + GRACE_S):
            return await session.send(text)
    except TimeoutError:
        raise AgentHung(f"no answer within {limit_s:g} s, and the agent did not stop by itself.") from None


async def _close(session: AgentSession) -> Failure | None:
    try:
        await session.close()
    except AgentError as error:
        return named(error)
    return None


def named(error: AgentError) -> Failure:
    """An agent's error as the reason and detail of an invalid episode."""
    return InvalidReason(error.reason), error.message
