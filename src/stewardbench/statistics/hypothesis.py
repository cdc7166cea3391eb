"""Exact tests on paired outcomes, and the correction for making several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class SignTest:
    """How many clusters went up, went down or stayed, and the exact two-sided p-value with ties dropped."""

    positive: int
    negative: int
    ties: int
    p_value: float


@dataclass(frozen=True, slots=True)
class McNemar:
    """Discordant pairs of a binary outcome (first only, second only) and the exact two-sided p-value."""

    first_only: int
    second_only: int
    p_value: float


def sign_test(values: ArrayLike, *, tolerance: float = 1e-12) -> SignTest:
    """The exact sign test on one value per cluster (SovereignPA-Bench, statistics section).

    Values within ``tolerance`` of zero are ties: differences of means of equal counts may miss zero by a rounding bit.
    NaN is not a value and is left out. Without any untied value the p-value is 1.
    """
    from scipy.stats import binomtest

    array = np.asarray(values, float)
    array = array[~np.isnan(array)]
    positive, negative = int((array > tolerance).sum()), int((array < -tolerance).sum())
    untied = positive + negative
    p_value = float(binomtest(positive, untied, 0.5).pvalue) if untied else 1.0
    return SignTest(positive, negative, len(array) - untied, p_value)


def mcnemar(first: ArrayLike, second: ArrayLike) -> McNemar:
    """McNemar's exact test on two arrays of booleans, paired by position. Raises ValueError when lengths differ."""
    from scipy.stats import binomtest

    a, b = np.asarray(first, bool), np.asarray(second, bool)
    if a.shape != b.shape:
        raise ValueError(f"paired outcomes differ in shape: {a.shape} and {b.shape}")
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    p_value = float(binomtest(only_a, only_a + only_b, 0.5).pvalue) if only_a + only_b else 1.0
    return McNemar(only_a, only_b, p_value)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment, in the given order. NaN stays NaN and is not counted as a test.

    Written out because statsmodels, which the tests compare it with, takes seconds to load.
    """
    raw = np.asarray(p_values, float)
    adjusted = np.full(len(raw), np.nan)
    known = np.flatnonzero(~np.isnan(raw))
    order = known[np.argsort(raw[known], kind="stable")]
    steps = raw[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps)) if len(order) else steps
    return tuple(float(value) for value in adjusted)
