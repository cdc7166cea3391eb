"""Does a 95 % interval hold the truth 95 times in 100? Simulated worlds with a known truth, counted.

Each simulated data set has base items with their own tendency to fail (a beta distribution), some episodes of each
item, and missing scores. The same estimators that build the report are applied to thousands of such sets at once, and
the share of intervals that hold the truth is their coverage. Wilson on episodes, which ignores the items, is shown
beside them: its shortfall is the reason for clustering.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stewardbench.seeding import array_generator
from stewardbench.statistics.bootstrap import Estimand, clustered_estimates
from stewardbench.statistics.interval import Floats, wilson_bounds

DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class World:
    """One simulated design.

    ``correlation`` is the intra-item correlation of two episodes of one item. ``gap`` is added to the failure rate of
    committed episodes, which occur with probability ``commit`` that differs between items. ``missing`` is the share of
    episodes without a score.
    """

    name: str
    items: int
    episodes: int
    rate: float
    correlation: float
    commit: float = 0.5
    gap: float = 0.0
    missing: float = 0.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often an interval held the truth over the simulated sets, and its mean width (fractions)."""

    world: str
    estimator: str
    clusters: int
    held: int
    sets: int
    width: float

    @property
    def share(self) -> float:
        """Coverage as a fraction."""
        return self.held / self.sets


WORLDS = (
    World("one run, 100 items x 16 tasks", items=100, episodes=16, rate=0.6, correlation=0.3),
    World("strong clustering", items=100, episodes=16, rate=0.6, correlation=0.7),
    World("one cell, 100 items x 4 tasks", items=100, episodes=4, rate=0.5, correlation=0.3),
    World("cross-domain items only", items=18, episodes=16, rate=0.35, correlation=0.3),
    World("boundary with a gap of 27 points", items=100, episodes=16, rate=0.45, correlation=0.3, gap=0.27),
    World("rare commits", items=100, episodes=16, rate=0.45, correlation=0.3, commit=0.15, gap=0.2),
    World("one score in ten missing", items=100, episodes=16, rate=0.6, correlation=0.3, missing=0.1),
    World("151 situations x 10 scenarios", items=151, episodes=10, rate=0.4, correlation=0.4),
    World("smoke sample, 25 items x 4 tasks", items=25, episodes=4, rate=0.5, correlation=0.3),
    World("smoke set, 4 items x 16 tasks", items=4, episodes=16, rate=0.5, correlation=0.2),
)


def simulate(world: World, *, sets: int = 2_000, draws: int = DRAWS, seed: int = 0) -> tuple[Coverage, ...]:
    """Coverage of the clustered rate, the clustered gap and the plain Wilson rate in one world.

    The gap is between committed and session-only episodes, whose numbers are random, as in the boundary table.
    """
    failures, episodes = _world_sums(world, sets, seed)
    marginal = _truth(world)
    rates = clustered_estimates(
        failures.sum(axis=1), episodes.sum(axis=1), [Estimand.ratio(i) for i in range(sets)],
        draws=draws, seed=seed, purpose=f"coverage rate {world.name}",
    )  # fmt: skip
    committed = [Estimand.ratio(2 * i).minus(Estimand.ratio(2 * i + 1)) for i in range(sets)]
    flat = (world.items, 2 * sets)
    gaps = clustered_estimates(
        failures.transpose(0, 2, 1).reshape(flat), episodes.transpose(0, 2, 1).reshape(flat), committed,
        draws=draws, seed=seed, purpose=f"coverage gap {world.name}",
    )  # fmt: skip
    low, high = wilson_bounds(failures.sum(axis=(0, 1)), episodes.sum(axis=(0, 1)))
    return (
        _count(world, "rate, clustered", np.array([(i.low, i.high) for i in rates]), marginal),
        _count(world, "gap, clustered", np.array([(i.low, i.high) for i in gaps]), world.gap),
        _count(world, "rate, Wilson on episodes", np.stack([low, high], axis=1), marginal),
    )


def coverage_table(*, sets: int = 2_000, draws: int = DRAWS, seed: int = 0) -> tuple[Coverage, ...]:
    """All worlds, all estimators."""
    return tuple(row for world in WORLDS for row in simulate(world, sets=sets, draws=draws, seed=seed))


def _world_sums(world: World, sets: int, seed: int) -> tuple[Floats, Floats]:
    """Failures and scored episodes as (items, group, sets); group 0 is committed, 1 session-only."""
    random = array_generator(seed, "coverage", world.name)
    shape = (world.items, sets)
    strength = 1.0 / world.correlation - 1.0
    tendency = random.beta(world.rate * strength, (1.0 - world.rate) * strength, shape)
    chance = random.beta(4.0 * world.commit, 4.0 * (1.0 - world.commit), shape)
    scored = random.binomial(world.episodes, 1.0 - world.missing, shape)
    committed = random.binomial(scored, chance)
    episodes = np.stack([committed, scored - committed], axis=1)
    rates = np.stack([_raised(tendency, world), tendency], axis=1)
    return random.binomial(episodes, rates).astype(float), episodes.astype(float)


def _raised(tendency: NDArray[np.float64], world: World) -> NDArray[np.float64]:
    """Failure tendency once committed: moved towards 1 so that its mean is exactly ``rate + gap``."""
    return np.asarray(tendency + world.gap / (1.0 - world.rate) * (1.0 - tendency))


def _truth(world: World) -> float:
    """The expected failure rate over committed and session-only episodes together."""
    return world.rate + world.commit * world.gap


def _count(world: World, estimator: str, bounds: Floats, truth: float) -> Coverage:
    held = int(((bounds[:, 0] <= truth) & (truth <= bounds[:, 1])).sum())
    width = float(np.nanmean(bounds[:, 1] - bounds[:, 0]))
    return Coverage(world.name, estimator, world.items, held, len(bounds), width)
