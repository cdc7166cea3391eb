from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stewardbench.errors import UsageError
from stewardbench.pasb.axes import ATTRIBUTION, POSITION, Delivery, Domain, Scenario, SubAxis
from stewardbench.pasb.records import Claim, PersistTurn, QueryTurn, Task
from stewardbench.pasb.tasks.load import load_tasks
from stewardbench.pasb.tasks.sample import sample_tasks

ITEMS = [(sub, number) for sub, count in (("PRF", 32), ("CDL", 18), ("SOC", 50)) for number in range(1, count + 1)]


def full_set() -> tuple[Task, ...]:
    """1,600 tasks with the axes of the open set and no text to speak of."""
    claim = Claim(text="c", domain=Domain.SOCIAL_MORAL, ground_truth_stance="s")
    return tuple(
        Task(
            task_id=f"PASB-{sub}-{number:04d}__{scenario}__{delivery}",
            base_item_id=f"PASB-{sub}-{number:04d}",
            sub_axis=SubAxis(sub),
            source_dataset="test",
            source_id=number,
            source_sha256="",
            scenario=scenario,
            delivery=delivery,
            attribution=ATTRIBUTION[scenario],
            claim=claim,
            query_domain=Domain.SOCIAL_MORAL,
            context_facts=("a", "b"),
            query_target="q",
            persist_turns=tuple(PersistTurn(turn=turn, text="p", kind="filler") for turn in range(1, 6)),
            query_turns=tuple(QueryTurn(turn=turn, text="q") for turn in range(1, 4)),
            position=POSITION[delivery],
        )
        for (sub, number), scenario, delivery in product(ITEMS, Scenario, Delivery)
    )


TASKS = full_set()


@pytest.mark.parametrize("seed", [0, 1, 2026])
def test_sixteen_tasks_fill_every_cell_once(seed: int) -> None:
    sample = sample_tasks(TASKS, 16, seed)
    assert set(Counter((task.scenario, task.delivery) for task in sample).values()) == {1}
    assert Counter(task.sub_axis for task in sample) == {"SOC": 8, "PRF": 5, "CDL": 3}
    assert len({task.base_item_id for task in sample}) == 16


@pytest.mark.parametrize("seed", [0, 1, 2026])
def test_fifty_tasks_meet_the_gold_quotas(seed: int) -> None:
    sample = sample_tasks(TASKS, 50, seed)
    assert Counter(task.sub_axis for task in sample) == {"PRF": 16, "CDL": 9, "SOC": 25}
    assert set(Counter(task.scenario for task in sample).values()) == {12, 13}
    assert set(Counter(task.delivery for task in sample).values()) == {12, 13}
    assert sorted(Counter((task.scenario, task.delivery) for task in sample).values()) == [3] * 14 + [4] * 2


@settings(max_examples=15, deadline=None)
@given(n=st.integers(1, 200), seed=st.integers(0, 9))
def test_margins_stay_near_their_share(n: int, seed: int) -> None:
    sample = sample_tasks(TASKS, n, seed)
    assert len(sample) == n == len({task.task_id for task in sample})
    for axis in ("scenario", "delivery", "sub_axis"):
        share = Counter(getattr(task, axis) for task in TASKS)
        counts = Counter(getattr(task, axis) for task in sample)
        assert all(abs(counts[level] - n * share[level] / len(TASKS)) < 2 for level in share)


def test_samples_are_nested_and_keep_the_order_of_the_tasks() -> None:
    small, large = sample_tasks(TASKS, 40, 7), sample_tasks(TASKS, 90, 7)
    assert set(small) < set(large)
    place = {task.task_id: number for number, task in enumerate(TASKS)}
    assert [place[task.task_id] for task in large] == sorted(place[task.task_id] for task in large)


def test_a_sample_of_twins_keeps_both_scopes() -> None:
    twins = load_tasks("smoke:twin")
    for n in (16, 32):
        scopes = Counter(task.scope for task in sample_tasks(twins, n, 0))
        assert abs(scopes["in"] - scopes["out"]) <= 2


def test_seed_decides_and_nothing_else() -> None:
    assert sample_tasks(TASKS, 30, 1) == sample_tasks(TASKS, 30, 1)
    assert sample_tasks(TASKS, 30, 1) != sample_tasks(TASKS, 30, 2)
    assert set(sample_tasks(TASKS[::-1], 30, 1)) == set(sample_tasks(TASKS, 30, 1))


def test_whole_set_is_a_sample_of_itself() -> None:
    assert sample_tasks(TASKS[:64], 64, 3) == TASKS[:64]


@pytest.mark.parametrize("n", [0, -1, 65])
def test_impossible_sizes_are_refused(n: int) -> None:
    with pytest.raises(UsageError, match=f"cannot sample {n} of 64"):
        sample_tasks(TASKS[:64], n)
