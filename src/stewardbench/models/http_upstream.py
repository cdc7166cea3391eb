"""A plain OpenAI-compatible endpoint as an upstream: a local llama.cpp or vLLM server, a proxy, another gateway."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import httpx

from stewardbench.errors import ModelError, UsageError
from stewardbench.models.failures import MALFORMED_REPLY, failed, model_error, redacted, retry_after
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, Usage

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
FINISH_REASONS = ("stop", "tool_calls", "length", "content_filter")
MAX_TOKENS, NEWER_NAME = "max_tokens", "max_completion_tokens"
CONNECT_S = 10.0
BASE_HINT = "Check that the address is an OpenAI-compatible /v1 base."


class HttpUpstream:
    """Posts each request, unstreamed, to ``base_url``/chat/completions as ``model``.

    The endpoint's own model name is ours to choose; the agent's never gets here. ``timeout_s`` is per request. Where an
    endpoint knows the limit on new tokens by its newer name only, it is called so from then on.
    """

    def __init__(self, base_url: str, model: str, key: str = "", *, timeout_s: float = 600.0) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise UsageError(
                f"{parts.scheme}://{parts.hostname}: not an endpoint address.",
                hint="Write http://host:port/v1#model, and give a key by its setting, not in the address.",
            )
        self.name = f"{base_url.rstrip('/')}#{model}"
        self._base_url, self._model, self._timeout_s = base_url.rstrip("/"), model, timeout_s
        self._local = parts.hostname in LOOPBACK  # a proxy of the environment cannot reach it
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client: httpx.AsyncClient | None = None
        self._renamed: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"HttpUpstream({self.name!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Raises ModelError with the endpoint's status, 504 on time-out, 502 when it breaks off."""
        try:
            return await self._post(request)
        except ModelError as error:
            if error.parameter != MAX_TOKENS or NEWER_NAME not in error.message or self._renamed:
                raise
        self._renamed = {MAX_TOKENS: NEWER_NAME}
        return await self._post(request)

    async def control(self, action: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask an assistant for one of its actions, at ``base_url``/assistant/``action``. Raises ModelError."""
        response = await self._send(f"{self._base_url}/assistant/{action}", body)
        try:
            value = response.json()
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise _malformed(f"The assistant's answer to {action} is no JSON object: {response.text[:200]!r}.")
        return value

    async def _post(self, request: ChatRequest) -> ChatReply:
        settings = {self._renamed.get(name, name): value for name, value in request.settings.items()}
        extra = settings.pop("extra_body", None)
        body: dict[str, Any] = {**extra} if isinstance(extra, dict) else {}
        body |= {**settings, "model": self._model, "messages": request.messages, "stream": False}
        if request.tools:
            body["tools"] = request.tools
            body |= {"tool_choice": request.tool_choice} if request.tool_choice is not None else {}
        return _reply(await self._send(f"{self._base_url}/chat/completions", body))

    async def _send(self, url: str, body: dict[str, Any]) -> httpx.Response:
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers=self._headers,
                timeout=httpx.Timeout(self._timeout_s, connect=min(CONNECT_S, self._timeout_s)),
                trust_env=not self._local,
            )
        try:
            response = await self._client.post(url, json=body)
        except httpx.HTTPError as error:
            raise (model_error(error) or failed(502, str(error))) from error
        if response.is_error:
            raise _failure(response.status_code, _error_of(response), response)
        return response

    async def close(self) -> None:
        """Close kept connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _error_of(response: httpx.Response) -> Any:
    """The error object of an answer; its whole text where it holds none."""
    try:
        value = response.json()
    except ValueError:
        return response.text or f"HTTP {response.status_code}"
    return value["error"] if isinstance(value, dict) and value.get("error") else value


def _failure(status: int, error: Any, response: httpx.Response) -> ModelError:
    """The failure that an endpoint describes: an object with a message, a text, or anything else as it stands."""
    named = error.get("param") if isinstance(error, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    text = words if isinstance(words, str) and words else json.dumps(error, ensure_ascii=False)
    if isinstance(error, dict) and isinstance(error.get("code"), str) and error["code"] not in text:
        text = f"{text} ({error['code']})"
    return failed(status, text, parameter=named, retry_after_s=retry_after(response.headers))


def _reply(response: httpx.Response) -> ChatReply:
    kind = response.headers.get("content-type", "").partition(";")[0].strip()
    try:
        value = response.json()
    except ValueError as error:
        what = (
            "a stream, though none was asked for"
            if kind == "text/event-stream"
            else f"no JSON: {response.text[:200]!r}"
        )
        raise _malformed(f"The endpoint answered with {what}.") from error
    if isinstance(value, dict) and value.get("error") and not value.get("choices"):
        raise _failed_with_200(value["error"], response)
    try:
        choice = value["choices"][0]
        if choice.get("error") and not choice.get("message"):
            raise _failed_with_200(choice["error"], response)
        return _chat_reply(choice, value.get("usage") or {})
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise _malformed(
            f"The endpoint's answer is not a chat completion ({type(error).__name__}: {error}): "
            f"{response.text[:200]!r}."
        ) from error


def _chat_reply(choice: dict[str, Any], usage: dict[str, Any]) -> ChatReply:
    message, reason = choice["message"], choice.get("finish_reason")
    text, refusal = _text(message.get("content")), message.get("refusal")
    refused = isinstance(refusal, str) and bool(refusal) and not text
    return ChatReply(
        text=refusal if refused else text,
        tool_calls=tuple(_tool_call(call) for call in message.get("tool_calls") or ()),
        finish_reason=reason if reason in FINISH_REASONS else "stop",
        usage=Usage(input_tokens=usage.get("prompt_tokens") or 0, output_tokens=usage.get("completion_tokens") or 0),
        refused=refused,
    )


def _text(content: Any) -> str:
    """The text of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type", "text") == "text")
    return content or ""


def _failed_with_200(error: Any, response: httpx.Response) -> ModelError:
    """A failure that came as a success: its own status where it has one."""
    code = error.get("code") if isinstance(error, dict) else None
    return _failure(code if isinstance(code, int) and 400 <= code <= 599 else 502, error, response)


def _malformed(message: str) -> ModelError:
    return ModelError(redacted(message), status=502, kind=MALFORMED_REPLY, hint=BASE_HINT)


def _tool_call(call: dict[str, Any]) -> ToolCall:
    """A tool call as text; some servers send the arguments as an object already."""
    function = call["function"]
    arguments = function.get("arguments") or ""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(id=call.get("id") or "", name=function["name"], arguments=text)
