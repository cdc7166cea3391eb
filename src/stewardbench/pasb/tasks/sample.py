"""Drawing a balanced sample of tasks: small samples still cover scenarios, deliveries and sub-axes in proportion.

Tasks are drawn one at a time. Each draw goes to the stratum (scenario x delivery x sub-axis, and a twin's scope) that
lags most behind its share: first by its scenario x delivery cell, then by scenario and delivery, then by sub-axis,
scope and the rest. It takes the task whose base item was drawn least. So samples are nested: the sample of n holds
the sample of n - 1, and a larger run can build on a smaller one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stewardbench.errors import UsageError
from stewardbench.pasb.records import Task
from stewardbench.seeding import generator

Margin = tuple[str, ...]


def sample_tasks(tasks: Sequence[Task], n: int, seed: int = 0) -> tuple[Task, ...]:
    """``n`` tasks in the order of ``tasks``; the same seed and tasks give the same sample.

    Raises UsageError when ``n`` is out of range.
    """
    if not 1 <= n <= len(tasks):
        raise UsageError(f"cannot sample {n} of {len(tasks)} tasks.", hint=f"Choose a number from 1 to {len(tasks)}.")
    order = {task.task_id: place for place, task in enumerate(tasks)}
    shuffled = sorted(order)
    generator(seed, "sample_tasks").shuffle(shuffled)
    by_id = {task.task_id: task for task in tasks}
    strata: dict[Margin, list[Task]] = {}
    for task_id in shuffled:
        strata.setdefault(_stratum(by_id[task_id]), []).append(by_id[task_id])
    share = Counter(margin for task in tasks for margin in _margins(_stratum(task)))
    drawn: Counter[Margin] = Counter()
    items: Counter[str] = Counter()
    chosen: list[Task] = []
    for size in range(1, n + 1):
        due = {margin: size * count / len(tasks) - drawn[margin] for margin, count in share.items()}
        stratum = max((stratum for stratum, left in strata.items() if left), key=lambda stratum: _lag(stratum, due))
        task = min(strata[stratum], key=lambda task: items[task.base_item_id])
        strata[stratum].remove(task)
        chosen.append(task)
        drawn.update(_margins(stratum))
        items[task.base_item_id] += 1
    return tuple(sorted(chosen, key=lambda task: order[task.task_id]))


def _stratum(task: Task) -> Margin:
    return (task.scenario.value, task.delivery.value, task.sub_axis.value, task.scope or "")


def _lag(stratum: Margin, due: dict[Margin, float]) -> tuple[float, ...]:
    """How far a stratum's margins lag, the most important first; rounded, so that ties are ties on every machine."""
    cell, scenario, delivery, sub_axis, scope, *rest = (due[margin] for margin in _margins(stratum))
    return tuple(round(part, 9) for part in (cell, scenario + delivery, sub_axis, scope, sum(rest)))


def _margins(stratum: Margin) -> tuple[Margin, ...]:
    """Everything whose share the sample keeps: each axis, pairs of axes, and all together, each named by its axes."""
    scenario, delivery, sub_axis, scope = stratum
    return (
        ("cell", scenario, delivery),
        ("scenario", scenario),
        ("delivery", delivery),
        ("sub_axis", sub_axis),
        ("scope", scope),
        ("scenario, sub_axis", scenario, sub_axis),
        ("delivery, sub_axis", delivery, sub_axis),
        ("scenario, scope", scenario, scope),
        ("all", *stratum),
    )
