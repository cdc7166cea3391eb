"""The OpenAI wire form: request bodies to ChatRequest, replies to completions and chunks, errors to error bodies."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NoReturn

from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatReply, ChatRequest

NOT_SETTINGS = frozenset(
    {"model", "messages", "tools", "tool_choice", "stream", "stream_options", "store", "user", "metadata"}
)


class ChatCall(NamedTuple):
    """A parsed chat-completions body: the request, and how the client wants the answer delivered."""

    request: ChatRequest
    stream: bool
    include_usage: bool


def parse_json(body: bytes) -> dict[str, Any]:
    """A request body as a JSON object. Raises ModelError (400) for anything else.

    Half surrogate pairs, which JavaScript clients send when they cut a text in the middle of an emoji, become U+FFFD,
    so that everything we keep can be written as UTF-8.
    """
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        _bad(f"The body is not JSON: {error}.")
    if not isinstance(value, dict):
        _bad(f"The body must be a JSON object, not {type(value).__name__}.")
    if b"\\ud" in body or b"\\uD" in body:
        value = _whole_characters(value)
    return dict(value)


def parse_chat(body: bytes) -> ChatCall:
    """A chat-completions body. Raises ModelError (400) that names the field at fault."""
    value = parse_json(body)
    messages, tools = value.get("messages"), value.get("tools") or []
    if not isinstance(messages, list) or not messages:
        _bad("'messages' must be a list with at least one message.")
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            _bad(f"'messages[{number}]' must be an object with a 'role'.")
    if not isinstance(tools, list):
        _bad("'tools' must be a list.")
    for number, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            _bad(f"'tools[{number}]' must be a function tool with a 'function.name'.")
    if value.get("n") not in {None, 1}:
        _bad("'n' must be 1: one reply per request.")
    options = value.get("stream_options")
    request = ChatRequest(
        messages=tuple(messages),
        tools=tuple(tools),
        tool_choice=value.get("tool_choice"),
        settings={key: item for key, item in value.items() if key not in NOT_SETTINGS and item is not None},
    )
    include_usage = isinstance(options, dict) and bool(options.get("include_usage"))
    return ChatCall(request=request, stream=bool(value.get("stream")), include_usage=include_usage)


def completion(reply: ChatReply, *, reply_id: str, model: str, created: int) -> dict[str, Any]:
    """A ``chat.completion`` object."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None if reply.tool_calls else reply.text}
    if reply.tool_calls:
        message["tool_calls"] = _tool_calls(reply, reply_id)
    return {
        "id": reply_id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish_reason}],
        "usage": _usage(reply),
    }


def chunks(reply: ChatReply, *, reply_id: str, model: str, created: int, include_usage: bool) -> list[dict[str, Any]]:
    """The ``chat.completion.chunk`` objects of a finished reply, in order: role, text, tool calls, finish, usage."""
    base: dict[str, Any] = {"id": reply_id, "object": "chat.completion.chunk", "created": created, "model": model}
    if include_usage:
        base["usage"] = None

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**base, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}

    parts = [chunk({"role": "assistant", "content": None if reply.tool_calls and not reply.text else ""})]
    if reply.text:
        parts.append(chunk({"content": reply.text}))
    for number, call in enumerate(_tool_calls(reply, reply_id)):
        function = call["function"]
        opening = {**call, "index": number, "function": {"name": function["name"], "arguments": ""}}
        parts.append(chunk({"tool_calls": [opening]}))
        parts.append(chunk({"tool_calls": [{"index": number, "function": {"arguments": function["arguments"]}}]}))
    parts.append(chunk({}, reply.finish_reason))
    if include_usage:
        parts.append({**base, "choices": [], "usage": _usage(reply)})
    return parts


def error_body(error: ModelError) -> dict[str, Any]:
    """The error object that OpenAI clients understand. ``code`` is the error's name in our records."""
    kind = "invalid_request_error" if 400 <= error.status < 500 else "server_error"
    return {"error": {"message": str(error), "type": kind, "param": None, "code": error.kind}}


def _tool_calls(reply: ChatReply, reply_id: str) -> list[dict[str, Any]]:
    """Calls in wire form; a call that came without an id gets one, or its result could not be matched to it."""
    return [
        {
            "id": call.id or f"call_{reply_id}_{number}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for number, call in enumerate(reply.tool_calls)
    ]


def _usage(reply: ChatReply) -> dict[str, int]:
    spent = reply.usage
    return {
        "prompt_tokens": spent.input_tokens,
        "completion_tokens": spent.output_tokens,
        "total_tokens": spent.input_tokens + spent.output_tokens,
    }


def _whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _bad(message: str) -> NoReturn:
    raise ModelError(message, status=400, kind="invalid_request")
