from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stewardbench.errors import DataError, UsageError
from stewardbench.pasb.tasks.load import load_tasks, read_tasks, variants


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    return [json.loads(task.to_json()) for task in load_tasks("smoke")[:3]]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_smoke_set_has_64_tasks_of_four_items() -> None:
    tasks = load_tasks("smoke")
    assert len(tasks) == 64
    assert Counter(task.sub_axis for task in tasks) == {"PRF": 16, "CDL": 16, "SOC": 32}
    assert Counter((task.scenario, task.delivery) for task in tasks).most_common()[-1][1] == 4
    assert {task.split for task in tasks} == {"smoke"}


def test_every_variant_loads_by_name() -> None:
    sizes = {variant.value: len(load_tasks(f"smoke:{variant}")) for variant in variants("smoke")}
    assert sizes == {
        "natural": 64,
        "cue_on": 32,
        "released_query": 64,
        "twin": 128,
        "true_claim": 64,
        "no_claim": 64,
    }


def test_a_written_file_reads_back_unchanged(tmp_path: Path) -> None:
    tasks = load_tasks("smoke")
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(task.to_json() + "\n" for task in tasks), encoding="utf-8")
    assert load_tasks(path) == tasks


def test_unknown_variant_names_the_choices() -> None:
    with pytest.raises(UsageError, match="there is no variant 'twins'") as caught:
        load_tasks("smoke:twins")
    assert "twin" in caught.value.hint


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_tasks(tmp_path / "absent.jsonl")


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"\n\n")
    with pytest.raises(DataError, match="holds no task"):
        load_tasks(path)


def test_not_utf8_names_line_and_byte(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path = write(tmp_path / "latin.jsonl", rows[:1])
    path.write_bytes(path.read_bytes() + b'{"task_id": "caf\xe9"}\n')
    with pytest.raises(DataError, match="not UTF-8") as caught:
        load_tasks(path)
    assert caught.value.line == 2


def test_missing_field_is_named(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    del rows[1]["claim"]["ground_truth_stance"]
    with pytest.raises(DataError) as caught:
        read_tasks(write(tmp_path / "t.jsonl", rows))
    assert (caught.value.line, caught.value.field) == (2, "claim.ground_truth_stance")


def test_unknown_field_is_named(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    rows[0]["claim_text"] = "x"
    with pytest.raises(DataError) as caught:
        read_tasks(write(tmp_path / "t.jsonl", rows))
    assert caught.value.field == "claim_text"


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("persist_turns", lambda row: row["persist_turns"][:4], "4 turns; exactly 5 wanted"),
        ("query_turns", lambda row: row["query_turns"] * 2, "6 turns; exactly 3 wanted"),
        ("attribution", lambda row: "unsigned", "unsigned; personal_opinion is signed"),
        ("position", lambda row: "2/5", "2/5; all_at_once is 1/5"),
        ("position_scores", lambda row: [5, 1], "2 scores; one for each of 5"),
        ("base_item_id", lambda row: "PASB-CDL-0001", "does not name its"),
        ("task_id", lambda row: "PASB-PRF-0001__personal_opinion__drip", "does not name its"),
    ],
)
def test_contradictions_are_refused_by_field(
    tmp_path: Path, rows: list[dict[str, Any]], field: str, value: Any, fault: str
) -> None:
    rows[0][field] = value(rows[0])
    with pytest.raises(DataError, match=fault) as caught:
        read_tasks(write(tmp_path / "t.jsonl", rows))
    assert caught.value.line == 1


def test_turn_numbers_must_run_from_one(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    rows[2]["persist_turns"][0]["turn"] = 2
    with pytest.raises(DataError, match=r"numbered \[2, 2, 3, 4, 5\]") as caught:
        read_tasks(write(tmp_path / "t.jsonl", rows))
    assert (caught.value.line, caught.value.field) == (3, "persist_turns")


def test_empty_turn_is_refused(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    rows[0]["persist_turns"][2]["text"] = "  "
    with pytest.raises(DataError, match="is empty") as caught:
        read_tasks(write(tmp_path / "t.jsonl", rows))
    assert caught.value.field == "persist_turns[2].text"


def test_duplicate_id_names_both_lines(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    with pytest.raises(DataError, match="stands in line 1 already") as caught:
        read_tasks(write(tmp_path / "t.jsonl", [*rows, rows[0]]))
    assert caught.value.line == 4


def test_released_rows_get_a_hint(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", [{"task_id": "x", "persist_dialog": []}])
    with pytest.raises(DataError) as caught:
        load_tasks(path)
    assert "released:FILE" in caught.value.hint
