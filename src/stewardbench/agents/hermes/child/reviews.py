"""Hermes' background reviews, made observable: they run in a thread, and one that fails says nothing."""

from __future__ import annotations

import functools
import threading
import time
from typing import Any, NamedTuple

THREAD_NAME = "bg-review"
WRITE_ORIGIN = "background_review"


class ReviewReport(NamedTuple):
    """What the reviews since the last report did: how many started, the first failure, and each one's own messages."""

    started: int
    failure: str | None
    messages: list[list[dict[str, Any]]]


class ReviewWatch:
    """Counts the reviews that start, records how each run ends, and joins their threads.

    It wraps two methods of ``AIAgent``: the one that starts a review, and ``run_conversation``, which the review's own
    agent calls once. A review that starts without a recorded run has died on its way.
    """

    def __init__(self, agent_class: Any) -> None:
        self._started = 0
        self._failures: list[str] = []
        self._messages: list[list[dict[str, Any]]] = []
        agent_class._spawn_background_review = self._counting(agent_class._spawn_background_review)
        agent_class.run_conversation = self._recording(agent_class.run_conversation)

    def join(self, timeout_s: float) -> ReviewReport:
        """Wait for every review that was started. Hermes starts the thread before a turn returns, so none is missed."""
        deadline = time.monotonic() + timeout_s
        for thread in threading.enumerate():
            if thread.name == THREAD_NAME:
                thread.join(max(0.0, deadline - time.monotonic()))
                if thread.is_alive():
                    self._failures.insert(0, f"it was still running after {timeout_s:g} s")
        if not self._failures and len(self._messages) < self._started:
            self._failures.append("it ended before it asked the model")
        report = ReviewReport(self._started, next(iter(self._failures), None), self._messages)
        self._started, self._failures, self._messages = 0, [], []
        return report

    def _counting(self, spawn: Any) -> Any:
        @functools.wraps(spawn)
        def counted(agent: Any, *arguments: Any, **named: Any) -> Any:
            self._started += 1
            return spawn(agent, *arguments, **named)

        return counted

    def _recording(self, run: Any) -> Any:
        @functools.wraps(run)
        def recorded(agent: Any, *arguments: Any, **named: Any) -> Any:
            if getattr(agent, "_memory_write_origin", "") != WRITE_ORIGIN:
                return run(agent, *arguments, **named)
            known = len(named.get("conversation_history") or ())
            try:
                result = run(agent, *arguments, **named)
            except BaseException as error:
                self._failures.append(f"{type(error).__name__}: {error}")
                raise
            if result.get("failed") or result.get("partial") or result.get("error"):
                self._failures.append(str(result.get("error") or "it failed"))
            self._messages.append(result["messages"][known:])
            return result

        return recorded
