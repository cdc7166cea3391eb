"""Comparing committed with session-only episodes when the agent itself chose which is which.

The published gap of 27 points is observational: episodes in which an agent agreed warmly are both committed more often
and answered worse. Two standard adjustments ask how much of a gap remains between alike episodes:

Both ignore the base item; ``within.within_gap`` compares episodes of one item and comes first in the report.

- matched: compare within strata (same stance, scenario, ...), then average over the strata of the treated episodes;
- inverse-probability weighting: model the chance of being treated, weight each episode by its inverse, and show how
  far the two groups overlap at all. Without overlap no adjustment means anything.

Neither removes causes that were not recorded; only planted-state arms do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stewardbench.statistics.bootstrap import (
    DRAWS,
    Estimand,
    bounds_of_draws,
    cluster_sums,
    resampled_estimates,
    resampling_counts,
)
from stewardbench.statistics.interval import LEVEL, Floats, Interval

TRIM = (0.05, 0.95)  # propensities outside have next to no counterpart
_BLOCK = 8_000_000  # resampled values held at once: 64 MB


@dataclass(frozen=True, slots=True)
class MatchedGap:
    """A gap within strata. ``dropped`` episodes lie in strata that hold only one of the two groups."""

    interval: Interval
    strata: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Overlap:
    """Whether two groups can be compared: propensities, lost episodes, effective sizes, balance.

    ``quantiles_*`` are the 5, 25, 50, 75 and 95 % points of the propensity. ``effective_*`` is Kish's effective sample
    size after weighting. ``imbalance_*`` is the largest standardised mean difference over all covariate levels.
    """

    treated: int
    untreated: int
    trimmed: int
    quantiles_treated: tuple[float, ...]
    quantiles_untreated: tuple[float, ...]
    effective_treated: float
    effective_untreated: float
    imbalance_before: float
    imbalance_after: float


@dataclass(frozen=True, slots=True)
class WeightedGap:
    """An inverse-probability-weighted gap and the overlap it rests on."""

    interval: Interval
    overlap: Overlap


def comparable(treated: ArrayLike, strata: ArrayLike) -> NDArray[np.bool_]:
    """Which of n rows lie in a stratum that holds treated and untreated rows both."""
    t, codes = np.asarray(treated, bool), np.unique(np.asarray(strata), return_inverse=True)[1]
    size = int(codes.max(initial=-1)) + 1
    both = (np.bincount(codes[t], minlength=size) > 0) & (np.bincount(codes[~t], minlength=size) > 0)
    return np.asarray(both[codes])


def matched_gap(
    outcomes: ArrayLike,
    treated: ArrayLike,
    strata: ArrayLike,
    clusters: ArrayLike,
    *,
    draws: int = DRAWS,
    seed: int,
    purpose: str,
    level: float = LEVEL,
) -> MatchedGap:
    """Mean outcome of treated minus untreated rows within strata, averaged by the strata's treated rows.

    All arrays have n rows: outcomes (NaN = unscored, left out), booleans, and labels. Bounds resample whole clusters;
    a stratum that loses one group in a draw leaves that draw's average.
    """
    y, t, s, c = _scored(outcomes, treated, strata, clusters)
    sums, strata_kept = _stratum_sums(y, t, s, c)
    kept = int(sums[:, : 2 * strata_kept].sum())
    dropped = len(y) - kept
    if strata_kept == 0:
        return MatchedGap(Interval(math.nan, math.nan, math.nan, 0, 0, "matched"), 0, dropped)
    held = int((sums[:, : 2 * strata_kept].sum(axis=1) > 0).sum())
    counts = resampling_counts(len(sums), draws, seed, purpose)
    step = max(1, _BLOCK // sums.shape[1])
    drawn = np.concatenate([_matched(counts[start : start + step] @ sums) for start in range(0, draws, step)])
    estimates = _matched(sums.sum(axis=0)[None, :])
    low, high = bounds_of_draws(estimates, drawn[None, :], len(sums), level)
    interval = Interval(float(estimates[0]), float(low[0]), float(high[0]), kept, held, "matched")
    return MatchedGap(interval, strata_kept, dropped)


def propensities(treated: ArrayLike, covariates: ArrayLike, *, ridge: float = 1.0) -> Floats:
    """Chance of being treated from categorical covariates (n, k integer codes): a logistic model of main effects.

    A small ridge penalty keeps a level in which every row is treated from driving its coefficient to infinity.
    """
    t, codes = np.asarray(treated, bool), np.asarray(covariates, np.int64)
    first, inverse = _patterns(codes)
    design = np.concatenate([np.ones((len(first), 1)), _dummies(codes, first)], axis=1)
    trials = np.bincount(inverse, minlength=len(first)).astype(float)
    successes = np.bincount(inverse, t.astype(float), minlength=len(first))
    penalty = np.diag([0.0] + [ridge] * (design.shape[1] - 1))
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (successes - trials * chance) - penalty @ beta
        curvature = (design * (trials * chance * (1.0 - chance))[:, None]).T @ design + penalty
        step = np.linalg.solve(curvature, gradient)
        beta = beta + step
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(design @ beta, -30, 30))))[inverse]


def weighted_gap(
    outcomes: ArrayLike,
    treated: ArrayLike,
    covariates: ArrayLike,
    clusters: ArrayLike,
    *,
    draws: int = DRAWS,
    seed: int,
    purpose: str,
    level: float = LEVEL,
    trim: tuple[float, float] = TRIM,
) -> WeightedGap:
    """Treated minus untreated mean outcome, each row weighted by the inverse chance of the group it is in.

    Rows whose propensity lies outside ``trim`` are left out and counted. Weights are normalised within each group. The
    bounds hold the propensities fixed, which makes them a little too wide rather than too narrow.
    """
    codes = np.asarray(covariates, np.int64)
    y, t, rows, c = _scored(outcomes, treated, np.arange(len(codes)), clusters)
    codes = codes[rows]
    chance = propensities(t, codes) if len(y) else np.zeros(0)
    kept = (chance >= trim[0]) & (chance <= trim[1])
    weights = np.where(t, 1.0 / np.maximum(chance, 1e-12), 1.0 / np.maximum(1.0 - chance, 1e-12)) * kept
    overlap = _overlap(t, codes, chance, weights, kept)
    if not (t & kept).any() or not (~t & kept).any():
        return WeightedGap(Interval(math.nan, math.nan, math.nan, int(kept.sum()), 0, "weighted"), overlap)
    split = np.stack([weights * t, weights * ~t], axis=1)
    sums, totals = cluster_sums(split * y[:, None], c), cluster_sums(split, c)
    gap = Estimand.ratio(0).minus(Estimand.ratio(1))
    found = resampled_estimates(
        sums, totals, [gap], draws=draws, seed=seed, purpose=purpose, level=level, shares=False
    )[0]
    held = int((totals.sum(axis=1) > 0).sum())
    return WeightedGap(Interval(found.estimate, found.low, found.high, int(kept.sum()), held, "weighted"), overlap)


def _scored(
    outcomes: ArrayLike, treated: ArrayLike, strata: ArrayLike, clusters: ArrayLike
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """The rows with an outcome, labels turned into codes."""
    y, t = np.asarray(outcomes, float), np.asarray(treated, bool)
    s, c = np.asarray(strata), np.asarray(clusters)
    if not len(y) == len(t) == len(s) == len(c):
        raise ValueError("outcomes, treated, strata and clusters must have one length")
    there = ~np.isnan(y)
    return y[there], t[there], _codes(s[there]), _codes(c[there])


def _codes(labels: NDArray[np.generic]) -> NDArray[np.int64]:
    if np.issubdtype(labels.dtype, np.integer):
        return labels.astype(np.int64)
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)


def _stratum_sums(
    y: Floats, t: NDArray[np.bool_], strata: NDArray[np.int64], clusters: NDArray[np.int64]
) -> tuple[Floats, int]:
    """(clusters, 4S) sums over the S strata with both groups, and S.

    The columns are treated rows, untreated rows, treated outcomes, untreated outcomes, S of each.
    """
    rows = np.flatnonzero(comparable(t, strata))
    labels, slot = np.unique(strata[rows], return_inverse=True)
    names, place = np.unique(clusters, return_inverse=True)
    width = len(labels)
    counted = place[rows] * 4 * width + slot + np.where(t[rows], 0, width)
    size = len(names) * 4 * width
    sums = np.bincount(counted, minlength=size) + np.bincount(counted + 2 * width, y[rows], minlength=size)
    return np.asarray(sums.reshape(len(names), 4 * width), dtype=np.float64), width


def _matched(sums: Floats) -> Floats:
    """The matched gap of each row of (draws, 4S) sums."""
    treated, untreated, treated_y, untreated_y = np.split(sums, 4, axis=1)
    both = (treated > 0) & (untreated > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = np.where(both, treated_y / treated - untreated_y / untreated, 0.0)
        weights = np.where(both, treated, 0.0)
        return np.asarray((gaps * weights).sum(axis=1) / weights.sum(axis=1))


def _patterns(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The distinct rows of (n, k) codes, as the position of their first occurrence, and which one each row is."""
    key = np.zeros(len(codes), np.int64)
    for column in codes.T:
        key = key * (int(column.max(initial=0)) + 1) + column
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return first, inverse


