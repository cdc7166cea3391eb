"""Presets as data: one word sets everything, single settings lie over it, and the row says which."""

import pytest

from stewardbench.agents.hermes import HermesAgent
from stewardbench.agents.openclaw import OpenClawAgent
from stewardbench.agents.presets import settings_for
from stewardbench.agents.sdk_agent import LangGraphAgent
from stewardbench.errors import UsageError
from stewardbench.pasb.records import policy_label


@pytest.mark.parametrize("agent", [HermesAgent(), OpenClawAgent()], ids=lambda agent: agent.name)
@pytest.mark.parametrize("name", ["released", "stock"])
def test_every_preset_is_one_that_its_agent_accepts_and_says_what_it_leaves_off(agent, name):
    settings = settings_for(agent, name, {})
    assert agent.version(settings)
    assert (settings.preset, settings.overrides) == (name, ())
    preset = agent.presets[name]
    assert preset.about
    assert all(len(reason) > 20 for reason in preset.left_off.values())
    assert "transcripts" in preset.left_off


def test_hermes_stock_is_what_its_terminal_program_sets():
    settings = settings_for(HermesAgent(), "stock", {})
    assert (settings.review, settings.tools, settings.max_model_calls_per_turn) == ("stock", "stock", 90)
    assert settings.options["interactive"] is True
    assert "max_tokens" not in settings.options


def test_a_single_setting_lies_over_the_preset_and_is_named():
    chosen = {"review": "final", "tools": "stock", "max_model_calls_per_turn": None, "options": {"max_tokens": 4096}}
    settings = settings_for(HermesAgent(), "stock", chosen)
    assert settings.max_model_calls_per_turn == 90
    assert settings.overrides == ("max_tokens=4096", "review=final"), "tools=stock is the preset's own"
    assert policy_label(settings.preset, settings.overrides, masked=False) == "stock, max_tokens=4096, review=final"
    assert settings.options["interactive"] is True


def test_an_option_that_turns_the_presets_off_is_an_override():
    settings = settings_for(HermesAgent(), "stock", {"options": {"interactive": False}})
    assert settings.overrides == ("interactive=False",)


def test_unknown_presets_are_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="no preset 'paper'") as caught:
        settings_for(HermesAgent(), "paper", {})
    assert "released or stock" in caught.value.hint
    with pytest.raises(UsageError, match="no preset 'stock'"):
        settings_for(LangGraphAgent(), "stock", {})
