"""How large a study has to be: the half-width and the power of a mean over items, episodes and trials.

The variance of a mean effect over m items, E episodes of each and R trials (or forks) of each episode is

    (item + (episode + trial / R) / E) / m

``item`` is the spread of true effects between items, ``episode`` between episodes of an item, ``trial`` between repeats
of an episode. More episodes cannot reduce the first and more trials cannot reduce the first two: with 100 items and a
standard deviation of 0.18 between them, no study reaches less than 3.5 points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stewardbench.statistics.interval import LEVEL
from stewardbench.statistics.power import t_test_power


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one effect between items, between episodes of an item, and between trials of an episode.

    In squared fractions: 0.0324 is a standard deviation of 18 points.
    """

    item: float
    episode: float
    trial: float = 0.0

    def variance(self, items: int, episodes: float, trials: int) -> float:
        """Of the mean over so many items, episodes of each, and trials of each episode."""
        return (self.item + (self.episode + self.trial / trials) / episodes) / items


# Of a change between two runs in the mean of four failures, simulated at a base failure of 0.35: items differ by a
# standard deviation of 0.18, episodes by 0.15, and each trial is the mean of four dimensions that correlate by 0.6.
TYPICAL = Components(item=0.18**2, episode=0.15**2, trial=2 * 0.35 * 0.65 * (1 + 3 * 0.6) / 4)


@dataclass(frozen=True, slots=True)
class Design:
    """One design: its half-width of the 95 % interval as a fraction, and the chance of finding the effect."""

    items: int
    episodes: int
    trials: int
    half_width: float
    power: float


def design(found: Components, items: int, episodes: int, trials: int, effect: float) -> Design:
    """What a design can see. ``effect`` is a fraction. Raises ValueError for fewer than two items."""
    from scipy.special import stdtrit

    if items < 2 or episodes < 1 or trials < 1:
        raise ValueError("a design needs two items, one episode and one trial at least")
    error = math.sqrt(found.variance(items, episodes, trials))
    reach = float(stdtrit(items - 1, 0.5 + LEVEL / 2.0))
    size = effect / (error * math.sqrt(items)) if error > 0 else math.inf
    return Design(items, episodes, trials, reach * error, 1.0 if math.isinf(size) else t_test_power(size, items))


def components(changes: ArrayLike, clusters: ArrayLike) -> Components:
    """Variance between and within clusters of n changes, by one-way analysis of variance; NaN is left out.

    What differs within a cluster holds episodes and trials together, so ``trial`` is 0: with one trial per task they
    cannot be told apart. Raises ValueError for fewer than two clusters.
    """
    values, labels = np.asarray(changes, float), np.asarray(clusters)
    there = ~np.isnan(values)
    values, codes = values[there], np.unique(labels[there], return_inverse=True)[1]
    sizes = np.bincount(codes)
    if len(sizes) < 2:
        raise ValueError("variance between items needs two items at least")
    means = np.bincount(codes, values) / sizes
    within = float(((values - means[codes]) ** 2).sum()) / max(len(values) - len(sizes), 1)
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (len(sizes) - 1)
    typical = (len(values) - float((sizes**2).sum()) / len(values)) / (len(sizes) - 1)
    return Components(max((between - within) / typical, 0.0), within)
