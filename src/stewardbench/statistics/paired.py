"""Paired effects: what changed on the same task or situation, with whole clusters as the independent units."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from stewardbench.statistics.bootstrap import cluster_means
from stewardbench.statistics.clustered import change_interval
from stewardbench.statistics.hypothesis import SignTest, sign_test
from stewardbench.statistics.interval import LEVEL, Interval


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


def paired_effect(
    differences: ArrayLike, clusters: ArrayLike, *, bounded: float | None, level: float = LEVEL
) -> PairedEffect:
    """The effect behind n paired differences (after minus before) that belong to n cluster labels.

    Each cluster counts once, however many pairs it holds (SovereignPA-Bench: the situation's value is its mean over
    models, the effect is the mean over situations). NaN differences are unscored pairs and are left out. ``bounded`` as
    in ``change_interval``.
    """
    array = np.asarray(differences, float)
    means = cluster_means(array, clusters)
    means = means[~np.isnan(means)]
    found = change_interval(means, np.arange(len(means)), bounded=bounded, level=level)
    spread = float(means.std(ddof=1)) if len(means) > 1 else float("nan")
    return PairedEffect(replace(found, n=int((~np.isnan(array)).sum())), sign_test(means), spread)
