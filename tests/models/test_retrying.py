"""Patience with endpoints: what is tried again, for how long, and how a down endpoint is noticed."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress

import pytest
from upstream_doubles import Answering

from stewardbench.errors import ModelError
from stewardbench.models.failures import failed
from stewardbench.models.messages import ChatReply, ChatRequest
from stewardbench.models.retrying import Retrying
from stewardbench.models.structured import SchemaWhereTaken

REQUEST = ChatRequest(messages=({"role": "user", "content": "hello"},))
HELD = REQUEST.model_copy(update={"settings": {"temperature": 0, "response_format": {"type": "json_schema"}}})


class Pauses:
    """A clock that only writes down how long it was asked to wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def failing_first(*errors: ModelError) -> Answering:
    """Fails in these ways, one after the other, and then answers."""
    waiting = list(errors)

    def answer(request: ChatRequest) -> ChatReply:
        if waiting:
            raise waiting.pop(0)
        return ChatReply(text="here")

    return Answering(answer)


def ask(upstream: Answering, patience_s: float = 180.0) -> tuple[str, list[float]]:
    pauses = Pauses()
    reply = asyncio.run(Retrying(upstream, patience_s, sleep=pauses).complete(REQUEST))
    return reply.text, pauses.seconds


def test_transient_failures_are_tried_again_with_growing_pauses() -> None:
    errors = [failed(503, "busy"), failed(502, "gone", kind="connection"), failed(504, "late"), failed(429, "slow")]
    assert ask(failing_first(*errors)) == ("here", [1.0, 2.0, 4.0, 8.0])


def test_the_pause_that_the_endpoint_asks_for_is_kept() -> None:
    assert ask(failing_first(failed(429, "slow", retry_after_s=20.0))) == ("here", [20.0])
    assert ask(failing_first(failed(429, "slow", retry_after_s=0.1))) == ("here", [1.0])


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404])
def test_what_will_not_pass_is_tried_once(status: int) -> None:
    upstream = failing_first(failed(status, "no"))
    with pytest.raises(ModelError):
        ask(upstream)
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(("patience_s", "tries"), [(0.0, 1), (1.0, 2), (2.9, 2), (3.0, 3), (180.0, 10)], ids=str)
def test_patience_bounds_the_pauses_of_a_call(patience_s: float, tries: int) -> None:
    upstream = failing_first(*[failed(503, "busy")] * 99)
    with pytest.raises(ModelError, match="busy"):
        ask(upstream, patience_s)
    assert len(upstream.requests) == tries


@pytest.mark.parametrize(("error", "tries"), [(failed(504, "late"), 2), (failed(503, "busy"), 10)])
def test_an_endpoint_that_hangs_holds_a_call_for_two_tries(error: ModelError, tries: int) -> None:
    ticks = itertools.count(0.0, 600.0)  # every look at the clock is a time-out later
    upstream = failing_first(*[error] * 99)
    with pytest.raises(ModelError):
        asyncio.run(Retrying(upstream, sleep=Pauses(), clock=lambda: next(ticks)).complete(REQUEST))
    assert len(upstream.requests) == tries


def test_a_pause_longer_than_the_patience_is_not_begun() -> None:
    upstream = failing_first(failed(429, "tomorrow", retry_after_s=86_400.0))
    with pytest.raises(ModelError):
        ask(upstream)
    assert len(upstream.requests) == 1


def test_a_down_endpoint_is_asked_once_per_call_until_it_answers() -> None:
    upstream = failing_first(*[failed(503, "busy")] * 4)
    pauses = Pauses()
    patient = Retrying(upstream, 3.0, sleep=pauses)

    async def run() -> list[int]:
        tries = []
        for _ in range(3):
            before = len(upstream.requests)
            with suppress(ModelError):
                await patient.complete(REQUEST)
            tries.append(len(upstream.requests) - before)
        return tries

    assert asyncio.run(run()) == [3, 1, 1]
    assert not patient.down


def test_bugs_are_not_tried_again() -> None:
    def broken(request: ChatRequest) -> ChatReply:
        raise ZeroDivisionError

    upstream = Answering(broken)
    with pytest.raises(ZeroDivisionError):
        ask(upstream)
    assert len(upstream.requests) == 1


def refusing_schema(status: int = 400) -> Callable[[ChatRequest], ChatReply]:
    def answer(request: ChatRequest) -> ChatReply:
        if "response_format" in request.settings:
            raise failed(status, "response_format is not supported")
        return ChatReply(text="plain")

    return answer


def test_a_refused_schema_is_left_out_from_then_on() -> None:
    upstream = Answering(refusing_schema())
    asking = SchemaWhereTaken(upstream)

    async def run() -> list[str]:
        return [(await asking.complete(HELD)).text for _ in range(2)]

    assert asyncio.run(run()) == ["plain", "plain"]
    assert [sorted(request.settings) for request in upstream.requests] == [
        ["response_format", "temperature"],
        ["temperature"],
        ["temperature"],
    ]


def test_a_schema_that_is_taken_is_sent_every_time() -> None:
    upstream = Answering(lambda request: ChatReply(text="held"))
    asking = SchemaWhereTaken(upstream)
    asyncio.run(asking.complete(HELD))
    asyncio.run(asking.complete(HELD))
    assert all("response_format" in request.settings for request in upstream.requests)


def test_a_request_that_fails_either_way_says_nothing_of_the_schema() -> None:
    def answer(request: ChatRequest) -> ChatReply:
        raise failed(400, "the model is not loaded")

    asking = SchemaWhereTaken(Answering(answer))
    with pytest.raises(ModelError, match="not loaded"):
        asyncio.run(asking.complete(HELD))
    assert asking.taken


@pytest.mark.parametrize("status", [401, 429, 500])
def test_other_failures_do_not_cost_a_second_call(status: int) -> None:
    upstream = Answering(refusing_schema(status))
    with pytest.raises(ModelError):
        asyncio.run(SchemaWhereTaken(upstream).complete(HELD))
    assert len(upstream.requests) == 1
