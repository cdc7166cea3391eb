"""One run as numbers per task: what a comparison pairs, whatever the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from stewardbench.report.part import reporting
from stewardbench.runs.folder import read_manifest

TASK, CLUSTER = "task", "cluster"


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that tasks contribute to. ``scale`` turns its mean into ``unit``; ``lower`` is better or not.

    ``lower`` None means that neither direction is better. A metric that is a mean of rates names their columns in
    ``parts``: each rate has an n of its own, so a task that lacks one score still counts in the others.
    """

    name: str
    label: str
    lower: bool | None = True
    scale: float = 100.0
    unit: str = "%"
    parts: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rates that it is the mean of; for most metrics the one of its name."""
        return self.parts or (self.name,)


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: ``frame`` has the columns task, cluster, and those of the metrics as floats (null is unscored).

    ``clusters`` is what the clusters are called.
    """

    benchmark: str
    name: str
    frame: pl.DataFrame
    metrics: tuple[Metric, ...]
    clusters: str
    harness_check: bool


def shared(runs: Sequence[Measured], metric: Metric) -> pl.DataFrame:
    """One row per task that all runs have scored: ``CLUSTER``, then ``run0``, ``run1``, ..., ordered by cluster.

    The mean of a column is the metric itself. For a mean of rates, each rate is over the tasks that all runs have
    scored in it, so a task's value is its share of that mean: where every part is scored, the plain mean of its parts.
    The frame is empty where a part is scored nowhere.
    """
    parts = metric.columns
    joined = runs[0].frame.select(TASK, CLUSTER, *(pl.col(part).alias(f"0 {part}") for part in parts))
    for number, run in enumerate(runs[1:], 1):
        joined = joined.join(
            run.frame.select(TASK, *(pl.col(part).alias(f"{number} {part}") for part in parts)), on=TASK
        )
    there = {p: pl.all_horizontal(pl.col(f"{n} {p}").is_not_null() for n in range(len(runs))) for p in parts}
    joined = joined.filter(pl.any_horizontal(there.values()))
    held = joined.select(there[part].sum().alias(part) for part in parts).row(0, named=True)
    if not all(held.values()):
        return pl.DataFrame(schema={CLUSTER: pl.String, **{f"run{n}": pl.Float64 for n in range(len(runs))}})
    weight = {part: len(joined) / held[part] / len(parts) for part in parts}
    values = [
        pl.sum_horizontal(pl.when(there[p]).then(pl.col(f"{n} {p}") * weight[p]).otherwise(0.0) for p in parts)
        for n in range(len(runs))
    ]
    return joined.select(CLUSTER, *(value.alias(f"run{n}") for n, value in enumerate(values))).sort(CLUSTER)


def measured(folder: Path, *, judge: str | None = None) -> Measured:
    """A run folder as numbers per task. Raises StoreError when it is no run or damaged."""
    return reporting(read_manifest(folder).benchmark).measured(folder, judge)
