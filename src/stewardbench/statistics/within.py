"""The gap between committed and session-only episodes of the same base item.

Easy claims are both written and failed on, so a gap that compares episodes of different items mixes what a commit did
with which items it happened to. Here each episode is compared with the other episodes of its item: outcome and commit
are taken as departures from their item's mean, further covariates enter as levels, and the standard error clusters by
item (CR1). The estimand is the effect averaged over items by how much commits vary within them: no item in which all or
no episodes were committed says anything.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from stewardbench.statistics.bootstrap import cluster_sums
from stewardbench.statistics.interval import LEVEL, Floats, Interval

WITHIN = "within items"


def within_gap(
    outcomes: ArrayLike, treated: ArrayLike, items: ArrayLike, covariates: ArrayLike, *, level: float = LEVEL
) -> Interval:
    """Treated minus untreated outcome within items, holding covariates equal.

    All arrays have n rows: outcomes (NaN = unscored, left out), booleans, item labels, and (n, k) integer codes of
    categorical covariates. ``n`` and ``clusters`` of the result count the rows and items in which treatment varies.
    NaN bounds where fewer than two such items remain.
    """
    from scipy.special import stdtrit

    y, t = np.asarray(outcomes, float), np.asarray(treated, bool).astype(float)
    there = ~np.isnan(y)
    labels, codes = np.asarray(items)[there], np.asarray(covariates, np.int64)[there]
    y, t = y[there], t[there]
    t_within = _demeaned(t[:, None], labels)[:, 0]
    varies = np.isin(labels, np.unique(labels[np.abs(t_within) > 1e-12]))
    if not varies.any():
        return Interval(math.nan, math.nan, math.nan, 0, 0, WITHIN)
    y, labels, codes, t = y[varies], labels[varies], codes[varies], t[varies]
    design = _demeaned(np.concatenate([t[:, None], _levels(codes)], axis=1), labels)
    target = _demeaned(y[:, None], labels)[:, 0]
    rank = np.linalg.matrix_rank(design)
    beta = np.linalg.lstsq(design, target, rcond=None)[0]
    count, rows = len(np.unique(labels)), len(y)
    if count < 2 or not _separable(design):
        return Interval(float(beta[0]), math.nan, math.nan, rows, count, WITHIN)
    bread = np.linalg.pinv(design.T @ design)
    scores = cluster_sums(design * (target - design @ beta)[:, None], labels)
    correction = count / (count - 1) * (rows - 1) / max(rows - rank - count, 1)
    error = math.sqrt(max(float((bread @ (scores.T @ scores) @ bread)[0, 0]) * correction, 0.0))
    reach = float(stdtrit(count - 1, 0.5 + level / 2.0)) * error
    return Interval(float(beta[0]), float(beta[0]) - reach, float(beta[0]) + reach, rows, count, WITHIN)


def _demeaned(values: Floats, labels: np.ndarray) -> Floats:
    """Columns less the mean of their item."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.stack([np.bincount(codes, column, minlength=len(sizes)) for column in values.T], axis=1)
    return np.asarray(values - (sums / sizes[:, None])[codes])


def _levels(codes: np.ndarray) -> Floats:
    """One 0/1 column per level of each covariate but the first."""
    parts = [(column[:, None] == np.unique(column)[None, 1:]).astype(float) for column in codes.T]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(codes), 0))


def _separable(design: Floats) -> bool:
    """Whether treatment is more than a sum of the covariates."""
    rest = design[:, 1:]
    if not rest.shape[1]:
        return bool((np.abs(design[:, 0]) > 1e-12).any())
    left = design[:, 0] - rest @ np.linalg.lstsq(rest, design[:, 0], rcond=None)[0]
    return bool(np.abs(left).max() > 1e-9)
