"""The agent that its users run, under test: our driver against the stock program's own requests.

The stored conversations were recorded from the stock programs by ``record.py``; the driver's half runs here against
them. The stock program itself runs too where the pinned installation is not the recorded one, which is after a new
version or a new lock of an agent, and wherever PARITY=live asks for it (``make parity``). With PARITY=live every model
name holds the whole conversation; else those of OpenClaw, whose every session costs a start, hold it under one name.
"""

from __future__ import annotations

import asyncio
import os

import pytest
from record import recorded, stock
from table import AGENTS, GOLDEN, MODELS, named_in, ours, spoken

from stewardbench.agents.parity import golden
from stewardbench.agents.parity.compare import differences
from stewardbench.agents.parity.declared import declared, judge
from stewardbench.agents.parity.pins import pin
from stewardbench.agents.parity.talk import GREETING
from stewardbench.agents.presets import settings_for
from stewardbench.agents.registry import load_agent

pytestmark = [pytest.mark.real_agent, pytest.mark.xdist_group("parity")]
LIVE = os.environ.get("PARITY") == "live"
WHOLE = "gpt-5"  # the name under which both agents say most
CELLS = [(name, version, model) for name, version, _ in AGENTS for model in MODELS]


def installed(name: str, version: str) -> str:
    """The version that is meant. A version that is not the default is skipped where it is not installed."""
    agent = load_agent(name)
    settings = settings_for(agent, "stock", {"version": version})
    if version and agent.installed(settings) is None:
        pytest.skip(f"stewardbench agents install {name} --version {version}")
    return agent.version(settings)


def stored(name: str, version: str, model: str) -> golden.Conversation:
    return golden.read(GOLDEN / golden.file_name(name, version, model))


@pytest.mark.parametrize(
    ("name", "wanted", "preset", "model"),
    [(name, wanted, preset, model) for name, wanted, presets in AGENTS for preset in presets for model in MODELS],
)
def test_a_preset_differs_from_the_stock_program_by_exactly_the_declared_list(tmp_path, name, wanted, model, preset):
    version = installed(name, wanted)
    theirs, whole = stored(name, version, model), LIVE or name == "hermes" or model == WHOLE
    held = spoken(name, tmp_path, model, preset, version=wanted, talk=None if whole else GREETING)
    assert not named_in(held), "the agent could know that it is being measured"
    own = golden.conversation_of(held)
    compared = theirs.requests if whole else theirs.requests[:1]
    verdict = judge(differences(compared, own.requests), declared(name, preset, version, model))
    assert not verdict.undeclared, "a difference that is not in differences.yaml"
    assert not verdict.gone, "a pattern of differences.yaml that is met no longer: take it off the list"
    if whole and preset == "stock":
        assert own.files == theirs.files, "the bytes of the memory files"


@pytest.mark.parametrize(
    ("name", "told", "chosen", "red"),
    [
        ("hermes", "assistant", {}, "model 'gpt-5' -> 'assistant'"),
        ("hermes", "gpt-5", {"tools": "work"}, "tool -clarify"),
        ("hermes", "gpt-5", {"options": {"max_tokens": 4096}}, "max_completion_tokens 65536 -> 4096"),
        ("openclaw", "assistant", {}, "model 'gpt-5' -> 'assistant'"),
        ("openclaw", "gpt-5", {"options": {"entry": "http"}}, "message 2 "),
        ("openclaw", "gpt-5", {"options": {"config": {"tools": {"deny": ["cron"]}}}}, "tool -cron"),
    ],
    ids=["hermes-masked", "hermes-tools", "hermes-limit", "claw-masked", "claw-no-clock", "claw-tool"],
)
def test_a_masked_name_a_dropped_tool_and_a_turn_without_its_time_turn_it_red(tmp_path, name, told, chosen, red):
    version = installed(name, "")
    own = ours(name, tmp_path, told, "stock", talk=GREETING, **chosen)
    found = differences(stored(name, version, "gpt-5").requests[:1], own.requests)
    undeclared = judge(found, declared(name, "stock", version, "gpt-5")).undeclared
    assert any(each.what.startswith(red) for each in undeclared), undeclared


@pytest.mark.parametrize(("name", "wanted", "model"), CELLS)
def test_the_stored_conversation_is_what_the_stock_program_sends_today(tmp_path, name, wanted, model):
    version = installed(name, wanted)
    theirs = stored(name, version, model)
    if not LIVE and theirs.pin == pin(name, version):
        pytest.skip("recorded from this very installation; PARITY=live runs the stock program all the same")
    today = asyncio.run(stock(name, wanted, model, tmp_path / "stock"))
    assert differences(theirs.requests, today.requests) == []
    assert today.files == theirs.files
    assert theirs.pin == pin(name, version), f"equal under the new pin: {recorded(name, version, model)} keeps it"
