"""Runs compared task by task: what changed, how surely, and how small a change could have been seen.

The same task on both sides is one pair, so differences between tasks cancel. A verdict follows an interval and nothing
else, and the intervals of all metrics hold together: a null comparison flags any metric at most 5 times in 100.

    worse, better, different    the simultaneous interval leaves out 0
    equal                       else, when the 90 % interval lies within the margin (two one-sided tests)
    no difference shown         neither
    not comparable              too little was measured for an interval
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from stewardbench.errors import UsageError
from stewardbench.report.lines import SEED
from stewardbench.report.measured import CLUSTER, TASK, Measured, Metric, shared
from stewardbench.statistics import (
    Interval,
    SignTest,
    change_interval,
    cluster_means,
    cluster_sums,
    minimum_detectable_effect,
    sign_test,
    simultaneous_level,
)
from stewardbench.statistics.interval import Floats

Verdict = Literal["better", "worse", "different", "equal", "no difference shown", "not comparable"]
POWER = 0.8
EQUIVALENCE = 0.90  # two one-sided tests at 5 % each
MARGIN = 5.0  # points, unless the caller declares another
FLOOR, CEILING = 0.02, 0.98


@dataclass(frozen=True, slots=True)
class Effect:
    """One metric on both sides, in its own unit.

    ``change`` is the metric's own 95 % interval, ``together`` the one that holds with those of all other metrics,
    ``narrow`` the 90 % interval for equivalence. ``detectable`` is the smallest change that would have been found with
    80 % power. ``margin`` is None where no margin applies (a number of questions has no points). ``lost`` counts the
    tasks that the first run has scored in this metric and the second has not.
    """

    metric: Metric
    before: float
    after: float
    change: Interval
    together: Interval
    narrow: Interval
    sign: SignTest
    detectable: float
    margin: float | None
    lost: int

    @property
    def verdict(self) -> Verdict:
        """What the intervals of the change say about the second run."""
        if not self.together.known and math.isnan(self.change.at_most):
            return "not comparable"
        if not self.together.known or self.together.low <= 0 <= self.together.high:
            return "equal" if self.equal else "no difference shown"
        if self.metric.lower is None:
            return "different"
        return "worse" if (self.together.low > 0) == self.metric.lower else "better"

    @property
    def equal(self) -> bool:
        """Whether the runs are shown equal within the margin; a change that small may still be shown to be one."""
        return self.margin is not None and self._within(self.margin)

    @property
    def extreme(self) -> str:
        """``floor`` or ``ceiling`` where both sides lie so near an end that little can be seen; else nothing."""
        sides = (self.before / self.metric.scale, self.after / self.metric.scale)
        if self.metric.unit != "%":
            return ""
        return "floor" if max(sides) <= FLOOR else "ceiling" if min(sides) >= CEILING else ""

    def _within(self, margin: float) -> bool:
        if self.narrow.known:
            return -margin < self.narrow.low and self.narrow.high < margin
        most = self.narrow.at_most * self.metric.scale  # nothing differs: each cluster may move by the whole scale
        return self.metric.unit == "%" and abs(self.narrow.estimate) + most < margin


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs: ``effects`` start with the headline. ``only_before`` and ``only_after`` count tasks without a pair."""

    before: Measured
    after: Measured
    pairs: int
    only_before: int
    only_after: int
    effects: tuple[Effect, ...]
    margin: float

    @property
    def headline(self) -> Effect:
        """The metric that the sentence and the exit code are about."""
        return self.effects[0]


def compare(
    before: Measured, after: Measured, *, headline: str | None = None, margin: float = MARGIN, seed: int = SEED
) -> Comparison:
    """Pair two runs by task.

    ``headline`` names the metric to judge by, by default the benchmark's first; ``margin`` is the largest change in
    points that is taken for equal. Raises UsageError for runs of two benchmarks, for an unknown metric, and when no
    task is in both.
    """
    if before.benchmark != after.benchmark:
        raise UsageError(
            f"one run is {before.benchmark}, the other {after.benchmark}.", hint="Compare runs of one benchmark."
        )
    if not margin > 0:
        raise UsageError(f"--margin {margin:g}: has to be above 0.", hint="For example 5, in points.")
    both = before.frame.join(after.frame.drop(CLUSTER), on=TASK, suffix=" after")
    if both.is_empty():
        for run in (before, after):
            if run.frame.is_empty():
                hint = (
                    "See why in its last line: the same run command goes on, and `stewardbench report` counts reasons."
                )
                raise UsageError(f"{run.name}: no task is valid, so there is nothing to compare.", hint=hint)
        raise UsageError("no valid task is in both runs.", hint="Run both on the same task set.")
    scored = [m for m in before.metrics if _pairs(before, after, m).height]
    names = [metric.name for metric in scored]
    first = headline or (names[0] if names else before.metrics[0].name)
    if first not in names:
        raise UsageError(f"no pair of tasks is scored in {first!r}.", hint=f"There are: {', '.join(names) or 'none'}.")
    ordered = sorted(scored, key=lambda metric: metric.name != first)
    pairs = [_pairs(before, after, metric) for metric in ordered]
    level = simultaneous_level(_pulls(pairs), seed=seed, purpose="compare")
    effects = tuple(
        _effect(metric, one, level, margin, _scored(before, metric) - one.height)
        for metric, one in zip(ordered, pairs, strict=True)
    )
    return Comparison(
        before, after, both.height, before.frame.height - both.height, after.frame.height - both.height, effects, margin
    )


