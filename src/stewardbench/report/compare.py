"""Two runs compared task by task: what changed, how surely, and how small a change could have been seen.

The same task on both sides is one pair, so differences between tasks cancel. Intervals resample clusters (base items or
situations); the sign test counts clusters that went up and down; p-values of all metrics but the headline are adjusted
by Holm. The verdict follows the interval, not a p-value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from stewardbench.errors import UsageError
from stewardbench.report.lines import SEED
from stewardbench.report.measured import CLUSTER, TASK, Measured, Metric
from stewardbench.statistics import (
    Interval,
    SignTest,
    cluster_means,
    clustered_ratio_intervals,
    holm,
    minimum_detectable_effect,
    sign_test,
)
from stewardbench.statistics.bootstrap import DRAWS

Verdict = Literal["better", "worse", "different", "no difference found", "not comparable"]
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Effect:
    """One metric on both sides, in its own unit. ``p_value`` is the sign test's, Holm-adjusted but for the headline.

    ``detectable`` is the smallest change that would have been found with 80 % power.
    """

    metric: Metric
    before: float
    after: float
    change: Interval
    sign: SignTest
    p_value: float
    detectable: float

    @property
    def verdict(self) -> Verdict:
        """What the interval of the change says about the second run."""
        if not self.change.known:
            return "not comparable"
        if self.change.low <= 0 <= self.change.high:
            return "no difference found"
        if self.metric.lower is None:
            return "different"
        return "worse" if (self.change.low > 0) == self.metric.lower else "better"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs: ``effects`` start with the headline. ``only_before`` and ``only_after`` count tasks without a pair."""

    before: Measured
    after: Measured
    pairs: int
    only_before: int
    only_after: int
    effects: tuple[Effect, ...]

    @property
    def headline(self) -> Effect:
        """The metric that the sentence and the exit code are about."""
        return self.effects[0]


def compare(
    before: Measured, after: Measured, *, headline: str | None = None, draws: int = DRAWS, seed: int = SEED
) -> Comparison:
    """Pair two runs by task.

    ``headline`` names the metric to judge by, by default the benchmark's first. Raises UsageError for runs of two
    benchmarks, for an unknown metric, and when no task is in both.
    """
    if before.benchmark != after.benchmark:
        raise UsageError(
            f"one run is {before.benchmark}, the other {after.benchmark}.", hint="Compare runs of one benchmark."
        )
    both = before.frame.join(after.frame.drop(CLUSTER), on=TASK, suffix=" after")
    if both.is_empty():
        raise UsageError("no valid task is in both runs.", hint="Run both on the same task set.")
    scored = [m for m in before.metrics if _pairs(both, m).height]
    names = [metric.name for metric in scored]
    first = headline or (names[0] if names else before.metrics[0].name)
    if first not in names:
        raise UsageError(f"no pair of tasks is scored in {first!r}.", hint=f"There are: {', '.join(names) or 'none'}.")
    ordered = sorted(scored, key=lambda metric: metric.name != first)
    effects = [_effect(metric, _pairs(both, metric), draws, seed) for metric in ordered]
    adjusted = holm([effect.p_value for effect in effects[1:]])
    return Comparison(
        before,
        after,
        both.height,
        before.frame.height - both.height,
        after.frame.height - both.height,
        (effects[0], *(_with_p(effect, p) for effect, p in zip(effects[1:], adjusted, strict=True))),
    )


def sentence(comparison: Comparison) -> str:
    """The headline in one plain sentence, and what it could not have seen."""
    effect = comparison.headline
    metric, change = effect.metric, effect.change
    unit = "points" if metric.unit == "%" else metric.unit
    sides = f"{metric.label} {effect.before:.1f} {metric.unit} before, {effect.after:.1f} {metric.unit} after"
    basis = f"{change.n:,} tasks, {change.clusters} {comparison.before.clusters}"
    if not change.known:
        return f"Not comparable: {sides} on {basis}, too few to say more."
    moved = f"a change of {change.estimate:+.1f} {unit} (95 % {change.low:+.1f} to {change.high:+.1f}; {basis})"
    opening = {
        "worse": "Worse",
        "better": "Better",
        "different": "Different",
        "no difference found": "No difference found",
    }[effect.verdict]
    seen = f"A change of {effect.detectable:.1f} {unit} would have been found four times in five."
    if effect.detectable == 0:
        seen = f"All {comparison.before.clusters} changed by the same amount, so the interval says little."
    return f"{opening}: {sides}, {moved}. {seen}"


def _pairs(both: pl.DataFrame, metric: Metric) -> pl.DataFrame:
    """The tasks that both sides have scored in one metric."""
    pairs = both.select(CLUSTER, before=pl.col(metric.name), after=pl.col(f"{metric.name} after"))
    return pairs.drop_nulls().sort(CLUSTER)


def _effect(metric: Metric, pairs: pl.DataFrame, draws: int, seed: int) -> Effect:
    before, after = (pairs[side].to_numpy() * metric.scale for side in ("before", "after"))
    clusters = pairs[CLUSTER].to_numpy()
    ones = np.ones(len(before))
    (change,) = clustered_ratio_intervals(
        after - before, ones, clusters, draws=draws, seed=seed, purpose=f"compare {metric.name}", shares=False
    )
    means = cluster_means(after - before, clusters)
    sign = sign_test(means)
    spread = float(means.std(ddof=1)) if len(means) > 1 else float("nan")
    detectable = minimum_detectable_effect(spread, len(means), power=POWER)
    return Effect(metric, float(before.mean()), float(after.mean()), change, sign, sign.p_value, detectable)


def _with_p(effect: Effect, p_value: float) -> Effect:
    return Effect(effect.metric, effect.before, effect.after, effect.change, effect.sign, p_value, effect.detectable)
