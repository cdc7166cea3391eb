"""Intervals of tables: weighted sums of ratios over the same clusters, each column a share or a difference.

Whether a column is a **share** (each episode adds between 0 and 1 of itself) or a **difference** (anything else: a
change between two runs, a mean on the 1-5 scale, a number of questions) is said by the caller and never guessed: zeros
that happen to lie between 0 and 1 are still a difference without spread.

    shares        Wilson's interval on the design effect; sums of shares by MOVER (module ``shares``)
    differences   Student's t on the clusters' own pulls; without any spread no interval, but a bound in words: at most
                  so many of the clusters differ
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stewardbench.statistics.bootstrap import Estimand, cluster_means, cluster_sums
from stewardbench.statistics.hypothesis import sign_test
from stewardbench.statistics.interval import LEVEL, Floats, Interval, wilson_bounds
from stewardbench.statistics.shares import Shares, combined, shares

SHARE, DIFFERENCE, NO_SPREAD, TOO_FEW = "share", "difference", "no spread", "one cluster"
_NOTHING = 1e-12  # rounding of sums of counts
MOVED = 15  # clusters that changed; below it a t interval of a change holds too rarely (measured: 22 to 93 %)


@dataclass(frozen=True, slots=True)
class _Columns:
    tops: Floats
    bottoms: Floats

    def held(self, terms: np.ndarray) -> int:
        """How many clusters have data in any of the columns."""
        return int((self.bottoms[:, terms] > 0).any(axis=1).sum())

    def n(self, terms: np.ndarray) -> int:
        return round(float(self.bottoms[:, terms].sum()))


def clustered_estimates(
    numerators: Floats, denominators: Floats, estimands: Sequence[Estimand], *, share: bool, level: float = LEVEL
) -> tuple[Interval, ...]:
    """Intervals of many estimands over the same clusters.

    ``numerators`` and ``denominators`` are cluster sums, both (clusters, columns); the estimands name columns. ``n`` of
    each result is the sum of the denominators it uses, ``clusters`` the clusters with data in its columns. Raises
    ValueError when the shapes differ, or when ``share`` is said of numerators outside 0 to their denominators.
    """
    if numerators.shape != denominators.shape:
        raise ValueError(f"numerators {numerators.shape} and denominators {denominators.shape} differ in shape")
    columns = _Columns(numerators, denominators)
    if not share:
        return tuple(_difference(columns, estimand, level) for estimand in estimands)
    used = np.unique(np.fromiter((term for one in estimands for term in one.terms), np.intp))
    tops, bottoms = numerators[:, used], denominators[:, used]
    if (tops < -1e-9).any() or (tops > bottoms + 1e-9).any():
        raise ValueError("a share lies between 0 and its denominator in every cluster; these are differences")
    found, place = shares(tops, bottoms, level), {int(term): index for index, term in enumerate(used)}
    results = []
    for estimand in estimands:
        terms, weights = np.array(estimand.terms), np.array(estimand.weights)
        local = np.array([place[term] for term in estimand.terms])
        value = float(weights @ found.value[local])
        low, high = combined(found, local, weights)
        if np.isclose(weights.sum(), 1.0) and (weights > 0).all():
            low, high = max(low, 0.0), min(high, 1.0)  # a NaN stays one: comparisons with it are false on this side
        held, n = columns.held(terms), columns.n(terms)
        if held > 1 and _stands_still(found, local, weights):
            results.append(_without_spread(value, n, held, level))
        else:
            results.append(Interval(value, low, high, n, held, SHARE if held > 1 else TOO_FEW))
    return tuple(results)


def clustered_ratio_intervals(
    numerators: ArrayLike, denominators: ArrayLike, clusters: ArrayLike, *, share: bool, level: float = LEVEL
) -> tuple[Interval, ...]:
    """One interval per column of (n, m) numerators over (n, m) denominators, rows belonging to n cluster labels.

    For a mean pass ones as denominators and ``share=False``; a row that lacks a value has numerator and denominator 0.
    """
    tops, bottoms = cluster_sums(numerators, clusters), cluster_sums(denominators, clusters)
    return clustered_estimates(
        tops, bottoms, [Estimand.ratio(i) for i in range(tops.shape[1])], share=share, level=level
    )


def clustered_ratio_interval(
    numerators: ArrayLike, denominators: ArrayLike, clusters: ArrayLike, *, share: bool, level: float = LEVEL
) -> Interval:
    """The interval of sum(numerators) / sum(denominators) of n rows that belong to n cluster labels."""
    return clustered_ratio_intervals(numerators, denominators, clusters, share=share, level=level)[0]


def change_interval(
    changes: ArrayLike, clusters: ArrayLike, *, bounded: float | None, level: float = LEVEL
) -> Interval:
    """The mean of n paired changes (after minus before) that belong to n cluster labels. NaN is no pair.

    ``bounded`` is the largest change that one pair can make (1 for a failure or its share, None for a count). When
    fewer than ``MOVED`` clusters changed, or all by the same amount, a bounded change is taken as a gap of two shares,
    of what rose and of what fell: a t interval of a few changes would hold far too rarely. Such an interval leaves out
    0 only where the exact sign test over clusters does (four clusters that all rose have p = 0.125). Without any
    change there is no interval, only the bound ``at_most``.
    """
    array, labels = np.asarray(changes, float), np.asarray(clusters)
    there = ~np.isnan(array)
    array, labels = array[there], labels[there]
    if not len(array):
        return Interval(math.nan, math.nan, math.nan, 0, 0, TOO_FEW)
    sums = cluster_sums(np.stack([array, np.abs(array), np.ones_like(array)], axis=1), labels)
    moved = int((sums[:, 1] > _NOTHING).sum())
    plain = clustered_ratio_interval(array, np.ones_like(array), labels, share=False, level=level)
    if moved == 0 or bounded is None or (moved >= MOVED and plain.known):
        return plain
    parts = np.stack([np.maximum(array, 0.0), np.maximum(-array, 0.0)], axis=1) / bounded
    tops, bottoms = cluster_sums(parts, labels), cluster_sums(np.ones_like(parts), labels)
    gap = Estimand.ratio(0).minus(Estimand.ratio(1))
    found = clustered_estimates(tops, bottoms, [gap], share=True, level=level)[0]
    low, high = found.low * bounded, found.high * bounded
    if sign_test(cluster_means(array, labels)).p_value > 1.0 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    return Interval(float(array.mean()), low, high, len(array), found.clusters, "few changes")


def _stands_still(found: Shares, terms: np.ndarray, weights: Floats) -> bool:
    """Whether shares that do vary between clusters make a gap that does not vary at all."""
    varies = bool((found.telling[terms] > 0).all()) and bool((weights < 0).any())
    return varies and float(np.abs(found.moves[:, terms] @ weights).max()) < _NOTHING


def _without_spread(value: float, n: int, held: int, level: float) -> Interval:
    """No interval: what resampling shows as certain is only that no cluster seen so far differs."""
    most = float(wilson_bounds(0, held, level)[1])
    return Interval(value, math.nan, math.nan, n, held, NO_SPREAD, at_most=most)


def _difference(columns: _Columns, estimand: Estimand, level: float) -> Interval:
    """Student's t on how far each cluster pulls the estimate."""
    from scipy.special import stdtrit

    terms, weights = np.array(estimand.terms), np.array(estimand.weights)
    tops, bottoms = columns.tops[:, terms], columns.bottoms[:, terms]
    totals, held, n = bottoms.sum(axis=0), columns.held(terms), columns.n(terms)
    if (totals <= 0).any():
        return Interval(math.nan, math.nan, math.nan, n, held, TOO_FEW)
    ratios = tops.sum(axis=0) / totals
    value = float(weights @ ratios)
    if held < 2:
        return Interval(value, math.nan, math.nan, n, held, TOO_FEW)
    pulls = ((tops - ratios * bottoms) / totals) @ weights
    error = math.sqrt(held / (held - 1) * float(pulls @ pulls))
    if error < _NOTHING:
        return _without_spread(value, n, held, level)
    reach = float(stdtrit(held - 1, 0.5 + level / 2.0)) * error
    return Interval(value, value - reach, value + reach, n, held, DIFFERENCE)
