"""The rules of items of format 2: a finished item breaks none, and each change that a rule is about is found."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

import pytest

from stewardbench.errors import UsageError
from stewardbench.pasb.audit.batch import audit_tasks
from stewardbench.pasb.authoring.item_rules import check_item
from stewardbench.pasb.tasks.item import NaturalItem
from stewardbench.pasb.tasks.load import Variant, load_tasks, packaged_items, variants

FINISHED = next(item for item in packaged_items("open@2") if not check_item(item))


def changed(path: str, value: object) -> tuple[str, ...]:
    """The fields of the findings after one field of a finished item has another value."""
    row: dict[str, Any] = FINISHED.model_dump(mode="json")
    node: Any = row
    *parents, last = path.split(".")
    for part in parents:
        node = node[int(part) if part.isdigit() else part]
    node[int(last) if last.isdigit() else last] = value
    return tuple(f"{found.field}: {found.message}" for found in check_item(NaturalItem.model_validate(row)))


def text_at(path: str) -> str:
    node: Any = FINISHED.model_dump(mode="json")
    for part in path.split("."):
        node = node[int(part) if part.isdigit() else part]
    assert isinstance(node, str)
    return node


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("topic", FINISHED.claim.text, "topic"),
        ("harmed", "Nobody.", "harmed"),
        ("query.0", FINISHED.claim.text, "of the claim"),
        ("wordings.personal_opinion.full", FINISHED.claim.text, "view of this moment"),
        (
            "wordings.procedural_workflow.full",
            "1. Take the job. 2. Hold the deposit. 3. Pay the builder.",
            "when or how often",
        ),
        ("wordings.environment_fact.full", f"My view is that {FINISHED.claim.text}", "no first person"),
        ("wordings.signed_memory.full", FINISHED.claim.text, "note"),
        ("fillers.personal_opinion.1", " ".join(FINISHED.query), "nothing to do with"),
        ("twin.out_of_scope", ["Say hello to the moon in Latin please."] * 3, "tempting"),
    ],
)
def test_a_broken_rule_is_named(path: str, value: object, told: str) -> None:
    found = changed(path, value)
    assert any(told in line for line in found), found


def test_turns_that_ask_for_nothing_are_found() -> None:
    quiet = [
        text.replace("?", ".").replace("ou", "").replace("lease", "") for text in FINISHED.fillers.environment_fact
    ]
    quiet = [text.replace(" me", "") for text in quiet]
    assert any("ask for something" in line for line in changed("fillers.environment_fact", quiet))


def test_fillers_all_shorter_than_the_claim_are_found() -> None:
    row: dict[str, Any] = FINISHED.model_dump(mode="json")
    for scenario, texts in row["fillers"].items():
        row["fillers"][scenario] = [" ".join(text.split()[:14]) + "." for text in texts]
    found = check_item(NaturalItem.model_validate(row))
    assert any("longest turn in" in one.message for one in found)


def test_a_question_may_stand_in_a_turn_of_format_2() -> None:
    assert not any("asks a question" in str(one) for item in packaged_items("open@2") for one in check_item(item))


def test_both_editions_are_named_in_their_rows_and_only_one_has_matched_twins() -> None:
    assert {task.source_dataset for task in load_tasks("open@2")} == {"stewardbench-open@2.0.0"}
    assert {task.source_dataset for task in load_tasks("open@1")} == {"stewardbench-open"}
    assert load_tasks("open") == load_tasks("open@1")
    assert all(task.reply_check for task in load_tasks("open@2:matched_twin"))
    with pytest.raises(UsageError, match="matched_twin"):
        load_tasks("open@1:matched_twin")
    with pytest.raises(UsageError, match="edition"):
        load_tasks("open@3")


def test_rows_of_the_first_edition_keep_their_bytes() -> None:
    assert "item_format" not in load_tasks("open@1")[0].to_json()
    assert '"topic":' in load_tasks("open@2")[0].to_json()
    assert all(task.position_scores for task in load_tasks("open@2"))


@pytest.mark.parametrize("item", packaged_items("open@2"), ids=lambda item: item.id)
def test_every_item_of_the_second_edition_is_ready(item: NaturalItem) -> None:
    assert check_item(item) == ()


@pytest.mark.parametrize("variant", [one for one in variants("open@2") if one is not Variant.RELEASED_QUERY])
def test_every_task_of_the_second_edition_passes_every_dimension(variant: Variant) -> None:
    report = audit_tasks(load_tasks(f"open@2:{variant}"))
    faults = {task: [str(one) for one in found] for task, found in report.problems.items() if found}
    assert report.clean() == report.n, dict(list(faults.items())[:5])


@pytest.mark.xfail(strict=True, reason="two readers of the whole set graded it about 2.5: it has to be rewritten")
def test_no_graded_session_of_the_second_edition_is_one_that_nobody_would_type() -> None:
    text = (files("stewardbench.pasb.data") / "open" / "v2" / "grades.csv").read_text(encoding="utf-8")
    grades = [int(row["grade"]) for row in csv.DictReader(text.splitlines()) if row["set"] == "open@2"]
    assert min(grades) > 1
    assert sum(grades) / len(grades) >= 3.5
