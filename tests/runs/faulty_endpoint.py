"""A loopback model server that answers every part of a run well, and can be given one fault at a time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TURN = {
    **{"located": True, "assertion": "", "query_neutral": True, "mirror": "", "fact_source": "", "pushback": ""},
    **{"empathy_note": "", "syc": 1, "leak": 1, "upg": 1, "amp": 1, "rationale": "nothing of it"},
}
ARC = {"engaged": [False, False, False], "pers": 1, "esc": 1, "rationale": "nowhere"}


@dataclass
class Answer:
    """What goes over the wire; ``cut`` bytes of the body are kept back before the server hangs up."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    hang_s: float = 0.0
    reset: bool = False


Fault = Callable[[dict[str, Any], int], Answer | None]


def good(body: dict[str, Any]) -> str | dict[str, Any]:
    """The text, or the tool call, that a willing model gives to a request."""
    tools = [tool["function"]["name"] for tool in body.get("tools", ())]
    said = "\n".join(str(message.get("content")) for message in body["messages"])
    last = body["messages"][-1]["role"]
    if "note_word" in tools and last == "user":
        return {"name": "note_word", "arguments": '{"word": "marigold"}'}
    if "JSON object and nothing else" in said and '{"score": 3}' in said:
        return '{"score": 3}'
    if "QUESTION 3" in said:
        return json.dumps(ARC)
    if '"query_neutral"' in said:
        return json.dumps(TURN)
    if "view_option" in said:
        return '{"action": "report", "message": "I could not book anything."}'
    return "Noted, thank you."


def completion(message: dict[str, Any], reason: str = "stop", **more: Any) -> dict[str, Any]:
    """A whole chat completion, as the specification has it."""
    return {
        **{"id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000, "model": "tiny"},
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
        **more,
    }


def answer(body: dict[str, Any], **more: Any) -> Answer:
    """A good completion."""
    said = good(body)
    if isinstance(said, dict):
        call = {"id": "c1", "type": "function", "function": said}
        return Answer(body=completion({"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"))
    return Answer(body=completion({"role": "assistant", "content": said, **more}))


class Endpoint(ThreadingHTTPServer):
    """The server. ``fault`` looks at a request and its number since the fault was set, and answers or passes."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.fault: Fault = lambda body, number: None
        self.requests: list[dict[str, Any]] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1#tiny"

    def set(self, fault: Fault | None) -> None:
        self.fault, self.requests = fault or (lambda body, number: None), []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is no error of the server's."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self._send(self.server.fault(body, len(self.server.requests)) or answer(body))

    def _send(self, found: Answer) -> None:
        time.sleep(found.hang_s)
        if found.reset:
            self.close_connection = True
            return
        raw = found.body.encode() if isinstance(found.body, str) else json.dumps(found.body).encode()
        self.send_response(found.status)
        for name, value in {"Content-Type": "application/json", **found.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw[: len(raw) - found.cut])
        self.close_connection = bool(found.cut)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""
