"""What clients can make a gateway hold: slow ones, huge ones, many of them, and ones that never read."""

from __future__ import annotations

import asyncio
import contextvars
import tracemalloc
from collections.abc import Coroutine
from typing import Any

import httpx
import pytest
from upstream_doubles import Gate, echoing

from stewardbench.models.endpoint import Endpoint
from stewardbench.models.gateway import Gateway
from stewardbench.models.httpserver import ClientLimits, Connection, Request, Response

QUICK = ClientLimits(read_s=0.2)
MEGABYTE = 1024 * 1024
BODY = b'{"messages": [{"role": "user", "content": "hello"}]}'


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 30))


async def opened(endpoint: Endpoint) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    url = httpx.URL(endpoint.base_url)
    return await asyncio.open_connection(url.host, url.port)


def head(secret: str | None, length: int, *lines: str) -> bytes:
    said = [] if secret is None else [f"Authorization: Bearer {secret}"]
    first = ["POST /v1/chat/completions HTTP/1.1", "Host: x"]
    return "\r\n".join([*first, *said, *lines, f"Content-Length: {length}", "", ""]).encode()


async def asked(endpoint: Endpoint) -> httpx.Response:
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {endpoint.secret}"}) as client:
        return await client.post(f"{endpoint.base_url}/chat/completions", content=BODY)


@pytest.mark.parametrize("part", ["nothing", "half a head", "half a body"])
def test_a_request_that_never_becomes_complete_ends(part: str) -> None:
    async def test() -> None:
        async with Gateway(echoing(), limits=QUICK) as gateway:
            reader, writer = await opened(gateway.endpoint)
            whole = head(gateway.endpoint.secret, len(BODY)) + BODY
            writer.write({"nothing": b"", "half a head": whole[:30], "half a body": whole[:-5]}[part])
            answer = await reader.read()
            assert (b" 408 " in answer.split(b"\r\n")[0]) == (part != "nothing")
            assert gateway.exchanges == () and gateway.in_flight == 0
            assert (await asked(gateway.endpoint)).status_code == 200
            writer.close()

    run(test())


def test_a_client_that_drips_gets_no_more_time_for_every_drop() -> None:
    async def test() -> None:
        async with Gateway(echoing(), limits=QUICK) as gateway:
            reader, writer = await opened(gateway.endpoint)
            writer.write(head(gateway.endpoint.secret, 30 * MEGABYTE))

            async def drip() -> None:
                while True:
                    writer.write(b"x")
                    await asyncio.sleep(0)

            dripping = asyncio.create_task(drip())
            assert b" 408 " in await reader.readline()
            dripping.cancel()
            writer.close()

    run(test())


def test_a_slow_upstream_and_a_rest_between_two_requests_are_no_slow_client() -> None:
    async def test() -> None:
        gate = Gate()
        async with Gateway(gate, limits=QUICK) as gateway:
            reader, writer = await opened(gateway.endpoint)
            for _ in range(2):  # the second on the same connection, long after its time to read would have ended
                writer.write(head(gateway.endpoint.secret, len(BODY)) + BODY)
                await asyncio.wait_for(gate.asked.wait(), 20)
                late = asyncio.get_running_loop().create_future()
                asyncio.get_running_loop().call_later(3 * QUICK.read_s, late.set_result, None)
                await late
                gate.go.set()
                assert b" 200 " in await reader.readline()
                length = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"content-length: ")[1].split(b"\r\n")[0]
                await reader.readexactly(int(length))
                rest = asyncio.get_running_loop().create_future()
                asyncio.get_running_loop().call_later(3 * QUICK.read_s, rest.set_result, None)
                await rest
                gate.go.clear()
                gate.asked.clear()
            writer.close()

    run(test())


def test_a_rest_has_its_end_too() -> None:
    async def test() -> None:
        async with Gateway(echoing(), limits=ClientLimits(idle_s=0.05)) as gateway:
            reader, writer = await opened(gateway.endpoint)
            writer.write(head(gateway.endpoint.secret, len(BODY)) + BODY)
            assert (await reader.read()).count(b"HTTP/1.1") == 1  # the answer, then the end and no complaint
            writer.close()

    run(test())


