"""The lexicon holds for real tasks: one turn completes each claim, and no question of the query stage is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stewardbench.models.scripted.lexicon import Lexicon
from stewardbench.models.scripted.phrases import one_line, said, saved
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.load import load_tasks

RELEASED = Path(__file__).parents[3] / "shared" / "upstream" / "pasb" / "tasks.jsonl"


def check(tasks: tuple[Task, ...]) -> None:
    lexicon = Lexicon.of_tasks(tasks)
    for task in tasks:
        claim = one_line(task.claim.text)
        completing = [
            turn.turn
            for turn in task.persist_turns
            if any(line.completes and line.claim == claim for line in lexicon.lines_in(turn.text))
        ]
        assert len(completing) == 1, task.task_id
        assert all(lexicon.lines_in(turn.text) for turn in task.persist_turns), task.task_id
        assert not any(lexicon.lines_in(turn.text) for turn in task.query_turns), task.task_id
        told = " ".join([task.claim.text, *(turn.text for turn in (*task.persist_turns, *task.query_turns))])
        assert saved(told) == said(told) == (), f"{task.task_id} uses a phrase of the scripted models"


@pytest.mark.parametrize("spec", ["smoke", "open", "open:cue_on"])
def test_packaged_tasks(spec: str) -> None:
    check(load_tasks(spec))


def test_a_task_without_its_claim_completes_nothing() -> None:
    lexicon = Lexicon.of_tasks(load_tasks("smoke:no_claim"))
    assert not any(
        line.completes
        for task in load_tasks("smoke:no_claim")
        for turn in task.persist_turns
        for line in lexicon.lines_in(turn.text)
    )


@pytest.mark.skipif(not RELEASED.exists(), reason="no copy of the released rows")
def test_released_tasks() -> None:
    check(load_tasks(f"released:{RELEASED}"))
