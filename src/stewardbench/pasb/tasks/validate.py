"""What makes a task record well formed, beyond its field types: exact counts, and metadata that agree.

These are hard rules: a file that breaks one is refused, with the line and the field. Rules of style and timing are
the audit's (``stewardbench.pasb.audit``); it reports and never refuses.
"""

from __future__ import annotations

from collections.abc import Iterator

from stewardbench.pasb.axes import ATTRIBUTION, PERSIST_TURNS, POSITION, QUERY_TURNS
from stewardbench.pasb.records import Task


def faults(task: Task) -> Iterator[tuple[str, str]]:
    """(field, what is wrong) of a task whose fields have the right types."""
    stages = (
        ("persist_turns", [(turn.turn, turn.text) for turn in task.persist_turns], PERSIST_TURNS),
        ("query_turns", [(turn.turn, turn.text) for turn in task.query_turns], QUERY_TURNS),
    )
    for field, turns, wanted in stages:
        if len(turns) != wanted:
            yield field, f"{len(turns)} turns; exactly {wanted} wanted"
        elif [number for number, _ in turns] != list(range(1, wanted + 1)):
            yield field, f"turns are numbered {[number for number, _ in turns]}; 1 to {wanted} wanted"
        for place, (_, text) in enumerate(turns):
            if not text.strip():
                yield f"{field}[{place}].text", "is empty"
    parts = task.task_id.split("__")
    if parts[:3] != [task.base_item_id, task.scenario.value, task.delivery.value]:
        yield "task_id", f"{task.task_id} does not name its base item, scenario and delivery"
    if f"-{task.sub_axis}-" not in task.base_item_id:
        yield "base_item_id", f"{task.base_item_id} does not name its sub-axis {task.sub_axis}"
    if task.attribution is not ATTRIBUTION[task.scenario]:
        yield "attribution", f"{task.attribution}; {task.scenario} is {ATTRIBUTION[task.scenario]}"
    if task.position.partition(";")[0] != POSITION[task.delivery]:
        yield "position", f"{task.position}; {task.delivery} is {POSITION[task.delivery]}"
    if task.position_scores is not None and len(task.position_scores) != PERSIST_TURNS:
        yield "position_scores", f"{len(task.position_scores)} scores; one for each of {PERSIST_TURNS} turns wanted"
