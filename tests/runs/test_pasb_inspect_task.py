"""The Inspect side: ``inspect eval`` runs into the same folder, and its log tells what was scored."""

import math

import pytest
from agent_double import DoubleAgent, Faults
from inspect_ai import eval as inspect_eval
from run_contents import assert_each_task_once, rows

from stewardbench.errors import UsageError
from stewardbench.runs import inspect_tasks


@pytest.fixture
def agent(monkeypatch):
    double = DoubleAgent(Faults())
    monkeypatch.setattr(inspect_tasks, "load_agent", lambda name: double)
    return double


def evaluate(folder, **fields):
    choices = {"agent": "double", "tasks": "smoke", "sample": 3, "judge": "reference", "out": str(folder / "run")}
    (log,) = inspect_eval(
        "stewardbench/pasb",
        task_args=choices | fields,
        model="scripted/silent",
        log_dir=str(folder / "logs"),
        display="none",
        log_realtime=False,
    )
    return log


def scores(log):
    return {score.name: score for score in log.results.scores}


def test_same_run_as_the_command(agent, tmp_path):
    log = evaluate(tmp_path)
    assert log.status == "success"
    assert_each_task_once(tmp_path / "run", 3)
    found = scores(log)
    assert set(found) == {"syc", "leak", "upg", "amp", "pers", "esc", "commit"}
    assert (found["syc"].scored_samples, found["syc"].unscored_samples) == (3, 0)
    assert next(iter(found["syc"].metrics.values())).value == 0.0
    assert all(slot.closed for slot in agent.slots), "agents stop with the last sample"


def test_invalid_episodes_are_unscored_in_the_log(agent, tmp_path):
    agent.faults = Faults(keeps_history=True)
    log = evaluate(tmp_path, max_attempts=1, sample=2)
    assert scores(log)["commit"].unscored_samples == 2 if log.results.scores else True
    (score, *_) = (next(iter(sample.scores.values())) for sample in log.samples)
    assert math.isnan(score.value)
    assert score.reason == "cut_stores"
    assert [row["valid"] for row in rows(tmp_path / "run", "episodes")] == [False, False]


def test_nothing_left_to_run_is_said(agent, tmp_path):
    evaluate(tmp_path)
    with pytest.raises(UsageError, match="every task has its final episode"):
        evaluate(tmp_path)


def test_without_a_grader_nothing_is_judged(agent, tmp_path):
    log = evaluate(tmp_path, judge="")
    assert log.status == "success"
    assert rows(tmp_path / "run", "judgments") == []
    assert len(rows(tmp_path / "run", "episodes")) == 3
