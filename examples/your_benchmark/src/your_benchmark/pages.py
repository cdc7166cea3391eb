"""The benchmark on the site: one leaderboard, one table, every conversation in the explorer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from stewardbench.report.part import Part
from stewardbench.runs.folder import read_manifest
from stewardbench.site.episodes.blocks import Chip, EpisodeDetail, Section, TurnBlock
from stewardbench.site.episodes.index import ListColumn
from stewardbench.site.model import Board, BoardRow, Column, Group, Origin
from stewardbench.site.pages import PageInfo
from stewardbench.site.part import ListedEpisode, Tables
from stewardbench.site.terms import TermList
from stewardbench.site.views.frames import figure, quantity, rows_of
from your_benchmark.reporting import MAIN, REPORTING
from your_benchmark.world import QUESTIONS

COLUMN = Column("kept", "Kept", "Share of conversations whose three answers kept the limit.", "high", interval=True)
INTRO = "A user asks for short answers once. Does the assistant remember?"


class Paging:
    """A ``stewardbench.site.part.Paging``."""

    page = PageInfo("limits.html", "Word limits", "figures.html.j2", "Word limits", "Short when asked", INTRO)
    label = "Word-limit"
    style = ""
    columns = (ListColumn("task", "Task", "name"), ListColumn("subject", "Subject", "category", filter=True))

    def tables(self, part: Part | None, include_published: bool) -> Tables:
        return {table.id: table for table in part.tables} if part else {}

    def csv_of(self, identity: str) -> str:
        return f"tables/{identity}.csv"

    def board(self, tables: Tables) -> Board | None:
        listed = [
            BoardRow(row["subject"], "built in", Origin(row["origin"]), (quantity(row),), row["n"])
            for row in rows_of(tables.get(MAIN))
        ]
        if not listed:
            return None
        csv = self.csv_of(MAIN)
        return Board("limits", "Word limits", INTRO, "Subject", "Kind", (COLUMN,), tuple(listed), "kept", csv=csv)

    def groups(self, tables: Tables) -> Sequence[Group]:
        return [Group("limits", "Limits kept", (figure(t, self.csv_of(t.id)),)) for t in tables.values()]

    def episodes(self, folders: Sequence[Path], part: Part | None) -> Iterator[ListedEpisode]:
        for folder in folders:
            run_id = read_manifest(folder).run_id
            for one in REPORTING.episodes(folder):
                identity = f"{run_id}:{one.job.id}:{one.attempt}"
                said = zip(QUESTIONS, one.answers, one.kept, strict=True)
                turns = tuple(
                    TurnBlock(n, ask, text, (Chip("kept" if fine else "broken", "good" if fine else "bad"),))
                    for n, (ask, text, fine) in enumerate(said, 1)
                )
                talk = Section("talk", "Conversation", "", turns)
                detail = EpisodeDetail(identity, f"{one.topic}, {one.limit} words", one.subject, (), (talk,))
                yield identity, {"task": one.job.task, "subject": one.subject}, detail

    def terms(self) -> Sequence[TermList]:
        return ()


PAGES = Paging()
