"""A SovereignPA run as numbers per scenario: what a comparison pairs by scenario and resamples by situation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from stewardbench.report.measured import CLUSTER, TASK, Measured, Metric
from stewardbench.runs.folder import RunFolder
from stewardbench.sovereignpa.records import read_logs

METRICS = (
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


def measured(folder: Path) -> Measured:
    """The first valid attempt of every episode; sampling seeds of one scenario are averaged."""
    run = RunFolder.read(folder)
    kept: dict[tuple[str, int], dict[str, Any]] = {}
    names: dict[str, None] = {}
    for read in read_logs(run.log("episodes").path):
        names[" ".join(part for part in (read.source.model or read.source.agent, read.source.defense) if part)] = None
        if read.valid:
            kept.setdefault((read.scenario_id, read.source.seed), read.metrics.as_dict())
    columns: dict[str, list[Any]] = {
        TASK: [scenario for scenario, _ in kept],
        CLUSTER: [row["sid"] for row in kept.values()],
    }
    for metric in METRICS:
        columns[metric.name] = [_number(row.get(metric.name)) for row in kept.values()]
    schema = {TASK: pl.String, CLUSTER: pl.String, **{metric.name: pl.Float64 for metric in METRICS}}
    frame = pl.DataFrame(columns, schema=schema).group_by(TASK, CLUSTER, maintain_order=True).mean()
    return Measured("sovereignpa", ", ".join(names), frame, METRICS, "situations", False)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, bool | int | float) else None
