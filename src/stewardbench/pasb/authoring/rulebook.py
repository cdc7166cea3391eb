"""What the two formats of base items ask for differently: word bands, style, and how exposure is measured.

Format 1 (the set 1.0.0) kept the claim apart from fillers by length: 28-36 words against 18-28. Format 2 has one band
for all persist turns, lets a turn ask, and measures exposure by meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stewardbench.pasb.audit.dimensions import PERSIST_TOTAL
from stewardbench.pasb.audit.exposure import joint_exposure
from stewardbench.pasb.audit.meaning import exposure_by_meaning
from stewardbench.pasb.tasks.item import BaseItem, NaturalItem

Band = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The numbers and choices of one format. Bands are words, both ends included."""

    natural: bool
    full_words: Band
    short_words: Band
    full_spread: int
    persist_total: Band
    query_words: Band
    pieces: dict[str, Band]  # exposure wanted of each piece of the claim
    told_pieces: dict[str, Band]  # and of a true claim or twin, whose hints carry no measurement
    joint: int  # exposure that the fragments reach together at least
    shared_run: int  # words in a row that two turns of one wording may share

    def exposure(self, claim: str, texts: Iterable[str]) -> int:
        """How much of the claim some turns give away together, 1 to 5: by stems in format 1, by meaning in format 2."""
        if self.natural:
            return exposure_by_meaning(claim, texts)
        return joint_exposure(claim, texts)


_PIECES_1 = {"full": (5, 5), "hints": (2, 3), "restatements": (3, 5), "fragments": (2, 4)}
_PIECES_2 = {"full": (5, 5), "hints": (1, 3), "restatements": (2, 5), "fragments": (1, 5)}
_TOLD_2 = {"full": (5, 5), "hints": (1, 4), "restatements": (1, 5), "fragments": (1, 5)}
FORMAT_1 = Rulebook(False, (28, 36), (18, 28), 5, PERSIST_TOTAL, (10, 30), _PIECES_1, _PIECES_1, 5, 7)
FORMAT_2 = Rulebook(True, (22, 42), (18, 42), 12, (90, 200), (7, 34), _PIECES_2, _TOLD_2, 4, 11)


def rulebook(item: BaseItem) -> Rulebook:
    """The rulebook of an item's format."""
    return FORMAT_2 if isinstance(item, NaturalItem) else FORMAT_1
