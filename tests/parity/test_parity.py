"""The agent that its users run, under test: our driver against the stock program's own requests.

The stored conversations were recorded from the stock programs by ``record.py``; the driver's half runs here against
them. With PARITY=live the stock program runs too, which is what a new version of an agent needs.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from record import GOLDEN, stock

from stewardbench.agents.parity import golden
from stewardbench.agents.parity.compare import differences
from stewardbench.agents.parity.declared import declared, judge
from stewardbench.agents.parity.driver import driven
from stewardbench.agents.presets import settings_for
from stewardbench.agents.registry import load_agent

pytestmark = [pytest.mark.real_agent, pytest.mark.xdist_group("parity")]
MODELS = ("gpt-5", "claude-sonnet-4-5", "gemini-3-pro", "deepseek-v3.2")
RECORDED = [("hermes", model) for model in MODELS] + [("openclaw", model) for model in MODELS]


def stored(name: str, model: str) -> golden.Conversation:
    version = load_agent(name).version(settings_for(load_agent(name), "stock", {}))
    path = GOLDEN / golden.file_name(name, version, model)
    if not path.exists():
        pytest.skip(f"{path.name} was not recorded: python tests/parity/record.py {name} {model}")
    return golden.read(path)


def ours(name: str, folder: Path, model: str, preset: str, **chosen: object) -> golden.Conversation:
    return golden.conversation_of(asyncio.run(driven(load_agent(name), folder / "own", model, preset, chosen)))


@pytest.mark.parametrize(("name", "model"), RECORDED)
def test_the_stock_preset_is_the_stock_program_but_for_the_declared_list(tmp_path, name, model):
    theirs, own = stored(name, model), ours(name, tmp_path, model, "stock")
    verdict = judge(differences(theirs.requests, own.requests), declared(name, "stock"))
    assert not verdict.undeclared, "a difference that is not in differences.yaml"
    assert not verdict.gone, "an entry of differences.yaml that is met no longer: take it off the list"
    assert own.files == theirs.files, "the bytes of the memory files"


@pytest.mark.parametrize("name", ["hermes", "openclaw"])
def test_the_released_preset_differs_by_exactly_the_declared_list(tmp_path, name):
    theirs, own = stored(name, "claude-sonnet-4-5"), ours(name, tmp_path, "claude-sonnet-4-5", "released")
    verdict = judge(differences(theirs.requests, own.requests), declared(name, "released"))
    assert not verdict.undeclared
    assert not verdict.gone


@pytest.mark.parametrize(
    ("name", "told", "chosen"),
    [
        ("hermes", "assistant", {}),
        ("hermes", "gpt-5", {"tools": "work"}),
        ("hermes", "gpt-5", {"options": {"max_tokens": 4096}}),
        ("openclaw", "assistant", {}),
        ("openclaw", "gpt-5", {"options": {"entry": "http"}}),
        ("openclaw", "gpt-5", {"options": {"config": {"tools": {"deny": ["cron"]}}}}),
    ],
    ids=["hermes-masked", "hermes-tools", "hermes-limit", "claw-masked", "claw-no-clock", "claw-tool"],
)
def test_a_masked_name_a_dropped_tool_and_a_turn_without_its_time_turn_it_red(tmp_path, name, told, chosen):
    theirs, own = stored(name, "gpt-5"), ours(name, tmp_path, told, "stock", **chosen)
    assert judge(differences(theirs.requests, own.requests), declared(name, "stock")).undeclared


@pytest.mark.skipif(os.environ.get("PARITY") != "live", reason="PARITY=live runs the stock programs too")
@pytest.mark.parametrize(("name", "model"), RECORDED)
def test_the_stored_conversation_is_what_the_stock_program_sends_today(tmp_path, name, model):
    theirs = stored(name, model)
    today = asyncio.run(stock(name, model, tmp_path / "stock"))
    assert differences(theirs.requests, today.requests) == []
    assert today.files == theirs.files
