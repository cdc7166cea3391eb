"""From run folders to everything a report holds: rows, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from stewardbench.errors import UsageError
from stewardbench.pasb.axes import FAIL_AT
from stewardbench.pasb.report.build import pasb_tables
from stewardbench.pasb.report.figures import pasb_figures
from stewardbench.pasb.report.published import beside
from stewardbench.pasb.report.rows import read_rows
from stewardbench.pasb.report.study import Study
from stewardbench.report.figure import Figure
from stewardbench.report.table import Table
from stewardbench.runs.folder import read_manifest
from stewardbench.sovereignpa.report.build import sovereignpa_tables
from stewardbench.sovereignpa.report.figures import sovereignpa_figures
from stewardbench.sovereignpa.report.rows import read_episodes
from stewardbench.sovereignpa.report.study import Study as SovereignpaStudy
from stewardbench.statistics.bootstrap import DRAWS


@dataclass(frozen=True, slots=True)
class Settings:
    """What a report depends on besides the records. A bundle keeps it, so that ``verify`` can build the same."""

    judge: str | None = None
    annotator: str | None = None
    published: bool = False
    at: float = FAIL_AT
    draws: int = DRAWS


@dataclass(frozen=True)
class Report:
    """A report: the per-episode rows it rests on, its tables, and its figures (drawn when first asked for).

    ``rows`` are PASB's, ``booking`` and ``cancelling`` the families' of SovereignPA-Bench; a frame is empty where no
    run of its benchmark was given.
    """

    rows: pl.DataFrame
    tables: tuple[Table, ...]
    booking: pl.DataFrame = field(default_factory=pl.DataFrame)
    cancelling: pl.DataFrame = field(default_factory=pl.DataFrame)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure that the tables allow."""
        return (*pasb_figures(self.tables), *sovereignpa_figures(self.tables))

    def table(self, identity: str) -> Table:
        """One table by id. Raises UsageError that lists the ids when there is no such table."""
        for table in self.tables:
            if table.id == identity:
                return table
        known = ", ".join(table.id for table in self.tables)
        raise UsageError(f"this report has no table {identity!r}.", hint=f"It has: {known}.")


def build_report(folders: Sequence[Path], settings: Settings | None = None) -> Report:
    """The report on some run folders.

    Raises StoreError for a folder that is no run or is damaged, and UsageError for an impossible failing score or when
    a judge has to be chosen.
    """
    chosen = settings or Settings()
    if not 1.0 < chosen.at <= 5.0:
        raise UsageError(
            f"a failing score of {chosen.at:g} is impossible.", hint="Scores go from 1 to 5; use 1.5 to 5."
        )
    pasb, sovereignpa = _by_benchmark(folders)
    rows = pl.DataFrame()
    tables: tuple[Table, ...] = ()
    if pasb:
        rows = read_rows(pasb, judge=chosen.judge, annotator=chosen.annotator)
        tables = pasb_tables(Study(rows, at=chosen.at, draws=chosen.draws))
        tables = beside(tables) if chosen.published else tables
    if not sovereignpa:
        return Report(rows, tables)
    booking, cancelling = read_episodes(sovereignpa)
    study = SovereignpaStudy(booking, cancelling, draws=chosen.draws)
    more = sovereignpa_tables(study, published=chosen.published)
    return Report(rows, (*tables, *more), booking, cancelling)


def _by_benchmark(folders: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The PASB folders and the SovereignPA folders."""
    benchmarks = [(folder, read_manifest(folder).benchmark) for folder in folders]
    return [f for f, name in benchmarks if name == "pasb"], [f for f, name in benchmarks if name == "sovereignpa"]
