"""A SovereignPA run as numbers per scenario: what a comparison pairs by scenario and resamples by situation."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from stewardbench.report.measured import CLUSTER, TASK, Measured, Metric
from stewardbench.sovereignpa.report.rows import read_episodes

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
    """The rows of a report on this run; sampling seeds of one scenario are averaged."""
    frames = [frame.filter(pl.col("valid")) for frame in read_episodes([folder])]
    rows = pl.concat([frame.select(_numbers(frame)) for frame in frames], how="diagonal")
    mean = rows.group_by(TASK, CLUSTER, maintain_order=True).mean()
    acting = pl.concat([frame.select("model", "system", "defense") for frame in frames]).unique(maintain_order=True)
    names = [f"{system} {defense}" if model else str(system) for model, system, defense in acting.iter_rows()]
    return Measured("sovereignpa", ", ".join(names), mean, METRICS, "situations", False)


def _numbers(frame: pl.DataFrame) -> list[pl.Expr]:
    """Task, cluster, and every metric of the rows as a number; the families lack some of each other's."""
    named = [pl.col("scenario_id").alias(TASK), pl.col("sid").alias(CLUSTER)]
    return named + [
        (pl.col(metric.name) if metric.name in frame.columns else pl.lit(None)).cast(pl.Float64).alias(metric.name)
        for metric in METRICS
    ]
