"""A stock conversation as a file: what the cheap half of the check and a new release are held against.

System prompts and tool lists repeat from request to request, so each stands once in a pool.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from stewardbench.agents.parity import normal
from stewardbench.agents.parity.log import Body
from stewardbench.agents.parity.programs import Held


class Conversation(NamedTuple):
    """A normalised conversation: its requests, and the text of the memory files that it left, by name.

    ``pin`` is that of the installation it was recorded from (see ``pins``); empty where that was not kept.
    """

    requests: list[Body]
    files: dict[str, str]
    pin: str = ""


def conversation_of(held: Held) -> Conversation:
    """What was held, normalised."""
    files = {name: data.decode("utf-8", "backslashreplace") for name, data in sorted(held.files.items())}
    return Conversation(normal.conversation(held.bodies, held.places), files)


def write(path: Path, conversation: Conversation) -> None:
    """Store a conversation."""
    pool: list[Any] = []

    def pooled(value: Any) -> int:
        if value not in pool:
            pool.append(value)
        return pool.index(value)

    requests = []
    for body in conversation.requests:
        first, *rest = body["messages"]
        short = {**first, "content": pooled(first["content"])}
        requests.append({**body, "messages": [short, *rest], "tools": pooled(body["tools"])})
    data = {"pin": conversation.pin, "pool": pool, "requests": requests, "files": conversation.files}
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path: Path) -> Conversation:
    """A stored conversation."""
    data = json.loads(path.read_text(encoding="utf-8"))
    pool = data["pool"]
    for body in data["requests"]:
        body["messages"][0]["content"] = pool[body["messages"][0]["content"]]
        body["tools"] = pool[body["tools"]]
    return Conversation(data["requests"], data["files"], data.get("pin", ""))


def file_name(agent: str, version: str, model: str) -> str:
    """What a stored stock conversation is called."""
    return f"{agent}-{version}-{model}.json"
