"""Several runs on the same tasks: every pair compared, and the ranks that the comparisons leave possible.

A run's rank lies between one more than the runs shown to be better, and the number of runs less those shown to be
worse. Two runs that were not told apart share ranks; an order of their estimates alone is never printed as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from stewardbench.errors import UsageError
from stewardbench.report.compare import Comparison
from stewardbench.report.lines import SEED
from stewardbench.report.measured import CLUSTER, Measured, shared
from stewardbench.statistics import Interval, change_interval, cluster_sums, simultaneous_level

UNTOLD, NOT_EQUAL = "not told apart", "not shown equal"
SHOWABLE = 6  # clusters: of five that all change the same way, the exact sign test has p = 0.06
LOST = 0.05  # share of tasks without a pair beyond which a gate does not pass


@dataclass(frozen=True, slots=True)
class RankedPair:
    """One comparison of a ranking: positions of the two runs, and the second's change against the first."""

    first: int
    second: int
    change: Interval
    verdict: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """One run with its mean over the tasks that all runs share, in the metric's unit, and its possible ranks."""

    name: str
    mean: float
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """Runs from the best mean to the worst, and all pairs. ``tasks`` are those that every run has scored."""

    metric: str
    lower: bool
    tasks: int
    runs: tuple[Ranked, ...]
    pairs: tuple[RankedPair, ...]


def rank(runs: Sequence[Measured], *, headline: str | None = None, seed: int = SEED) -> Ranking:
    """Rank runs in one metric over the tasks that all of them have scored.

    Raises UsageError for fewer than two runs, runs of several benchmarks, a metric that has no better side, and when no
    task is scored in all of them.
    """
    if len(runs) < 2:
        raise UsageError("a ranking needs two runs or more.", hint="Name more run folders.")
    if len({run.benchmark for run in runs}) > 1:
        raise UsageError("these are runs of several benchmarks.", hint="Compare runs of one benchmark.")
    metric = next((m for m in runs[0].metrics if m.name == (headline or runs[0].metrics[0].name)), None)
    if metric is None or metric.lower is None:
        named = ", ".join(m.name for m in runs[0].metrics if m.lower is not None)
        raise UsageError(f"{headline!r} cannot rank runs.", hint=f"These can: {named}.")
    joined = shared(runs, metric)
    if joined.is_empty():
        raise UsageError("no task is scored in all of these runs.", hint="Run all on the same task set.")
    values = joined.select(f"run{number}" for number in range(len(runs))).to_numpy() * metric.scale
    clusters = joined[CLUSTER].to_numpy()
    numbered = list(combinations(range(len(runs)), 2))
    changes = np.stack([values[:, b] - values[:, a] for a, b in numbered], axis=1)
    pulls = cluster_sums(changes - changes.mean(axis=0), clusters)
    level = simultaneous_level(pulls, seed=seed, purpose="ranking")
    bounded = metric.scale if metric.unit == "%" else None
    pairs = []
    for column, (a, b) in enumerate(numbered):
        found = change_interval(changes[:, column], clusters, bounded=bounded, level=level)
        told = found.known and not found.low <= 0 <= found.high
        verdict = UNTOLD if not told else "worse" if (found.low > 0) == metric.lower else "better"
        pairs.append(RankedPair(a, b, found, verdict))
    means = values.mean(axis=0)
    order = sorted(range(len(runs)), key=lambda run: means[run] if metric.lower else -means[run])
    ranked = tuple(_ranked(runs[run].name, float(means[run]), run, pairs, len(runs)) for run in order)
    return Ranking(metric.name, metric.lower, len(joined), ranked, tuple(pairs))


def _ranked(name: str, mean: float, run: int, pairs: Sequence[RankedPair], runs: int) -> Ranked:
    lost = [p.second if p.verdict == "worse" else p.first for p in pairs if p.verdict != UNTOLD]
    won = [p.first if p.verdict == "worse" else p.second for p in pairs if p.verdict != UNTOLD]
    return Ranked(name, mean, 1 + lost.count(run), runs - won.count(run))


def gate(found: Comparison, wanted: str) -> tuple[bool, str]:
    """Whether a gate lets a comparison pass, and why not.

    ``worse``, ``better`` and ``different`` fail on that verdict; ``not-shown-equal`` fails unless the runs are shown
    equal within the margin. Every gate fails when the headline could not be measured, or when more than ``LOST`` of the
    first run's tasks have no pair in the second, and when fewer than ``SHOWABLE`` clusters were measured: what was not
    measured has not passed.
    """
    effect = found.headline
    moved = effect.verdict in {"worse", "better", "different"}
    if effect.verdict == wanted or (wanted == "different" and moved):
        return False, effect.verdict
    if effect.verdict == "not comparable":
        return False, "too little was measured to say anything"
    if effect.change.clusters < SHOWABLE:
        few = f"{effect.change.clusters} {found.before.clusters}"
        return False, f"only {few} were measured, and with fewer than {SHOWABLE} no change can be shown"
    if effect.lost > LOST * (effect.change.n + effect.lost):
        return False, f"{effect.lost} tasks that the first run has scored have no pair in the second"
    if wanted == "not-shown-equal" and not effect.equal:
        return False, f"{NOT_EQUAL} within {found.margin:g} points"
    return True, effect.verdict
