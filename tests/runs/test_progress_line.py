"""Progress goes on being told while nothing happens, and names a call that nobody answers."""

from __future__ import annotations

import asyncio

import pytest

from stewardbench.cli import edge
from stewardbench.models import in_flight
from stewardbench.models.in_flight import CALLS, CallsInFlight
from stewardbench.models.messages import ChatReply, ChatRequest
from stewardbench.models.retrying import Retrying
from stewardbench.runs import terminal
from stewardbench.runs.progress import Progress
from stewardbench.runs.terminal import ProgressLine, describe, is_told, telling

REQUEST = ChatRequest(messages=({"role": "user", "content": "hello"},))


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(CALLS, "_clock", made)
    return made


def test_the_oldest_call_is_the_one_that_began_first_and_still_waits() -> None:
    clock = Clock()
    calls = CallsInFlight(clock)
    assert calls.oldest_s() == 0.0
    first, second = calls.waiting(), calls.waiting()
    first.__enter__()
    clock.now = 30.0
    second.__enter__()
    clock.now = 40.0
    assert calls.oldest_s() == 40.0
    first.__exit__(None, None, None)
    assert calls.oldest_s() == 10.0


@pytest.mark.parametrize(("age", "shown"), [(9.0, False), (75.0, True)])
def test_a_call_that_hangs_is_named_with_its_age(clock: Clock, age: float, shown: bool) -> None:
    with in_flight.CALLS.waiting():
        clock.now = age
        line = describe(Progress(total=4, clock=clock))
    assert ("oldest call waits 1 min 15 s" in line) is shown
    assert "oldest call" not in describe(Progress(total=4, clock=clock))


def test_every_call_of_a_run_is_counted_until_it_is_answered() -> None:
    seen: list[int] = []

    class Upstream:
        name = "here"

        async def complete(self, request: ChatRequest) -> ChatReply:
            seen.append(len(CALLS._began))
            return ChatReply(text="yes")

    asyncio.run(Retrying(Upstream()).complete(REQUEST))
    assert seen == [1]
    assert not CALLS._began


def test_the_line_is_written_again_though_nothing_happened(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock.now + 1000.0)
    line = ProgressLine()
    line(Progress(total=4, clock=clock))
    clock.now = 29.0
    line.again()
    assert capsys.readouterr().err.count("0/4 tasks") == 1
    clock.now = 31.0
    line.again()
    assert "31 s so far" in capsys.readouterr().err


class Pauses:
    """An event that is never set but by the count of waits."""

    def __init__(self, waits: int) -> None:
        self.left, self.asked = waits, []

    def wait(self, seconds: float) -> bool:
        self.asked.append(seconds)
        self.left -= 1
        return self.left < 0


def test_a_silent_command_is_said_to_be_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    pauses = Pauses(2)
    edge._heartbeat(pauses)
    assert pauses.asked == [edge.FIRST_S, edge.THEN_S, edge.THEN_S]
    assert capsys.readouterr().err.count("at work") == 2


def test_a_command_that_tells_by_itself_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with telling():
        assert is_told()
        edge._heartbeat(Pauses(2))
    assert not is_told()
    assert capsys.readouterr().err == ""
