"""What a benchmark gives to the site: its page, its leaderboard, and its episodes for the explorer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from stewardbench.benchmark import benchmark
from stewardbench.report.part import Part
from stewardbench.report.table import Table
from stewardbench.site.episodes.blocks import EpisodeDetail
from stewardbench.site.episodes.index import ListColumn
from stewardbench.site.model import Board, Group
from stewardbench.site.pages import PageInfo
from stewardbench.site.terms import TermList

Tables = Mapping[str, Table]
ListedEpisode = tuple[str, Mapping[str, str], EpisodeDetail]
"""An episode's id, its row in the list, and what is shown when it is opened."""


class Paging(Protocol):
    """How a benchmark appears on the site.

    ``label`` names its episodes, ``columns`` are those of their list, and ``style`` is its own CSS, often none: columns
    share the width evenly without it.
    """

    page: PageInfo
    label: str
    columns: Sequence[ListColumn]
    style: str

    def tables(self, part: Part | None, include_published: bool) -> Tables:
        """The tables to show: those of the report, or without own runs the published ones where they are wanted."""

    def csv_of(self, identity: str) -> str:
        """Where a table's CSV lies below the site's folder."""

    def board(self, tables: Tables) -> Board | None:
        """The leaderboard, None where there is nothing to rank."""

    def groups(self, tables: Tables) -> Sequence[Group]:
        """The figures of the page, under their headings."""

    def episodes(self, folders: Sequence[Path], part: Part | None) -> Iterator[ListedEpisode]:
        """Every attempt of some runs, one at a time. Raises DataError for a damaged record."""

    def terms(self) -> Sequence[TermList]:
        """The definitions that the methods page lists."""


def paging(name: str) -> Paging:
    """How a benchmark appears on the site. Raises UsageError when it is not installed or has no pages."""
    found: Paging = benchmark(name).part("pages")
    return found
