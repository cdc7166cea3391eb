from __future__ import annotations

from pathlib import Path

import pytest

from stewardbench.errors import DataError, UsageError
from stewardbench.pasb.authoring.review import COLUMNS, read_review, review_sample, review_sheet
from stewardbench.pasb.tasks.load import load_tasks

SMOKE = load_tasks("smoke")


def filled(path: Path, answers: list[str]) -> Path:
    """A sheet of as many tasks as answers; each task gets its answer in every column."""
    head, *rows = review_sheet(SMOKE[: len(answers)], "R").splitlines()
    empty = "," * (len(COLUMNS) + 1)
    lines = [
        row.removesuffix(empty) + f",{answer}" * len(COLUMNS) + "," for row, answer in zip(rows, answers, strict=True)
    ]
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(("share", "size"), [(0.05, 4), (0.20, 13), (1.0, 64)])
def test_shares_round_up(share: float, size: int) -> None:
    assert len(review_sample(SMOKE, share)) == size


@pytest.mark.parametrize("share", [0.0, -0.1, 1.1])
def test_impossible_shares_are_refused(share: float) -> None:
    with pytest.raises(UsageError, match="not between 0 and 1"):
        review_sample(SMOKE, share)


def test_a_filled_sheet_is_counted(tmp_path: Path) -> None:
    review = read_review(filled(tmp_path / "r.csv", ["y", "No", "", "YES"]))
    assert (review.tasks, review.unanswered) == (4, 7)
    assert set(review.answers.values()) == {(2, 3)}
    assert {no.task_id for no in review.objections} == {SMOKE[1].task_id}
    assert [no.dim for no in review.objections] == [1, 2, 3, 4, 5, 6, 7]


def test_another_answer_names_line_and_column(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'maybe' is neither y nor n") as caught:
        read_review(filled(tmp_path / "r.csv", ["y", "maybe"]))
    assert (caught.value.line, caught.value.field) == (3, COLUMNS[0])


def test_the_sheet_shows_the_whole_task() -> None:
    sheet = review_sheet(SMOKE[:1], "R")
    for turn in (*SMOKE[0].persist_turns, *SMOKE[0].query_turns):
        assert turn.text.replace('"', '""') in sheet
