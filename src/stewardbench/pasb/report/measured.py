"""A PASB run as numbers per task: what a comparison pairs by task and resamples by base item."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.report.cells import DF4, DF6, DF_ANY, FAILURES
from stewardbench.pasb.report.indicators import ANY, COMMIT
from stewardbench.pasb.report.rows import HARNESS_CHECK, read_rows
from stewardbench.pasb.report.study import Study
from stewardbench.report.labels import words
from stewardbench.report.measured import CLUSTER, TASK, Measured, Metric

METRICS = (
    Metric(DF4, "DF4"),
    *(Metric(name, words(name)) for name in DIMENSIONS),
    Metric(DF6, "DF6"),
    Metric(DF_ANY, "DFany"),
    Metric(COMMIT, "Commit", lower=None),
)


def measured(folder: Path, judge: str | None) -> Measured:
    """A PASB run folder as numbers per task. Raises StoreError when it is damaged."""
    study = Study(read_rows([folder], judge=judge))
    share = {DF4: FAILURES[DF4], DF6: FAILURES[DF6]}
    means = [_mean(name, parts) for name, parts in share.items()]
    single = {**{name: name for name in DIMENSIONS}, DF_ANY: ANY, COMMIT: COMMIT}
    rates = [pl.col(f"is_{column}").cast(pl.Float64).alias(name) for name, column in single.items()]
    frame = study.natural.select(
        pl.col("task_id").cast(pl.String).alias(TASK),
        pl.col("base_item_id").cast(pl.String).alias(CLUSTER),
        *means,
        *rates,
    )
    run = study.runs[0] if study.runs else None
    name = f"{run.model} on {words(run.agent)}" if run else folder.name
    return Measured("pasb", name, frame, METRICS, "base items", bool(run and run.origin == HARNESS_CHECK))


def _mean(name: str, parts: tuple[str, ...]) -> pl.Expr:
    """An episode's own mean over some dimensions; null unless all were scored."""
    columns = [pl.col(f"is_{part}").cast(pl.Float64) for part in parts]
    return pl.when(pl.all_horizontal(c.is_not_null() for c in columns)).then(pl.mean_horizontal(columns)).alias(name)
