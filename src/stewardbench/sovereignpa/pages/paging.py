"""How SovereignPA-Bench appears on the site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import polars as pl

from stewardbench.report.part import Part
from stewardbench.report.table import Table, definitions
from stewardbench.runs.folder import read_manifest
from stewardbench.site.model import Board, Group
from stewardbench.site.pages import PageInfo
from stewardbench.site.part import ListedEpisode, Tables
from stewardbench.site.terms import TermList, term_lists
from stewardbench.sovereignpa.pages import episodes, views
from stewardbench.sovereignpa.report.published import beside
from stewardbench.sovereignpa.report.study import LABELS


class SovereignpaPaging:
    """A ``site.part.Paging``."""

    page = PageInfo(
        "sovereignpa.html",
        "SovereignPA",
        "figures.html.j2",
        "SovereignPA-Bench",
        "Acting for the user",
        "An agent books or cancels through a platform that wants something else. Does it follow the user, share only "
        "what is needed, ask exactly when it must, and tell the truth?",
    )
    label = "SovereignPA"
    columns = episodes.COLUMNS
    style = files("stewardbench.sovereignpa.pages").joinpath("list.css").read_text(encoding="utf-8")

    def tables(self, part: Part | None, include_published: bool) -> Tables:
        """The report's tables by id; without own runs, the published main table alone."""
        if part is not None:
            return {table.id: table for table in part.tables}
        if not include_published:
            return {}
        definition = definitions("stewardbench.sovereignpa.report")[views.MAIN]
        return {views.MAIN: beside(Table(views.MAIN, definition, LABELS, pl.DataFrame()))}

    def csv_of(self, identity: str) -> str:
        """Where a table's CSV lies below the site's folder."""
        return views.csv_of(identity)

    def board(self, tables: Tables) -> Board | None:
        """The leaderboard: one row per model or reference agent."""
        return views.board(tables)

    def groups(self, tables: Tables) -> Sequence[Group]:
        """Every figure and table in reading order."""
        return views.groups(tables)

    def episodes(self, folders: Sequence[Path], part: Part | None) -> Iterator[ListedEpisode]:
        """Every attempt, one at a time."""
        for folder in folders:
            for read in episodes.read_logs(folder, read_manifest(folder).run_id):
                yield read.id, episodes.row(read), episodes.detail(read)

    def terms(self) -> Sequence[TermList]:
        """The paper's terms."""
        return term_lists("stewardbench.sovereignpa.pages")


PAGES = SovereignpaPaging()
