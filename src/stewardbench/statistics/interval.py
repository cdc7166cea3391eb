"""What an estimate with its uncertainty is, and the Wilson interval of a rate.

Every interval says how many observations and how many independent clusters stand behind it, so that a printed number
can never lose its n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
LEVEL = 0.95  # every interval in both papers is a 95 % interval


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence bounds. A bound that cannot be known is NaN.

    ``n`` counts observations, ``clusters`` the independent units among them, ``method`` names how they were found or
    why there are none. ``at_most`` stands in for bounds where nothing differs: the largest share of clusters that may
    still differ, at the same level.
    """

    estimate: float
    low: float
    high: float
    n: int
    clusters: int
    method: str
    at_most: float = math.nan

    @property
    def known(self) -> bool:
        """Whether both bounds exist."""
        return not (math.isnan(self.low) or math.isnan(self.high))


def normal_quantile(level: float) -> float:
    """The two-sided standard normal quantile: 1.96 for a level of 0.95. Raises ValueError outside (0, 1)."""
    from scipy.special import ndtri

    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")
    return float(ndtri(0.5 + level / 2.0))


def wilson_bounds(successes: ArrayLike, trials: ArrayLike, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Wilson score bounds of many rates at once (paper A.7), as fractions; NaN where there were no trials.

    ``successes`` and ``trials`` share one shape, which both results have. The closed form serves whole tables without
    loading a statistics package; the tests hold it to statsmodels and scipy. Raises ValueError for impossible counts.
    """
    k, n = np.asarray(successes, float), np.asarray(trials, float)
    if np.any(k < 0) or np.any(k > n):
        raise ValueError("successes must lie between 0 and the number of trials")
    z = normal_quantile(level)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = k / n
        scale = 1.0 + z * z / n
        centre = (rate + z * z / (2.0 * n)) / scale
        half = z * np.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n)) / scale
    low = np.where(k == 0, 0.0, centre - half)
    high = np.where(k == n, 1.0, centre + half)
    unknown = n == 0
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def wilson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """The Wilson interval of one rate, each trial its own cluster."""
    low, high = wilson_bounds(successes, trials, level)
    estimate = successes / trials if trials else math.nan
    return Interval(estimate, float(low), float(high), trials, trials, "wilson")
