"""The model calls that wait for an answer at this moment, so that progress can show one that hangs."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class CallsInFlight:
    """Calls by the moment at which they began. ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._numbers = clock, itertools.count()
        self._began: dict[int, float] = {}

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A call is on its way for as long as this is open."""
        number = next(self._numbers)
        self._began[number] = self._clock()
        try:
            yield
        finally:
            del self._began[number]

    def oldest_s(self) -> float:
        """Seconds since the oldest call that still waits began; 0 where none does."""
        began = tuple(self._began.values())
        return self._clock() - min(began) if began else 0.0


CALLS = CallsInFlight()  # those of this process
