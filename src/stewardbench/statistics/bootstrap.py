"""The clustered bootstrap: whole clusters are drawn with replacement, so that related episodes stay together.

The sixteen variants of a base item share one claim, and the scenarios of a situation share one world; treating them
as independent makes intervals too narrow. Every statistic used here is a weighted sum of ratios of sums (a rate, a
mean over runs, a gap between two groups), and sums are additive over clusters. One matrix product of multinomial
counts with the cluster sums therefore resamples a whole table at once:

    counts (draws x clusters)  @  cluster sums (clusters x columns)  =  resampled sums (draws x columns)

Bounds are percentiles of the draws, taken a little further out when clusters are few (Hesterberg 2015, "expanded
percentile"): a plain percentile interval on 18 clusters is about 6 % too narrow. Below eight clusters they are t
intervals. ``coverage`` measures what they hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stewardbench.seeding import array_generator
from stewardbench.statistics.interval import LEVEL, Floats, Interval, normal_quantile, wilson_bounds

DRAWS = 10_000
FEW = 8  # clusters below which percentiles hold too little (measured: 79 to 93 % at four)
_CELLS = 4_000_000  # resampled values held at once: 32 MB
_MISSING_DRAWS = 0.05  # a statistic undefined in more draws than this has no bounds


@dataclass(frozen=True, slots=True)
class Estimand:
    """A weighted sum of ratios: ``sum(weights[i] * numerator[terms[i]] / denominator[terms[i]])``.

    A rate is one term of weight 1, a mean over runs has equal weights, a gap has weights 1 and -1.
    """

    terms: tuple[int, ...]
    weights: tuple[float, ...]

    @classmethod
    def ratio(cls, term: int) -> Estimand:
        """One ratio by itself."""
        return cls((term,), (1.0,))

    @classmethod
    def mean(cls, terms: Sequence[int]) -> Estimand:
        """The unweighted mean of several ratios."""
        return cls(tuple(terms), (1.0 / len(terms),) * len(terms))

    def minus(self, other: Estimand) -> Estimand:
        """This estimand less another."""
        return Estimand(self.terms + other.terms, self.weights + tuple(-weight for weight in other.weights))


def cluster_sums(values: ArrayLike, clusters: ArrayLike) -> Floats:
    """Sums of (n, m) values within clusters, as (clusters, m), clusters in sorted order of their label."""
    table = _columns(values)
    labels, codes = np.unique(np.asarray(clusters), return_inverse=True)
    if len(codes) != len(table):
        raise ValueError(f"{len(table)} rows of values but {len(codes)} cluster labels")
    return np.stack([np.bincount(codes, column, minlength=len(labels)) for column in table.T], axis=1)


def cluster_means(values: ArrayLike, clusters: ArrayLike) -> Floats:
    """The mean of n values in each cluster, clusters in sorted order of their label; NaN values are left out."""
    array = np.asarray(values, float)
    there = ~np.isnan(array)
    sums = cluster_sums(np.stack([np.where(there, array, 0.0), there], axis=1), clusters)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def resampling_counts(clusters: int, draws: int, seed: int, purpose: str) -> Floats:
    """How often each cluster is drawn, as (draws, clusters); each row sums to the number of clusters."""
    picks = array_generator(seed, "bootstrap", purpose, clusters).integers(0, clusters, size=(draws, clusters))
    flat = (picks + clusters * np.arange(draws)[:, None]).ravel()
    return np.bincount(flat, minlength=draws * clusters).reshape(draws, clusters).astype(np.float64)


def bounds_of_draws(estimates: Floats, values: Floats, clusters: int, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Bounds of (rows,) estimates from their (rows, draws) resampled values; NaN where too few draws are defined.

    From ``FEW`` clusters on these are expanded percentiles. With fewer, resampling cannot leave the range of the data,
    so the spread of the draws and Student's t take their place.
    """
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    if clusters < 2 or values.shape[1] == 0:
        return low, high
    ordered = np.sort(values, axis=1)  # NaN sorts last
    defined = values.shape[1] - np.isnan(ordered).sum(axis=1)
    rows = np.flatnonzero(defined >= (1.0 - _MISSING_DRAWS) * values.shape[1])
    if clusters < FEW:
        reach = _t_reach(clusters, level) * np.nanstd(values[rows], axis=1)
        low[rows], high[rows] = estimates[rows] - reach, estimates[rows] + reach
        return low, high
    tail = _expanded_tail(clusters, level)
    low[rows] = _quantile(ordered, rows, defined[rows], tail)
    high[rows] = _quantile(ordered, rows, defined[rows], 1.0 - tail)
    return low, high


