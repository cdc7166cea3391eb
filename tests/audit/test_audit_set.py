"""Tests of what shows only when tasks are laid side by side: balance, likeness, carriers, set faults."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from stewardbench.pasb.audit.batch import audit_tasks, balance, leading_counts, set_faults, trigger_spread
from stewardbench.pasb.audit.carriers import (
    AIM,
    area_under_curve,
    claim_against_arm,
    claim_against_filler,
    fit_logistic,
    telling_openings,
)
from stewardbench.pasb.audit.similarity import closest_claims, recurring_runs
from stewardbench.pasb.audit.summary import summarise
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.load import load_tasks

SMOKE = load_tasks("smoke")
RELEASED = Path(__file__).parents[3] / "shared" / "upstream" / "pasb" / "tasks.jsonl"


def with_texts(task: Task, change: dict[int, str]) -> Task:
    turns = tuple(turn.model_copy(update={"text": change.get(turn.turn, turn.text)}) for turn in task.persist_turns)
    return task.model_copy(update={"persist_turns": turns})


def test_balance_counts_words_and_cues_by_scenario() -> None:
    rows = {row.scenario: row for row in balance(SMOKE)}
    assert set(rows) == set(Scenario)
    assert {row.tasks for row in rows.values()} == {16}
    assert {row.cued for row in rows.values()} == {0}
    assert all(28 <= row.trigger <= 36 and 90 <= row.persist <= 150 for row in rows.values())
    assert trigger_spread(list(rows.values())) < 0.10
    cued = {row.scenario: row.cued for row in balance(load_tasks("smoke:cue_on"))}
    assert cued == {Scenario.SIGNED_MEMORY: 16, Scenario.PROCEDURAL_WORKFLOW: 16}


def test_leading_queries_are_counted_by_kind() -> None:
    assert not any(leading_counts(SMOKE).values())
    released_style = leading_counts(load_tasks("smoke:released_query"))
    assert (released_style["challenge"], released_style["softening"], released_style["recall"]) == (32, 32, 0)


def test_trigger_spread_sees_one_long_scenario() -> None:
    longer = [
        with_texts(task, {1: task.persist_turns[0].text + " word" * 30})
        if task.scenario is Scenario.PROCEDURAL_WORKFLOW and task.delivery == "all_at_once"
        else task
        for task in SMOKE
    ]
    assert trigger_spread(balance(longer)) > 0.10


def test_set_faults_name_shared_rows_and_claims_and_split_items() -> None:
    assert not any(vars(set_faults(SMOKE)).values())
    first, other = SMOKE[0], next(task for task in SMOKE if task.base_item_id != SMOKE[0].base_item_id)
    reused = other.model_copy(update={"source_sha256": first.source_sha256, "claim": first.claim})
    faults = set_faults((*SMOKE, reused))
    pair = tuple(sorted((first.base_item_id, other.base_item_id)))
    assert faults.reused_sources == (pair,)
    assert faults.same_claims == (pair,)
    assert faults.split_items == (other.base_item_id,)


def test_closest_claims_find_a_near_copy() -> None:
    assert closest_claims(SMOKE)[0].similarity < 0.2
    first, other = SMOKE[0], next(task for task in SMOKE if task.base_item_id != SMOKE[0].base_item_id)
    near = other.claim.model_copy(update={"text": first.claim.text.replace("only", "single")})
    copied = [
        task.model_copy(update={"claim": near}) if task.base_item_id == other.base_item_id else task for task in SMOKE
    ]
    top = closest_claims(copied)[0]
    assert {top.first, top.second} == {first.base_item_id, other.base_item_id}
    assert top.similarity > 0.9


def test_recurring_runs_count_base_items_not_tasks() -> None:
    run = "this is how it goes around here"
    planted = [with_texts(task, {2: f"{task.persist_turns[1].text} {run}"}) for task in SMOKE]
    found = {run.text: run.items for run in recurring_runs(planted)}
    assert found["this is how it goes around"] == 4
    assert all(other.items <= 2 for other in recurring_runs(SMOKE))


def test_logistic_and_auc_agree_with_scikit_learn() -> None:
    draw = np.random.default_rng(3)
    dense = (draw.random((300, 12)) < 0.3).astype(float)
    dense[:, 0] = 1.0
    labels = (draw.random(300) < 1 / (1 + np.exp(-(dense[:, 1] * 2 - dense[:, 2])))).astype(float)
    counts = draw.integers(1, 5, 300).astype(float)
    ours = fit_logistic(csr_matrix(dense), labels, counts)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(dense[:, 1:], labels, counts)
    assert np.allclose(ours[1:], theirs.coef_[0], atol=1e-3)
    scores = dense @ ours
    assert area_under_curve(scores, labels, counts) == pytest.approx(
        roc_auc_score(labels, scores, sample_weight=counts)
    )


def test_carrier_test_sees_telling_openings_and_only_those() -> None:
    telling = [
        with_texts(
            task,
            {
                turn.turn: f"{'Mark this down' if turn.kind != 'filler' else 'By the by'}, {turn.text}"
                for turn in task.persist_turns
            },
        )
        for task in SMOKE
    ]
    assert claim_against_filler(telling).auc == pytest.approx(1.0)
    choice = random.Random(5)
    silent = [
        with_texts(task, {turn.turn: f"{choice.choice('abcd')} b c {turn.text}" for turn in task.persist_turns})
        for task in SMOKE
    ]
    auc = claim_against_filler(silent).auc
    assert auc is not None
    assert 0.35 < auc < AIM


def test_telling_openings_name_the_leaning_ones() -> None:
    planted = [
        with_texts(task, {turn.turn: f"Mark this {turn.text}" for turn in task.persist_turns if turn.kind != "filler"})
        for task in SMOKE
    ]
    first = telling_openings(planted)[0]
    assert (first.first_words, first.claims, first.fillers, first.items) == ("mark", 160, 0, 4)
    assert all(abs(one.claims - one.fillers) < 40 for one in telling_openings(SMOKE))


@pytest.mark.parametrize("arm", ["twin", "true_claim"])
def test_carrier_test_of_an_arm_uses_claim_turns_only(arm: str) -> None:
    test = claim_against_arm(SMOKE, load_tasks(f"smoke:{arm}"))
    assert (test.positives, test.negatives, test.items) == (160, 160, 4)
    assert test.auc is not None
    assert test.auc < AIM


def test_carrier_test_without_a_second_class_has_no_auc() -> None:
    assert claim_against_filler(load_tasks("smoke:no_claim")).auc is None


def test_summary_has_the_same_measures_for_every_set() -> None:
    labels = [
        [label for label, _ in summarise(name, tasks).lines()] for name, tasks in (("a", SMOKE), ("b", SMOKE[:16]))
    ]
    assert labels[0] == labels[1]


@pytest.mark.skipif(not RELEASED.exists(), reason="no copy of the released rows here")
def test_known_faults_of_the_released_rows() -> None:
    tasks = load_tasks(f"released:{RELEASED}")
    report = audit_tasks(tasks)
    assert report.passed(1) == report.n == 1600
    assert report.clean() < 100
    cued = {row.scenario: row.cued for row in balance(tasks)}
    assert cued[Scenario.SIGNED_MEMORY] >= 251
    assert cued[Scenario.PROCEDURAL_WORKFLOW] >= 382
    assert trigger_spread(balance(tasks)) > 1.0
    assert len(set_faults(tasks).reused_sources) == 3
    leading = leading_counts(tasks)
    assert (leading["agreement"] >= 560, leading["softening"] >= 736, leading["challenge"]) == (True, True, 512)
    auc = claim_against_filler(tasks).auc
    assert auc is not None
    assert auc > 0.95
