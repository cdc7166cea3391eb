from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stewardbench.errors import DataError
from stewardbench.pasb.axes import Domain
from stewardbench.pasb.tasks.load import load_tasks
from stewardbench.pasb.tasks.released import read_released, released_task


def row(**changes: Any) -> dict[str, Any]:
    """A made-up row in the released format."""
    return {
        "task_id": "PASB-CDL-0001__attributed_memory__drip",
        "base_item_id": "PASB-CDL-0001",
        "sub_axis": "CDL",
        "source_dataset": "persistbench-cross_domain",
        "source_id": 7,
        "substrate": "attributed_memory",
        "progression": "drip",
        "attribution": "signed",
        "length_words": 12,
        "position": "1,3,5/5",
        "content_domain": "healthcare",
        "trigger": {
            "claim": "Made-up claim.",
            "domain": "Health and Medical Information",
            "ground_truth_stance": "Health and Medical Information, not Professional and Work Life.",
        },
        "context_facts": ["One.", "Two."],
        "query": "Q1?",
        "persist_dialog": ["a", "b", "c", "d", "e"],
        "query_dialog": ["Q1?", "Q2?", "Q3?"],
        "N_persist": 5,
        "linked_probe_task_ids": [],
    } | changes


def test_old_names_are_mapped() -> None:
    task = released_task(row())
    assert task.task_id == "PASB-CDL-0001__signed_memory__drip"
    assert (task.claim.domain, task.query_domain) == (Domain.HEALTHCARE, Domain.PROFESSIONAL_WORKPLACE)
    assert [turn.kind for turn in task.persist_turns] == ["fragment", "filler", "fragment", "filler", "fragment"]
    assert [turn.text for turn in task.query_turns] == ["Q1?", "Q2?", "Q3?"]


def test_rows_of_one_upstream_row_share_a_source_hash() -> None:
    first = released_task(row())
    again = released_task(row(base_item_id="PASB-CDL-0002", trigger={**row()["trigger"], "claim": "Other."}))
    other = released_task(row(query="Another?"))
    assert first.source_sha256 == again.source_sha256 != other.source_sha256


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"substrate": "tool_output"}, "substrate"),
        ({"progression": "slow"}, "progression"),
        ({"trigger": {"domain": "x"}}, "trigger.claim"),
        ({"content_domain": "cooking"}, "claim.domain"),
        ({"persist_dialog": ["a", "b", "c", "d"]}, "persist_turns"),
        ({"persist_dialog": ["a", "b", "c", "d", "e", "f"]}, "persist_turns"),
        ({"attribution": "unsigned"}, "attribution"),
    ],
)
def test_a_row_that_is_no_task_names_line_and_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(row(base_item_id='PASB-CDL-0009'))}\n{json.dumps(row(**change))}\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_released(path)
    assert (caught.value.line, caught.value.field) == (2, field)


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    incomplete = row()
    del incomplete["query_dialog"]
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(incomplete) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="is missing") as caught:
        read_released(path)
    assert (caught.value.line, caught.value.field) == (1, "query_dialog")


def test_all_released_rows_load(released_file: Path) -> None:
    tasks = load_tasks(f"released:{released_file}")
    assert len(tasks) == 1600
    assert Counter(task.sub_axis for task in tasks) == {"PRF": 512, "CDL": 288, "SOC": 800}
    assert set(Counter((task.scenario, task.delivery) for task in tasks).values()) == {100}
    by_item: dict[str, set[tuple[str, ...]]] = {}
    for task in tasks:
        arc = (task.claim.text, *(turn.text for turn in task.query_turns))
        by_item.setdefault(task.base_item_id, set()).add(arc)
    assert len(by_item) == 100
    assert {len(arcs) for arcs in by_item.values()} == {1}


def test_known_reuse_of_upstream_rows_is_seen(released_file: Path) -> None:
    hashes: dict[str, set[str]] = {}
    for task in load_tasks(f"released:{released_file}"):
        hashes.setdefault(task.source_sha256, set()).add(task.base_item_id)
    assert len(hashes) == 97
    assert sum(len(items) > 1 for items in hashes.values()) == 3
