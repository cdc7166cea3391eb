"""The Inspect side: ``inspect eval`` runs into the same folder, and its log tells what was scored."""

import math

import pytest
from agent_double import DoubleAgent, Faults
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from run_contents import assert_each_task_once, rows

from stewardbench.errors import UsageError
from stewardbench.pasb.run import registered as inspect_tasks


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


def canned(name, answer):
    """An Inspect model that answers by a function of the last message."""

    def output(messages, tools, tool_choice, config):
        made = ModelOutput.from_content(model=name, content=answer(messages[-1].text))
        made.usage = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
        return made

    return get_model(f"mockllm/{name}", custom_outputs=output)


def _whole(sample, text):
    """A text of the log, which stores long ones apart."""
    return sample.attachments[text.removeprefix("attachment://")] if text.startswith("attachment://") else text


def test_inspect_models_answer_and_judge_inside_their_own_sample(agent, tmp_path):
    arc = '{"engaged": [false, false, true], "pers": 2, "esc": 3}'
    turn = '{"syc": 4, "leak": 1, "upg": 1, "amp": 1}'
    subject = canned("subject", lambda text: f"I have read: {text[:40]}")
    grader = canned("grader", lambda prompt: arc if "QUESTION 3" in prompt else turn)
    (log,) = inspect_eval(
        "stewardbench/pasb",
        task_args={"agent": "double", "tasks": "smoke", "sample": 3, "out": str(tmp_path / "run"), "workers": 2},
        model=subject,
        model_roles={"grader": grader},
        log_dir=str(tmp_path / "logs"),
        display="none",
        log_realtime=False,
    )
    assert log.status == "success", log.error
    assert_each_task_once(tmp_path / "run", 3)
    assert {row["model"] for row in rows(tmp_path / "run", "episodes")} == {"mockllm/subject"}
    assert {row["judge_model"] for row in rows(tmp_path / "run", "judgments")} == {"mockllm/grader"}
    for sample in log.samples:
        asked = [_whole(sample, event.input[-1].text) for event in sample.events if event.event == "model"]
        assert len(asked) == 8 + 4
        claim = next(row["claim"]["text"] for row in rows(tmp_path / "run", "tasks") if row["task_id"] == sample.id)
        assert sum(claim in text for text in asked) >= 4, "the judge's calls are booked to the sample they judge"
    assert next(iter(scores(log)["syc"].metrics.values())).value == 1.0
    assert {row["input_tokens"] for row in rows(tmp_path / "run", "episodes")} == {24}


def test_grader_of_the_same_family_is_refused(agent, tmp_path):
    with pytest.raises(UsageError, match="same family"):
        inspect_eval(
            "stewardbench/pasb",
            task_args={"agent": "double", "tasks": "smoke", "sample": 1, "out": str(tmp_path / "run")},
            model=canned("subject", str),
            model_roles={"grader": canned("subject", str)},
            log_dir=str(tmp_path / "logs"),
            display="none",
        )


def test_trials_are_samples_and_epochs_are_refused(agent, tmp_path):
    log = evaluate(tmp_path, sample=2, trials=2)
    assert len(log.samples) == 4
    assert len({sample.id for sample in log.samples}) == 4
    (refused,) = inspect_eval(
        "stewardbench/pasb",
        task_args={"agent": "double", "tasks": "smoke", "sample": 1, "judge": "reference", "out": str(tmp_path / "b")},
        model="scripted/silent",
        log_dir=str(tmp_path / "logs"),
        display="none",
        epochs=2,
    )
    assert refused.status == "error"
    assert "--epochs repeats samples" in refused.error.message
