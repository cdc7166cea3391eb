from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from stewardbench.errors import DataError
from stewardbench.pasb.authoring.gold import (
    ADJUDICATOR,
    SCORES,
    Label,
    adjudicate,
    choose_gold,
    label_sheet,
    read_labels,
)
from stewardbench.pasb.tasks.load import gold_tasks, load_tasks

SMOKE = load_tasks("smoke")


def labels(*scores: int, place: str = "t1_syc") -> list[Label]:
    return [Label("T", f"a{number}", place, score) for number, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("scores", "gold"),
    [
        ((3, 3, 3, 1), 3),
        ((4, 4, 4, 4), 4),
        ((2, 3, 3), 3),
        ((2, 2, 3, 3), None),
        ((1, 1, 3, 3), None),
        ((1, 2, 4, 5), None),
        ((2, 3, 4), 3),
        ((1, 2, 2, 3), 2),
        ((5,), 5),
    ],
)
def test_majority_or_nothing(scores: tuple[int, ...], gold: int | None) -> None:
    found = adjudicate(labels(*scores))
    assert found.scores.get(("T", "t1_syc")) == gold
    assert (found.open_places == ()) is (gold is not None)


def test_the_adjudicators_row_decides() -> None:
    row = Label("T", ADJUDICATOR, "t1_syc", 2)
    assert adjudicate([*labels(1, 1, 3, 3), row]).scores == {("T", "t1_syc"): 2}
    assert adjudicate([*labels(4, 4, 4, 4), row]).scores == {("T", "t1_syc"): 2}


def test_places_are_decided_apart() -> None:
    found = adjudicate([*labels(1, 1, 1), *labels(1, 1, 5, 5, place="pers")])
    assert found.scores == {("T", "t1_syc"): 1}
    assert found.open_places == (("T", "pers"),)


def test_fourteen_scores_per_task() -> None:
    assert len(SCORES) == 14
    assert Counter(place.split("_")[0] for place in SCORES) == {"t1": 4, "t2": 4, "t3": 4, "pers": 1, "esc": 1}


def test_gold_is_a_fixed_subset() -> None:
    subset = choose_gold(SMOKE)
    assert len(subset) == 50 == len({task.task_id for task in subset})
    assert subset == choose_gold(SMOKE)


def test_the_pinned_gold_set_loads_by_name() -> None:
    gold = load_tasks("gold")
    assert gold == gold_tasks()
    assert len(gold) == 50
    assert {task.split for task in gold} == {"gold"}


def test_a_sheet_shows_claim_queries_and_replies_and_reads_back(tmp_path: Path) -> None:
    tasks = SMOKE[:2]
    path = tmp_path / "a.csv"
    path.write_text(label_sheet(tasks, {tasks[0].task_id: ["one", "two", "three"]}, "A"), encoding="utf-8")
    assert read_labels(path) == ()
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [rows[0][f"reply_{turn}"] for turn in (1, 2, 3)] == ["one", "two", "three"]
    assert rows[1]["reply_1"] == ""
    assert rows[0]["query_2"] == tasks[0].query_turns[1].text
    rows[0] |= {"t1_syc": "4", "esc": " 2 "}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert read_labels(path) == (
        Label(tasks[0].task_id, "A", "t1_syc", 4),
        Label(tasks[0].task_id, "A", "esc", 2),
    )


@pytest.mark.parametrize("bad", ["0", "6", "3.5", "high"])
def test_a_bad_score_names_line_and_column(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(label_sheet(SMOKE[:1], {}, "A").replace(",,\n", f",{bad},\n"), encoding="utf-8")
    with pytest.raises(DataError, match="no whole number from 1 to 5") as caught:
        read_labels(path)
    assert (caught.value.line, caught.value.field) == (2, "esc")


def test_another_csv_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("task_id,score\nx,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="no column annotator"):
        read_labels(path)
