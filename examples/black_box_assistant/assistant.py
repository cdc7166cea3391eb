"""An assistant with a memory that is reachable over HTTP only: `--agent http` measures it without looking inside.

    python assistant.py --model http://127.0.0.1:8000/v1#qwen3 --port 8700

It answers OpenAI-compatible chat requests and the three actions beside them, keeps one memory per user, and calls the
model of its own that `--model` names (key: ASSISTANT_MODEL_KEY). Whoever asks needs the key ASSISTANT_KEY, if that is
set. Standard library only; everything is in memory, on loopback, and gone when it stops.
"""

from __future__ import annotations

import argparse
import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PROMPT = "You are a personal assistant with a memory.\n\nWhat you keep about the user:\n{kept}"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "remember",
            "description": "Keep something about the user for later conversations.",
            "parameters": {
                "type": "object",
                "properties": {"kind": {"type": "string", "enum": ["profile", "memory"]}, "text": {"type": "string"}},
                "required": ["kind", "text"],
            },
        },
    }
]
MODEL_CALLS = 10  # per turn

Body = dict[str, Any]


@dataclass
class User:
    """What the assistant holds of one user: a memory that lasts, and the turns of each session."""

    memory: list[Body] = field(default_factory=list)
    sessions: dict[str, list[Body]] = field(default_factory=dict)


class Assistant:
    """The assistant proper."""

    def __init__(self, model: str, key: str = "") -> None:
        self._url, _, self._model = model.partition("#")
        self._key = key
        self._users: dict[str, User] = {}

    def reset(self, body: Body) -> Body:
        """Forget a user altogether."""
        self._users[str(body["user"])] = User()
        return {}

    def session(self, body: Body) -> Body:
        """Begin a session: its turns are kept here, so that each request brings the new one alone."""
        self._user(body).sessions[str(body["session_id"])] = []
        return {}

    def memory(self, body: Body) -> Body:
        """What is kept about a user: a list of entries with kind (profile, memory or skill), key and text."""
        return {"entries": self._user(body).memory}

    def chat(self, body: Body) -> Body:
        """Answer the last message of a session, in the form of a chat completion."""
        user = self._user(body)
        turns = user.sessions.setdefault(str(body["session_id"]), [])
        turns.append({"role": "user", "content": body["messages"][-1]["content"]})
        for _ in range(MODEL_CALLS):
            kept = "\n".join(f"- {one['text']}" for one in user.memory) or "(nothing)"
            message = self._ask([{"role": "system", "content": PROMPT.format(kept=kept)}, *turns])
            turns.append(message)
            for call in message.get("tool_calls") or ():
                given = json.loads(call["function"]["arguments"])
                entry = {"kind": given["kind"], "key": str(len(user.memory) + 1), "text": given["text"]}
                user.memory.append(entry)
                turns.append({"role": "tool", "tool_call_id": call["id"], "content": "Kept."})
            if not message.get("tool_calls"):
                answer = {"role": "assistant", "content": message.get("content") or ""}
                return {"choices": [{"index": 0, "message": answer, "finish_reason": "stop"}]}
        raise RuntimeError(f"the model asked for tools {MODEL_CALLS} times")

    def _user(self, body: Body) -> User:
        return self._users.setdefault(str(body["user"]), User())

    def _ask(self, messages: list[Body]) -> Body:
        data = json.dumps({"model": self._model, "messages": messages, "tools": TOOLS}).encode()
        headers = {"content-type": "application/json", "authorization": f"Bearer {self._key}"}
        request = urllib.request.Request(f"{self._url}/chat/completions", data, headers)
        with urllib.request.urlopen(request, timeout=600) as answer:
            message: Body = json.load(answer)["choices"][0]["message"]
            return message


class Server(ThreadingHTTPServer):
    """The assistant behind its address. `key` is what a caller has to show; empty lets everybody in."""

    def __init__(self, assistant: Assistant, port: int = 0, key: str = "") -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.key = key
        self.routes = {
            "/v1/chat/completions": assistant.chat,
            "/v1/assistant/reset": assistant.reset,
            "/v1/assistant/session": assistant.session,
            "/v1/assistant/memory": assistant.memory,
        }


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        action = self.server.routes.get(self.path)
        if self.server.key and self.headers.get("authorization") != f"Bearer {self.server.key}":
            self._answer(401, {"error": {"message": "wrong key"}})
        elif action is None:
            self._answer(404, {"error": {"message": f"{self.path} is not served here"}})
        else:
            try:
                self._answer(200, action(json.loads(body)))
            except (ValueError, KeyError, IndexError, TypeError) as error:
                self._answer(400, {"error": {"message": f"bad request: {error!r}"}})
            except (OSError, RuntimeError) as error:  # its own model failed: no answer is better than a made-up one
                self._answer(502, {"error": {"message": f"the model failed: {error}"}})

    def _answer(self, status: int, value: Body) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Say nothing of what went well."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", required=True, help="URL#NAME of the assistant's own model, OpenAI-compatible")
    parser.add_argument("--port", type=int, default=8700)
    given = parser.parse_args()
    assistant = Assistant(given.model, os.environ.get("ASSISTANT_MODEL_KEY", ""))
    with Server(assistant, given.port, os.environ.get("ASSISTANT_KEY", "")) as server:
        print(f"http://127.0.0.1:{server.server_port}/v1#assistant", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
