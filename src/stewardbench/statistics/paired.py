"""Paired effects: what changed on the same task or situation, with whole clusters as the independent units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stewardbench.statistics.bootstrap import DRAWS, Estimand, cluster_sums, clustered_estimates
from stewardbench.statistics.hypothesis import SignTest, sign_test
from stewardbench.statistics.interval import LEVEL, Floats, Interval


@dataclass(frozen=True, slots=True)
class PairedEffect:
    """The mean over clusters of each cluster's mean difference, its interval, and the sign test over clusters."""

    interval: Interval
    sign: SignTest
    spread: float  # standard deviation of the cluster means, for power

    @property
    def effect(self) -> float:
        """The estimate itself."""
        return self.interval.estimate


def cluster_means(values: ArrayLike, clusters: ArrayLike) -> Floats:
    """The mean of n values in each cluster, clusters in sorted order of their label; NaN values are left out."""
    array = np.asarray(values, float)
    there = ~np.isnan(array)
    sums = cluster_sums(np.stack([np.where(there, array, 0.0), there], axis=1), clusters)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def paired_effect(
    differences: ArrayLike,
    clusters: ArrayLike,
    *,
    draws: int = DRAWS,
    seed: int,
    purpose: str,
    level: float = LEVEL,
) -> PairedEffect:
    """The effect behind n paired differences (after minus before) that belong to n cluster labels.

    Each cluster counts once, however many pairs it holds (SovereignPA-Bench: the situation's value is its mean over
    models, the effect is the mean over situations). NaN differences are unscored pairs and are left out.
    """
    array = np.asarray(differences, float)
    means = cluster_means(array, clusters)
    means = means[~np.isnan(means)]
    interval = clustered_estimates(
        means[:, None],
        np.ones((len(means), 1)),
        [Estimand.ratio(0)],
        draws=draws,
        seed=seed,
        purpose=purpose,
        level=level,
        shares=False,
    )[0]
    pairs = int((~np.isnan(array)).sum())
    return PairedEffect(
        Interval(interval.estimate, interval.low, interval.high, pairs, len(means), "clustered"),
        sign_test(means),
        float(means.std(ddof=1)) if len(means) > 1 else float("nan"),
    )
