"""The SovereignPA engine without Inspect: episodes per CPU-second of one core, scored, generation excluded.

An episode here is: render the pages of a fresh scenario, run the rule-based agent through the parser, platform and user
to its report, and score every metric into a row. Logging and scoring again from logs are measured apart. Each figure is
the best of three rounds in CPU time, since other work on the machine only ever slows a round down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

ROUNDS = 3


def main() -> None:
    """Measure and print."""
    from stewardbench.sovereignpa.acceptance import run_booking, run_cancellation
    from stewardbench.sovereignpa.agents import BOOKING_AGENTS, CANCEL_AGENTS
    from stewardbench.sovereignpa.axes import Split
    from stewardbench.sovereignpa.booking.episode import BookingEpisode, play
    from stewardbench.sovereignpa.generate import situations
    from stewardbench.sovereignpa.records import Source, booking_log
    from stewardbench.sovereignpa.rescore import rescored
    from stewardbench.sovereignpa.sets import booking_set, cancellation_set

    started = time.process_time()
    situations()
    print(f"generate 192 situations: {time.process_time() - started:.2f} s CPU")
    for name, maker in BOOKING_AGENTS.items():
        rate = _rate(lambda: booking_set(Split.TEST), lambda made, maker=maker: run_booking(made, maker))
        print(f"{name:<16} {rate:>7,.0f} booking episodes a CPU-second")
    rate = _rate(lambda: cancellation_set(Split.TEST), lambda made: run_cancellation(made, CANCEL_AGENTS["canceller"]))
    print(f"{'canceller':<16} {rate:>7,.0f} cancellation episodes a CPU-second")

    chosen = booking_set(Split.DEV)
    finished = [BookingEpisode(one) for one in chosen]
    for episode in finished:
        play(episode, BOOKING_AGENTS["careful"]())
    source = Source(agent="careful")
    rate = _rate(lambda: finished, lambda made: [booking_log(one, source).to_json() for one in made])
    print(f"{'log as JSON':<16} {rate:>7,.0f} episodes a CPU-second")
    logs = [booking_log(one, source) for one in finished]
    rate = _rate(lambda: logs, lambda made: [rescored(log, one) for log, one in zip(made, chosen, strict=True)])
    print(f"{'score from logs':<16} {rate:>7,.0f} episodes a CPU-second")


def _rate(prepare: Callable[[], Sequence[Any]], work: Callable[[Sequence[Any]], object]) -> float:
    """Items a CPU-second of the best round; ``prepare`` is not counted."""
    best = 0.0
    for _ in range(ROUNDS):
        made = prepare()
        started = time.process_time()
        work(made)
        best = max(best, len(made) / (time.process_time() - started))
    return best


if __name__ == "__main__":
    main()
