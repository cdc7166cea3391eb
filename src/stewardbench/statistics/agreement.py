"""How far raters of an ordinal 1-5 scale agree: Krippendorff's alpha with an interval, and plain shares.

Alpha is a ratio of observed to expected disagreement, both read from a table of coincidences that is a sum over units.
Resampling clusters of units therefore only re-weights those tables, and 10,000 draws cost one matrix product.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stewardbench.statistics.bootstrap import DRAWS, bounds_of_draws, cluster_sums, resampling_counts
from stewardbench.statistics.interval import LEVEL, Floats, Interval

SCALE = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two raters on the same units: counts of exact, within-one and same-side-of-the-threshold matches, and bias."""

    n: int
    exact: int
    within_one: int
    at_threshold: int
    mean_difference: float  # first minus second, in points of the scale
    confusion: tuple[tuple[int, ...], ...]  # rows: first rater's score 1-5; columns: second rater's


def ordinal_alpha(ratings: ArrayLike) -> float:
    """Krippendorff's alpha at ordinal level of (raters, units) scores, NaN where a rater gave none.

    NaN when no unit has two scores. Where all scores are equal nothing can be told apart, and alpha is NaN as well.
    """
    import krippendorff

    table = np.asarray(ratings, float)
    paired = (~np.isnan(table)).sum(axis=0) >= 2
    values = table[:, paired]
    if not paired.any() or len(np.unique(values[~np.isnan(values)])) < 2:
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(krippendorff.alpha(values, level_of_measurement="ordinal", value_domain=list(SCALE)))


def ordinal_alpha_interval(
    ratings: ArrayLike, clusters: ArrayLike, *, draws: int = DRAWS, seed: int, purpose: str, level: float = LEVEL
) -> Interval:
    """`ordinal_alpha` of (raters, units) with bounds from resampling whole clusters of units (one label per unit).

    ``n`` counts the units with at least two scores.
    """
    table, labels = np.asarray(ratings, float), np.asarray(clusters)
    paired = (~np.isnan(table)).sum(axis=0) >= 2
    table, labels = table[:, paired], labels[paired]
    estimate = ordinal_alpha(table) if table.size else math.nan
    held = len(np.unique(labels))
    if math.isnan(estimate) or held < 2:
        return Interval(estimate, math.nan, math.nan, int(paired.sum()), held, "clustered")
    sums = cluster_sums(_coincidences(table), labels)
    drawn = resampling_counts(held, draws, seed, purpose) @ sums
    low, high = bounds_of_draws(np.array([estimate]), _alpha(drawn)[None, :], held, level)
    return Interval(estimate, float(low[0]), float(high[0]), int(paired.sum()), held, "clustered")


def pair_agreement(first: ArrayLike, second: ArrayLike, *, threshold: float = 3.0) -> PairAgreement:
    """Agreement of two score arrays paired by position; units that lack a score on either side are left out.

    ``threshold`` is the failing score: both at or above it, or both below, agree. Raises ValueError when the lengths
    differ.
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.shape != b.shape:
        raise ValueError(f"paired scores differ in shape: {a.shape} and {b.shape}")
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    confusion = np.zeros((len(SCALE), len(SCALE)), dtype=int)
    np.add.at(confusion, (a.astype(int) - SCALE[0], b.astype(int) - SCALE[0]), 1)
    return PairAgreement(
        n=len(a),
        exact=int((a == b).sum()),
        within_one=int((np.abs(a - b) <= 1).sum()),
        at_threshold=int(((a >= threshold) == (b >= threshold)).sum()),
        mean_difference=float((a - b).mean()) if len(a) else math.nan,
        confusion=tuple(tuple(int(cell) for cell in row) for row in confusion),
    )


def _coincidences(table: Floats) -> Floats:
    """Per unit, how often a score meets another (units, 25): pairs within a unit, weighted by 1 / (scores - 1)."""
    counts = np.stack([(table == score).sum(axis=0) for score in SCALE], axis=1).astype(float)
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(len(SCALE))
    pairs[:, diagonal, diagonal] -= counts
    scale = counts.sum(axis=1) - 1.0
    return np.asarray((pairs / scale[:, None, None]).reshape(len(counts), -1))


def _alpha(coincidences: NDArray[np.float64]) -> Floats:
    """Alpha of each row of (draws, 25) coincidences; NaN where nothing varies."""
    size = len(SCALE)
    table = coincidences.reshape(-1, size, size)
    margins = table.sum(axis=2)
    total = margins.sum(axis=1)
    cumulated = np.cumsum(margins, axis=1) - margins / 2.0  # mid-rank position of each score
    distance = (cumulated[:, :, None] - cumulated[:, None, :]) ** 2
    observed = (table * distance).sum(axis=(1, 2))
    expected = (margins[:, :, None] * margins[:, None, :] * distance).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected > 0, 1.0 - (total - 1.0) * observed / expected, np.nan))
