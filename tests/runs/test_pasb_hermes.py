"""Whole runs on the real Hermes-Agent: known answers of every scripted model, the history store, and five kills."""

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from run_contents import assert_each_task_once, rows

from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatReply, ToolCall
from stewardbench.pasb.measure.outcomes import outcomes
from stewardbench.pasb.records import Annotation, Episode, Judgment
from stewardbench.pasb.run import evaluation as pasb_eval
from stewardbench.pasb.run.evaluation import run_pasb
from stewardbench.pasb.run.judges import ReferenceJudge
from stewardbench.pasb.run.known import unexpected
from stewardbench.pasb.run.scoring import Stored, annotate_stored
from stewardbench.pasb.run.settings import pasb_settings
from stewardbench.records import JsonlLog

pytestmark = [pytest.mark.real_agent, pytest.mark.xdist_group("hermes")]

MODELS = (
    "silent",
    "copier-profile",
    "copier-memory",
    "copier-skill",
    "promoter",
    "rule-maker",
    "history-cheat",
    "echo",
)


def run(folder, model, **choices):
    usual = {"agent": "hermes", "model": f"scripted/{model}", "judge": "reference", "tasks": "smoke", "sample": 4}
    settings = pasb_settings(**usual | choices)
    return asyncio.run(run_pasb(settings, folder, workers=2))


def found(folder):
    """The outcomes of a run after it was annotated too."""
    with Stored(folder, locked=True) as stored:
        asyncio.run(annotate_stored(stored, ReferenceJudge()))
    kinds = (("episodes", Episode), ("judgments", Judgment), ("annotations", Annotation))
    return outcomes(*([kind.model_validate(row) for row in rows(folder, name)] for name, kind in kinds))


@pytest.mark.parametrize("model", MODELS)
def test_known_answers_on_the_real_agent(tmp_path, model):
    progress = run(tmp_path / "run", model)
    assert (progress.done, progress.invalid, progress.failed) == (4, 0, 0)
    assert unexpected(model, found(tmp_path / "run")) == {}
    for episode in rows(tmp_path / "run", "episodes"):
        assert episode["cut"]["turn_counts_ok"]
        assert episode["cut"]["claim_in_query_input"] is (episode["commit"]["committed"] is True)


@pytest.mark.parametrize("tools", ["released", "work"])
def test_history_cheat_gets_nothing_back(tmp_path, tools):
    run(tmp_path / "run", "history-cheat", tools=tools, session_search=True, review="stock")
    episodes = rows(tmp_path / "run", "episodes")
    assert [(e["valid"], e["commit"]["committed"]) for e in episodes] == [(True, False)] * 4
    claims = {task["task_id"]: task["claim"]["text"] for task in rows(tmp_path / "run", "tasks")}
    for episode in episodes:
        assert episode["cut"]["canary_ok"]
        answers = " ".join(turn["agent"] for turn in episode["query"])
        assert claims[episode["task_id"]] not in answers
        assert any(turn["tool_calls"] for turn in episode["query"]), "it did try"


def test_without_the_wipe_of_the_history_store_the_canary_catches_it(tmp_path):
    kept = {"skip_wipe": ["state.db", "state.db-wal", "state.db-shm"]}
    run(tmp_path / "run", "history-cheat", sample=2, session_search=True, options=kept, max_attempts=1)
    episodes = rows(tmp_path / "run", "episodes")
    assert [e["valid"] for e in episodes] == [False, False]
    for episode in episodes:
        assert episode["cut"]["canary_ok"] is False
        assert episode["cut"]["stores_cleared"] is False
        assert any(detail.startswith("b: ") for detail in episode["cut"]["details"])


def test_killed_five_times_and_resumed(tmp_path):
    folder, choose = tmp_path / "run", random.Random(5)
    command = [sys.executable, "-c", "from stewardbench.cli import main; main()", "run", "pasb", "--model"]
    command += ["scripted/copier-memory", "--judge", "reference", "--tasks", "smoke", "--sample", "16"]
    command += ["--workers", "2", "--out", str(folder)]
    seen = []
    for _ in range(5):
        target = _lines(folder) + choose.randint(1, 3)
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as child:
            while child.poll() is None and _lines(folder) < target:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(choose.uniform(0.01, 0.4))
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
        kept = [row["episode_id"] for row in _whole(folder)]
        assert kept[: len(seen)] == seen, "a finished episode is never lost or changed"
        seen = kept
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    assert_each_task_once(folder, 16)
    assert [row["episode_id"] for row in rows(folder, "episodes")][: len(seen)] == seen


def _whole(folder: Path):

    return [json.loads(line) for _, line in JsonlLog(folder / "episodes.jsonl").lines()]


def _lines(folder: Path) -> int:
    path = folder / "episodes.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.fixture
def answering(monkeypatch):
    """Put an upstream of one's own in the place of the scripted model."""

    def use(complete):
        class Own:
            name = "test/own"

            async def complete(self, request):
                return complete(request)

        monkeypatch.setattr(pasb_eval, "open_upstream", lambda name, **choices: Own())

    return use


def only(folder):
    (episode,) = rows(folder, "episodes")
    return episode


def test_failing_model_makes_the_episode_invalid(tmp_path, answering):
    def fail(request):
        raise ModelError("the endpoint has a fault", status=500)

    answering(fail)
    run(tmp_path / "run", "silent", sample=1, max_attempts=1)
    episode = only(tmp_path / "run")
    assert (episode["valid"], episode["invalid_reason"]) == (False, "model_error")
    assert "500" in episode["invalid_detail"]
    assert len(episode["persist"]) == 1


def test_empty_replies_are_never_scored(tmp_path, answering):
    answering(lambda request: ChatReply(text=""))
    run(tmp_path / "run", "silent", sample=1, max_attempts=1)
    episode = only(tmp_path / "run")
    assert not episode["valid"]
    assert episode["invalid_reason"] in ("empty_reply", "error_reply", "agent_error")
    assert rows(tmp_path / "run", "judgments") == []


def test_model_that_loops_on_a_failing_tool_call_is_bounded_and_named(tmp_path, answering):
    def loop(request):
        if not request.tools:
            return ChatReply(text="I could not do it.")
        arguments = '{"action": "replace", "target": "memory", "old_text": "absent", "content": "x"}'
        call = ToolCall(id=f"call_{len(request.messages)}", name="memory", arguments=arguments)
        return ChatReply(tool_calls=(call,), finish_reason="tool_calls")

    answering(loop)
    run(tmp_path / "run", "silent", sample=1, max_attempts=1, max_model_calls_per_turn=6, review="stock")
    episode = only(tmp_path / "run")
    assert (episode["valid"], episode["invalid_reason"]) == (False, "call_limit")
    assert "most often memory(" in episode["invalid_detail"]
    assert episode["persist"][0]["model_calls"] <= 8


def test_malformed_tool_calls_do_not_break_the_run(tmp_path, answering):
    def malformed(request):
        if any(message["role"] == "tool" for message in request.messages) or not request.tools:
            return ChatReply(text="Thank you, I have read it.")
        call = ToolCall(id="call_1", name="memory", arguments='{"action": "add", "content": ')
        return ChatReply(tool_calls=(call,), finish_reason="tool_calls")

    answering(malformed)
    progress = run(tmp_path / "run", "silent", sample=1, max_attempts=1, judge="")
    assert progress.failed == 0
    assert only(tmp_path / "run")["commit"] is None or only(tmp_path / "run")["commit"]["committed"] is False
