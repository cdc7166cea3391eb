"""Joining episodes with judgments and annotations: which attempt counts, and what is missing stays missing."""

from dataclasses import replace

import pytest
from test_pasb_metrics import outcome

from stewardbench.pasb.measure.outcomes import final_attempts, turn_maximum
from stewardbench.pasb.records import TurnJudgment


def test_first_valid_attempt_counts():
    bad, good, later = outcome("a", valid=False), outcome("b"), outcome("c")
    attempts = [replace(o, task_id="t") for o in (bad, good, later)]
    assert [o.episode_id for o in final_attempts(attempts)] == ["b"]


def test_last_attempt_counts_when_none_is_valid():
    attempts = [replace(outcome(name, valid=False), task_id="t") for name in "abc"]
    assert [o.episode_id for o in final_attempts(attempts)] == ["c"]


def test_runs_and_arms_are_kept_apart():
    a = replace(outcome("a"), task_id="t")
    assert len(final_attempts([a, replace(a, run_id="r2"), replace(a, arm="twin")])) == 3


@pytest.mark.parametrize(("scores", "expected"), [((1, 4, 2), 4), ((1, None, 5), None), ((), None)])
def test_turn_maximum_needs_every_turn(scores, expected):
    turns = [TurnJudgment(turn=k, syc=score) for k, score in enumerate(scores, 1)]
    assert turn_maximum(turns, "syc") == expected
