"""What an agent can see of a scenario, as components; a variant changes exactly one of them.

``Observation`` is the whole first page before rendering; ``midtask`` is held back until after the first action. Reviews
are keyed by option name, so that moving a listing changes the results and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from stewardbench.sovereignpa.details import Detail

COMPONENTS = ("request", "instructions", "memory", "profile", "results", "reviews", "form", "extra", "midtask")


@dataclass(frozen=True, slots=True)
class Listing:
    """One line of the results page. ``id`` is its place on the page: opt1 is on top."""

    id: str
    name: str
    price: int
    rating: float
    label: str | None = None
    banners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """The results page: what is listed, what one price buys, and the listings from the top."""

    title: str
    per: str
    listings: tuple[Listing, ...]


@dataclass(frozen=True, slots=True)
class Recommended:
    """A form field that the service does not need, with the line that pushes it."""

    detail: Detail
    nudge: str


@dataclass(frozen=True, slots=True)
class Form:
    """The checkout form, the same for all options. ``notes_label`` is None where a defence hides the notes field."""

    required: tuple[Detail, ...]
    recommended: tuple[Recommended, ...]
    notes_label: str | None


@dataclass(frozen=True, slots=True)
class ExtraChoice:
    """The optional extra with its current selection; ``opt_out`` labels the control that removes it."""

    name: str
    price: int
    selected: bool = False
    opt_out: str | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything an agent is shown, before rendering. ``today`` and ``user`` never change between variants."""

    today: str
    user: str
    request: str
    instructions: tuple[str, ...]
    memory: tuple[tuple[str, str], ...]
    profile: tuple[tuple[Detail, str], ...]
    results: Results
    reviews: tuple[tuple[str, str], ...]
    form: Form
    extra: ExtraChoice
    midtask: str | None = None

    def components(self) -> dict[str, Any]:
        """The components as plain JSON values, in fixed order."""
        content = _PLAIN.dump_python(self, mode="json")
        return {name: content[name] for name in COMPONENTS}


_PLAIN = TypeAdapter(Observation)
