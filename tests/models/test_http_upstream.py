"""A plain endpoint as an upstream: our own gateway as the endpoint, and servers that break in every known way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from upstream_doubles import TOOL, Gate, calling, echoing, failing

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
