"""Which words of a claim are distinctive: the five rarest over all claims of a set, by inverse document frequency."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from stewardbench.pasb.records import Task
from stewardbench.pasb.words import all_stems, content_stems

TOP = 5


@dataclass(frozen=True)
class Lexicon:
    """Document frequencies of content stems over the distinct claims of a set."""

    claims: int
    frequency: dict[str, int]

    def idf(self, stem: str) -> float:
        """Smoothed inverse document frequency; the highest for a stem of one claim only."""
        return math.log((1 + self.claims) / (1 + self.frequency.get(stem, 0)))

    def distinctive(self, claim: str, facts: Iterable[str]) -> frozenset[str]:
        """The stems that give the claim away: the five rarest that no context fact holds; longer stems break ties."""
        own = content_stems(claim) - all_stems(facts)
        return frozenset(sorted(own, key=lambda stem: (-self.idf(stem), -len(stem), stem))[:TOP])


def lexicon(tasks: Iterable[Task]) -> Lexicon:
    """The lexicon of a set of tasks; each base item and arm counts its claim once."""
    claims = {(task.base_item_id, task.claim.text) for task in tasks}
    frequency: Counter[str] = Counter()
    for _, text in claims:
        frequency.update(content_stems(text))
    return Lexicon(claims=len(claims), frequency=dict(frequency))
