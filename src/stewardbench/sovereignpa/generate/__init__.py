"""The generator: one integer seed becomes 192 situations, byte-identical on every machine (specification section 3).

factors      the design frame and its factors; quotas.py and independent.py fill them
catalogue    options, prices, budget, threshold
profile      canary details
wording      request, notes, instructions
constraints  what must hold of every situation
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

from stewardbench.sovereignpa.generate.assemble import situation
from stewardbench.sovereignpa.generate.factors import Factors
from stewardbench.sovereignpa.generate.independent import independent_factors
from stewardbench.sovereignpa.generate.quotas import quota_factors
from stewardbench.sovereignpa.situation import Situation

SHIPPED_SEED = 7


class Mode(StrEnum):
    """How the design factors are set: exact counts, or independent draws."""

    QUOTA = "quota"
    INDEPENDENT = "independent"


_FACTORS: dict[Mode, Callable[[int], list[Factors]]] = {
    Mode.QUOTA: quota_factors,
    Mode.INDEPENDENT: independent_factors,
}


@lru_cache(maxsize=4)
def situations(seed: int = SHIPPED_SEED, mode: Mode = Mode.QUOTA) -> tuple[Situation, ...]:
    """All 192 situations of a seed, in domain order. The defaults give the shipped set."""
    return tuple(situation(seed, mode.value, factors) for factors in _FACTORS[mode](seed))


__all__ = ["SHIPPED_SEED", "Mode", "situations"]
