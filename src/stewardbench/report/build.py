"""From run folders to everything a report holds: rows, tables and figures, benchmark by benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from stewardbench.benchmark import benchmarks
from stewardbench.errors import UsageError
from stewardbench.report.figure import Figure
from stewardbench.report.part import Part, Settings, reporting
from stewardbench.report.table import Table
from stewardbench.runs.folder import read_manifest

__all__ = ["Report", "Settings", "build_report", "by_benchmark"]


@dataclass(frozen=True)
class Report:
    """A report: a part for each benchmark that the runs belong to. Figures are drawn when first asked for."""

    parts: tuple[Part, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """Every table, in the order of the benchmarks and then of their papers."""
        return tuple(table for part in self.parts for table in part.tables)

    @property
    def frames(self) -> Mapping[str, pl.DataFrame]:
        """The per-episode rows that the tables rest on, by the name of the file they go to."""
        return {name: frame for part in self.parts for name, frame in part.frames.items()}

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure that the tables allow."""
        return tuple(figure for part in self.parts for figure in reporting(part.benchmark).figures(part.tables))

    def part(self, benchmark: str) -> Part | None:
        """What one benchmark gave, None where no run of it was given."""
        return next((part for part in self.parts if part.benchmark == benchmark), None)

    def table(self, identity: str) -> Table:
        """One table by id. Raises UsageError that lists the ids when there is no such table."""
        for table in self.tables:
            if table.id == identity:
                return table
        known = ", ".join(table.id for table in self.tables)
        raise UsageError(f"this report has no table {identity!r}.", hint=f"It has: {known}.")


def build_report(folders: Sequence[Path], settings: Settings | None = None) -> Report:
    """The report on some run folders.

    Raises StoreError for a folder that is no run or is damaged, and UsageError for an impossible failing score, when a
    judge has to be chosen, or when a benchmark is not installed.
    """
    chosen = settings or Settings()
    return Report(tuple(reporting(name).part(found, chosen) for name, found in by_benchmark(folders).items()))


def by_benchmark(folders: Sequence[Path]) -> dict[str, list[Path]]:
    """The folders of each benchmark, in the order of reports. Raises StoreError and UsageError."""
    found: dict[str, list[Path]] = {}
    for folder in folders:
        found.setdefault(read_manifest(folder).benchmark, []).append(folder)
    ordered = [one.name for one in benchmarks() if one.name in found]
    return {name: found[name] for name in (*ordered, *(name for name in found if name not in ordered))}
