"""How small an effect a comparison can see, and how many clusters a given effect needs.

Both treat one mean difference per cluster as the observation of a one-sample t-test, which is what the clustered
bootstrap of a paired effect estimates.
"""

from __future__ import annotations

import math


def minimum_detectable_effect(spread: float, clusters: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The effect that a two-sided test finds with the given power, in the unit of ``spread``.

    ``spread`` is the standard deviation of the cluster differences (`PairedEffect.spread`). NaN with fewer than two
    clusters or an unknown spread.
    """
    from statsmodels.stats.power import TTestPower

    if clusters < 2 or math.isnan(spread):
        return math.nan
    return spread * float(TTestPower().solve_power(nobs=clusters, alpha=alpha, power=power))


def clusters_needed(effect: float, spread: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """The number of clusters with which an effect of this size is found. Raises ValueError for an effect of zero."""
    from statsmodels.stats.power import TTestPower

    if effect == 0 or spread <= 0:
        raise ValueError("an effect and a spread other than zero are needed")
    return math.ceil(float(TTestPower().solve_power(effect_size=abs(effect) / spread, alpha=alpha, power=power)))
