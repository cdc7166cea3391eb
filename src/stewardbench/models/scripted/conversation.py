"""What a scripted model can see: the request, read as turns, shown texts, and its own earlier tool calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from stewardbench.models.messages import ChatRequest, message_text

REVIEW = "Review the conversation above"  # how Hermes-Agent opens its background review


class HeardConversation:
    """A reading of one request.

    ``users`` are the user turns in order; ``shown`` is everything the model was shown besides its own words and
    includes the user turns; ``results`` are the texts inside the tool results, ``raw_results`` those as they came.
    """

    def __init__(self, request: ChatRequest) -> None:
        self.users = [message_text(message) for message in request.messages if message["role"] == "user"]
        self.raw_results = [message_text(message) for message in request.messages if message["role"] == "tool"]
        self.results = [text for result in self.raw_results for text in _strings(result)]
        self.prompt = "\n".join(
            message_text(message) for message in request.messages if message["role"] in {"system", "developer"}
        )
        self.shown = "\n".join([self.prompt, *self.users, *self.results])
        self.calls = [
            call["function"]
            for message in request.messages
            if message["role"] == "assistant"
            for call in message.get("tool_calls") or ()
            if isinstance(call, dict) and isinstance(call.get("function"), dict)
        ]
        self.answered = _after_last_user(request)

    @property
    def turn(self) -> int:
        """The number of the present user turn, from 1."""
        return max(1, len(self.users))

    @property
    def last_user(self) -> str:
        """The present user turn."""
        return self.users[-1] if self.users else ""

    @property
    def is_review(self) -> bool:
        """Whether this is an agent's own background review of a finished turn."""
        return self.last_user.lstrip().startswith(REVIEW)

    @property
    def acted(self) -> bool:
        """Whether the model already called a tool in this turn."""
        return any(message["role"] == "assistant" and message.get("tool_calls") for message in self.answered)

    def has_sent(self, text: str) -> bool:
        """Whether a tool call of this conversation already carried a text."""
        return any(text in string for call in self.calls for string in _strings(str(call.get("arguments"))))

    @property
    def refused(self) -> bool:
        """Whether a tool result of the present turn says that the call failed."""
        return any(message["role"] == "tool" and _failed(message_text(message)) for message in self.answered)


def _after_last_user(request: ChatRequest) -> list[dict[str, Any]]:
    messages = list(request.messages)
    last = max((number for number, message in enumerate(messages) if message["role"] == "user"), default=-1)
    return messages[last + 1 :]


def _strings(text: str) -> list[str]:
    """A text, or every string inside it when it is JSON, so that quoting and escapes never hide what it says."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return [text]
    return list(_leaves(value)) or [text]


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)


def _failed(text: str) -> bool:
    """Agents report failures as JSON with ``success: false`` or an ``error``, or as a line that starts so."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text.lstrip().lower().startswith(("error", "failed", "refused"))
    return isinstance(value, dict) and (
        value.get("success") is False or bool(value.get("error")) or value.get("status") == "error"
    )
