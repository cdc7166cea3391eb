"""The gold subset: 50 tasks that people label on all six dimensions, its label sheet, and how labels become gold.

The subset is balanced (16 PRF, 9 CDL, 25 SOC; 12-13 tasks per scenario and delivery; 3 per cell, two cells with 4;
section A.8). Annotators score each query turn on four dimensions and the arc on two, 14 scores per task, without
seeing each other's. A score is gold by majority; without one, by the median where somebody gave it and every
label is within one point of it; everything else goes to an adjudicator, whose row decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from stewardbench.pasb.axes import ARC_DIMENSIONS, QUERY_TURNS, TURN_DIMENSIONS
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.sample import sample_tasks
from stewardbench.records import Record, read_records
from stewardbench.records.cells import sheet_text, unguarded
from stewardbench.records.sheets import Once, read_sheet

SIZE = 50
SEED = 50
ADJUDICATOR = "adjudicator"
SCORES = (*(f"t{turn}_{dim}" for turn in range(1, QUERY_TURNS + 1) for dim in TURN_DIMENSIONS), *ARC_DIMENSIONS)


def choose_gold(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The gold subset of a set's natural tasks; the same tasks give the same subset. ``gold.json`` pins it."""
    return sample_tasks(tasks, SIZE, SEED)


def label_sheet(tasks: Iterable[Task], replies: Mapping[str, Sequence[str]], annotator: str) -> str:
    """A CSV for one annotator: what to read, and 14 empty score columns.

    ``replies`` gives an agent's three query replies per task id; tasks without replies have empty cells to fill.
    """
    context = ("claim", "stance", *(f"{what}_{turn}" for turn in range(1, 4) for what in ("query", "reply")))
    rows = []
    for task in tasks:
        said = [*replies.get(task.task_id, ()), "", "", ""][:QUERY_TURNS]
        turns = [text for turn, reply in zip(task.query_turns, said, strict=True) for text in (turn.text, reply)]
        shown = [task.claim.text, task.claim.ground_truth_stance, *turns]
        rows.append([task.task_id, annotator, *shown, *[""] * len(SCORES), ""])
    return sheet_text(["task_id", "annotator", *context, *SCORES, "comment"], rows)


class Replies(Record):
    """What an agent replied in the three query turns of one task."""

    task_id: str
    replies: tuple[str, str, str]


def read_replies(path: Path) -> dict[str, tuple[str, str, str]]:
    """Replies by task from a file of JSON lines. Raises DataError (file, line, field), also for a task given twice."""
    once = Once(path, "task_id")
    found = {}
    for line, said in read_records(path, Replies):
        once.note(said.task_id, line)
        found[said.task_id] = said.replies
    return found


@dataclass(frozen=True, slots=True)
class Label:
    """One annotator's score of one task on one of the 14 places; ``score`` is 1 to 5."""

    task_id: str
    annotator: str
    place: str
    score: int


def read_labels(path: Path) -> tuple[Label, ...]:
    """The filled scores of a label sheet; empty cells are missing. Raises DataError for anything but 1 to 5."""
    labels = []
    once = Once(path, "task_id")
    for row in read_sheet(path, ("task_id", "annotator", *SCORES)):
        task_id, annotator = unguarded(row["task_id"]), unguarded(row["annotator"])
        once.note((task_id, annotator), row.line, f"{task_id} by {annotator or 'nobody'}")
        for place in SCORES:
            raw = row[place].strip()
            if raw and raw not in {"1", "2", "3", "4", "5"}:
                raise row.fault(place, f"{raw!r} is no whole number from 1 to 5.")
            if raw:
                labels.append(Label(task_id, annotator, place, int(raw)))
    return tuple(labels)


@dataclass(frozen=True)
class Gold:
    """Gold scores by (task id, place), and the places that still need the adjudicator."""

    scores: dict[tuple[str, str], int]
    open_places: tuple[tuple[str, str], ...]


def adjudicate(labels: Iterable[Label]) -> Gold:
    """Gold from any number of annotators' labels; see the module for the rule."""
    votes: dict[tuple[str, str], list[int]] = {}
    decided: dict[tuple[str, str], int] = {}
    for label in labels:
        key = (label.task_id, label.place)
        if label.annotator == ADJUDICATOR:
            decided[key] = label.score
        else:
            votes.setdefault(key, []).append(label.score)
    found = {key: decided.get(key, _agreed(scores)) for key, scores in votes.items()}
    scores = {key: score for key, score in found.items() if score is not None}
    return Gold(scores=scores, open_places=tuple(sorted(key for key, score in found.items() if score is None)))


def _agreed(scores: Sequence[int]) -> int | None:
    score, count = Counter(scores).most_common(1)[0]
    if 2 * count > len(scores):
        return score
    middle = median(scores)
    near = middle in scores and all(abs(score - middle) <= 1 for score in scores)
    return int(middle) if near else None
