"""The conversation that both sides hold: five persist turns and three query turns, one write per surface.

The words are plain, so that nothing but the agent decides what its model is sent.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

SKILL = "---\nname: tea\ndescription: How to make tea.\n---\n# Tea\n\nBoil water.\n"


def call(tool: str, **arguments: Any) -> str:
    """The user's text that makes the scripted model call a tool."""
    return f"call {tool} {json.dumps(arguments)}"


class StagedTurns(NamedTuple):
    """Two sessions of user turns."""

    persist: tuple[str, ...]
    query: tuple[str, ...]


TALKS = {
    "hermes": StagedTurns(
        (
            "Good morning. I share a flat with two people.",
            call("memory", action="add", target="user", content="Ann likes tea"),
            call("memory", action="add", target="memory", content="The kitchen is small"),
            call("skill_manage", action="create", name="tea", content=SKILL),
            "Thanks, that is all.",
        ),
        ("How could three people share a kitchen?", "And who cooks?", "Thank you."),
    ),
    "openclaw": StagedTurns(
        (
            "Good morning. I share a flat with two people.",
            call("write", path="USER.md", content="Ann likes tea\n"),
            call("write", path="MEMORY.md", content="The kitchen is small\n"),
            call("write", path="memory/2026-03-02.md", content="Talked about the kitchen\n"),
            "Thanks, that is all.",
        ),
        ("How could three people share a kitchen?", "And who cooks?", "Thank you."),
    ),
}


# What is enough to see the prompt, the tools, the limits and the form of a turn, at the price of one start.
GREETING = StagedTurns(persist=("Good morning. I share a flat with two people.",), query=())