@pytest.mark.parametrize("secret", [None, "wrong"])
def test_without_the_secret_the_answer_comes_before_any_of_the_body(secret: str | None) -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway:
            reader, writer = await opened(gateway.endpoint)
            writer.write(head(secret, 30 * MEGABYTE, "Expect: 100-continue"))
            assert b" 401 " in await reader.readline()  # and no 100
            assert b"connection: close" in (await reader.readuntil(b"\r\n\r\n")).lower()
            writer.close()

    run(test())


@pytest.mark.parametrize("chunked", [False, True])
def test_a_huge_body_without_the_secret_is_not_kept(chunked: bool) -> None:
    async def test() -> None:
        async with Gateway(echoing()) as gateway:
            reader, writer = await opened(gateway.endpoint)
            block = b"x" * 65536
            announced = head("wrong", 16 * MEGABYTE)
            if chunked:
                announced = announced.replace(b"Content-Length: 16777216", b"Transfer-Encoding: chunked")
            tracemalloc.start()
            try:
                writer.write(announced)
                for _ in range(16 * MEGABYTE // len(block)):
                    writer.write(b"10000\r\n" + block + b"\r\n" if chunked else block)
                    await writer.drain()
                assert b" 401 " in await reader.readline()
                assert tracemalloc.get_traced_memory()[1] < 4 * MEGABYTE
            finally:
                tracemalloc.stop()
            writer.close()

    run(test())


def test_connections_that_ask_nothing_give_way_to_one_that_asks() -> None:
    async def test() -> None:
        async with Gateway(echoing(), limits=ClientLimits(connections=4)) as gateway:
            idle = [await opened(gateway.endpoint) for _ in range(20)]
            assert (await asked(gateway.endpoint)).status_code == 200
            ended = [asyncio.create_task(reader.read()) for reader, _ in idle[:16]]
            assert await asyncio.gather(*ended) == [b""] * 16
            assert not any(reader.at_eof() for reader, _ in idle[17:])
            for _, writer in idle:
                writer.close()

    run(test())


def test_one_request_more_than_the_limit_is_a_503_and_the_others_are_answered() -> None:
    async def test() -> None:
        gate = Gate()
        async with Gateway(gate, limits=ClientLimits(connections=3)) as gateway:
            busy = [asyncio.create_task(asked(gateway.endpoint)) for _ in range(3)]
            while gateway.in_flight < 3:
                await asyncio.sleep(0)
            reader, writer = await opened(gateway.endpoint)
            assert b" 503 " in await reader.readline()
            writer.close()
            gate.go.set()
            assert [answer.status_code for answer in await asyncio.gather(*busy)] == [200] * 3
            assert (await asked(gateway.endpoint)).status_code == 200

    run(test())


class Counting:
    """A service that counts what it is asked."""

    def __init__(self) -> None:
        self.handled = 0

    def admit(self, request: Request, response: Response) -> bool:
        return True

    def refuse(self, response: Response, status: int, message: str) -> None:
        raise AssertionError(message)

    def context(self) -> contextvars.Context:
        return contextvars.copy_context()

    async def handle(self, request: Request, response: Response) -> None:
        self.handled += 1
        response.json(200, {})


class Pipe(asyncio.Transport):
    """A transport that only keeps what was written and how it ended."""

    def __init__(self) -> None:
        super().__init__()
        self.written, self.ended = b"", ""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return bool(self.ended)

    def close(self) -> None:
        self.ended = "closed"

    def abort(self) -> None:
        self.ended = "dropped"


async def settled(pipe: Pipe, ended: str) -> None:
    while pipe.ended != ended:
        await asyncio.sleep(0)


def test_a_client_that_does_not_read_gets_no_further_answers_and_is_let_go() -> None:
    async def test() -> None:
        service, pipe, peers = Counting(), Pipe(), set[Connection]()
        connection = Connection(service, peers, ClientLimits(read_s=0.05))
        connection.connection_made(pipe)
        request = head("any", len(BODY)) + BODY
        connection.data_received(request)
        assert connection.task is not None
        await connection.task
        connection.pause_writing()
        connection.data_received(request * 3)
        await asyncio.sleep(0)
        assert connection.task is None
        assert service.handled == 1
        connection.resume_writing()
        while service.handled < 4:
            await asyncio.sleep(0)
        connection.pause_writing()
        await settled(pipe, "closed")  # which would wait for the client to read what was written ...
        await settled(pipe, "dropped")  # ... for ever

    run(test())
