"""A plain endpoint as an upstream: our own gateway as the endpoint, and servers that break in every known way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from upstream_doubles import TOOL, Answering, Gate, calling, echoing, failing

from stewardbench.errors import ModelError
from stewardbench.models.gateway import Gateway
from stewardbench.models.http_upstream import HttpUpstream
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream

REQUEST = ChatRequest(messages=({"role": "user", "content": "hello"},), settings={"temperature": 0.1, "max_tokens": 5})


def over(upstream: Upstream, use: Callable[[HttpUpstream], Awaitable[None]], **changes: Any) -> None:
    """Use an HttpUpstream whose endpoint is a gateway over another upstream."""

    async def run() -> None:
        async with Gateway(upstream) as gateway:
            settings = {"key": gateway.endpoint.secret, **changes}
            plain = HttpUpstream(gateway.endpoint.base_url, "tiny", **settings)
            try:
                await use(plain)
            finally:
                await plain.close()

    asyncio.run(asyncio.wait_for(run(), 30))


def test_requests_and_replies_pass_whole() -> None:
    upstream = echoing()

    async def use(plain: HttpUpstream) -> None:
        reply = await plain.complete(REQUEST)
        assert (reply.text, reply.usage.input_tokens, reply.usage.output_tokens) == ("heard: hello", 7, 3)
        assert upstream.requests[0] == REQUEST

    over(upstream, use)


def test_tool_calls_pass_whole() -> None:
    async def use(plain: HttpUpstream) -> None:
        reply = await plain.complete(ChatRequest(messages=REQUEST.messages, tools=(TOOL,), tool_choice="auto"))
        assert [call.arguments for call in reply.tool_calls] == ['{"content": "half', "{}"]
        assert reply.finish_reason == "tool_calls"

    over(calling(arguments='{"content": "half'), use)


@pytest.mark.parametrize("status", [400, 429, 500, 503])
def test_failures_keep_their_status(status: int) -> None:
    async def use(plain: HttpUpstream) -> None:
        with pytest.raises(ModelError, match="said no") as caught:
            await plain.complete(REQUEST)
        assert caught.value.status == status

    over(failing(status), use)


def test_a_refused_key_is_named_and_never_shown() -> None:
    async def use(plain: HttpUpstream) -> None:
        with pytest.raises(ModelError) as caught:
            await plain.complete(REQUEST)
        assert (caught.value.status, caught.value.kind) == (401, "credentials")
        assert "sk-wrong" not in str(caught.value) + repr(plain) + plain.name

    over(echoing(), use, key="sk-wrong-key-000")


def test_an_endpoint_that_does_not_answer_in_time_is_a_504() -> None:
    async def use(plain: HttpUpstream) -> None:
        with pytest.raises(ModelError) as caught:
            await plain.complete(REQUEST)
        assert caught.value.status == 504

    async def run() -> None:
        async with Gateway(Gate()) as gateway:
            await use(HttpUpstream(gateway.endpoint.base_url, "m", gateway.endpoint.secret, timeout_s=0.05))

    asyncio.run(asyncio.wait_for(run(), 30))


def answering(raw: bytes) -> ChatReply:
    """The reply of an upstream whose endpoint writes these bytes and hangs up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw)
        await writer.drain()
        writer.close()

    async def run() -> ChatReply:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        plain = HttpUpstream(f"http://127.0.0.1:{port}/v1", "m")
        try:
            return await plain.complete(REQUEST)
        finally:
            await plain.close()
            server.close()

    return asyncio.run(asyncio.wait_for(run(), 30))


def http(body: Any, head: str = "HTTP/1.1 200 OK", extra_length: int = 0) -> bytes:
    text = body if isinstance(body, str) else json.dumps(body)
    return f"{head}\r\nContent-Length: {len(text) + extra_length}\r\n\r\n{text}".encode()


@pytest.mark.parametrize(
    "raw",
    [
        http("<html>proxy login</html>"),
        http({"choices": []}),
        http({"object": "list", "data": []}),
        http({"choices": [{"message": {"tool_calls": [{"id": "1"}]}}]}),
        http({"choices": [{"message": {"content": "cut"}}]}, extra_length=50),
        b"",
    ],
    ids=["prose", "no choice", "other object", "nameless call", "cut body", "hang up"],
)
def test_broken_answers_are_a_502_and_never_a_reply(raw: bytes) -> None:
    with pytest.raises(ModelError) as caught:
        answering(raw)
    assert caught.value.status == 502


