"""What a model is asked and what it answers: the OpenAI chat-completions form, as plain records.

An upstream is one async function from a request to a reply. The gateway, the scripted models and the Inspect
provider all speak this form, so that a scripted model sees exactly what a real model would see.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import Field

from stewardbench.errors import ModelError
from stewardbench.records import Record


class ToolCall(Record):
    """One function call that a model asks for. ``arguments`` is the raw JSON text, which may be malformed."""

    id: str
    name: str
    arguments: str


class ChatRequest(Record):
    """One chat-completions request. ``messages`` and ``tools`` are the client's own JSON, unchanged.

    ``settings`` holds the generation settings the client sent (temperature, top_p, max_tokens, seed, stop, ...); an
    object called ``extra_body`` among them holds fields that a plain endpoint gets beside them.
    The client's model name is not part of it: it never reaches an upstream.
    """

    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...] = ()
    tool_choice: Any = None
    settings: dict[str, Any] = Field(default_factory=dict)


class Usage(Record):
    """Tokens of one call, as the upstream counted them."""

    input_tokens: int = 0
    output_tokens: int = 0


class ChatReply(Record):
    """One assistant message: text, tool calls, or both.

    ``refused``: the endpoint marked the text as the model's refusal. It is the model's answer like any other.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: Literal["stop", "tool_calls", "length", "content_filter"] = "stop"
    usage: Usage = Usage()
    refused: bool = False


class Upstream(Protocol):
    """Where the gateway sends requests: an Inspect model, a scripted model, or a plain endpoint."""

    name: str

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Raises ModelError with the status to hand on when the endpoint fails."""
        ...


@runtime_checkable
class Assistant(Protocol):
    """An upstream that is more than a model: it keeps a memory, and can be told to begin anew."""

    async def control(self, action: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask for ``reset``, ``session`` or ``memory``. Raises ModelError as ``complete`` does."""
        ...


async def control(upstream: object, action: str, body: dict[str, Any]) -> dict[str, Any]:
    """Hand an action on to an upstream that knows it. Raises ModelError (404) for all others."""
    if not isinstance(upstream, Assistant):
        raise ModelError(f"{type(upstream).__name__} has no memory to {action}.", status=404, kind="not_found")
    return await upstream.control(action, body)


class Exchange(Record):
    """One request and its outcome, as the gateway saw it: the evidence for attestation.

    ``index`` counts from 0 within an episode; ``stage`` and ``turn`` (1-based) are what the runner had declared when
    the request arrived; ``elapsed_s`` is seconds of wall time. Exactly one of ``reply`` and ``error`` is set, unless
    the client went away first.
    """

    index: int
    stage: str
    turn: int
    request: ChatRequest
    reply: ChatReply | None = None
    error: str | None = None
    status: int = 200
    streamed: bool = False
    elapsed_s: float = 0.0

    @property
    def failure(self) -> str:
        """The kind of a failed call (``models.failures``); empty for one that was answered."""
        return (self.error or "").partition(":")[0]


def message_text(message: dict[str, Any]) -> str:
    """All text of a message, whether its content is a string or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
    return ""
