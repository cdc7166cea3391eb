"""Judging and annotating stored episodes: once each, several judges side by side, repeats, blind, cost beforehand."""

import asyncio
import json

import pytest
from run_contents import rows
from typer.testing import CliRunner

from stewardbench.cli import app
from stewardbench.errors import EndpointDown, ModelError, StoreError, UsageError
from stewardbench.pasb.measure.outcomes import outcomes
from stewardbench.pasb.records import Judgment
from stewardbench.pasb.run import scoring
from stewardbench.pasb.run.judges import ModelJudge, ReferenceJudge, asker, open_judge
from stewardbench.pasb.run.scoring import (
    Reading,
    Stored,
    annotate_stored,
    estimate_annotating,
    estimate_judging,
    judge_stored,
)
from stewardbench.runs import outage
from stewardbench.runs.folder import RunFolder

TURN = json.dumps({"syc": 2, "leak": 1, "upg": 1, "amp": 1})
ARC = json.dumps({"engaged": [False, False, False], "pers": 1, "esc": 2})


class Model:
    """An upstream that judges: the same scores for everybody. ``down`` makes its first calls fail."""

    name = "test/model"

    def __init__(self, down=0, turn=TURN):
        self.down, self.turn, self.requests = down, turn, []

    async def complete(self, request):
        from stewardbench.models.messages import ChatReply

        self.requests.append(request)
        if self.down:
            self.down -= 1
            raise ModelError("unreachable", status=503)
        return ChatReply(text=ARC if "QUESTION 3" in request.messages[0]["content"] else self.turn)


def judge(folder, reading=Reading(), *, name="test/model", model=None, workers=1):  # noqa: B008
    with Stored(folder, locked=True) as stored:
        return asyncio.run(judge_stored(stored, ModelJudge(name, model or Model()), reading, workers=workers))


@pytest.fixture
def finished(run, tmp_path):
    """A finished run of four tasks that no judge has seen."""
    run(judge="")
    return tmp_path / "run"


def test_each_judge_judges_each_episode_once(finished):
    assert judge(finished).done == 4
    assert judge(finished).done == 0
    assert judge(finished, name="test/other").done == 4
    assert {row["judge_model"] for row in rows(finished, "judgments")} == {"test/model", "test/other"}
    assert len(rows(finished, "judgments")) == 8


def test_judging_goes_on_where_it_was(finished):
    judge(finished)
    path = finished / "judgments.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2]) + lines[2][:40])
    assert judge(finished).done == 2
    assert len({row["episode_id"] for row in rows(finished, "judgments")}) == 4


def test_invalid_and_replaced_attempts_are_not_judged(run, double, tmp_path):
    from agent_double import Faults

    double.faults = Faults(crash_at=("persist", 1), crashes_left=1)
    run(judge="", sample=1)
    judge(tmp_path / "run")
    assert [row["episode_id"][-2:] for row in rows(tmp_path / "run", "judgments")] == [":2"]


def test_repeats_are_a_fixed_share_and_apart(finished):
    assert judge(finished, Reading(repeats=1.0)).done == 8
    found = rows(finished, "judgments")
    assert sorted(row["repeat"] for row in found) == [0] * 4 + [1] * 4
    counted = outcomes([], [Judgment.model_validate(row) for row in found])
    assert counted == []
    assert judge(finished, Reading(repeats=0.0)).done == 0


def test_share_of_repeats_is_close_to_what_was_asked():
    class Named:
        def __init__(self, number):
            self.task_id = f"task-{number}"

    chosen = sum(scoring.is_repeated(Named(number), 0.1) for number in range(4000))
    assert 330 < chosen < 470


def test_blind_readings_are_kept_apart(finished):
    judge(finished, Reading(blind=True))
    assert {(row["probe"], row["blind_to_state"]) for row in rows(finished, "judgments")} == {("blind_to_state", True)}
    assert judge(finished).done == 4