def test_an_endpoint_that_is_not_there_is_a_502() -> None:
    async def run() -> None:
        with pytest.raises(ModelError) as caught:
            await HttpUpstream("http://127.0.0.1:9/v1", "m").complete(REQUEST)
        assert (caught.value.status, caught.value.kind) == (502, "connection")

    asyncio.run(run())


def test_an_error_without_json_keeps_its_text() -> None:
    with pytest.raises(ModelError, match="Bad gateway, token=\\[redacted\\]") as caught:
        answering(http("Bad gateway, token=abc123", "HTTP/1.1 503 Service Unavailable"))
    assert caught.value.status == 503


def test_arguments_sent_as_an_object_and_odd_finish_reasons_are_taken() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "memory", "arguments": {"content": "x"}}}
    choice = {"message": {"content": None, "tool_calls": [call]}, "finish_reason": "eos"}
    reply = answering(http({"choices": [choice], "usage": None}))
    assert reply.tool_calls[0].arguments == '{"content": "x"}'
    assert (reply.finish_reason, reply.usage.input_tokens) == ("stop", 0)


OK = {"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("raw", "status", "kind", "words"),
    [
        (http({"error": {"message": "model is loading", "code": 503}}), 503, "upstream_error", "model is loading"),
        (http({"error": "no such tenant"}), 502, "upstream_error", "no such tenant"),
        (http({"choices": [{"error": {"message": "over capacity", "code": 529}}]}), 529, "upstream_error", "over cap"),
        (http({"detail": "Unauthenticated"}), 502, "malformed_reply", "Unauthenticated"),
        (http("<html>proxy login</html>"), 502, "malformed_reply", "<html>proxy login"),
        (
            http("data: {}\n\n", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream"),
            *(502, "malformed_reply", "a stream, though none was asked for"),
        ),
        (
            http({"detail": "bad field seed: extra inputs"}, "HTTP/1.1 422 X"),
            422,
            "refused_parameter",
            "bad field seed",
        ),
        (
            http({"error": {"message": "Bad request", "code": "tool_use_failed"}}, "HTTP/1.1 400 X"),
            *(400, "unreadable_output", "tool_use_failed"),
        ),
    ],
    ids=["200 with status", "200 with text", "200 in choice", "200 other", "page", "stream", "422", "code"],
)
def test_the_endpoints_own_words_are_kept(raw: bytes, status: int, kind: str, words: str) -> None:
    with pytest.raises(ModelError) as caught:
        answering(raw)
    assert (caught.value.status, caught.value.kind) == (status, kind)
    assert words in caught.value.message


def test_the_pause_that_an_endpoint_asks_for_comes_with_the_failure() -> None:
    with pytest.raises(ModelError) as caught:
        answering(http({"error": {"message": "slow down"}}, "HTTP/1.1 429 X\r\nRetry-After: 2"))
    assert (caught.value.kind, caught.value.retry_after_s) == ("rate_limit", 2.0)


def test_a_refusal_is_the_models_answer_and_marked() -> None:
    message = {"content": None, "refusal": "I cannot help with that."}
    reply = answering(http({"choices": [{"message": message, "finish_reason": "stop"}]}))
    assert (reply.text, reply.refused) == ("I cannot help with that.", True)
    assert not answering(http(OK)).refused


def test_a_filtered_answer_says_so_and_thinking_beside_an_answer_is_dropped() -> None:
    filtered = answering(http({"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}))
    assert (filtered.text, filtered.finish_reason) == ("", "content_filter")
    message = {"content": [{"type": "text", "text": "fine"}], "reasoning_content": "hm", "extra": {"a": 1}}
    assert answering(http({"choices": [{"message": message}], "timings": {}})).text == "fine"


def test_an_endpoint_that_knows_the_newer_name_of_the_token_limit_is_asked_by_it() -> None:
    def answer(request: ChatRequest) -> ChatReply:
        if "max_tokens" in request.settings:
            raise ModelError(
                "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.", status=400
            )
        return ChatReply(text="fine")

    picky = Answering(answer)

    async def use(plain: HttpUpstream) -> None:
        assert [(await plain.complete(REQUEST)).text for _ in range(2)] == ["fine", "fine"]

    over(picky, use)
    assert [request.settings.get("max_completion_tokens") for request in picky.requests] == [None, 5, 5]
