"""How the engine's report reads PASB runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from stewardbench.errors import UsageError
from stewardbench.pasb.axes import FAIL_AT
from stewardbench.pasb.records import Episode
from stewardbench.pasb.report.build import pasb_tables
from stewardbench.pasb.report.corrected import corrected_table
from stewardbench.pasb.report.figures import pasb_figures
from stewardbench.pasb.report.published import beside
from stewardbench.pasb.report.rows import ROWS_FILE, read_judged
from stewardbench.pasb.report.study import Study
from stewardbench.pasb.run.store import EPISODES, read_records
from stewardbench.report.figure import Figure
from stewardbench.report.measured import Measured
from stewardbench.report.part import Part, Settings
from stewardbench.report.table import Table
from stewardbench.runs.folder import RunFolder

if TYPE_CHECKING:
    from rich.console import Console

NAME = "pasb"


class PasbReporting:
    """A ``report.part.Reporting``."""

    def part(self, folders: Sequence[Path], settings: Settings) -> Part:
        """The tables and rows of some runs. Raises StoreError, and UsageError for an impossible failing score."""
        at = FAIL_AT if settings.at is None else settings.at
        if not 1.0 < at <= 5.0:
            raise UsageError(f"a failing score of {at:g} is impossible.", hint="Scores go from 1 to 5; use 1.5 to 5.")
        chosen = {"judge": settings.judge, "annotator": settings.annotator}
        rows, readings = read_judged(folders, blind=settings.blind, **chosen)
        study = Study(rows, readings, settings.blind, at=at, draws=settings.draws)
        labelled = corrected_table(study, folders)
        tables = (*pasb_tables(study), *([labelled] if labelled else []))
        return Part(NAME, beside(tables) if settings.published else tables, {ROWS_FILE: rows})

    def figures(self, tables: Sequence[Table]) -> tuple[Figure, ...]:
        """Every figure that the tables allow."""
        return pasb_figures(tuple(tables))

    def measured(self, folder: Path, judge: str | None) -> Measured:
        """One run as numbers per task. Raises StoreError."""
        from stewardbench.pasb.report.measured import measured

        return measured(folder, judge)

    def show(self, part: Part, console: Console) -> None:
        """Print the main table, the boundary and the accounts."""
        from stewardbench.pasb.report.show import show

        show(part, console)

    def episodes(self, folder: Path) -> Iterator[Episode]:
        """Every stored attempt. Raises StoreError."""
        return read_records(RunFolder.read(folder), EPISODES, Episode)

    def prompts(self) -> Mapping[str, bytes]:
        """Every prompt of the judge, the annotator and the builder, by file name."""
        folder = files("stewardbench.pasb").joinpath("prompts")
        found = sorted(folder.iterdir(), key=lambda entry: entry.name)
        return {one.name: one.read_bytes() for one in found if one.is_file() and not one.name.endswith(".py")}


REPORTING = PasbReporting()