def resampled_estimates(
    numerators: Floats,
    denominators: Floats,
    estimands: Sequence[Estimand],
    *,
    draws: int = DRAWS,
    seed: int,
    purpose: str,
    level: float = LEVEL,
    shares: bool,
) -> tuple[Interval, ...]:
    """Intervals of many estimands over the same clusters.

    ``numerators`` and ``denominators`` are cluster sums, both (clusters, columns); the estimands name columns. ``n`` of
    each result is the sum of the denominators it uses. Numerators that lie between 0 and their denominators are taken
    for shares, unless ``shares`` is False (differences may look like them by chance). Shares that are exactly 0 or 1 in
    every cluster cannot move under resampling; where an estimand is made of such shares only, the bounds are Wilson's
    with each cluster counted as one observation, which never claims more than the clusters can show. Raises ValueError
    when the shapes differ.
    """
    if numerators.shape != denominators.shape:
        raise ValueError(f"numerators {numerators.shape} and denominators {denominators.shape} differ in shape")
    clusters = len(numerators)
    if clusters == 0:
        return tuple(Interval(math.nan, math.nan, math.nan, 0, 0, "clustered") for _ in estimands)
    counts = resampling_counts(clusters, draws, seed, purpose)
    results: list[Interval] = []
    for chunk in _chunks(estimands, max(1, _CELLS // max(1, draws))):
        columns = np.fromiter((term for estimand in chunk for term in estimand.terms), np.intp)
        weights = np.fromiter((weight for estimand in chunk for weight in estimand.weights), float)
        starts = np.cumsum([0] + [len(estimand.terms) for estimand in chunk[:-1]])
        tops, bottoms = numerators[:, columns], denominators[:, columns]
        ratios = _ratio(tops.sum(axis=0), bottoms.sum(axis=0))
        points = np.add.reduceat(weights * ratios, starts)
        drawn = _drawn_ratios(numerators, denominators, columns, counts)
        if len(columns) > len(chunk) or (weights != 1.0).any():
            drawn *= weights[:, None]
            drawn = np.add.reduceat(drawn, starts, axis=0)
        lows, highs = bounds_of_draws(points, drawn, clusters, level)
        totals = np.add.reduceat(bottoms.sum(axis=0), starts)
        present = np.add.reduceat((bottoms > 0), starts, axis=1, dtype=np.intp) > 0
        rates = ((tops >= 0) & (tops <= bottoms)).all(axis=0) & shares
        means = np.logical_and.reduceat(rates & (weights > 0), starts) & np.isclose(np.add.reduceat(weights, starts), 1)
        lows[means], highs[means] = np.maximum(lows[means], 0.0), np.minimum(highs[means], 1.0)
        fixed = np.logical_and.reduceat(rates & np.isin(ratios, (0.0, 1.0)), starts) & (present.sum(axis=0) > 1)
        if fixed.any():
            least, most = _wilson_over_clusters(ratios, (bottoms > 0).sum(axis=0), weights, level)
            lows[fixed] = np.add.reduceat(least, starts)[fixed]
            highs[fixed] = np.add.reduceat(most, starts)[fixed]
        for row in range(len(chunk)):
            method = "wilson over clusters" if fixed[row] else "clustered"
            held, n = int(present[:, row].sum()), round(float(totals[row]))
            results.append(Interval(float(points[row]), float(lows[row]), float(highs[row]), n, held, method))
    return tuple(results)


def _columns(values: ArrayLike) -> Floats:
    table = np.asarray(values, float)
    return table[:, None] if table.ndim == 1 else table


def _ratio(tops: Floats, bottoms: Floats) -> Floats:
    """The quotient, in place of ``tops``; where nothing was drawn, 0 / 0 is NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(tops, bottoms, out=tops)


def _drawn_ratios(numerators: Floats, denominators: Floats, columns: NDArray[np.intp], counts: Floats) -> Floats:
    """Resampled ratios of the columns as (columns, draws); a column that occurs several times is resampled once."""
    distinct, place = np.unique(columns, return_inverse=True)
    drawn = _ratio(numerators[:, distinct].T @ counts.T, denominators[:, distinct].T @ counts.T)
    return drawn if np.array_equal(distinct, columns) else drawn[place]


def _chunks(estimands: Sequence[Estimand], terms: int) -> list[list[Estimand]]:
    """Consecutive groups of estimands with at most ``terms`` terms each (one estimand may exceed it alone)."""
    chunks: list[list[Estimand]] = []
    held = terms + 1
    for estimand in estimands:
        if held + len(estimand.terms) > terms:
            chunks.append([])
            held = 0
        chunks[-1].append(estimand)
        held += len(estimand.terms)
    return chunks


def _t_reach(clusters: int, level: float) -> float:
    """How many standard deviations of the draws an interval reaches: Student's t, and the n-1 divisor draws lack."""
    from scipy.special import stdtrit

    return float(stdtrit(clusters - 1, 0.5 + level / 2.0)) * math.sqrt(clusters / (clusters - 1))


def _expanded_tail(clusters: int, level: float) -> float:
    """The percentile to read instead of 2.5 %: as far out as a t interval would reach."""
    from scipy.special import ndtr

    return float(ndtr(-max(_t_reach(clusters, level), normal_quantile(level))))


def _quantile(ordered: Floats, rows: NDArray[np.intp], defined: NDArray[np.intp], share: float) -> Floats:
    """Linear-interpolation quantile of the first ``defined`` values of each sorted row."""
    place = share * (defined - 1)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, defined - 1)
    part = place - below
    return np.asarray(ordered[rows, below] * (1.0 - part) + ordered[rows, above] * part, dtype=np.float64)


def _wilson_over_clusters(
    ratios: Floats, held: NDArray[np.intp], weights: Floats, level: float
) -> tuple[Floats, Floats]:
    """The least and most that weighted shares of 0 or 1 can add, each cluster counted as one observation."""
    low, high = wilson_bounds(np.where(ratios == 1.0, held, 0), held, level)
    rising = weights > 0
    return weights * np.where(rising, low, high), weights * np.where(rising, high, low)
