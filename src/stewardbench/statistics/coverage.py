"""Does a 95 % interval hold the truth 95 times in 100? Simulated worlds with a known truth, counted.

Each simulated data set has base items with their own tendency to fail (a beta distribution), some episodes of each
item, and missing scores. The estimators that build the report are applied to thousands of such sets, and the share of
intervals that hold the truth is their coverage. The percentile bootstrap over items stands beside them: it is what
one would reach for first, and it does not hold at low rates or with few items. Wilson on episodes ignores the items.

    worlds       rates from 1 to 60 % of 4 to 151 clusters, equal and unequal in size, gaps, missing scores
    changes      two runs on the same tasks, many and few changes
    confounding  items that are both committed and failed more often; what adjusted gaps make of them
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stewardbench.seeding import array_generator
from stewardbench.statistics.bootstrap import Estimand, resampled_estimates
from stewardbench.statistics.clustered import change_interval, clustered_estimates
from stewardbench.statistics.interval import Floats, Interval, wilson_bounds
from stewardbench.statistics.selection import matched_gap
from stewardbench.statistics.within import within_gap

DRAWS = 1_000
RATE, GAP, CHANGE, WITHIN, MATCHED = "rate", "gap", "change", "gap within items", "gap matched by stance"
NOW, PERCENTILE, EPISODES = "as printed", "percentile bootstrap", "Wilson on episodes"


@dataclass(frozen=True, slots=True)
class World:
    """One simulated design.

    ``correlation`` is the intra-item correlation of two episodes of one item. ``gap`` is added to the failure rate of
    committed episodes, which occur with probability ``commit`` that differs between items. ``missing`` is the share of
    episodes without a score. With ``unequal`` sizes run from 1 to four times ``episodes``.
    """

    name: str
    items: int
    episodes: int
    rate: float
    correlation: float = 0.3
    commit: float = 0.5
    gap: float = 0.0
    missing: float = 0.0
    unequal: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often an interval held the truth over the simulated sets that had one, its mean width, and its bias.

    ``bias`` is the mean estimate less the truth. Widths and biases are fractions.
    """

    world: str
    what: str
    method: str
    clusters: int
    held: int
    sets: int
    without: int
    width: float
    bias: float

    @property
    def share(self) -> float:
        """Coverage as a fraction of the sets in which an interval was printed; NaN where there was none."""
        return self.held / self.sets if self.sets else math.nan


WORLDS = (
    World("one run, 100 items x 16 tasks", items=100, episodes=16, rate=0.6),
    World("strong clustering", items=100, episodes=16, rate=0.6, correlation=0.7),
    World("one cell, 100 items x 4 tasks", items=100, episodes=4, rate=0.5),
    World("cross-domain items only", items=18, episodes=16, rate=0.35),
    World("boundary with a gap of 27 points", items=100, episodes=16, rate=0.45, gap=0.27),
    World("rare commits", items=100, episodes=16, rate=0.45, commit=0.15, gap=0.2),
    World("one score in ten missing", items=100, episodes=16, rate=0.6, missing=0.1),
    World("151 situations x 10 scenarios", items=151, episodes=10, rate=0.4, correlation=0.4),
    World("smoke sample, 25 items x 4 tasks", items=25, episodes=4, rate=0.5),
    World("unequal items", items=100, episodes=16, rate=0.5, unequal=True),
    World("smoke set, 4 items x 16 tasks", items=4, episodes=16, rate=0.5, correlation=0.2),
)
CHANGES = ((100, 16, 0.1, 0.0), (100, 16, 0.45, 0.05), (25, 4, 0.1, 0.05), (8, 4, 0.45, 0.05))
RARE = tuple(
    World(f"{rate:.0%} of {items} items x 16", items=items, episodes=16, rate=rate)
    for rate in (0.01, 0.02, 0.05)
    for items in (4, 8, 18, 25, 100)
)


def simulate(world: World, *, sets: int = 1_000, draws: int = DRAWS, seed: int = 0) -> tuple[Coverage, ...]:
    """Coverage of the rate and of the gap in one world, as printed and by the methods beside it.

    The gap is between committed and session-only episodes, whose numbers are random, as in the boundary table.
    """
    failures, episodes = _world_sums(world, sets, seed)
    marginal, purpose = world.rate + world.commit * world.gap, f"coverage {world.name}"
    sums, totals = failures.sum(axis=1), episodes.sum(axis=1)
    each = [Estimand.ratio(column) for column in range(sets)]
    flat = (world.items, 2 * sets)
    tops, bottoms = failures.transpose(0, 2, 1).reshape(flat), episodes.transpose(0, 2, 1).reshape(flat)
    gaps = [Estimand.ratio(2 * i).minus(Estimand.ratio(2 * i + 1)) for i in range(sets)]
    low, high = wilson_bounds(sums.sum(axis=0), totals.sum(axis=0))
    rates = sums.sum(axis=0) / totals.sum(axis=0)
    flat_wilson = [
        Interval(float(p), float(a), float(b), 0, world.items, EPISODES)
        for p, a, b in zip(rates, low, high, strict=True)
    ]
    resample = {"draws": draws, "seed": seed, "purpose": purpose, "shares": True}
    found = (
        (RATE, NOW, clustered_estimates(sums, totals, each, share=True), marginal),
        (RATE, PERCENTILE, resampled_estimates(sums, totals, each, **resample), marginal),  # type: ignore[arg-type]
        (RATE, EPISODES, flat_wilson, marginal),
        (GAP, NOW, clustered_estimates(tops, bottoms, gaps, share=True), world.gap),
        (GAP, PERCENTILE, resampled_estimates(tops, bottoms, gaps, **resample), world.gap),  # type: ignore[arg-type]
    )
    return tuple(_count(world.name, what, how, world.items, intervals, truth) for what, how, intervals, truth in found)


