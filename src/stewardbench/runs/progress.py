"""How far a run is: counts, tokens and the time it will still take, for whoever wants to show them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Progress:
    """Counts of one run. ``earlier`` tasks were done before this start and do not enter the rate.

    ``invalid`` counts tasks that used up their attempts; ``unreached`` those whose endpoint failed, which the next
    start tries again; ``retried`` invalid attempts that were tried again;
    ``failed`` tasks that ended in an error of ours; ``unjudged`` valid episodes whose judge could not be reached, and
    ``unjudged_for`` how it failed.
    """

    total: int
    earlier: int = 0
    done: int = 0
    invalid: int = 0
    unreached: int = 0
    retried: int = 0
    failed: int = 0
    judged: int = 0
    unjudged: int = 0
    unjudged_for: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    message: str = ""
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def finished(self) -> int:
        """Tasks that need no more work in this start, done earlier or now."""
        return self.earlier + self.done + self.invalid + self.unreached + self.failed

    @property
    def elapsed_s(self) -> float:
        """Seconds since this start."""
        return self.clock() - self.started

    @property
    def eta_s(self) -> float | None:
        """Seconds that the rest will take at the rate of this start, or None before anything was finished."""
        now = self.finished - self.earlier
        return self.elapsed_s / now * (self.total - self.finished) if now else None


Watch = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Show nothing."""
