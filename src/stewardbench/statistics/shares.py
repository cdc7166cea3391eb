"""Intervals of shares whose episodes come in clusters: Wilson's on the design effect, and sums of several shares.

The sixteen variants of a base item share one claim, so n episodes tell less than n independent ones would. How much
less is the design effect, ``1 + (n* - 1) r``: n* is the mean size of the cluster that an episode lies in, r the
correlation of two episodes of one cluster (Kish 1965). The share then has Wilson's interval with ``n / effect``
observations and Student's t of the clusters in place of 1.96 (as Korn and Graubard 1998 do for surveys).

Where few clusters hold a failure (or a success), r cannot be estimated from them: it comes out near 0, and percentile
or t intervals then hold far too rarely, 60 to 85 times in 100 at rates of 1 to 5 %. So r is drawn towards ``PRIOR``
with the weight of ``PRIOR_CLUSTERS`` clusters; a rate in the middle of 100 items moves by a hundredth of its width.

A mean over runs and a gap are weighted sums of shares; their bounds combine the shares' own (MOVER: Zou, Huang and
Zhang 2009), with the correlation of two shares taken from the clusters that both have. ``coverage`` measures it all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stewardbench.statistics.interval import LEVEL, Floats

PRIOR = 0.4  # of the intra-cluster correlation: a little above what real sets of items show
PRIOR_CLUSTERS = 5.0
_SETTLED = 4.0  # a correlation of two shares counts for half when it rests on sqrt(4) = 2 telling clusters


@dataclass(frozen=True, slots=True)
class Shares:
    """Columns of shares: each with its value, bounds, and what tells how it moves with another.

    ``moves`` is (clusters, columns): how far each cluster pulls the share from its value. ``telling`` counts the
    clusters that hold a success or those that hold a failure, whichever are fewer: the fewer, the less is known of a
    correlation. ``held`` counts the clusters with data.
    """

    value: Floats
    low: Floats
    high: Floats
    moves: Floats
    telling: Floats
    held: Floats


def shares(successes: Floats, trials: Floats, level: float = LEVEL) -> Shares:
    """Shares of (clusters, columns) sums, with bounds as fractions; NaN where a column has fewer than two clusters.

    ``successes`` may be fractions of a trial (an episode that fails two of four dimensions counts one half).
    """
    held = (trials > 0).sum(axis=0).astype(float)
    total = trials.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = successes.sum(axis=0) / total
        moves = np.where(trials > 0, (successes - value * trials) / total, 0.0)
        mean_size = (trials**2).sum(axis=0) / total
    some = np.minimum((successes > 0).sum(axis=0), (successes < trials).sum(axis=0)).astype(float)
    known = _correlation(value, moves, total, mean_size, held)
    drawn = (known * some + PRIOR * PRIOR_CLUSTERS) / (some + PRIOR_CLUSTERS)
    effective = total / (1.0 + np.maximum(mean_size - 1.0, 0.0) * drawn)
    low, high = _wilson(value, effective, _t(held, level))
    few = held < 2
    low[few], high[few] = np.nan, np.nan
    return Shares(value, low, high, moves, some, held)


def combined(found: Shares, terms: np.ndarray, weights: Floats) -> tuple[float, float]:
    """Bounds of ``sum(weights * value[terms])``; NaN where one of the shares has none.

    Where the correlation of two shares is not settled by the clusters, the sum is given the wider interval: shares that
    are added are taken to move together, shares that are subtracted to move apart.
    """
    value, low, high = found.value[terms], found.low[terms], found.high[terms]
    if np.isnan(low).any():
        return float("nan"), float("nan")
    together = _together(found, terms, weights)
    up, down = np.where(weights > 0, high - value, value - low), np.where(weights > 0, value - low, high - value)
    size, total = np.abs(weights), float(weights @ value)
    least, most = (np.sqrt(max(float(reach @ together @ reach), 0.0)) for reach in (size * down, size * up))
    return total - least, total + most


def _together(found: Shares, terms: np.ndarray, weights: Floats) -> Floats:
    """How the weighted shares move with each other: correlations with the signs of the weights, settled or not."""
    moves, telling = found.moves[:, terms], found.telling[terms]
    spread = np.sqrt((moves**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.nan_to_num((moves.T @ moves) / np.outer(spread, spread)) * np.outer(
            np.sign(weights), np.sign(weights)
        )
    least = np.minimum.outer(telling, telling) ** 2
    settled = least / (least + _SETTLED)
    unsettled = np.where(np.outer(weights, weights) > 0, 1.0, 0.0)
    mixed = settled * seen + (1.0 - settled) * unsettled
    np.fill_diagonal(mixed, 1.0)
    return np.asarray(mixed)


def _correlation(value: Floats, moves: Floats, total: Floats, mean_size: Floats, held: Floats) -> Floats:
    """The intra-cluster correlation that the clusters show, between 0 and 1; ``PRIOR`` where they show none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = held / (held - 1.0) * (moves**2).sum(axis=0)
        effect = variance * total / (value * (1.0 - value))
        found = (effect - 1.0) / (mean_size - 1.0)
    shown = (value > 0) & (value < 1) & (mean_size > 1) & (held > 1)
    return np.clip(np.where(shown, found, PRIOR), 0.0, 1.0)


def _t(held: Floats, level: float) -> Floats:
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(held - 1.0, 1.0), 0.5 + level / 2.0))


def _wilson(value: Floats, trials: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Wilson's bounds with a quantile of its own for every column; 0 and 1 are exact at the ends."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1.0 + reach**2 / trials
        centre = (value + reach**2 / (2.0 * trials)) / scale
        spread = np.maximum(value * (1.0 - value), 0.0) / trials + reach**2 / (4.0 * trials**2)
        half = reach * np.sqrt(spread) / scale
    return (
        np.where(value <= 0.0, 0.0, np.maximum(centre - half, 0.0)),
        np.where(value >= 1.0, 1.0, np.minimum(centre + half, 1.0)),
    )
