"""The child's side: one conversation, answered line by line. Runs in the library's own environment.

The first line opens the conversation and fills the store; each further line is a user turn. Every answer carries all
entries of the store. Standard library only, so that any environment can run it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any, Protocol


class Conversation(Protocol):
    """What a child makes of its library."""

    def turn(self, text: str) -> dict[str, Any]:
        """Answer one user turn: reply, tool_uses, error, and failed_review (why the library's own writing failed)."""
        ...

    def entries(self) -> Iterable[dict[str, str]]:
        """Everything that the store holds: kind, key and text."""
        ...


def serve(open_conversation: Callable[[dict[str, Any]], Conversation]) -> None:
    """Answer lines until the input ends. What the library prints goes to standard error."""
    answers, sys.stdout = sys.stdout, sys.stderr

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps({**answer, "entries": list(conversation.entries())}), file=answers, flush=True)

    conversation = open_conversation(json.loads(sys.stdin.readline()))
    say({"ready": True})
    for line in sys.stdin:
        say(conversation.turn(json.loads(line)["text"]))
