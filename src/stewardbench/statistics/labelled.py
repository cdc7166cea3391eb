"""Rates that rest on an imperfect reading, corrected by people's labels on a random sample (prediction-powered).

Every unit has a reading; a sample drawn by strata has a label too. An estimate is the mean of the readings plus the
weighted mean of what labels and readings differ by, so it is unbiased whatever the reading's errors are, and the
better the reading, the smaller the interval (Angelopoulos et al., Prediction-Powered Inference, Science 2023). Units
come in clusters; bounds are those of a linearised ratio over clusters, with Student's t.

    corrected_share   the share of units that truly are positive
    corrected_rate    the mean of a value among the truly positive (or truly negative) units
    corrected_gap     the first less the second
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stewardbench.statistics.interval import LEVEL, Interval

Floats = NDArray[np.float64]
METHOD = "prediction-powered, by cluster"
LEAST_CLUSTERS = 2
NO_SPREAD = 1e-12  # nothing differs between clusters: no interval, not one without width


@dataclass(frozen=True, slots=True)
class Labelled:
    """Units with a reading each, some with a label. All arrays have one length.

    ``reading`` is 1, 0, or between for one that cannot tell. ``label`` is 1, 0, or NaN where nobody looked; the
    labelled units of a ``stratum`` are a random sample of it. ``cluster`` numbers the independent groups from 0.
    Raises ValueError for a stratum without any label: nothing stands for its units.
    """

    reading: Floats
    label: Floats
    stratum: NDArray[np.int64]
    cluster: NDArray[np.int64]

    def __post_init__(self) -> None:
        for one in np.unique(self.stratum):
            if np.isnan(self.label[self.stratum == one]).all():
                raise ValueError(f"stratum {one} has no label")

    @property
    def truth(self) -> Floats:
        """Each unit's reading, corrected: right on the average of a stratum, not one by one.

        All units get the mean of what labels and readings differ by in their stratum, and the labelled ones, for
        themselves and the units that they stand for, what they differ from that mean by. The sum is that of the plain
        weighted correction; its variance is that of a sample drawn by strata.
        """
        corrected = self.reading.copy()
        for one in np.unique(self.stratum):
            inside = self.stratum == one
            seen = inside & ~np.isnan(self.label)
            difference = self.label[seen] - self.reading[seen]
            corrected[inside] += difference.mean()
            corrected[seen] += inside.sum() / seen.sum() * (difference - difference.mean())
        return corrected


def corrected_share(units: Labelled, level: float = LEVEL) -> Interval:
    """The share of units that truly are positive."""
    influence, estimate = _ratio(units.truth, np.ones(len(units.reading)))
    return _interval(estimate, influence, units, (0.0, 1.0), level)


def corrected_rate(units: Labelled, value: Floats, *, positive: bool, level: float = LEVEL) -> Interval:
    """The mean of ``value`` (one per unit, without gaps) among the units that truly are positive, or negative."""
    influence, estimate = _side(units, value, positive)
    return _interval(estimate, influence, units, (0.0, 1.0), level)


def corrected_gap(units: Labelled, value: Floats, level: float = LEVEL) -> Interval:
    """The mean of ``value`` among the truly positive units less that among the truly negative ones."""
    high, above = _side(units, value, True)
    low, below = _side(units, value, False)
    return _interval(above - below, high - low, units, (-1.0, 1.0), level)


def _side(units: Labelled, value: Floats, positive: bool) -> tuple[Floats, float]:
    belongs = units.truth if positive else 1.0 - units.truth
    return _ratio(value * belongs, belongs)


def _ratio(numerator: Floats, denominator: Floats) -> tuple[Floats, float]:
    """Each unit's influence on a ratio of sums, and the ratio; NaN where the corrected denominator is not positive."""
    total = float(denominator.sum())
    if total <= 0.0:
        return np.full(len(numerator), math.nan), math.nan
    estimate = float(numerator.sum()) / total
    return (numerator - estimate * denominator) / total, estimate


def _interval(
    estimate: float, influence: Floats, units: Labelled, limits: tuple[float, float], level: float
) -> Interval:
    from scipy.stats import t

    clusters = int(units.cluster.max()) + 1 if len(units.cluster) else 0
    sums = np.bincount(units.cluster, weights=influence, minlength=clusters)
    present = int((np.bincount(units.cluster, minlength=clusters) > 0).sum())
    if present < LEAST_CLUSTERS or math.isnan(estimate):
        return Interval(estimate, math.nan, math.nan, len(influence), present, "too few clusters")
    spread = math.sqrt(present / (present - 1) * float((sums**2).sum()))
    if spread < NO_SPREAD:
        return Interval(estimate, math.nan, math.nan, len(influence), present, "no spread")
    reach = float(t.ppf(0.5 + level / 2.0, present - 1)) * spread
    low, high = max(estimate - reach, limits[0]), min(estimate + reach, limits[1])
    return Interval(estimate, low, high, len(influence), present, METHOD)
