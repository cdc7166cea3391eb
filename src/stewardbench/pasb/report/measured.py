"""A PASB run as numbers per task: what a comparison pairs by task and resamples by base item."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.report.cells import DF4, DF6, DF_ANY, FAILURES, SINGLE
from stewardbench.pasb.report.indicators import COMMIT
from stewardbench.pasb.report.rows import HARNESS_CHECK, read_rows
from stewardbench.pasb.report.study import Study
from stewardbench.report.labels import words
from stewardbench.report.measured import CLUSTER, TASK, Measured, Metric

METRICS = (
    Metric(DF4, "DF4", parts=FAILURES[DF4]),
    *(Metric(name, words(name)) for name in DIMENSIONS),
    Metric(DF6, "DF6", parts=FAILURES[DF6]),
    Metric(DF_ANY, "DFany"),
    Metric(COMMIT, "Commit", lower=None),
)


def measured(folder: Path, judge: str | None) -> Measured:
    """A PASB run folder as numbers per task; a task's trials are averaged. Raises StoreError when it is damaged."""
    study = Study(read_rows([folder], judge=judge))
    single = {**{name: name for name in DIMENSIONS}, **SINGLE}
    rates = [pl.col(f"is_{column}").cast(pl.Float64).alias(name) for name, column in single.items()]
    frame = (
        study.natural.select(
            pl.col("task_id").cast(pl.String).alias(TASK),
            pl.col("base_item_id").cast(pl.String).alias(CLUSTER),
            *rates,
        )
        .group_by(TASK, CLUSTER, maintain_order=True)
        .mean()
    )
    run = study.runs[0] if study.runs else None
    name = f"{run.model} on {words(run.agent)}" if run else folder.name
    return Measured("pasb", name, frame, METRICS, "base items", bool(run and run.origin == HARNESS_CHECK))
