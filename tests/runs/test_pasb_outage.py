"""Endpoints that fail under a PASB run: nothing is used up, the run stops early, and the same command goes on."""

from __future__ import annotations

import re

import pytest
from agent_double import Faults
from run_contents import attempts, rows
from typer.testing import CliRunner

from stewardbench.cli import app
from stewardbench.errors import EndpointDown, ModelError
from stewardbench.models.failures import failed
from stewardbench.models.messages import ChatReply
from stewardbench.models.scripted.model import ScriptedModel
from stewardbench.pasb.run import evaluation
from stewardbench.pasb.run.closing import run_closing
from stewardbench.runs import outage
from stewardbench.runs.folder import RunFolder


class Endpoint:
    """A scripted model behind an endpoint that fails in the given ways first, one call after the other."""

    def __init__(self, *errors: ModelError, reply: ChatReply | None = None) -> None:
        self.name, self.calls = "http://127.0.0.1:1/v1#m", 0
        self._errors, self._reply, self._model = list(errors), reply, ScriptedModel("silent")

    async def complete(self, request):
        self.calls += 1
        if self._errors:
            raise self._errors.pop(0)
        return self._reply or await self._model.complete(request)


@pytest.fixture
def endpoint(monkeypatch):
    """Put an endpoint under the run."""

    def put(*errors, **reply):
        made = Endpoint(*errors, **reply)
        monkeypatch.setattr(evaluation, "open_upstream", lambda name, **choices: made)
        return made

    return put


def closing(tmp_path):
    return run_closing(RunFolder.read(tmp_path / "run"))


@pytest.mark.parametrize("status", [401, 402, 403, 404, 429, 500, 503])
def test_a_failed_endpoint_uses_up_no_attempt_and_is_never_final(run, endpoint, tmp_path, status):
    endpoint(*[failed(status, "no")] * 2)
    progress = run(sample=1, max_attempts=1)
    assert (progress.unreached, progress.invalid, progress.done) == (1, 0, 0)
    assert closing(tmp_path).exit_code == 4
    progress = run(sample=1, max_attempts=1)
    assert progress.unreached == 1
    endpoint()
    assert run(sample=1, max_attempts=1).done == 1
    found = [(attempt, valid) for _, attempt, valid in attempts(tmp_path / "run")]
    assert found == [(1, False), (2, False), (3, True)]
    assert closing(tmp_path).exit_code == 0


def test_an_endpoint_that_stays_down_stops_the_run_with_its_words_and_the_same_command_goes_on(run, endpoint, tmp_path):
    down = endpoint(*[failed(402, "Insufficient credits: top up")] * 99)
    with pytest.raises(EndpointDown, match=r"5 times in a row .* quota .HTTP 402.: Insufficient credits") as caught:
        run(sample=8)
    assert "the same command goes on" in caught.value.hint
    assert down.calls == outage.STOP_AFTER
    endpoint()
    assert run(sample=8).done == 8
    assert closing(tmp_path).measured == 8


def test_different_failures_and_answers_between_them_stop_nothing(run, endpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(outage, "STOP_AFTER", 2)
    endpoint(failed(503, "a"), failed(500, "b"), failed(503, "c"), failed(502, "d", kind="connection"))
    assert run(sample=4, max_attempts=9).done == 4


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (failed(400, "content management policy"), "content_filter"),
        (failed(500, "Failed to parse input at pos 3: <tool_call>"), "unreadable_output"),
    ],
)
def test_what_the_model_did_is_an_outcome_of_its_own_and_final(run, endpoint, tmp_path, error, reason):
    endpoint(*[error] * 99)
    assert run(sample=1, max_attempts=2).invalid == 1
    episodes = rows(tmp_path / "run", "episodes")
    assert [row["invalid_reason"] for row in episodes] == [reason] * 2
    assert error.message in episodes[0]["invalid_detail"]
    assert run(sample=1, max_attempts=2).earlier == 1
    assert dict(closing(tmp_path).invalid) == {reason: 1}


def test_a_filtered_answer_is_no_empty_reply(run, endpoint, tmp_path):
    endpoint(reply=ChatReply(finish_reason="content_filter"))
    run(sample=1, max_attempts=1)
    assert [row["invalid_reason"] for row in rows(tmp_path / "run", "episodes")] == ["content_filter"]


def test_an_answer_cut_off_before_its_first_word_is_said_to_be(run, endpoint, tmp_path):
    endpoint(reply=ChatReply(finish_reason="length"))
    run(sample=1, max_attempts=1)
    (row,) = rows(tmp_path / "run", "episodes")
    assert row["invalid_reason"] == "empty_reply"
    assert "limit on new tokens" in row["invalid_detail"]


def test_attempts_may_be_raised_when_a_run_is_resumed(run, double, tmp_path):
    double.faults = Faults(keeps_history=True)
    run(sample=1, max_attempts=1)
    double.faults = Faults()
    assert run(sample=1, max_attempts=1).earlier == 1
    assert run(sample=1, max_attempts=2).done == 1


def test_other_versions_are_said_on_resume(run, double, tmp_path):
    run(sample=1)
    manifest = tmp_path / "run" / "run.json"
    manifest.write_text(re.sub(r'"inspect_ai": "[^"]*"', '"inspect_ai": "0.3.1"', manifest.read_text()))
    assert "this run began with inspect_ai 0.3.1, now " in run(sample=1).message


def command(tmp_path, *more):
    shared = ["--agent", "double", "--tasks", "smoke", "--sample", "2", "--out", str(tmp_path / "run"), *more]
    return CliRunner().invoke(app, ["run", "pasb", "--model", "scripted/silent", "--judge", "reference", *shared])


def test_the_last_line_and_the_exit_code_say_what_was_measured(double, endpoint, tmp_path):
    whole = command(tmp_path)
    assert (whole.exit_code, whole.stdout.splitlines()[-1][:45]) == (0, "MEASURED: asked 2, valid 2, scored 2, invalid")


def test_a_part_and_nothing_have_codes_of_their_own(double, endpoint, tmp_path):
    endpoint(*[failed(503, "busy")] * 99)
    nothing = command(tmp_path)
    assert nothing.exit_code == 4
    assert "stopped, since scripted/silent failed 5 times in a row" in nothing.stderr
    assert "Go on with: stewardbench" in nothing.stderr
    last = nothing.stdout.splitlines()[-1].strip()  # whatever moving line was erased before it
    assert last.startswith("NOTHING MEASURED: asked 2, valid 0, scored 0, invalid 2 (model_e")
    endpoint(*[failed(400, "content filter")])
    part = command(tmp_path, "--max-attempts", "1")
    assert part.exit_code == 3
    assert "INCOMPLETE: asked 2, valid 1, scored 1, invalid 1 (content_filter 1)" in part.stdout.splitlines()[-1]


def test_results_that_a_script_contradicts_are_a_failure(double, endpoint, tmp_path):
    endpoint(reply=ChatReply(text="I keep my own counsel."))
    result = command(tmp_path)
    assert result.exit_code != 0
    assert result.stdout.splitlines()[-1].endswith("2 not as the script says")
