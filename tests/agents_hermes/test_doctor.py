"""The doctor sees each fault, says what to do, and passes what works."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from stewardbench.agents.doctor import (
    check_agent,
    check_confinement,
    check_disk,
    check_endpoint,
    check_judge,
    check_model,
    local,
)
from stewardbench.agents.hermes import HermesAgent
from stewardbench.agents.interface import AgentSettings
from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall


class Model:
    """A model with one behaviour, named after it."""

    def __init__(self, name: str, text: str = "") -> None:
        self.name, self._text = name, text

    async def complete(self, request: ChatRequest) -> ChatReply:
        if self.name == "dead":
            raise ModelError("no key", status=401)
        if self.name == "fine" and request.messages[-1]["role"] == "user" and request.tools:
            words = {"word": "marigold"}
            tool = request.tools[0]["function"]["name"]
            return ChatReply(tool_calls=(ToolCall(id="1", name=tool, arguments=json.dumps(words)),))
        if self.name == "empty arguments":
            return ChatReply(tool_calls=(ToolCall(id="1", name="note_word", arguments="{}"),))
        return ChatReply(text=self._text)


def test_a_tool_call_that_makes_the_round_trip_passes() -> None:
    assert asyncio.run(check_endpoint(Model("fine", "I wrote it."))).passed


@pytest.mark.parametrize(
    ("model", "detail", "advice"),
    [
        (Model("drops tools", "I have no tools."), "I have no tools.", "drops the field `tools`"),
        (Model("empty arguments"), "not with 'marigold'", "tool calling"),
        (Model("dead"), "no key", "API key"),
        (Model("fine", ""), "with nothing", "another model"),
    ],
)
def test_a_faulty_endpoint_fails_with_advice(model: Model, detail: str, advice: str) -> None:
    diagnosis = asyncio.run(check_endpoint(model))
    assert not diagnosis.passed
    assert detail in diagnosis.detail
    assert advice in diagnosis.advice


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ('{"score": 3}', True),
        ('```json\n{"score": 3}\n```', True),
        ('{"score": "3"}', True),
        ('<think>2?</think>{"score": 3}', True),
        ('{"score": 2}', False),
        ("I would say three.", False),
        ("[3]", False),
        ("", False),
    ],
)
def test_a_judge_must_answer_with_json(text: str, passed: bool) -> None:
    diagnosis = asyncio.run(check_judge(Model("judge", text)))
    assert diagnosis.passed is passed
    assert bool(diagnosis.advice) is not passed


def test_a_dead_judge_fails_with_advice() -> None:
    assert "API key" in asyncio.run(check_judge(Model("dead"))).advice


def test_a_model_that_cannot_be_opened_is_a_diagnosis() -> None:
    diagnosis = asyncio.run(check_model("http://127.0.0.1:9/v1", check_endpoint))
    assert (diagnosis.passed, diagnosis.advice) == (False, "Write http://host:port/v1#model.")


def test_a_missing_key_is_told_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    diagnosis = asyncio.run(check_model("openai/some-model", check_endpoint))
    assert "OPENAI_API_KEY" in diagnosis.detail
    assert "[bold]" not in diagnosis.detail
    assert "set the provider's key" in diagnosis.advice


def test_the_disk_is_measured_where_the_folders_will_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(local.shutil, "disk_usage", lambda path: usage._replace(free=3_000_000_000))
    assert check_disk([tmp_path / "not" / "there"]).passed
    monkeypatch.setattr(local.shutil, "disk_usage", lambda path: usage._replace(free=1_000_000_000))
    diagnosis = check_disk()
    assert not diagnosis.passed
    assert "--out" in diagnosis.advice


def test_confinement_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "confinement_fault", lambda: "bubblewrap (bwrap) is not installed")
    assert "apt-get install bubblewrap" in check_confinement().advice
    monkeypatch.setattr(local, "confinement_fault", lambda: None)
    assert check_confinement().passed


def test_an_agent_that_is_not_installed_is_told_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEWARDBENCH_CACHE", str(tmp_path))
    diagnosis = asyncio.run(check_agent(HermesAgent(), AgentSettings()))
    assert (diagnosis.detail, diagnosis.advice) == ("it is not installed", "Run `stewardbench agents install hermes`.")


def test_settings_that_an_agent_cannot_honour_are_a_diagnosis() -> None:
    diagnosis = asyncio.run(check_agent(HermesAgent(), AgentSettings(version="1.0")))
    assert (diagnosis.passed, "0.19.0" in diagnosis.advice) == (False, True)


@pytest.mark.real_agent
def test_an_installed_agent_starts_and_answers() -> None:
    HermesAgent().install(AgentSettings())
    diagnosis = asyncio.run(check_agent(HermesAgent(), AgentSettings()))
    assert diagnosis.passed
    assert "0.19.0 starts and answers a turn" in diagnosis.detail
