"""Hermes' rules that need no Hermes: surfaces, settings, refusals, endings."""

from __future__ import annotations

import pytest
import yaml

from stewardbench.agents.hermes import HermesAgent
from stewardbench.agents.hermes.child.conversation import tool_uses, verdict
from stewardbench.agents.hermes.session import REFUSAL
from stewardbench.agents.hermes.settings import config_yaml, review_policy, toolsets
from stewardbench.agents.hermes.surfaces import POLICY, surface
from stewardbench.agents.interface import AgentSettings, Surface
from stewardbench.errors import UsageError


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("home/.hermes/memories/USER.md", Surface.PROFILE),
        ("home/.hermes/SOUL.md", Surface.INSTRUCTIONS),
        ("home/.hermes/memories/MEMORY.md", Surface.MEMORY),
        ("home/.hermes/memories/notes.md", Surface.OTHER),
        ("home/.hermes/skills/tea/SKILL.md", Surface.SKILL),
        ("home/.hermes/skills/tea/scripts/boil.py", Surface.SKILL),
        ("home/.hermes/skills/.usage.json", Surface.OTHER),
        ("home/.hermes/skills/.archive/tea/SKILL.md", Surface.HISTORY),
        ("home/.hermes/skills", Surface.OTHER),
        ("home/.hermes/config.yaml", Surface.CONFIG),
        ("home/.hermes/.env", Surface.CONFIG),
        ("home/.hermes/memories/USER.md.lock", Surface.HISTORY),
        ("home/.hermes/memories/USER.md.bak.1", Surface.HISTORY),
        ("home/.hermes/state.db", Surface.HISTORY),
        ("home/.hermes/state.db-wal", Surface.HISTORY),
        ("home/.hermes/logs/agent.log", Surface.HISTORY),
        ("home/.hermes/memories2/USER.md", Surface.HISTORY),
        ("home/.bashrc", Surface.HISTORY),
        ("tmp/anything", Surface.HISTORY),
        ("home/workspace/AGENTS.md", Surface.INSTRUCTIONS),
        ("home/workspace/.cursor/rules/a.mdc", Surface.INSTRUCTIONS),
        ("home/workspace/sub/AGENTS.md", Surface.OTHER),
        ("home/workspace/uv.lock", Surface.OTHER),
        ("", Surface.HISTORY),
    ],
)
def test_the_surface_is_a_function_of_the_path(path: str, expected: Surface) -> None:
    assert surface(path) is expected
    assert HermesAgent().surface(path) is expected
    assert (expected is Surface.HISTORY) == (not POLICY.keeps(path))


@pytest.mark.parametrize(
    ("review", "memory", "skill"), [("stock", 10, 10), ("released", 10, 1), ("interval=3", 3, 3), ("final", 0, 0)]
)
def test_the_review_policy_is_in_the_config(review: str, memory: int, skill: int) -> None:
    config = yaml.safe_load(config_yaml(AgentSettings(review=review)))
    assert config["memory"]["nudge_interval"] == memory
    assert config["skills"]["creation_nudge_interval"] == skill
    assert review_policy(review).final == (review == "final")
    assert config["security"]["allow_lazy_installs"] is False
    assert "api_key" not in config["model"]


@pytest.mark.parametrize(
    "settings",
    [
        AgentSettings(review="sometimes"),
        AgentSettings(review="interval=0"),
        AgentSettings(tools="all"),
        AgentSettings(version="0.18.0"),
        AgentSettings(options={"colour": "red"}),
    ],
)
def test_settings_that_hermes_does_not_have_are_refused_with_the_choices(settings: AgentSettings) -> None:
    with pytest.raises(UsageError) as caught:
        HermesAgent().version(settings)
    assert caught.value.hint


def test_session_search_is_offered_only_on_request() -> None:
    assert "session_search" not in toolsets(AgentSettings(tools="work"))
    assert toolsets(AgentSettings(session_search=True)) == ("memory", "skills", "session_search")


@pytest.mark.parametrize(
    ("result", "refused"),
    [
        ('{"success": false, "error": "Blocked: content matches threat pattern \'deception_hide\'."}', True),
        ('{"success": false, "error": "Operation 2: Blocked: content matches threat pattern"}', True),
        ('{"error": "Refusing to write MEMORY.md: file on disk has content"}', True),
        ('{"success": false, "error": "Content cannot be empty."}', False),
        ('{"success": true, "message": "Entry added.", "entries": ["Blocked: is a word in my memory"]}', False),
    ],
)
def test_a_refusal_is_told_from_a_mistake(result: str, refused: bool) -> None:
    assert bool(REFUSAL.search(result)) is refused


@pytest.mark.parametrize(
    ("result", "reply", "error", "limit"),
    [
        ({"final_response": "Hi", "turn_exit_reason": "text_response(finish_reason=stop)"}, "Hi", None, False),
        ({"final_response": "Saved", "turn_exit_reason": "fallback_prior_turn_content"}, "Saved", None, False),
        ({"final_response": "(empty)", "turn_exit_reason": "empty_response_exhausted"}, "", None, False),
        (
            {"final_response": "API call failed after 3 retries: no", "failed": True, "error": "no"},
            "",
            "no",
            False,
        ),
        ({"final_response": "half", "partial": True, "error": "truncated"}, "", "truncated", False),
        (
            {"final_response": "In short", "turn_exit_reason": "max_iterations_reached(4/4)"},
            "",
            "stopped by the limit on model calls (max_iterations_reached(4/4))",
            True,
        ),
        (
            {"final_response": "I stopped", "turn_exit_reason": "guardrail_halt"},
            "",
            "the turn ended as guardrail_halt: I stopped",
            False,
        ),
        ({"final_response": "text without an ending"}, "", "the turn ended as unknown: text without an ending", False),
    ],
)
def test_only_a_known_ending_is_an_answer(result: dict, reply: str, error: str | None, limit: bool) -> None:
    assert verdict(result) == {"reply": reply, "error": error, "limit": limit}


def test_tool_calls_are_paired_with_their_results() -> None:
    messages = [
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "memory", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "saved"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "2", "function": {"name": "todo"}}]},
    ]
    assert tool_uses(messages) == [
        {"name": "memory", "arguments": "{}", "result": "saved"},
        {"name": "todo", "arguments": "", "result": ""},
    ]