def test_judge_is_asked_at_temperature_zero_with_one_message():
    model = Model()
    asyncio.run(asker(model)("hello"))
    assert model.requests[0].settings == {"temperature": 0.0}
    assert model.requests[0].messages == ({"role": "user", "content": "hello"},)


def test_a_schema_goes_to_the_server_as_the_form_of_the_reply():
    model = Model()
    asyncio.run(asker(model, {"type": "object"})("hello"))
    form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}
    assert model.requests[0].settings == {"temperature": 0.0, "response_format": form}


def test_unscored_readings_are_read_again_on_request_only(finished):
    judge(finished, model=Model(turn="prose"))
    assert judge(finished).done == 0
    assert judge(finished, Reading(retry_unscored=True)).done == 4
    assert judge(finished).done == 0
    last = {row["episode_id"]: row["turns"][0]["syc"] for row in rows(finished, "judgments")}
    assert set(last.values()) == {2}


def test_endpoint_that_fails_sometimes_leaves_the_rest_to_do(finished):
    progress = judge(finished, model=Model(down=1))
    assert (progress.done, progress.unjudged) == (3, 1)
    assert judge(finished).done == 1


def test_endpoint_that_stays_down_ends_the_call(finished, monkeypatch):
    monkeypatch.setattr(outage, "STOP_AFTER", 2)
    with pytest.raises(EndpointDown, match=r"2 times in a row in the same way: .*unreachable"):
        judge(finished, model=Model(down=10**6))
    assert rows(finished, "judgments") == []


def test_annotating(finished):
    with Stored(finished, locked=True) as stored:
        progress = asyncio.run(annotate_stored(stored, ReferenceJudge()))
        again = asyncio.run(annotate_stored(stored, ReferenceJudge()))
    assert (progress.done, again.done) == (4, 0)
    assert {(row["stance"], row["role"]) for row in rows(finished, "annotations")} == {("neutral", "none")}


def test_cost_is_told_from_the_very_prompts(finished):
    stored = Stored(finished, locked=False)
    cost = estimate_judging(stored.judging("any", Reading(repeats=1.0)), Reading(repeats=1.0))
    assert (cost.records, cost.calls) == (8, 32)
    assert 4000 < cost.input_tokens < 60000
    assert cost.output_tokens == 32 * scoring.REPLY_TOKENS
    assert estimate_annotating(stored.annotating("any")).calls == 4


def test_family_rule():
    with pytest.raises(UsageError, match="same family"):
        open_judge("openai/gpt-5", "openrouter/openai/gpt-5.4", upstream=Model())
    marked = open_judge("openai/gpt-5", "openrouter/openai/gpt-5.4", allow_same_family=True, upstream=Model())
    assert marked.same_family
    assert not open_judge("anthropic/claude-x", "openai/gpt-5", upstream=Model()).same_family
    with pytest.raises(UsageError, match="reference judge"):
        open_judge("reference", "openai/gpt-5")


def test_no_run_folder(tmp_path):
    with pytest.raises(StoreError, match="not a run folder"):
        Stored(tmp_path, locked=True)


def test_commands(finished):
    runner = CliRunner()
    cost = ["--dry-run", "--price-in", "1", "--price-out", "2"]
    dry = runner.invoke(app, ["judge", str(finished), "--judge", "openai/gpt-5", *cost])
    assert dry.exit_code == 0
    assert "4 records, 16 calls" in dry.output
    assert rows(finished, "judgments") == []
    done = runner.invoke(app, ["judge", str(finished), "--judge", "reference", "--repeat", "1.0"])
    assert "reference: 8 records added" in done.output
    noted = runner.invoke(app, ["annotate", str(finished), "--annotator", "reference"])
    assert "reference: 4 records added" in noted.output


def test_command_waits_for_no_lock(finished):
    with RunFolder.reopen(finished):
        result = CliRunner().invoke(app, ["judge", str(finished), "--judge", "reference"])
    assert isinstance(result.exception, StoreError)
