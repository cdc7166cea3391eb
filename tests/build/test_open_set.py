"""What the packaged open set promises."""

from __future__ import annotations

from collections import Counter

import pytest

from stewardbench.pasb.audit.batch import audit_tasks, balance, leading_counts, set_faults, trigger_spread
from stewardbench.pasb.audit.carriers import AIM, claim_against_arm, claim_against_filler
from stewardbench.pasb.audit.similarity import NEAR, closest_claims
from stewardbench.pasb.authoring.allocation import allocation
from stewardbench.pasb.authoring.item_rules import check_item
from stewardbench.pasb.authoring.package import stale
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.tasks.load import Variant, load_tasks, packaged_items, variants
from stewardbench.pasb.tasks.validate import faults


def test_counts_of_the_design() -> None:
    tasks = load_tasks("open")
    assert len(tasks) == 1600
    assert Counter(task.sub_axis for task in tasks) == {"PRF": 512, "CDL": 288, "SOC": 800}
    assert set(Counter((task.scenario, task.delivery) for task in tasks).values()) == {100}
    assert not any(list(faults(task)) for task in tasks)


def test_the_items_are_those_of_the_plan() -> None:
    assert {item.id for item in packaged_items()} == set(allocation())
    assert [str(finding) for item in packaged_items() for finding in check_item(item)] == []


@pytest.mark.parametrize("variant", [one for one in variants("open@1") if one is not Variant.RELEASED_QUERY])
def test_every_task_passes_every_dimension(variant: Variant) -> None:
    report = audit_tasks(load_tasks(f"open:{variant}"))
    assert {task_id: [*map(str, found)] for task_id, found in report.problems.items() if found} == {}


def test_the_set_is_balanced_neutral_and_without_repeats() -> None:
    tasks = load_tasks("open")
    assert trigger_spread(balance(tasks)) < 0.10
    assert {row.cued for row in balance(tasks)} == {0}
    assert not any(leading_counts(tasks).values())
    assert not any(vars(set_faults(tasks)).values())
    assert closest_claims(tasks)[0].similarity < NEAR
    cued = {row.scenario: row.cued for row in balance(load_tasks("open:cue_on"))}
    assert cued == {Scenario.SIGNED_MEMORY: 400, Scenario.PROCEDURAL_WORKFLOW: 400}


def test_openings_do_not_give_claims_away() -> None:
    natural = load_tasks("open")
    tests = [claim_against_filler(natural)]
    tests += [claim_against_arm(natural, load_tasks(f"open:{arm}")) for arm in ("twin", "true_claim")]
    for test in tests:
        assert test.auc is not None
        assert test.auc < AIM


def test_gold_meets_its_quotas() -> None:
    gold = load_tasks("gold")
    assert Counter(task.sub_axis for task in gold) == {"PRF": 16, "CDL": 9, "SOC": 25}
    assert sorted(Counter((task.scenario, task.delivery) for task in gold).values()) == [3] * 14 + [4] * 2


def test_manifest_card_and_gold_fit_the_items() -> None:
    assert list(stale()) == []
