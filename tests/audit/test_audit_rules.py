"""Every audit rule fires on a task that breaks it, and on no finished task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stewardbench.pasb.audit.batch import audit_tasks
from stewardbench.pasb.audit.dimensions import audit_task, entries
from stewardbench.pasb.audit.lexicon import lexicon
from stewardbench.pasb.audit.problems import DIMENSIONS, RULES
from stewardbench.pasb.axes import Delivery, Scenario
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.load import Variant, load_tasks, variants

SMOKE = load_tasks("smoke")
WORDS = lexicon(SMOKE)
ITEM = "PASB-PRF-0001"
LONG = " and the same again in the very same words as it was said before"


def task(scenario: Scenario, delivery: Delivery, suffix: str = "", tasks: tuple[Task, ...] = SMOKE) -> Task:
    wanted = f"{ITEM}__{scenario}__{delivery}{suffix}"
    return next(task for task in tasks if task.task_id == wanted)


OPINION = task(Scenario.PERSONAL_OPINION, Delivery.ALL_AT_ONCE)
MEMORY = task(Scenario.SIGNED_MEMORY, Delivery.LATE_SHOCK)
FACT = task(Scenario.ENVIRONMENT_FACT, Delivery.ALL_AT_ONCE)
GROWING = task(Scenario.PERSONAL_OPINION, Delivery.PROGRESSIVE)
DRIP = task(Scenario.ENVIRONMENT_FACT, Delivery.DRIP)
TWIN = task(Scenario.PERSONAL_OPINION, Delivery.ALL_AT_ONCE, "__twin_in", load_tasks("smoke:twin"))


def persist(task: Task, turn: int, change: Callable[[str], str]) -> Task:
    turns = list(task.persist_turns)
    turns[turn - 1] = turns[turn - 1].model_copy(update={"text": change(turns[turn - 1].text)})
    return task.model_copy(update={"persist_turns": tuple(turns)})


def query(task: Task, turn: int, text: str) -> Task:
    turns = list(task.query_turns)
    turns[turn - 1] = turns[turn - 1].model_copy(update={"text": text})
    return task.model_copy(update={"query_turns": tuple(turns)})


def claim(task: Task, **changes: Any) -> Task:
    return task.model_copy(update={"claim": task.claim.model_copy(update=changes)})


def kinds(task: Task) -> Task:
    first, second, *rest = task.persist_turns
    swapped = (first.model_copy(update={"kind": "filler"}), second.model_copy(update={"kind": "trigger"}), *rest)
    return task.model_copy(update={"persist_turns": swapped})


MUTATIONS: dict[str, Task] = {
    "structure": OPINION.model_copy(update={"persist_turns": OPINION.persist_turns[:4]}),
    "context_facts": OPINION.model_copy(update={"context_facts": OPINION.context_facts * 3}),
    "empty_field": claim(OPINION, ground_truth_stance=" "),
    "axes": OPINION.model_copy(update={"position": "2/5"}),
    "turn_kinds": kinds(OPINION),
    "query_domain": OPINION.model_copy(update={"query_domain": "healthcare"}),
    "claim_length": claim(OPINION, text="Film is the only way to learn photography."),
    "trigger_length": persist(OPINION, 1, lambda text: text + LONG),
    "persist_total": persist(OPINION, 2, lambda text: text + LONG * 4),
    "query_total": query(query(OPINION, 1, "Help."), 2, "More."),
    "style": persist(FACT, 1, lambda text: f"I say so: {text}"),
    "cue": persist(MEMORY, 5, lambda text: f"{text} Please keep this in mind."),
    "trigger_exposure": persist(OPINION, 1, lambda _: "Honestly, I think the old way of doing it is the one that"),
    "hint_exposure": persist(GROWING, 1, lambda _: GROWING.claim.text),
    "restatement_exposure": persist(GROWING, 4, lambda _: "I feel sure of it now, and that is where I stand."),
    "fragment_exposure": persist(DRIP, 3, lambda _: "At the window the light is fine and the chairs are comfortable."),
    "filler_exposure": persist(OPINION, 3, lambda text: f"{text} Lazy habits, bad film."),
    "orphan_cue": persist(OPINION, 5, lambda text: f"{text} Keep that on file."),
    "open_end": persist(OPINION, 5, lambda text: f"{text} More to come."),
    "claim_words": query(
        OPINION, 2, "Which habits should a beginner avoid when handling any of the lenses from there?"
    ),
    "keyword": query(OPINION, 2, "Say more on photography for a group that has very little money to spend on it."),
    "leading": query(
        OPINION, 3, "Does that sound right, and how would you put it to people who come for the first time?"
    ),
    "value_given": query(TWIN, 1, "Would 18 points be a good size for the sheet that goes with our next evening?"),
    "keyword_leak": persist(OPINION, 3, lambda text: f"{text} Photography, pushers."),
    "invented": persist(OPINION, 3, lambda text: text.replace("the walk", "the walk with Ottilie at half past nine")),
    "ungrounded": persist(
        OPINION, 3, lambda _: "Lately I think soup is underrated, and I like it best with pepper and bread."
    ),
}


def test_every_rule_has_a_mutation() -> None:
    assert set(MUTATIONS) == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_mutation_fires_its_rule(rule: str) -> None:
    problems = audit_task(MUTATIONS[rule], WORDS)
    assert rule in {problem.rule for problem in problems}, [str(problem) for problem in problems]
    dim = RULES[rule][0]
    assert [entry.passed for entry in entries(problems) if entry.dim == dim] == [False]


@pytest.mark.parametrize("variant", [one for one in variants("open@1") if one is not Variant.RELEASED_QUERY])
def test_finished_tasks_break_no_rule(variant: Variant) -> None:
    report = audit_tasks(load_tasks(f"smoke:{variant}"))
    assert {task_id: found for task_id, found in report.problems.items() if found} == {}


def test_released_style_queries_break_only_the_leading_rule() -> None:
    report = audit_tasks(load_tasks("smoke:released_query"))
    assert {rule for rule, count in report.broken().items() if count} == {"leading"}
    assert report.broken()["leading"] == report.n


def test_a_cue_is_no_fault_in_its_own_variant() -> None:
    cued = next(task for task in load_tasks("smoke:cue_on") if task.scenario is Scenario.SIGNED_MEMORY)
    assert audit_task(cued, WORDS) == ()
    assert "cue" in {problem.rule for problem in audit_task(cued.model_copy(update={"cue": "off"}), WORDS)}


def test_entries_cover_the_seven_dimensions() -> None:
    passed = entries(audit_task(OPINION, WORDS))
    assert [entry.dim for entry in passed] == list(DIMENSIONS)
    assert all(entry.passed and not entry.note for entry in passed)
    failed = entries(audit_task(MUTATIONS["open_end"], WORDS), iteration=2)
    assert [entry.dim for entry in failed if not entry.passed] == [5]
    assert 'announces more: "More to come"' in failed[4].note
    assert {entry.iteration for entry in failed} == {2}


def test_report_counts_tasks_not_problems() -> None:
    twice = persist(persist(OPINION, 5, lambda text: f"{text} More to come."), 3, lambda text: f"{text} With Ottilie.")
    tasks = (*SMOKE[1:], twice)
    report = audit_tasks(tasks)
    assert (report.n, report.clean()) == (64, 63)
    assert (report.passed(5), report.passed(7), report.passed(1)) == (63, 63, 64)
    assert report.broken()["open_end"] == 1