def _dummies(codes: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats:
    """One 0/1 column per covariate level that occurs, for the chosen rows."""
    parts = [(column[rows, None] == np.unique(column)[None, :]).astype(float) for column in codes.T]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 0))


def _overlap(
    t: NDArray[np.bool_], codes: NDArray[np.int64], chance: Floats, weights: Floats, kept: NDArray[np.bool_]
) -> Overlap:
    def quantiles(group: NDArray[np.bool_]) -> tuple[float, ...]:
        if not group.any():
            return (math.nan,) * 5
        return tuple(float(value) for value in np.quantile(chance[group], (0.05, 0.25, 0.5, 0.75, 0.95)))

    def effective(group: NDArray[np.bool_]) -> float:
        held = weights[group & kept]
        return float(held.sum() ** 2 / (held**2).sum()) if held.size else 0.0

    return Overlap(
        treated=int(t.sum()),
        untreated=int((~t).sum()),
        trimmed=int((~kept).sum()),
        quantiles_treated=quantiles(t),
        quantiles_untreated=quantiles(~t),
        effective_treated=effective(t),
        effective_untreated=effective(~t),
        imbalance_before=_imbalance(t, codes, np.ones(len(t))),
        imbalance_after=_imbalance(t, codes, weights),
    )


def _imbalance(t: NDArray[np.bool_], codes: NDArray[np.int64], weights: Floats) -> float:
    """The largest standardised difference in the share of any covariate level between the two groups."""
    if not (weights * t).any() or not (weights * ~t).any():
        return math.nan
    worst = 0.0
    for column in codes.T:
        size = int(column.max()) + 1
        shares = [np.bincount(column, weights * group, size) / (weights * group).sum() for group in (t, ~t)]
        pooled = np.sqrt(np.maximum(sum(share * (1.0 - share) for share in shares), 0.0) / 2.0)
        differences = np.abs(shares[0] - shares[1])
        worst = max(worst, float(np.where(pooled > 0, differences / np.where(pooled > 0, pooled, 1.0), 0.0).max()))
    return worst
