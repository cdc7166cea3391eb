"""Spearman's rank correlation with average ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Correlation:
    """A rank correlation, its two-sided p-value and the number of pairs."""

    rho: float
    p_value: float
    n: int


def spearman(first: ArrayLike, second: ArrayLike) -> Correlation:
    """Spearman's rho of two arrays paired by position; pairs with a NaN are left out.

    NaN with fewer than three pairs or where one side does not vary. Raises ValueError when lengths differ.
    """
    from scipy.stats import spearmanr

    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.shape != b.shape:
        raise ValueError(f"paired values differ in shape: {a.shape} and {b.shape}")
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    if len(a) < 3 or len(set(a)) < 2 or len(set(b)) < 2:
        return Correlation(math.nan, math.nan, len(a))
    result = spearmanr(a, b)
    return Correlation(float(result.statistic), float(result.pvalue), len(a))
