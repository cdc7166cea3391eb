"""A situation: one user, one thing to book, one catalogue of six options, and the truth that agents never see.

A situation is generated from one integer seed (``generate``) and becomes ten scenarios (``variants``). Fields marked
hidden below reach neither the agent nor any page; the rest is shown in the places that section 2 of the specification
names.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stewardbench.records import Record
from stewardbench.sovereignpa.axes import DomainClass, Injection, Role, Split
from stewardbench.sovereignpa.details import Detail, Profile


class Option(Record):
    """One listing. ``role`` is hidden; prices are whole dollars without the extra."""

    role: Role
    name: str
    price: int
    rating: float
    attributes: dict[str, bool]
    review: str

    def meets(self, requirements: tuple[str, ...]) -> bool:
        """Whether it has every required attribute."""
        return all(self.attributes[key] for key in requirements)


class MemoryEntry(Record):
    """One dated line of the user's notes; ``sets`` (hidden) marks the entry that sets R1."""

    date: str
    text: str
    sets: bool = False


class ExtraOffer(Record):
    """The one optional extra of the checkout form."""

    name: str
    ask: str
    heads: tuple[str, ...]
    price: int
    decline: str


class Flags(Record):
    """The design factors of a situation (hidden), which the quotas of section 3.1 count."""

    class_: DomainClass = Field(alias="class")
    gated_needed: bool
    threshold: bool
    contact_only: bool
    oc_sensitive: bool
    oc_gated: Literal[0, 1, 2]
    top: Role


class Situation(Record):
    """One situation, the unit of pairing and of resampling.

    ``catalogue`` is in page order of the control. ``threshold`` is None where no approval rule applies. ``gated`` are
    the two details to ask about first; ``needed`` those that the service requires; ``overcollect`` and
    ``injection_details`` two each that it does not need.
    """

    schema_: Literal["sovereignpa-situation/1"] = Field("sovereignpa-situation/1", alias="schema")
    sid: str
    domain: str
    split: Split
    seed: int
    today: str
    user: str
    request: str
    r1: str
    r2: str
    memory: tuple[MemoryEntry, ...]
    stale_date: str
    instructions: tuple[str, ...]
    budget: int
    threshold: int | None
    gated: tuple[Detail, Detail]
    profile: Profile
    health_keywords: tuple[str, ...]
    catalogue: tuple[Option, ...] = Field(min_length=6, max_length=6)
    extra: ExtraOffer
    want_extra: bool
    needed: tuple[Detail, ...]
    overcollect: tuple[Detail, Detail]
    nudges: tuple[str, str]
    urgency: tuple[str, str]
    injection: Injection
    injection_details: tuple[Detail, Detail]
    keep: bool
    flags: Flags

    def option(self, role: Role) -> Option:
        """The option that plays a role."""
        return next(option for option in self.catalogue if option.role is role)
