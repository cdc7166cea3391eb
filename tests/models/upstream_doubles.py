"""Upstreams that behave in one known way, and the requests that tests send them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, Usage, message_text

EPISODE: ContextVar[str] = ContextVar("episode", default="none")

TOOL = {
    "type": "function",
    "function": {
        "name": "memory",
        "description": "",
        "parameters": {"type": "object", "properties": {"content": {"type": "string"}}},
    },
}


class Answering:
    """Answers by a function of the request, and remembers what it was asked and in which context."""

    name = "answering"

    def __init__(self, answer: Callable[[ChatRequest], ChatReply | Awaitable[ChatReply]]) -> None:
        self._answer = answer
        self.requests: list[ChatRequest] = []
        self.contexts: list[str] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        self.contexts.append(EPISODE.get())
        given = self._answer(request)
        return given if isinstance(given, ChatReply) else await given


def echoing() -> Answering:
    """Repeats the last message."""
    return Answering(
        lambda request: ChatReply(
            text=f"heard: {message_text(request.messages[-1])}", usage=Usage(input_tokens=7, output_tokens=3)
        )
    )


def calling(arguments: str = '{"content": "täglich"}', text: str = "") -> Answering:
    """Asks for two tool calls."""
    return Answering(
        lambda request: ChatReply(
            text=text,
            tool_calls=(
                ToolCall(id="call_1", name="memory", arguments=arguments),
                ToolCall(id="", name="memory", arguments="{}"),
            ),
            finish_reason="tool_calls",
        )
    )


def failing(status: int, kind: str = "upstream_error") -> Answering:
    """Fails with a status."""

    def fail(request: ChatRequest) -> ChatReply:
        raise ModelError("the provider said no", status=status, kind=kind)

    return Answering(fail)


class Gate:
    """An upstream that waits until it is told to go on; ``asked`` is set when a request has reached it."""

    name = "gate"

    def __init__(self, error: ModelError | None = None) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()
        self.cancelled = asyncio.Event()
        self._error = error

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        if self._error is not None:
            raise self._error
        return ChatReply(text="late but whole")
