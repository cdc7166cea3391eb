"""One level for many intervals, so that all of them hold together 95 times in 100.

Metrics of one run are strongly correlated, so Bonferroni would ask for too much. Whole clusters are given random
weights of mean 0 (a multiplier bootstrap): every draw moves all estimates together as the data would, and the largest
of their standardised moves says how far an interval has to reach.
"""

from __future__ import annotations

import numpy as np

from stewardbench.seeding import array_generator
from stewardbench.statistics.interval import LEVEL, Floats

DRAWS = 10_000


def simultaneous_level(pulls: Floats, *, seed: int, purpose: str, draws: int = DRAWS, level: float = LEVEL) -> float:
    """The level at which each of several intervals has to stand.

    ``pulls`` is (clusters, estimates): how far each cluster moves each estimate from its mean. Columns that do not move
    at all are left out. At least ``level``, and no more than Bonferroni's.
    """
    from scipy.special import ndtr

    spread = np.sqrt((pulls**2).sum(axis=0))
    moving = pulls[:, spread > 1e-12] / spread[spread > 1e-12]
    tests = moving.shape[1]
    if tests < 2:
        return level
    weights = array_generator(seed, "simultaneous", purpose, len(pulls)).standard_normal((draws, len(pulls)))
    reach = float(np.quantile(np.abs(weights @ moving).max(axis=1), level))
    return float(min(max(2.0 * ndtr(reach) - 1.0, level), 1.0 - (1.0 - level) / tests))
