from __future__ import annotations

from collections import Counter

from stewardbench.pasb.audit.exposure import exposure
from stewardbench.pasb.axes import ATTRIBUTION, POSITION, Delivery, Scenario
from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.pasb.tasks.layout import (
    CUED,
    natural_tasks,
    no_claim_tasks,
    released_query_tasks,
    true_claim_tasks,
    twin_tasks,
)
from stewardbench.pasb.tasks.validate import faults


def test_sixteen_variants_share_claim_and_query_arc(item: BaseItem) -> None:
    tasks = list(natural_tasks(item))
    assert {(task.scenario, task.delivery) for task in tasks} == {(s, d) for s in Scenario for d in Delivery}
    assert {task.claim for task in tasks} == {item.claim}
    assert {tuple(turn.text for turn in task.query_turns) for task in tasks} == {item.query}
    for task in tasks:
        assert not list(faults(task))
        assert task.attribution is ATTRIBUTION[task.scenario]
        assert task.position == POSITION[task.delivery]
        assert task.source_sha256 == item.sha256


def test_claim_stands_where_its_delivery_says(item: BaseItem) -> None:
    wanted = {
        Delivery.ALL_AT_ONCE: [[5], [1], [1], [1], [1]],
        Delivery.PROGRESSIVE: [[2, 3], [2, 3], [5], [3, 4, 5], [3, 4, 5]],
        Delivery.DRIP: [[2, 3, 4], [1], [2, 3, 4], [1], [2, 3, 4]],
        Delivery.LATE_SHOCK: [[1], [1], [1], [1], [5]],
    }
    for task in natural_tasks(item):
        scores = [exposure(task.claim.text, turn.text) for turn in task.persist_turns]
        assert all(score in allowed for score, allowed in zip(scores, wanted[task.delivery], strict=True)), task.task_id


def test_each_filler_is_used_twice_per_scenario(item: BaseItem) -> None:
    used: Counter[str] = Counter()
    for task in natural_tasks(item):
        used.update(turn.text for turn in task.persist_turns if turn.kind == "filler")
    fillers = {text for scenario in Scenario for text in item.fillers.of(scenario)}
    assert used == Counter(dict.fromkeys(fillers, 2))


def test_no_claim_arm_changes_only_the_claim_turns(item: BaseItem) -> None:
    for task, control in zip(natural_tasks(item), no_claim_tasks(item), strict=True):
        assert (task.scenario, task.delivery) == (control.scenario, control.delivery)
        for turn, other in zip(task.persist_turns, control.persist_turns, strict=True):
            assert other.kind == "filler"
            assert (turn.text == other.text) is (turn.kind == "filler")
        assert len({turn.text for turn in control.persist_turns}) == 5


def test_cue_is_appended_once_to_the_turn_that_completes_the_claim(item: BaseItem) -> None:
    off = {(task.scenario, task.delivery): task for task in natural_tasks(item)}
    on = list(natural_tasks(item, cue="on"))
    assert {task.scenario for task in on} == set(CUED)
    for task in on:
        cue = getattr(item.cues, task.scenario.value)
        base = off[task.scenario, task.delivery]
        pairs = zip(base.persist_turns, task.persist_turns, strict=True)
        changed = [(before, after) for before, after in pairs if before != after]
        assert len(changed) == 1
        (before, after) = changed[0]
        assert after.text == f"{before.text} {cue}"
        last_fragment = task.delivery is Delivery.DRIP and after.turn == 5
        assert before.kind == "trigger" or last_fragment


def test_true_claim_changes_only_the_claim_turns(item: BaseItem) -> None:
    for task, natural in zip(true_claim_tasks(item), natural_tasks(item), strict=True):
        assert (task.claim, task.query_turns) == (item.true_claim.claim, natural.query_turns)
        for told, turn in zip(task.persist_turns, natural.persist_turns, strict=True):
            assert told.kind == turn.kind
            assert (told.text == turn.text) is (turn.kind == "filler")


def test_twins_use_the_carriers_positions_and_fillers_of_the_claim(item: BaseItem) -> None:
    natural = {(task.scenario, task.delivery): task for task in natural_tasks(item)}
    tasks = list(twin_tasks(item))
    assert Counter(task.scope for task in tasks) == {"in": 16, "out": 16}
    for task in tasks:
        mates = zip(natural[task.scenario, task.delivery].persist_turns, task.persist_turns, strict=True)
        for turn, twin in mates:
            assert turn.kind == twin.kind
            assert (turn.text == twin.text) is (turn.kind == "filler")
        assert task.reply_check is not None
        assert bool(task.reply_check.must) is (task.scope == "in")


def test_released_style_keeps_the_first_query_only(item: BaseItem) -> None:
    for task, ours in zip(released_query_tasks(item), natural_tasks(item), strict=True):
        assert task.query_turns[0] == ours.query_turns[0]
        assert task.query_turns[1:] != ours.query_turns[1:]
        assert task.persist_turns == ours.persist_turns


def test_ids_are_unique_over_all_variants(item: BaseItem) -> None:
    layouts = (natural_tasks(item), natural_tasks(item, cue="on"), released_query_tasks(item))
    arms = (true_claim_tasks(item), no_claim_tasks(item), twin_tasks(item))
    ids = [task.task_id for tasks in (*layouts, *arms) for task in tasks]
    assert len(ids) == len(set(ids)) == 16 + 8 + 16 + 16 + 16 + 32
