"""What a benchmark gives to a report: tables and rows of its runs, figures, and the numbers that a comparison pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import polars as pl
from pydantic import Field

from stewardbench.benchmark import benchmark
from stewardbench.records import Record
from stewardbench.report.figure import Figure
from stewardbench.report.table import Table
from stewardbench.statistics.bootstrap import DRAWS

if TYPE_CHECKING:
    from rich.console import Console

    from stewardbench.report.measured import Measured


@dataclass(frozen=True, slots=True)
class Settings:
    """What a report depends on besides the records. A bundle keeps it, so that ``verify`` can build the same.

    ``at`` is the failing score where a benchmark has one; None is the benchmark's own. ``blind`` takes the scores from
    the readings of judges that were not shown what the agent saved, where a benchmark has such.
    """

    judge: str | None = None
    annotator: str | None = None
    published: bool = False
    at: float | None = None
    blind: bool = False
    draws: Annotated[int, Field(ge=1, le=100_000)] = DRAWS


@dataclass(frozen=True)
class Part:
    """One benchmark's share of a report. ``frames`` are its per-episode rows by the name of the file they go to."""

    benchmark: str
    tables: tuple[Table, ...]
    frames: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    def table(self, identity: str) -> Table | None:
        """One table by id, None where this part has no such table."""
        return next((table for table in self.tables if table.id == identity), None)


class Reporting(Protocol):
    """How a benchmark's finished runs are read."""

    def part(self, folders: Sequence[Path], settings: Settings) -> Part:
        """Tables and rows of some runs of this benchmark. Raises StoreError and UsageError."""

    def figures(self, tables: Sequence[Table]) -> tuple[Figure, ...]:
        """Every figure that the tables allow."""

    def measured(self, folder: Path, judge: str | None) -> Measured:
        """One run as numbers per task, for comparisons. Raises StoreError."""

    def show(self, part: Part, console: Console) -> None:
        """Print what a reader wants to see first."""

    def episodes(self, folder: Path) -> Iterator[Record]:
        """Every stored attempt of a run, one at a time. Raises StoreError for a damaged record."""

    def prompts(self) -> Mapping[str, bytes]:
        """The prompts behind the numbers, by file name: they go into a bundle. Often none."""


def reporting(name: str) -> Reporting:
    """How the runs of a benchmark are read. Raises UsageError when it is not installed."""
    found: Reporting = benchmark(name).part("reporting")
    return found
