"""Reviews are counted, awaited, and never fail in silence."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from stewardbench.agents.hermes.child.reviews import THREAD_NAME, ReviewWatch


def agent_class() -> Any:
    class FakeAgent:
        """Starts a review as Hermes does: a thread whose own agent runs one conversation."""

        _memory_write_origin = ""

        def __init__(self, act: Any = None) -> None:
            self._act = act

        def run_conversation(self, text: str, conversation_history: list[dict[str, Any]]) -> dict[str, Any]:
            return self._act(conversation_history) if self._act else {"messages": conversation_history}

        def _spawn_background_review(self, act: Any) -> None:
            def review() -> None:
                reviewer = type(self)(act)
                reviewer._memory_write_origin = "background_review"
                try:
                    if act is not None:
                        reviewer.run_conversation("Review", conversation_history=[{"role": "user"}])
                except RuntimeError:
                    return

            threading.Thread(target=review, name=THREAD_NAME, daemon=True).start()

    return FakeAgent


def saving(history: list[dict[str, Any]]) -> dict[str, Any]:
    return {"messages": [*history, {"role": "assistant", "content": "saved"}]}


def failing(history: list[dict[str, Any]]) -> dict[str, Any]:
    return {"messages": history, "failed": True, "error": "HTTP 500"}


def raising(history: list[dict[str, Any]]) -> dict[str, Any]:
    raise RuntimeError("no memory left")


def test_a_good_review_is_counted_with_its_own_messages_only() -> None:
    fake = agent_class()
    watch = ReviewWatch(fake)
    fake()._spawn_background_review(saving)
    report = watch.join(10)
    assert (report.started, report.failure) == (1, None)
    assert report.messages == [[{"role": "assistant", "content": "saved"}]]
    assert watch.join(10).started == 0


@pytest.mark.parametrize(
    ("act", "failure"),
    [(failing, "HTTP 500"), (raising, "RuntimeError: no memory left"), (None, "it ended before it asked the model")],
)
def test_a_failed_review_is_named(act: Any, failure: str) -> None:
    fake = agent_class()
    watch = ReviewWatch(fake)
    fake()._spawn_background_review(act)
    assert watch.join(10).failure == failure


def test_an_endless_review_is_named() -> None:
    fake, end = agent_class(), threading.Event()
    watch = ReviewWatch(fake)
    fake()._spawn_background_review(lambda history: (end.wait(), saving(history))[1])
    assert watch.join(0).failure == "it was still running after 0 s"
    end.set()
    assert watch.join(10).failure is None


def test_the_foreground_is_no_review() -> None:
    fake = agent_class()
    watch = ReviewWatch(fake)
    fake().run_conversation("hello", conversation_history=[])
    assert watch.join(0) == (0, None, [])
