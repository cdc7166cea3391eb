"""A plain OpenAI-compatible endpoint as an upstream: a local llama.cpp or vLLM server, a proxy, another gateway."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import httpx

from stewardbench.errors import ModelError, UsageError
from stewardbench.models.failures import failed, model_error
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, Usage

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
FINISH_REASONS = ("stop", "tool_calls", "length", "content_filter")


class HttpUpstream:
    """Posts each request, unstreamed, to ``base_url``/chat/completions as ``model``.

    The endpoint's own model name is ours to choose; the agent's never gets here. ``timeout_s`` is per request.
    """

    def __init__(self, base_url: str, model: str, key: str = "", *, timeout_s: float = 600.0) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise UsageError(
                f"{parts.scheme}://{parts.hostname}: not an endpoint address.",
                hint="Write http://host:port/v1#model, and give a key by its setting, not in the address.",
            )
        self.name = f"{base_url.rstrip('/')}#{model}"
        self._url, self._model, self._timeout_s = f"{base_url.rstrip('/')}/chat/completions", model, timeout_s
        self._local = parts.hostname in LOOPBACK  # a proxy of the environment cannot reach it
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client: httpx.AsyncClient | None = None

    def __repr__(self) -> str:
        return f"HttpUpstream({self.name!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Raises ModelError with the endpoint's status, 504 on time-out, 502 when it breaks off."""
        if self._client is None:
            self._client = httpx.AsyncClient(headers=self._headers, timeout=self._timeout_s, trust_env=not self._local)
        body: dict[str, Any] = {**request.settings, "model": self._model, "messages": request.messages, "stream": False}
        if request.tools:
            body["tools"] = request.tools
            body |= {"tool_choice": request.tool_choice} if request.tool_choice is not None else {}
        try:
            response = await self._client.post(self._url, json=body)
        except httpx.HTTPError as error:
            raise (model_error(error) or failed(502, str(error))) from error
        if response.is_error:
            raise failed(response.status_code, _message(response))
        return _reply(response)

    async def close(self) -> None:
        """Close kept connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _message(response: httpx.Response) -> str:
    try:
        return str(response.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return response.text or f"HTTP {response.status_code}"


def _reply(response: httpx.Response) -> ChatReply:
    try:
        value = response.json()
        choice = value["choices"][0]
        message, usage = choice["message"], value.get("usage") or {}
        reason = choice.get("finish_reason")
        return ChatReply(
            text=message.get("content") or "",
            tool_calls=tuple(_tool_call(call) for call in message.get("tool_calls") or ()),
            finish_reason=reason if reason in FINISH_REASONS else "stop",
            usage=Usage(
                input_tokens=usage.get("prompt_tokens") or 0, output_tokens=usage.get("completion_tokens") or 0
            ),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelError(
            f"The endpoint's answer is not a chat completion ({type(error).__name__}: {error}).",
            status=502,
            kind="malformed_reply",
            hint="Check that the address is an OpenAI-compatible /v1 base.",
        ) from error


def _tool_call(call: dict[str, Any]) -> ToolCall:
    """A tool call as text; some servers send the arguments as an object already."""
    function = call["function"]
    arguments = function.get("arguments") or ""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(id=call.get("id") or "", name=function["name"], arguments=text)
