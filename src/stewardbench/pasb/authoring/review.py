"""Human review of a set: a balanced sample as a sheet, and what the filled sheet says.

Section A.4 reviews 5 % of each batch by hand and 20 % of the first batch of a new base set. A reviewer answers yes or
no to each of the seven dimensions of each sampled task.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stewardbench.errors import UsageError
from stewardbench.pasb.audit.problems import DIMENSIONS
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.sample import sample_tasks
from stewardbench.records.cells import sheet_text, unguarded
from stewardbench.records.sheets import Once, read_sheet

_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}
COLUMNS = tuple(f"{dim} {name}" for dim, name in DIMENSIONS.items())


def review_sample(tasks: Sequence[Task], share: float, seed: int = 0) -> tuple[Task, ...]:
    """A balanced sample of a share of the tasks, rounded up. Raises UsageError unless 0 < share <= 1."""
    if not 0 < share <= 1:
        raise UsageError(f"a share of {share} is not between 0 and 1.", hint="Write 0.05 for five percent.")
    return sample_tasks(tasks, math.ceil(share * len(tasks)), seed)


def review_sheet(tasks: Sequence[Task], reviewer: str) -> str:
    """The sheet as CSV: the task as a reviewer reads it, seven empty answers (y or n) and a comment."""
    turns = [f"persist {turn}" for turn in range(1, 6)] + [f"query {turn}" for turn in range(1, 4)]
    header = ["task_id", "reviewer", "scenario", "delivery", "claim", "facts", *turns, *COLUMNS, "comment"]
    rows = []
    for task in tasks:
        said = [turn.text for turn in task.persist_turns] + [turn.text for turn in task.query_turns]
        shown = [task.scenario.value, task.delivery.value, task.claim.text, " / ".join(task.context_facts), *said]
        rows.append([task.task_id, reviewer, *shown, *[""] * len(COLUMNS), ""])
    return sheet_text(header, rows)


@dataclass(frozen=True, slots=True)
class Objection:
    """A reviewer's no."""

    task_id: str
    reviewer: str
    dim: int
    comment: str


@dataclass(frozen=True)
class Review:
    """A filled sheet: answers per dimension as (yes, answered), every no, and cells left empty."""

    tasks: int
    answers: dict[int, tuple[int, int]]
    objections: tuple[Objection, ...]
    unanswered: int


def read_review(path: Path) -> Review:
    """A filled sheet. Raises DataError (file, line, column) for an answer other than y, yes, n or no."""
    counts = {dim: [0, 0] for dim in DIMENSIONS}
    objections, unanswered, seen = [], 0, set()
    once = Once(path, "task_id")
    for row in read_sheet(path, ("task_id", "reviewer", *COLUMNS, "comment")):
        task_id, reviewer = unguarded(row["task_id"]), unguarded(row["reviewer"])
        once.note((task_id, reviewer), row.line, f"{task_id} by {reviewer or 'nobody'}")
        seen.add(task_id)
        for dim, column in zip(DIMENSIONS, COLUMNS, strict=True):
            raw = row[column].strip().lower()
            if raw and raw not in _ANSWERS:
                raise row.fault(column, f"{raw!r} is neither y nor n.")
            if not raw:
                unanswered += 1
                continue
            counts[dim][0] += _ANSWERS[raw]
            counts[dim][1] += 1
            if not _ANSWERS[raw]:
                objections.append(Objection(task_id, reviewer, dim, unguarded(row["comment"])))
    answers = {dim: (yes, answered) for dim, (yes, answered) in counts.items()}
    return Review(tasks=len(seen), answers=answers, objections=tuple(objections), unanswered=unanswered)
