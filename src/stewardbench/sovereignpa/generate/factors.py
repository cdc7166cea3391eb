"""The design factors of a situation, and the frame of 16 domains by 12 situations that they fill.

Which factors go together decides the scores of the rule-based agents. ``quotas`` holds exact counts per split, so that
their published rows come out for any seed; ``independent`` draws every factor on its own at the same rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stewardbench.seeding import generator
from stewardbench.sovereignpa.axes import DomainClass, Injection, Role, Split
from stewardbench.sovereignpa.domains import domains

PER_DOMAIN = 12
TOP_CYCLE = (Role.F2, Role.CSTAR, Role.C0, Role.D, Role.C2, Role.F1)
_FULL_TEST_DOMAINS = {DomainClass.H: 3, DomainClass.M: 3, DomainClass.L: 1}  # these have 10 test situations, others 9


@dataclass(frozen=True, slots=True)
class Place:
    """One of the 192 places in the frame."""

    domain: str
    index: int
    class_: DomainClass
    split: Split

    @property
    def sid(self) -> str:
        """``<domain>-<01..12>``."""
        return f"{self.domain}-{self.index + 1:02d}"


@dataclass(slots=True)
class Factors:
    """What the design decides about one situation before anything else is drawn.

    ``oc_gated`` is the number of over-collected fields that are gated. ``top`` is the role at the top of the page.
    """

    place: Place
    gated_needed: bool = False
    threshold: bool = False
    contact_only: bool = False
    keep: bool = False
    want_extra: bool = False
    oc_sensitive: bool = False
    oc_gated: Literal[0, 1, 2] = 0
    injection: Injection = Injection.BOOK_DECOY
    top: Role = Role.F2


def frame(seed: int) -> list[Place]:
    """All places in domain order: 151 on test, 41 on dev, split by the seed inside each domain."""
    places = []
    for class_ in DomainClass:
        keys = [key for key, domain in domains().items() if domain.class_ is class_]
        full = set(generator(seed, "frame", class_.value).sample(keys, _FULL_TEST_DOMAINS[class_]))
        for key in keys:
            tested = set(generator(seed, "split", key).sample(range(PER_DOMAIN), 10 if key in full else 9))
            places += [
                Place(key, index, class_, Split.TEST if index in tested else Split.DEV) for index in range(PER_DOMAIN)
            ]
    return places
