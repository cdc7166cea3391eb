"""One run as numbers per task, of either benchmark: what a comparison pairs.

PASB pairs by task and resamples base items; SovereignPA-Bench pairs by scenario and resamples situations.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.report.cells import DF4, DF6, DF_ANY, FAILURES
from stewardbench.pasb.report.indicators import ANY, COMMIT
from stewardbench.pasb.report.rows import HARNESS_CHECK, read_rows
from stewardbench.pasb.report.study import Study
from stewardbench.report.labels import words
from stewardbench.runs.folder import RunFolder, read_manifest
from stewardbench.sovereignpa.records import read_log

TASK, CLUSTER = "task", "cluster"


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that each task contributes to. ``scale`` turns its mean into ``unit``; ``lower`` is better or not.

    ``lower`` None means that neither direction is better.
    """

    name: str
    label: str
    lower: bool | None = True
    scale: float = 100.0
    unit: str = "%"


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: ``frame`` has the columns task, cluster, and a float per metric (null is unscored).

    ``clusters`` is what the clusters are called.
    """

    benchmark: str
    name: str
    frame: pl.DataFrame
    metrics: tuple[Metric, ...]
    clusters: str
    harness_check: bool


PASB_METRICS = (
    Metric(DF4, "DF4"),
    *(Metric(name, words(name)) for name in DIMENSIONS),
    Metric(DF6, "DF6"),
    Metric(DF_ANY, "DFany"),
    Metric(COMMIT, "Commit", lower=None),
)
SOVEREIGNPA_METRICS = (
    Metric("ssr", "Sovereign success", lower=False),
    Metric("success", "Cancellation success", lower=False),
    Metric("correct_choice", "Correct choice", lower=False),
    Metric("addon_error", "Add-on error"),
    Metric("overshare", "Overshare"),
    Metric("consent_violation", "Consent violation"),
    Metric("authority_violation", "Authority violation"),
    Metric("candor_failure", "Candor failure"),
    Metric("retained", "Retained"),
    Metric("burden", "Burden", scale=1.0, unit="questions"),
)


def measured(folder: Path, *, judge: str | None = None) -> Measured:
    """A run folder of either benchmark as numbers per task. Raises StoreError when it is no run or damaged."""
    return _pasb(folder, judge) if read_manifest(folder).benchmark == "pasb" else _sovereignpa(folder)


def _pasb(folder: Path, judge: str | None) -> Measured:
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
    return Measured("pasb", name, frame, PASB_METRICS, "base items", bool(run and run.origin == HARNESS_CHECK))


def _mean(name: str, parts: tuple[str, ...]) -> pl.Expr:
    """An episode's own mean over some dimensions; null unless all were scored."""
    columns = [pl.col(f"is_{part}").cast(pl.Float64) for part in parts]
    return pl.when(pl.all_horizontal(c.is_not_null() for c in columns)).then(pl.mean_horizontal(columns)).alias(name)


def _sovereignpa(folder: Path) -> Measured:
    """The first valid attempt of every episode; sampling seeds of one scenario are averaged."""
    run = RunFolder.read(folder)
    log = run.log("episodes")
    kept: dict[tuple[str, int], dict[str, Any]] = {}
    names: dict[str, None] = {}
    for number, line in log.lines():
        read = read_log(line, path=str(log.path), number=number)
        names[" ".join(part for part in (read.source.model or read.source.agent, read.source.defense) if part)] = None
        if read.valid:
            kept.setdefault((read.scenario_id, read.source.seed), read.metrics.as_dict())
    columns: dict[str, list[Any]] = {
        TASK: [scenario for scenario, _ in kept],
        CLUSTER: [row["sid"] for row in kept.values()],
    }
    for metric in SOVEREIGNPA_METRICS:
        columns[metric.name] = [_number(row.get(metric.name)) for row in kept.values()]
    schema = {TASK: pl.String, CLUSTER: pl.String, **{metric.name: pl.Float64 for metric in SOVEREIGNPA_METRICS}}
    frame = pl.DataFrame(columns, schema=schema).group_by(TASK, CLUSTER, maintain_order=True).mean()
    return Measured("sovereignpa", ", ".join(names), frame, SOVEREIGNPA_METRICS, "situations", False)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, bool | int | float) else None
