"""How small an effect a comparison can see, and how many clusters a given effect needs.

Both treat one mean difference per cluster as the observation of a one-sample t-test, which is what the clustered
bootstrap of a paired effect estimates.
"""

from __future__ import annotations

import math


def t_test_power(effect_size: float, clusters: int, alpha: float = 0.05) -> float:
    """Chance that a two-sided one-sample t-test finds an effect of so many standard deviations (noncentral t)."""
    from scipy.special import nctdtr, stdtrit

    freedom = clusters - 1
    reach = float(stdtrit(freedom, 1.0 - alpha / 2.0))
    shift = effect_size * math.sqrt(clusters)
    beyond = float(nctdtr(freedom, shift, -reach))  # the wrong tail: not computed, and nil, for large shifts
    return 1.0 - float(nctdtr(freedom, shift, reach)) + (0.0 if math.isnan(beyond) else beyond)


def minimum_detectable_effect(spread: float, clusters: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The effect that a two-sided test finds with the given power, in the unit of ``spread``.

    ``spread`` is the standard deviation of the cluster differences (`PairedEffect.spread`). NaN with fewer than two
    clusters or an unknown spread.
    """
    if clusters < 2 or math.isnan(spread):
        return math.nan
    low, high = 0.0, 1.0
    while t_test_power(high, clusters, alpha) < power:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if t_test_power(middle, clusters, alpha) < power else (low, middle)
    return spread * high


def clusters_needed(effect: float, spread: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """The number of clusters with which an effect of this size is found. Raises ValueError for an effect of zero."""
    if effect == 0 or spread <= 0:
        raise ValueError("an effect and a spread other than zero are needed")
    size = abs(effect) / spread
    low, high = 1, 2
    while t_test_power(size, high, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if t_test_power(size, middle, alpha) < power else (low, middle)
    return high
