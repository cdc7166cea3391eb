"""One run as numbers per task: what a comparison pairs, whatever the benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from stewardbench.report.part import reporting
from stewardbench.runs.folder import read_manifest

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


def measured(folder: Path, *, judge: str | None = None) -> Measured:
    """A run folder as numbers per task. Raises StoreError when it is no run or damaged."""
    return reporting(read_manifest(folder).benchmark).measured(folder, judge)
