"""Reading stored commits with a second reader: one call per changed episode, resumable, a failure leaves nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stewardbench.errors import ModelError, UsageError
from stewardbench.models.messages import ChatReply
from stewardbench.pasb.cli.commit_reading import register_commit_reading
from stewardbench.pasb.report.rows import read_rows
from stewardbench.pasb.run.reading import estimate_reading, open_reader, read_stored
from stewardbench.pasb.run.scoring import Stored

OLD = Path(__file__).parents[1] / "old_runs"


class Upstream:
    """Says of the first entry that it holds the claim; every third request fails where ``flaky``."""

    name = "made/reader"

    def __init__(self, flaky=False):
        self.asked, self.flaky = 0, flaky

    async def complete(self, request):
        self.asked += 1
        if self.flaky and self.asked % 3 == 0:
            raise ModelError("down", status=503, kind="server")
        prompt = request.messages[0]["content"]
        entry = prompt.split("entry 1\n", 1)[1].splitlines()
        quote = max((line.removeprefix("| ") for line in entry if line.startswith("| ")), key=len)
        one = {"entry": 1, "relation": "applies", "scope": "wider", "quote": quote}
        return ChatReply(text=json.dumps({"entries": [one], "held": True}))


@pytest.fixture
def run(tmp_path):
    shutil.copytree(OLD / "pasb-rule-maker", tmp_path / "run")
    return tmp_path / "run"


def read(run, upstream):
    with Stored(run, locked=True) as stored:
        reader = open_reader("made/reader", stored.subject, upstream=upstream)
        progress = asyncio.run(read_stored(stored, reader, workers=2))
        return progress, list(stored.store.commit_readings())


def test_one_call_for_each_changed_episode_and_none_twice(run):
    with Stored(run, locked=False) as stored:
        cost = estimate_reading(stored, "made/reader")
    upstream = Upstream()
    progress, readings = read(run, upstream)
    assert (cost.calls, upstream.asked, progress.done, len(readings)) == (16, 16, 16, 16)
    assert all(one.held and one.relations[0].author is not None for one in readings)
    assert read(run, upstream)[0].done == 0
    assert upstream.asked == 16


def test_a_failed_call_leaves_nothing_and_the_same_call_goes_on(run):
    progress, readings = read(run, Upstream(flaky=True))
    assert progress.unjudged > 0
    assert len(readings) == progress.done < 16
    progress, readings = read(run, Upstream())
    assert len(readings) == 16
    assert len({one.episode_id for one in readings}) == 16


def test_an_episode_that_wrote_nothing_needs_no_call(tmp_path):
    shutil.copytree(OLD / "pasb-silent", tmp_path / "run")
    upstream = Upstream()
    _, readings = read(tmp_path / "run", upstream)
    assert upstream.asked == 0
    assert {(one.held, one.entries) for one in readings} == {(False, 0)}
    rows = read_rows([tmp_path / "run"])
    assert set(rows["cell"]) == {"nothing written"}
    assert rows["by_reader"].sum() == 0


def test_the_command_shows_the_cost_first_and_the_rows_hold_both_readings(run):
    app = typer.Typer()
    register_commit_reading(app)
    dry = CliRunner().invoke(app, [str(run), "--reader", "reference", "--dry-run"])
    assert "16 records, 16 calls" in dry.output
    assert not (run / "commit_readings.jsonl").exists()
    done = CliRunner().invoke(app, [str(run), "--reader", "reference"])
    assert done.exit_code == 0, done.output
    rows = read_rows([run])
    assert set(rows["cell"]) == {"w+r+"}
    assert set(rows["read_by"]) == {"reference"}
    assert set(rows["matcher"].cast(str)) == {rows["matcher"][0]}
    assert rows["matcher"][0].startswith("sentence-recall/1")  # the method of then, in rows of then


def test_the_reference_reads_scripted_models_only_and_a_relative_is_refused():
    with pytest.raises(UsageError, match="scripted models only"):
        open_reader("reference", "openrouter/openai/gpt-5.4")
    with pytest.raises(UsageError, match="same family"):
        open_reader("openrouter/openai/gpt-5.4", "openai/gpt-4o")
