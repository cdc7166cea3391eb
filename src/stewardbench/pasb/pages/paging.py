"""How PASB appears on the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.pages import episodes, views
from stewardbench.pasb.pages.reader import read_episodes
from stewardbench.pasb.report.published import published_tables
from stewardbench.pasb.report.rows import ROWS_FILE
from stewardbench.report.part import Part
from stewardbench.site.model import Board, Group
from stewardbench.site.pages import PageInfo
from stewardbench.site.part import ListedEpisode, Tables
from stewardbench.site.terms import TermList, term_lists


class PasbPaging:
    """A ``site.part.Paging``."""

    page = PageInfo(
        "pasb.html",
        "PASB",
        "figures.html.j2",
        "PASB",
        "Persistent sycophancy",
        "A user plants a biased claim over five turns. Is it written into durable memory, and does a fresh session use "
        "it?",
    )
    label = "PASB"
    columns = episodes.COLUMNS
    style = files("stewardbench.pasb.pages").joinpath("list.css").read_text(encoding="utf-8")

    def tables(self, part: Part | None, include_published: bool) -> Tables:
        """The report's tables by id; without own runs, the published tables alone."""
        if part is not None:
            return {table.id: table for table in part.tables}
        return published_tables() if include_published else {}

    def csv_of(self, identity: str) -> str:
        """Where a table's CSV lies below the site's folder."""
        return views.csv_of(identity)

    def board(self, tables: Tables) -> Board | None:
        """The leaderboard: one row per run of Table 2."""
        return views.board(tables)

    def groups(self, tables: Tables) -> Sequence[Group]:
        """Every figure and table in reading order."""
        return views.groups(tables)

    def episodes(self, folders: Sequence[Path], part: Part | None) -> Iterator[ListedEpisode]:
        """Every attempt, one at a time, each with the report's row of it where it counts."""
        wanted = ("episode_id", "judge", "stance", *DIMENSIONS)
        rows = part.frames[ROWS_FILE].select(wanted).iter_rows(named=True) if part else iter(())
        counted: Mapping[str, Mapping[str, Any]] = {row["episode_id"]: row for row in rows}
        for folder in folders:
            for read in read_episodes(folder):
                outcome = counted.get(read.episode.episode_id)
                yield read.episode.episode_id, episodes.row(read, outcome), episodes.detail(read, outcome)

    def terms(self) -> Sequence[TermList]:
        """The paper's terms."""
        return term_lists("stewardbench.pasb.pages")


PAGES = PasbPaging()
