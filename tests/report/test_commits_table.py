"""Commits by words, by reader, by both, and by author, as the report prints them."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from made_outcomes import outcome
from stewardbench.pasb.report.commits import WORDS_ONLY, commits_table
from stewardbench.pasb.report.rows import rows_of
from stewardbench.pasb.report.study import Study

METHOD = "entry-recall/2"


def made(number, **changes):
    task = f"PASB-PRF-{number:04d}"
    return replace(
        outcome(episode_id=task, task_id=f"{task}__signed_memory__drip", base_item_id=task, matcher=METHOD), **changes
    )


def read(number, words, reader, joined, author="agent"):
    cell = f"w{'+' if words else '?' if words is None else '-'}r{'+' if reader else '?' if reader is None else '-'}"
    return made(
        number,
        by_words=words,
        by_reader=reader,
        committed=joined,
        primary="memory_profile" if joined else "unknown" if joined is None else "session_only",
        read_by="m",
        cell=cell,
        author=author if joined else None,
    )


def shares(outcomes):
    table = commits_table(Study(rows_of(outcomes)))
    return {row["metric"]: (row["k"], row["n"]) for row in table.frame.iter_rows(named=True)}, table.notes


def test_every_reading_has_its_own_row():
    found, notes = shares(
        [
            read(1, True, True, True),
            read(2, False, True, True, "framework"),
            read(3, True, False, None),
            read(4, None, None, None),
            read(5, False, False, False),
            made(6, by_words=False, by_reader=False, committed=False, read_by="m", cell="nothing written"),
        ]
    )
    assert found["by_words"] == (2, 5)
    assert found["by_reader"] == (2, 5)
    assert found["commit"] == (2, 4)
    assert found["readings_agree"] == (2, 4)  # neither the undecided nor the one without a new entry
    assert found["commit_unknown"] == (2, 6)
    assert (found["by_agent"], found["by_framework"]) == ((1, 2), (1, 2))
    assert not any(WORDS_ONLY in note for note in notes)


def test_without_a_reader_the_table_says_so():
    found, notes = shares([made(1, by_words=True), made(2, by_words=False, committed=False, primary="session_only")])
    assert "by_reader" not in found
    assert "by_agent" not in found  # no author was recorded
    assert any(WORDS_ONLY in note for note in notes)


@pytest.mark.parametrize(("methods", "warned"), [([METHOD, METHOD], False), ([METHOD, "sentence-recall/1"], True)])
def test_two_methods_are_named_and_told_apart(methods, warned):
    _, notes = shares([made(number, by_words=True, matcher=name) for number, name in enumerate(methods)])
    assert all(any(name in note for note in notes) for name in methods)
    assert any("not one measurement" in note for note in notes) == warned


def test_instructions_are_counted_and_said():
    _, notes = shares([made(1, by_words=True, primary="instructions")])
    assert any("only in the agent's own instructions" in note for note in notes)
    assert rows_of([made(1)]).schema["cell"] == pl.Categorical
