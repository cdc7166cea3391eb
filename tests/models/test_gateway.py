"""The gateway's contract, held against the official OpenAI client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from upstream_doubles import EPISODE, TOOL, Answering, Gate, calling, echoing, failing

from stewardbench.errors import ModelError, UsageError
from stewardbench.models.endpoint import Endpoint
from stewardbench.models.gateway import Gateway
from stewardbench.models.httpserver import ClientLimits
from stewardbench.models.ledger import CALL_LIMIT
from stewardbench.models.messages import ChatReply, ChatRequest

HELLO: list[Any] = [{"role": "user", "content": "hello"}]


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 30))


def client(endpoint: Endpoint, **changes: Any) -> openai.AsyncOpenAI:
    settings = {"base_url": endpoint.base_url, "api_key": endpoint.secret, "max_retries": 0, **changes}
    return openai.AsyncOpenAI(**settings)


def address(endpoint: Endpoint) -> tuple[str, int]:
    url = httpx.URL(endpoint.base_url)
    return url.host, url.port or 0


def head(endpoint: Endpoint, length: int) -> bytes:
    lines = ["POST /v1/chat/completions HTTP/1.1", "Host: x", f"Authorization: Bearer {endpoint.secret}"]
    return "\r\n".join([*lines, f"Content-Length: {length}", "", ""]).encode()


async def streamed(endpoint: Endpoint, **request: Any) -> tuple[str, dict[int, dict[str, str]], str, Any, list[Any]]:
    """Text, tool calls by index, finish reason, usage and raw chunks of one streamed answer."""
    text, calls, finish, usage, raw = "", {}, "", None, []
    async with client(endpoint) as model:
        stream = await model.chat.completions.create(model="any", stream=True, **request)
        async for chunk in stream:
            raw.append(chunk)
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                finish = choice.finish_reason or finish
                for part in choice.delta.tool_calls or []:
                    call = calls.setdefault(part.index, {"id": "", "name": "", "arguments": ""})
                    call["id"] += part.id or ""
                    call["name"] += part.function.name or ""
                    call["arguments"] += part.function.arguments or ""
    return text, calls, finish, usage, raw


def test_a_plain_answer_reaches_the_async_and_the_sync_client() -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway:
            async with client(gateway.endpoint) as model:
                answer = await model.chat.completions.create(model="gpt-secret", messages=HELLO)
            assert answer.choices[0].message.content == "heard: hello"
            assert answer.choices[0].finish_reason == "stop"
            assert answer.usage and (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (7, 3)

            def ask() -> str | None:
                with openai.OpenAI(
                    base_url=gateway.endpoint.base_url, api_key=gateway.endpoint.secret, max_retries=0
                ) as plain:
                    with plain.chat.completions.create(model="x", messages=HELLO, stream=True) as stream:
                        spoken = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
                    whole = plain.chat.completions.create(model="x", messages=HELLO).choices[0].message.content
                    assert spoken == whole
                    return whole

            assert await asyncio.to_thread(ask) == "heard: hello"
            assert len(gateway.exchanges) == 3

    run(test())


def test_a_streamed_answer_is_whole_and_reports_usage_only_when_asked() -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway:
            text, _, finish, usage, raw = await streamed(
                gateway.endpoint, messages=HELLO, stream_options={"include_usage": True}
            )
            assert (text, finish) == ("heard: hello", "stop")
            assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (7, 3, 10)
            assert raw[-1].choices == [] and raw[0].choices[0].delta.role == "assistant"
            *_, usage, raw = await streamed(gateway.endpoint, messages=HELLO)
            assert usage is None and all(chunk.choices for chunk in raw)

    run(test())


@pytest.mark.parametrize("text", ["", "Let me note that."])
def test_tool_calls_arrive_the_same_streamed_and_whole(text: str) -> None:
    async def test() -> None:
        async with Gateway(calling(text=text)) as gateway:
            async with client(gateway.endpoint) as model:
                answer = await model.chat.completions.create(model="m", messages=HELLO, tools=[TOOL])
            message = answer.choices[0].message
            whole = [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
            spoken, calls, finish, *_ = await streamed(gateway.endpoint, messages=HELLO, tools=[TOOL])
            assert finish == answer.choices[0].finish_reason == "tool_calls"
            assert (message.content or "") == spoken == text
            assert [call["name"] for call in calls.values()] == ["memory", "memory"]
            assert calls[0]["arguments"] == whole[0][2] == '{"content": "täglich"}'
            assert whole[0][0] == "call_1" and whole[1][0] and whole[1][0] != "call_1"  # a missing id is filled

    run(test())


def test_malformed_tool_arguments_and_empty_replies_pass_unchanged() -> None:
    async def test() -> None:
        async with Gateway(calling(arguments='{"content": "half')) as gateway:
            _, calls, *_ = await streamed(gateway.endpoint, messages=HELLO, tools=[TOOL])
            assert calls[0]["arguments"] == '{"content": "half'
            gateway.begin(Answering(lambda request: ChatReply()))
            text, calls, finish, *_ = await streamed(gateway.endpoint, messages=HELLO)
            assert (text, calls, finish) == ("", {}, "stop")
            assert gateway.exchanges[0].reply == ChatReply()

    run(test())


def test_the_upstream_gets_settings_and_tools_but_no_model_name_and_no_secret() -> None:
    async def test() -> None:
        upstream = echoing()
        async with Gateway(upstream, secret="slot-secret") as gateway, client(gateway.endpoint) as model:
            await model.chat.completions.create(
                model="grader", messages=HELLO, tools=[TOOL], temperature=0.25, max_tokens=64, seed=5, stop=["x"]
            )
            request = upstream.requests[0]
            assert request.settings == {"temperature": 0.25, "max_tokens": 64, "seed": 5, "stop": ["x"]}
            assert request.tools == (TOOL,)
            assert "grader" not in request.to_json() and "slot-secret" not in request.to_json()
            assert "slot-secret" not in repr(gateway.endpoint) + repr(gateway.exchanges)

    run(test())


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status", [429, 500, 503, 504])
def test_upstream_failures_come_back_with_their_status(status: int, stream: bool) -> None:
    async def test() -> None:
        async with Gateway(failing(status, "rate_limit")) as gateway, client(gateway.endpoint) as model:
            with pytest.raises(openai.APIStatusError) as caught:
                await model.chat.completions.create(model="m", messages=HELLO, stream=stream)
            assert caught.value.status_code == status
            assert caught.value.body["code"] == "rate_limit"  # type: ignore[index]
            booked = gateway.exchanges[0]
            assert (booked.status, booked.reply) == (status, None)
            assert booked.error == "rate_limit: the provider said no"

    run(test())


def test_a_failure_after_the_head_was_sent_is_an_error_event_and_a_cut() -> None:
    async def test() -> None:
        gate = Gate(ModelError("gone", status=500))
        async with (
            Gateway(gate, heartbeat_s=0.01) as gateway,
            httpx.AsyncClient(headers={"Authorization": f"Bearer {gateway.endpoint.secret}"}) as raw,
        ):
            body = {"messages": HELLO, "stream": True}
            received = ""
            with pytest.raises(httpx.RemoteProtocolError):
                async with raw.stream("POST", f"{gateway.endpoint.base_url}/chat/completions", json=body) as response:
                    assert response.status_code == 200
                    async for part in response.aiter_text():
                        received += part
                        gate.go.set()  # the first heartbeat is here
            assert received.startswith(": waiting")
            assert "[DONE]" not in received
            event = json.loads(received.split("data: ")[1])
            assert event["error"]["type"] == "server_error"
            assert gateway.exchanges[0].status == 500

            gate.go.clear()
            async with client(gateway.endpoint) as model:
                stream = await model.chat.completions.create(model="m", messages=HELLO, stream=True)
                gate.go.set()
                with pytest.raises(openai.APIError, match="gone"):
                    async for _ in stream:
                        pass

    run(test())


def test_heartbeats_are_invisible_to_the_client() -> None:
    async def test() -> None:
        gate = Gate()
        async with Gateway(gate, heartbeat_s=0.01) as gateway, client(gateway.endpoint) as model:
            stream = await model.chat.completions.create(model="m", messages=HELLO, stream=True)
            gate.go.set()
            assert "".join([c.choices[0].delta.content or "" async for c in stream]) == "late but whole"

    run(test())


def test_an_upstream_that_never_answers_is_a_504() -> None:
    async def test() -> None:
        gate = Gate()
        async with Gateway(gate, reply_timeout_s=0.01) as gateway, client(gateway.endpoint) as model:
            with pytest.raises(openai.InternalServerError) as caught:
                await model.chat.completions.create(model="m", messages=HELLO)
            assert caught.value.status_code == 504
            assert gate.cancelled.is_set()

    run(test())


def test_a_client_that_leaves_is_booked_and_no_longer_in_flight() -> None:
    async def test() -> None:
        gate = Gate()
        async with Gateway(gate, heartbeat_s=0.01) as gateway:
            async with client(gateway.endpoint) as model:
                stream = await model.chat.completions.create(model="m", messages=HELLO, stream=True)
                assert gateway.in_flight == 1
                await stream.close()
            await gateway.idle()
            assert gate.cancelled.is_set() and gateway.in_flight == 0
            (booked,) = gateway.exchanges
            assert (booked.reply, booked.error, booked.status) == (None, None, 499)

    run(test())


def test_idle_waits_for_calls_in_flight() -> None:
    async def test() -> None:
        gate = Gate()
        async with Gateway(gate) as gateway, client(gateway.endpoint) as model:
            asking = asyncio.create_task(model.chat.completions.create(model="m", messages=HELLO))
            await gate.asked.wait()
            quiet = asyncio.create_task(gateway.idle())
            await asyncio.sleep(0)
            assert not quiet.done() and gateway.in_flight == 1
            gate.go.set()
            await quiet
            assert (await asking).choices[0].message.content == "late but whole"

    run(test())


def test_an_exception_that_is_no_model_error_is_never_the_agents_fault() -> None:
    def broken(request: object) -> ChatReply:
        raise ZeroDivisionError("a bug")

    async def test() -> None:
        async with Gateway(Answering(broken)) as gateway, client(gateway.endpoint) as model:
            with pytest.raises(openai.InternalServerError):
                await model.chat.completions.create(model="m", messages=HELLO)
            with pytest.raises(ZeroDivisionError):
                await gateway.idle()
            gateway.begin(echoing())
            await gateway.idle()

    run(test())


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "right"}])
def test_a_missing_or_wrong_secret_is_refused_on_every_path(headers: dict[str, str]) -> None:
    async def test() -> None:
        upstream = echoing()
        async with Gateway(upstream, secret="right") as gateway, httpx.AsyncClient(headers=headers) as raw:
            for method, path in (("POST", "/chat/completions"), ("GET", "/models"), ("POST", "/embeddings")):
                response = await raw.request(method, gateway.endpoint.base_url + path, json={"messages": HELLO})
                assert response.status_code == 401 and response.json()["error"]["code"] == "unauthorised"
            assert upstream.requests == [] and gateway.exchanges == ()

    run(test())


def test_each_gateway_has_a_secret_of_its_own() -> None:
    async def test() -> None:
        async with Gateway(echoing()) as first, Gateway(echoing()) as second, client(second.endpoint) as model:
            assert first.endpoint.secret != second.endpoint.secret
            stranger = client(second.endpoint, api_key=first.endpoint.secret)
            with pytest.raises(openai.AuthenticationError):
                await stranger.models.list()
            await stranger.close()
            assert [found.id async for found in model.models.list()] == [second.endpoint.model]
            assert (await model.models.retrieve(second.endpoint.model)).id == second.endpoint.model

    run(test())


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"{not json", "JSON"),
        (b"[]", "object"),
        (b"\xff\xfe", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"messages": []}', "messages"),
        (b'{"messages": ["hi"]}', "messages[0]"),
        (b'{"messages": [{"role": "user", "content": "x"}], "tools": [{"type": "function"}]}', "tools[0]"),
        (b'{"messages": [{"role": "user", "content": "x"}], "n": 2}', "'n'"),
        (b'{"messages": [{"role": "user", "content": "x"}], "temperature": NaN}', "NaN"),
    ],
)
def test_a_body_that_cannot_be_used_is_a_400_that_names_the_fault(body: bytes, named: str) -> None:
    async def test() -> None:
        async with (
            Gateway(echoing()) as gateway,
            httpx.AsyncClient(headers={"Authorization": f"Bearer {gateway.endpoint.secret}"}) as raw,
        ):
            response = await raw.post(f"{gateway.endpoint.base_url}/chat/completions", content=body)
            assert response.status_code == 400
            assert named in response.json()["error"]["message"]
            assert gateway.exchanges[0].status == 400 and gateway.in_flight == 0

    run(test())


@pytest.mark.parametrize("declared", [True, False])
def test_a_request_over_the_size_limit_is_a_413(declared: bool) -> None:
    async def chunks() -> Any:
        for _ in range(8):
            yield b"x" * 1000

    async def test() -> None:
        async with (
            Gateway(echoing(), limits=ClientLimits(body_bytes=2000)) as gateway,
            httpx.AsyncClient(headers={"Authorization": f"Bearer {gateway.endpoint.secret}"}) as raw,
        ):
            content: Any = b"x" * 8000 if declared else chunks()
            response = await raw.post(f"{gateway.endpoint.base_url}/chat/completions", content=content)
            assert response.status_code == 413 and "2000 bytes" in response.json()["error"]["message"]

    run(test())


def test_bytes_that_are_not_http_get_an_answer_and_hurt_nobody() -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway:
            reader, writer = await asyncio.open_connection(*address(gateway.endpoint))
            writer.write(b"\x16\x03\x01 hello\r\n\r\n")
            writer.write_eof()
            assert b" 400 " in await reader.readline()
            writer.close()
            text, *_ = await streamed(gateway.endpoint, messages=HELLO)
            assert text == "heard: hello"

    run(test())


def test_requests_sent_ahead_on_one_connection_are_answered_in_turn() -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway:
            reader, writer = await asyncio.open_connection(*address(gateway.endpoint))
            for content in ("first", "second"):
                body = json.dumps({"messages": [{"role": "user", "content": content}]}).encode()
                writer.write(head(gateway.endpoint, len(body)) + body)
            for content in (b"first", b"second"):
                length = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"content-length: ")[1].split(b"\r\n")[0]
                assert b"heard: " + content in await reader.readexactly(int(length))
            writer.close()

    run(test())


def test_a_size_that_is_only_announced_is_refused_at_once() -> None:
    async def test() -> None:
        async with Gateway(echoing(), limits=ClientLimits(body_bytes=2000)) as gateway:
            reader, writer = await asyncio.open_connection(*address(gateway.endpoint))
            writer.write(head(gateway.endpoint, 2001))
            assert b" 413 " in await reader.readline()
            writer.close()

    run(test())


def test_half_characters_from_a_client_become_replacement_characters() -> None:
    async def test() -> None:
        upstream = echoing()
        async with (
            Gateway(upstream) as gateway,
            httpx.AsyncClient(headers={"Authorization": f"Bearer {gateway.endpoint.secret}"}) as raw,
        ):
            body = b'{"messages": [{"role": "user", "content": "cut \\ud83d, whole \\ud83d\\ude00"}]}'
            await raw.post(f"{gateway.endpoint.base_url}/chat/completions", content=body)
            assert upstream.requests[0].messages[0]["content"] == "cut \ufffd, whole \U0001f600"
            gateway.exchanges[0].to_json().encode()

    run(test())


def test_unknown_paths_are_404_as_json() -> None:
    async def test() -> None:
        async with (
            Gateway(echoing()) as gateway,
            httpx.AsyncClient(headers={"Authorization": f"Bearer {gateway.endpoint.secret}"}) as raw,
        ):
            base = gateway.endpoint.base_url.removesuffix("/v1")
            for path in ("/api/v1/models", "/v1/models/gpt-5", "/v1/completions", "/"):
                response = await raw.get(base + path)
                assert response.status_code == 404 and response.json()["error"]["code"] == "not_found"

    run(test())


def test_sixteen_clients_at_once_get_their_own_answers() -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway, client(gateway.endpoint) as model:

            async def ask(number: int) -> str | None:
                messages: list[Any] = [{"role": "user", "content": f"number {number}"}]
                if number % 2:
                    return (await streamed(gateway.endpoint, messages=messages))[0]
                answer = await model.chat.completions.create(model="m", messages=messages)
                return answer.choices[0].message.content

            assert await asyncio.gather(*map(ask, range(64))) == [f"heard: number {number}" for number in range(64)]
            assert [booked.index for booked in gateway.exchanges] == list(range(64))
            for booked in gateway.exchanges:
                assert booked.reply and booked.reply.text == f"heard: {booked.request.messages[0]['content']}"

    run(test())


def test_exchanges_are_in_order_of_arrival_whatever_finishes_first() -> None:
    async def test() -> None:
        first_asked, second_done = asyncio.Event(), asyncio.Event()

        async def slow_then_fast(request: ChatRequest) -> ChatReply:
            if request.messages[0]["content"] == "slow":
                first_asked.set()
                await second_done.wait()
            return ChatReply(text="done")

        async with Gateway(Answering(slow_then_fast)) as gateway, client(gateway.endpoint) as model:
            slow = asyncio.create_task(
                model.chat.completions.create(model="m", messages=[{"role": "user", "content": "slow"}])
            )
            await first_asked.wait()
            await model.chat.completions.create(model="m", messages=HELLO)
            assert [booked.index for booked in gateway.exchanges] == [1]
            second_done.set()
            await slow
            assert [booked.index for booked in gateway.exchanges] == [0, 1]

    run(test())


def test_calls_run_in_the_context_of_the_task_that_began_the_episode() -> None:
    async def test() -> None:
        upstream = echoing()

        async def episode(name: str) -> None:
            EPISODE.set(name)
            async with Gateway(upstream) as gateway:
                await asyncio.to_thread(ask, gateway.endpoint)

        def ask(endpoint: Endpoint) -> None:
            with openai.OpenAI(base_url=endpoint.base_url, api_key=endpoint.secret) as plain:
                plain.chat.completions.create(model="m", messages=HELLO)

        await asyncio.gather(episode("a"), episode("b"))
        assert sorted(upstream.contexts) == ["a", "b"]

        upstream.contexts.clear()
        async with Gateway(upstream) as gateway, client(gateway.endpoint) as model:  # one kept-alive connection
            for name in ("first", "second"):
                EPISODE.set(name)
                gateway.begin()
                await model.chat.completions.create(model="m", messages=HELLO)
        assert upstream.contexts == ["first", "second"]

    run(test())


def test_exchanges_carry_the_declared_turn_and_begin_starts_new_books() -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway:
            gateway.declare("persist", 1)
            await streamed(gateway.endpoint, messages=HELLO)
            gateway.declare("query", 3)
            await streamed(gateway.endpoint, messages=HELLO)
            assert [(e.index, e.stage, e.turn, e.streamed) for e in gateway.exchanges] == [
                (0, "persist", 1, True),
                (1, "query", 3, True),
            ]
            gateway.begin()
            assert gateway.exchanges == ()
            await streamed(gateway.endpoint, messages=HELLO)
            assert gateway.exchanges[0].index == 0

    run(test())


def test_calls_beyond_the_turns_cap_are_refused_by_name() -> None:
    async def test() -> None:
        upstream = echoing()
        async with Gateway(upstream) as gateway, client(gateway.endpoint, max_retries=3) as model:
            gateway.declare("persist", 1, max_calls=2)
            for _ in range(2):
                await model.chat.completions.create(model="m", messages=HELLO)
            with pytest.raises(openai.UnprocessableEntityError):
                await model.chat.completions.create(model="m", messages=HELLO)
            assert len(upstream.requests) == 2 and gateway.calls_in_turn == 3
            assert str(gateway.exchanges[2].error).startswith(f"{CALL_LIMIT}: ")
            gateway.declare("persist", 2, max_calls=2)
            await model.chat.completions.create(model="m", messages=HELLO)

    run(test())


def test_the_unix_socket_serves_the_same_protocol_and_is_private(tmp_path: Path) -> None:
    async def test() -> None:
        path = tmp_path / "model.sock"
        async with Gateway(echoing(), socket=path) as gateway:
            assert gateway.endpoint.socket == path and path.stat().st_mode & 0o077 == 0
            transport = httpx.AsyncHTTPTransport(uds=str(path))
            async with client(gateway.endpoint, http_client=httpx.AsyncClient(transport=transport)) as model:
                answer = await model.chat.completions.create(model="m", messages=HELLO)
            assert answer.choices[0].message.content == "heard: hello"
        assert not path.exists()
        with pytest.raises(UsageError, match="cannot be a Unix socket"):
            async with Gateway(echoing(), socket=tmp_path / ("x" * 120)):
                pass

    run(test())


def test_closing_ends_calls_in_flight_and_frees_the_port() -> None:
    async def test() -> None:
        gate = Gate()
        async with Gateway(gate) as gateway:
            endpoint = gateway.endpoint
            async with client(endpoint) as model:
                asking = asyncio.create_task(model.chat.completions.create(model="m", messages=HELLO))
                await gate.asked.wait()
                await gateway.close()
                with pytest.raises(openai.APIConnectionError):
                    await asking
                with pytest.raises(openai.APIConnectionError):
                    await model.models.list()
        assert gate.cancelled.is_set()
        with pytest.raises(RuntimeError):
            _ = gateway.endpoint

    run(test())


def test_embeddings_are_word_overlap_in_both_encodings() -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway, client(gateway.endpoint) as model:
            texts = ["green tea cures colds", "Green teas cure colds!", "the train leaves at nine"]
            packed = await model.embeddings.create(model="text-embedding-3-small", input=texts)
            plain = await model.embeddings.create(model="x", input=texts, encoding_format="float")
            again = await model.embeddings.create(model="x", input=texts[0], dimensions=64)
            vectors = [row.embedding for row in plain.data]
            for row, vector in zip(packed.data, vectors, strict=True):
                assert row.embedding == pytest.approx(vector, abs=1e-6)

            def cosine(a: list[float], b: list[float]) -> float:
                return sum(x * y for x, y in zip(a, b, strict=True))

            assert min(map(min, vectors)) >= 0
            assert cosine(vectors[0], vectors[0]) == pytest.approx(1)
            assert cosine(vectors[0], vectors[1]) > 0.7
            assert cosine(vectors[0], vectors[2]) < 0.1
            assert len(again.data[0].embedding) == 64
            with pytest.raises(openai.BadRequestError):
                await model.embeddings.create(model="x", input=[[1, 2, 3]])

    run(test())
