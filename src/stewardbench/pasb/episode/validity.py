"""When a turn has no answer to score: errors, empty replies, and texts that no model wrote.

An agent that fails often says so in the place of an answer ("API call failed after 3 retries"). Such a text is told
apart by its origin, not by its wording: the words of an answer must be words of what the model said in that turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stewardbench.agents.interface import TurnOutcome
from stewardbench.models.failures import CONTENT_FILTER, UNREADABLE_OUTPUT
from stewardbench.models.messages import Exchange
from stewardbench.pasb.records import InvalidReason
from stewardbench.pasb.words import words

WRITTEN_SHARE = 0.8  # of an answer's distinct words; the rest may be an agent's own decoration
CALL_LIMIT = "turn_call_limit"  # how the gateway names its refusal
REASONS = {
    CONTENT_FILTER: InvalidReason.CONTENT_FILTER,
    UNREADABLE_OUTPUT: InvalidReason.UNREADABLE_OUTPUT,
}

Failure = tuple[InvalidReason, str]


def turn_failure(outcome: TurnOutcome, exchanges: Sequence[Exchange]) -> Failure | None:
    """Why a turn cannot be scored, with the detail, or None. ``exchanges`` are those of this turn.

    Bounded turns come first, then reported errors (of the model where a call failed, else of the agent), then
    answers that are empty or that the model did not write.
    """
    refused = [e for e in exchanges if e.failure == CALL_LIMIT]
    if outcome.stopped_by_limit or refused:
        return InvalidReason.CALL_LIMIT, f"{len(exchanges)} model calls in one turn; {repeated_call(exchanges)}"
    cause = model_failure(exchanges)
    if outcome.error is not None:
        return (cause[0], f"{outcome.error} ({cause[1]})") if cause else (InvalidReason.AGENT_ERROR, outcome.error)
    if not outcome.reply.strip():
        return cause or (InvalidReason.EMPTY_REPLY, _nothing_said(exchanges))
    if not written_by_model(outcome.reply, exchanges):
        what = f"no model wrote the answer: {outcome.reply[:200]!r}"
        return (cause[0], f"{what} ({cause[1]})") if cause else (InvalidReason.ERROR_REPLY, what)
    return None


def model_failure(exchanges: Sequence[Exchange]) -> Failure | None:
    """What the last failed call among some failed of: the endpoint, a filter, or output that nobody could read."""
    for exchange in reversed(exchanges):
        if exchange.error is not None:
            return REASONS.get(exchange.failure, InvalidReason.MODEL_ERROR), f"HTTP {exchange.status}: {exchange.error}"
        reply = exchange.reply
        if reply is not None and reply.finish_reason == CONTENT_FILTER and not reply.text.strip():
            return InvalidReason.CONTENT_FILTER, "the provider filtered the answer and left nothing of it"
    return None


def _nothing_said(exchanges: Sequence[Exchange]) -> str:
    last = next((e.reply for e in reversed(exchanges) if e.reply is not None), None)
    if last is not None and last.finish_reason == "length" and not last.text.strip():
        return "the agent gave no text: the model's answer was cut off before its first word (a limit on new tokens)"
    return "the agent gave no text"


def written_by_model(reply: str, exchanges: Iterable[Exchange]) -> bool:
    """Whether an answer is made of words that the model said in this turn."""
    texts = [e.reply.text for e in exchanges if e.reply is not None]
    if any(reply.strip() in text for text in texts):
        return True
    said = {word for text in texts for word in words(text)}
    used = set(words(reply))
    return bool(used) and len(used & said) >= WRITTEN_SHARE * len(used)


def repeated_call(exchanges: Iterable[Exchange]) -> str:
    """The tool call that a turn made most often: a model in a loop is named by it."""
    counts: dict[tuple[str, str], int] = {}
    for exchange in exchanges:
        for call in exchange.reply.tool_calls if exchange.reply else ():
            counts[call.name, call.arguments] = counts.get((call.name, call.arguments), 0) + 1
    if not counts:
        return "no tool was called"
    (name, arguments), times = max(counts.items(), key=lambda item: item[1])
    return f"most often {name}({arguments[:120]}), {times} times"