def sentence(comparison: Comparison) -> str:
    """The headline in one plain sentence, and what it could not have seen."""
    effect = comparison.headline
    metric, change, clusters = effect.metric, effect.change, comparison.before.clusters
    unit = "points" if metric.unit == "%" else metric.unit
    sides = f"{metric.label} {effect.before:.1f} {metric.unit} before, {effect.after:.1f} {metric.unit} after"
    basis = f"{change.n:,} tasks, {change.clusters} {clusters}"
    if effect.verdict == "not comparable":
        return f"Not comparable: {sides} on {basis}, too few to say more."
    moved = f"a change of {change.estimate:+.1f} {unit} ({bounds_in_words(change, clusters)}; {basis})"
    opening = f"Equal within {comparison.margin:g} {unit}" if effect.verdict == "equal" else effect.verdict.capitalize()
    seen = f"A change of {effect.detectable:.1f} {unit} would have been found four times in five."
    if not effect.detectable > 0:
        seen = f"No two {clusters} changed differently, so how small a change would have been found cannot be said."
    if effect.extreme:
        seen += f" Both sides lie at the {effect.extreme}: little can be seen from there."
    return f"{opening}: {sides}, {moved}. {seen}"


def changes_of(before: Measured, after: Measured, *, metric: str | None = None) -> tuple[Floats, list[str]]:
    """The change of every pair of tasks in one metric (fractions, or the metric's unit), and its cluster.

    Raises UsageError for an unknown metric and where no pair is scored.
    """
    wanted = metric or before.metrics[0].name
    known = {m.name: m for m in before.metrics}
    if wanted not in known:
        raise UsageError(f"no metric {wanted!r}.", hint=f"There are: {', '.join(known)}.")
    pairs = _pairs(before, after, known[wanted])
    if pairs.is_empty():
        raise UsageError(f"no pair of tasks is scored in {wanted!r}.", hint="Use runs of the same tasks.")
    return (pairs["after"] - pairs["before"]).to_numpy(), pairs[CLUSTER].to_list()


def bounds_in_words(change: Interval, clusters: str) -> str:
    """An interval, or what is known where there is none."""
    if change.known:
        return f"95 % {change.low:+.1f} to {change.high:+.1f}"
    if not math.isnan(change.at_most):
        return f"no {clusters} differ from this, at most {100 * change.at_most:.0f} % of them may"
    return "no interval: one cluster"


def _pairs(before: Measured, after: Measured, metric: Metric) -> pl.DataFrame:
    """The tasks that both sides have scored in one metric."""
    return shared([before, after], metric).rename({"run0": "before", "run1": "after"})


def _scored(run: Measured, metric: Metric) -> int:
    """How many tasks a run has scored in a metric, or in any part of it."""
    return int(run.frame.select(pl.any_horizontal(pl.col(*metric.columns).is_not_null()).sum()).item())


def _pulls(pairs: list[pl.DataFrame]) -> Floats:
    """How far each cluster moves each metric's mean change, as (clusters, metrics)."""
    clusters = sorted({name for one in pairs for name in one[CLUSTER].unique()})
    pulls = np.zeros((len(clusters), len(pairs)))
    for column, one in enumerate(pairs):
        change = (one["after"] - one["before"]).to_numpy()
        sums = cluster_sums(np.stack([change - change.mean(), np.ones(len(change))], axis=1), one[CLUSTER].to_numpy())
        pulls[np.searchsorted(clusters, np.unique(one[CLUSTER].to_numpy())), column] = sums[:, 0]
    return pulls


def _effect(metric: Metric, pairs: pl.DataFrame, level: float, margin: float, lost: int) -> Effect:
    before, after = (pairs[side].to_numpy() * metric.scale for side in ("before", "after"))
    clusters, points = pairs[CLUSTER].to_numpy(), metric.unit == "%"
    bounded = metric.scale if points else None
    at = {
        reach: change_interval(after - before, clusters, bounded=bounded, level=reach)
        for reach in (0.95, level, EQUIVALENCE)
    }
    means = cluster_means(after - before, clusters)
    spread = float(means.std(ddof=1)) if len(means) > 1 else float("nan")
    return Effect(
        metric,
        float(before.mean()),
        float(after.mean()),
        at[0.95],
        at[level],
        at[EQUIVALENCE],
        sign_test(means),
        minimum_detectable_effect(spread, len(means), power=POWER),
        margin if points else None,
        lost,
    )
