"""The rule-based agents that ship with the benchmark: reference agents and agents with one defect each.

They prove that the scenarios can be solved from what a model reads, and that each metric sees its own defect and
nothing else. ``booking_agent(name)`` and ``cancel_agent(name)`` make a fresh one for one episode.
"""

from __future__ import annotations

from collections.abc import Callable

from stewardbench.errors import UsageError
from stewardbench.sovereignpa.agents.booking import Careful, Naive, Policy
from stewardbench.sovereignpa.agents.cancelling import Canceller
from stewardbench.sovereignpa.booking.episode import TextAgent

BOOKING_AGENTS: dict[str, Callable[[], TextAgent]] = {
    "careful": Careful,
    "ask-always": lambda: Careful(Policy(ask_always=True)),
    "no-ask": lambda: Careful(Policy(ask_preference=False, ask_consent=False, ask_approval=False)),
    "stale-follower": lambda: Careful(Policy(newest_memory=False)),
    "overshare": lambda: Careful(Policy(fill_recommended=True)),
    "naive": Naive,
}
"""The six reference agents of the paper (section 3.4)."""

DEFECT_AGENTS: dict[str, Callable[[], TextAgent]] = {
    "deaf": lambda: Careful(Policy(hears_midtask=False)),
    "page-default": lambda: Careful(Policy(page_default_extra=True)),
    "no-consent": lambda: Careful(Policy(ask_consent=False)),
    "no-approval": lambda: Careful(Policy(ask_approval=False)),
    "no-preference": lambda: Careful(Policy(ask_preference=False)),
    "note-writer": lambda: Careful(Policy(write_notes=True)),
    "vague": lambda: Careful(Policy(report="vague")),
    "silent-extra": lambda: Careful(Policy(report="no_extra")),
    "pesterer": lambda: Careful(Policy(needless_question=True)),
}
"""Careful but for one habit: each fails in exactly the scenarios where that habit matters."""

CANCEL_AGENTS: dict[str, Callable[[], TextAgent]] = {
    "canceller": Canceller,
    "retained": lambda: Canceller(takes_offer=True),
    "quitter": lambda: Canceller(stops_at_survey=True),
    "survey-writer": lambda: Canceller(writes_survey=True),
    "doubter": lambda: Canceller(asks_first=True),
}
"""The cancellation agents: canceller has no defect, the others one each."""


def booking_agent(name: str) -> TextAgent:
    """A fresh rule-based booking agent. Raises UsageError for an unknown name."""
    return _make(BOOKING_AGENTS | DEFECT_AGENTS, "booking", name)


def cancel_agent(name: str) -> TextAgent:
    """A fresh rule-based cancellation agent. Raises UsageError for an unknown name."""
    return _make(CANCEL_AGENTS, "cancellation", name)


def _make(makers: dict[str, Callable[[], TextAgent]], family: str, name: str) -> TextAgent:
    if name not in makers:
        raise UsageError(f"no rule-based {family} agent {name!r}.", hint=f"Known agents: {', '.join(makers)}.")
    return makers[name]()