def simulate_change(
    items: int, episodes: int, rate: float, effect: float, *, sets: int = 1_000, seed: int = 0
) -> tuple[Coverage, ...]:
    """Coverage of the change between two runs on the same tasks: a fifth of the tasks is decided anew in the second."""
    random = array_generator(seed, "change", items, episodes, f"{rate}", f"{effect}")
    strength = 1.0 / 0.3 - 1.0
    clusters, intervals = np.repeat(np.arange(items), episodes), []
    for _ in range(sets):
        before = np.repeat(random.beta(rate * strength, (1.0 - rate) * strength, items), episodes)
        after = before + effect / (1.0 - rate) * (1.0 - before)
        first = random.random(len(before))
        second = np.where(random.random(len(before)) < 0.2, random.random(len(before)), first)
        change = (second < after).astype(float) - (first < before)
        intervals.append(change_interval(change, clusters, bounded=1.0))
    name = f"change of {100 * effect:g} points from {rate:.0%}, {items} items x {episodes}"
    return (_count(name, CHANGE, NOW, items, intervals, effect),)


def simulate_confounding(
    strength: float, *, effect: float = 0.15, items: int = 100, sets: int = 200, draws: int = 200, seed: int = 0
) -> tuple[Coverage, ...]:
    """Coverage and bias of adjusted gaps where an item's pull moves both commits and failures.

    ``strength`` is 0 (no confounding by items), 0.5 or 1. Stance confounds as well, and every estimator is told of it.
    """
    random = array_generator(seed, "confounding", f"{strength}")
    within, matched = [], []
    for number in range(sets):
        pull = np.repeat(random.normal(size=items), 16)
        stance = random.integers(0, 3, items * 16)
        labels = np.repeat(np.arange(items), 16)
        commit = random.random(len(pull)) < _logistic(strength * 1.5 * pull + 0.6 * (stance - 1.0))
        base = np.clip(0.35 + strength * 0.15 * pull + 0.08 * (stance - 1.0), 0.02, 0.83)
        failed = (random.random(len(pull)) < base + effect * commit).astype(float)
        within.append(within_gap(failed, commit, labels, stance[:, None]))
        found = matched_gap(failed, commit, stance, labels, draws=draws, seed=number, purpose="confounding")
        matched.append(found.interval)
    name = f"items confound by {strength:g}"
    return (
        _count(name, WITHIN, NOW, items, within, effect),
        _count(name, MATCHED, "items ignored", items, matched, effect),
    )


def coverage_table(*, sets: int = 1_000, draws: int = DRAWS, seed: int = 0) -> tuple[Coverage, ...]:
    """All worlds, all estimators."""
    rows = [row for world in (*WORLDS, *RARE) for row in simulate(world, sets=sets, draws=draws, seed=seed)]
    for items, episodes, rate, effect in CHANGES:
        rows += simulate_change(items, episodes, rate, effect, sets=sets, seed=seed)
    for strength in (0.0, 0.5, 1.0):
        rows += simulate_confounding(strength, sets=max(sets // 4, 50), seed=seed)
    return tuple(rows)


def _logistic(values: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-values)))


def _world_sums(world: World, sets: int, seed: int) -> tuple[Floats, Floats]:
    """Failures and scored episodes as (items, group, sets); group 0 is committed, 1 session-only."""
    random = array_generator(seed, "coverage", world.name)
    shape = (world.items, sets)
    strength = 1.0 / world.correlation - 1.0
    tendency = random.beta(world.rate * strength, (1.0 - world.rate) * strength, shape)
    chance = random.beta(4.0 * world.commit, 4.0 * (1.0 - world.commit), shape)
    size = np.full(shape, world.episodes)
    if world.unequal:
        drawn = random.geometric(2.0 / world.episodes, (world.items, 1))
        size = np.broadcast_to(np.minimum(drawn, 4 * world.episodes), shape)
    scored = random.binomial(size, 1.0 - world.missing)
    committed = random.binomial(scored, chance)
    episodes = np.stack([committed, scored - committed], axis=1)
    rates = np.stack([_raised(tendency, world), tendency], axis=1)
    return random.binomial(episodes, rates).astype(float), episodes.astype(float)


def _raised(tendency: NDArray[np.float64], world: World) -> NDArray[np.float64]:
    """Failure tendency once committed: moved towards 1 so that its mean is exactly ``rate + gap``."""
    return np.asarray(tendency + world.gap / (1.0 - world.rate) * (1.0 - tendency))


def _count(world: str, what: str, method: str, clusters: int, intervals: Sequence[Interval], truth: float) -> Coverage:
    bounds = np.array([(one.low, one.high) for one in intervals])
    there = ~np.isnan(bounds).any(axis=1)
    held = int(((bounds[there, 0] <= truth) & (truth <= bounds[there, 1])).sum())
    width = float((bounds[there, 1] - bounds[there, 0]).mean()) if there.any() else math.nan
    bias = float(np.nanmean([one.estimate for one in intervals])) - truth
    return Coverage(world, what, method, clusters, held, int(there.sum()), int((~there).sum()), width, bias)
