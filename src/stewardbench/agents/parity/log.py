"""A model server that keeps every request body. It stands for the world's end: its answers are scripted.

It answers ``call NAME {JSON}`` in the last user turn with that tool call, and everything else with a numbered text.
"""

from __future__ import annotations

import itertools
import json
import re
from types import TracebackType
from typing import Any, Self

from aiohttp import web

SECRET = "key-of-the-parity-check"
CALL = re.compile(r"^(?:\[[^\]]*\] )?call (\w+) (\{.*\})$", re.MULTILINE)
MAX_BYTES = 1 << 26
Body = dict[str, Any]


class LogServer:
    """A running server on loopback, as an async context manager. ``bodies`` are the requests that offer tools."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self._runner: web.AppRunner | None = None
        self.port = 0

    @property
    def base_url(self) -> str:
        """Where an agent finds it."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=MAX_BYTES)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": []})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body: Body = await request.json()
        if body.get("tools"):  # calls without are not of the conversation: titles
            self.bodies.append(body)
        number = len(self.bodies) if body.get("tools") else 0
        message, ending = answer(body, number)
        shared = {"id": f"reply-{number}", "created": 1, "model": body.get("model")}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": ending}
            return web.json_response({**shared, "object": "chat.completion", "choices": [choice], "usage": usage})
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        calls = [{"index": i, **call} for i, call in enumerate(message.get("tool_calls") or ())]
        delta = {**message, **({"tool_calls": calls} if calls else {})}
        for choices, extra in (
            ([{"index": 0, "delta": delta, "finish_reason": None}], {}),
            ([{"index": 0, "delta": {}, "finish_reason": ending}], {}),
            ([], {"usage": usage}),
        ):
            chunk = {**shared, "object": "chat.completion.chunk", "choices": choices, **extra}
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response


def answer(body: Body, number: int) -> tuple[dict[str, Any], str]:
    """The scripted reply to one request, and how it ends."""
    said = itertools.takewhile(lambda message: message["role"] == "user", reversed(body["messages"]))
    texts = "\n".join(text_of(message) for message in said)  # an agent may put messages of its own behind its user's
    asked = CALL.search(texts) if body.get("tools") else None
    if not number:
        return {"role": "assistant", "content": "A title"}, "stop"
    if asked is None:
        return {"role": "assistant", "content": f"Reply number {number}."}, "stop"
    function = {"name": asked[1], "arguments": asked[2]}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, whose content is a text, a list of parts, or nothing."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)
