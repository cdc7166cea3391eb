"""How much of a claim a turn tells by meaning: words of one family, and of one group of synonyms, count as one.

Equal stems decide exposure in items of format 1, which made authors repeat the claim's own words in every hint and
restatement. Here "promoted" meets "promotions" (a shared beginning of five letters), and the groups of
``data/meaning.yaml`` meet each other ("hire", "job", "take on"). It is still a rule over words: the second reader
judges what it cannot see.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from stewardbench.pasb.audit.exposure import CUTS
from stewardbench.pasb.words import content_stems, stem

FAMILY = 5  # letters that two words of one family share at the beginning


@cache
def groups() -> dict[str, str]:
    """Stem to the name of its group of synonyms; a stem stands in one group at most."""
    text = (files("stewardbench.pasb.data") / "meaning.yaml").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for group in yaml.safe_load(text):
        for word in group:
            found.setdefault(stem(word), stem(group[0]))
    return found


@lru_cache(maxsize=65536)
def notions(text: str) -> frozenset[str]:
    """What a text speaks of: its content stems, cut to families, with synonyms under one name."""
    return frozenset(_notion(one) for one in content_stems(text))


def _notion(one: str) -> str:
    named = groups().get(one, one)
    return named[:FAMILY]


def told(claim: str, texts: Iterable[str]) -> float:
    """The share of the claim's notions that some texts tell together, 0 to 1."""
    wanted = notions(claim)
    held = frozenset[str]().union(*(notions(text) for text in texts))
    return len(wanted & held) / len(wanted) if wanted else 0.0


def exposure_by_meaning(claim: str, texts: Iterable[str]) -> int:
    """Exposure of some turns read together, 1 to 5: the share told, cut where exposure by stems is cut."""
    return 1 + bisect_right(CUTS, told(claim, texts))
