"""What the model gateway costs: CPU per call without and with Inspect behind it, calls per second, start and stop.

The client is a process of its own that speaks bare HTTP, so that the CPU time of this process is the gateway's alone.
The request is as large as a real agent's: a long system prompt, six turns of history and twelve tools.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream
from stewardbench.models.scripted.model import ScriptedModel

CALLS = 400
EPISODE_CALLS = 11  # model calls of an eight-turn episode


class Instant:
    """An upstream that takes no time."""

    name = "instant"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One fixed answer."""
        return ChatReply(text="A fixed answer of some length. " * 10)


def request_body(stream: bool) -> bytes:
    """A request of an agent's usual size, about 28 kB."""
    history = [{"role": "user", "content": "turn " * 120}, {"role": "assistant", "content": "reply " * 100}] * 6
    properties = {f"argument_{n}": {"type": "string", "description": "what it means " * 8} for n in range(6)}
    tools = [
        {
            "type": "function",
            "function": {
                "name": f"tool_{n}",
                "description": "what it does " * 30,
                "parameters": {"type": "object", "properties": properties},
            },
        }
        for n in range(12)
    ]
    messages = [{"role": "system", "content": "rules " * 1300}, *history, {"role": "user", "content": "And now?"}]
    body = {"model": "m", "messages": messages, "tools": tools, "stream": stream}
    return json.dumps(body).encode()


def drive(port: int, secret: str, body: bytes, at_once: int, calls: int) -> float:
    """The client: ``calls`` requests over ``at_once`` kept connections. Returns wall seconds."""
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n"
    request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    async def one(share: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(share):
            writer.write(request)
            answer = await reader.readuntil(b"\r\n\r\n")
            lower = answer.lower()
            if b"content-length:" in lower:
                await reader.readexactly(int(lower.split(b"content-length:")[1].split(b"\r\n")[0]))
            else:
                await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.close()

    async def everyone() -> None:
        await asyncio.gather(*(one(calls // at_once) for _ in range(at_once)))

    started = time.perf_counter()
    asyncio.run(everyone())
    return time.perf_counter() - started


async def measure(pool: ProcessPoolExecutor, upstream: Upstream, stream: bool, at_once: int) -> tuple[float, float]:
    """CPU milliseconds per call in this process, and calls per second."""
    loop = asyncio.get_running_loop()
    async with Gateway(upstream) as gateway:
        port = int(gateway.endpoint.base_url.split(":")[2].removesuffix("/v1"))
        asked = (port, gateway.endpoint.secret, request_body(stream), at_once)
        await loop.run_in_executor(pool, drive, *asked, at_once)
        before = time.process_time()
        wall = await loop.run_in_executor(pool, drive, *asked, CALLS)
        return (time.process_time() - before) / CALLS * 1e3, CALLS / wall


def inspect_upstream() -> Upstream:
    """A scripted model through Inspect's whole model layer."""
    from inspect_ai.model import get_model

    from stewardbench.models.inspect_upstream import InspectUpstream

    return InspectUpstream(get_model("scripted/silent"))


async def start_and_stop(times: int = 100) -> float:
    """Milliseconds to open and close one gateway."""
    before = time.perf_counter()
    for _ in range(times):
        async with Gateway(Instant()):
            pass
    return (time.perf_counter() - before) / times * 1e3


def main() -> None:
    """Print the table."""
    rows: list[tuple[str, Callable[[], Any]]] = [
        ("instant upstream", Instant),
        ("scripted model", lambda: ScriptedModel("silent")),
        ("scripted model through Inspect", inspect_upstream),
    ]
    print(f"{'upstream':32} {'answer':9} {'clients':>7} {'CPU ms/call':>12} {'CPU ms/episode':>15} {'calls/s':>8}")
    with ProcessPoolExecutor(1) as pool:
        for name, upstream in rows:
            for stream, at_once in ((False, 1), (True, 1), (True, 16)):
                cpu, rate = asyncio.run(measure(pool, upstream(), stream, at_once))
                answer = "streamed" if stream else "whole"
                print(f"{name:32} {answer:9} {at_once:7} {cpu:12.2f} {cpu * EPISODE_CALLS:15.1f} {rate:8.0f}")
    print(f"one gateway opened and closed: {asyncio.run(start_and_stop()):.2f} ms")
