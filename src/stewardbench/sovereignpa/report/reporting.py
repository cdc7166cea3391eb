"""How the engine's report reads SovereignPA runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stewardbench.report.figure import Figure
from stewardbench.report.measured import Measured
from stewardbench.report.part import Part, Settings
from stewardbench.report.table import Table
from stewardbench.runs.folder import RunFolder
from stewardbench.sovereignpa.records import EpisodeLog, read_logs
from stewardbench.sovereignpa.report.build import sovereignpa_tables
from stewardbench.sovereignpa.report.figures import sovereignpa_figures
from stewardbench.sovereignpa.report.rows import read_episodes
from stewardbench.sovereignpa.report.study import Study

if TYPE_CHECKING:
    from rich.console import Console

NAME = "sovereignpa"
FIRST = ("sovereignpa_main", "sovereignpa_cancellation", "sovereignpa_accounting")  # what a terminal shows


class SovereignpaReporting:
    """A ``report.part.Reporting``."""

    def part(self, folders: Sequence[Path], settings: Settings) -> Part:
        """The tables and rows of some runs. Raises StoreError."""
        booking, cancelling = read_episodes(folders)
        study = Study(booking, cancelling, draws=settings.draws)
        frames = {"rows_booking.parquet": booking, "rows_cancellation.parquet": cancelling}
        return Part(
            NAME,
            sovereignpa_tables(study, published=settings.published),
            {name: frame for name, frame in frames.items() if frame.width},
        )

    def figures(self, tables: Sequence[Table]) -> tuple[Figure, ...]:
        """Every figure that the tables allow."""
        return sovereignpa_figures(tuple(tables))

    def measured(self, folder: Path, judge: str | None) -> Measured:
        """One run as numbers per scenario; no judge is involved. Raises StoreError."""
        from stewardbench.sovereignpa.report.measured import measured

        return measured(folder)

    def show(self, part: Part, console: Console) -> None:
        """Print the main tables and the accounts."""
        from stewardbench.report.show import show_table

        for table in map(part.table, FIRST):
            if table is not None:
                show_table(table, console)

    def episodes(self, folder: Path) -> Iterator[EpisodeLog]:
        """Every stored attempt. Raises StoreError."""
        return read_logs(RunFolder.read(folder).log("episodes").path)

    def prompts(self) -> Mapping[str, bytes]:
        """None: no model judges an episode."""
        return {}


REPORTING = SovereignpaReporting()
