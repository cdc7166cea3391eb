"""One conversation with an agent whose memory is mem0. Runs in mem0's environment.

mem0 keeps two stores: the vector store of memories, and a database with the last messages of the user, which it shows
to its own extraction in every later session. The first is the agent's memory; the second is history.
"""

# mypy: ignore-errors
# (its libraries are in the environment it runs in, not in the one that is type-checked)

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mem0 import Memory
from openai import OpenAI, OpenAIError
from serve import serve

USER = "user"
DIMENSIONS = 512
SHOWN = 5
EVERYTHING = 10_000
LIMIT = 30
PROMPT = "You are a personal assistant with a long-term memory.\n\nWhat you remember about the user:\n{memories}"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {argument: {"type": "string"}},
                "required": [argument],
            },
        },
    }
    for name, description, argument in (
        ("add_memory", "Keep something for later conversations.", "text"),
        ("search_memory", "Look for something that was kept.", "query"),
    )
]


class Conversation:
    """A chat with one user. ``opening`` is what the slot sent."""

    def __init__(self, opening: dict[str, Any]) -> None:
        self._client = OpenAI(base_url=opening["base_url"], api_key=opening["api_key"], max_retries=0)
        self._model, self._extract = opening["model"], opening["review"] == "released"
        self._memory = Memory.from_config(_config(opening))
        self._messages: list[dict[str, Any]] = []
        for entry in opening["entries"]:
            self._save(entry["text"], entry["key"])

    def turn(self, text: str) -> dict[str, Any]:
        """Search, answer with tools, extract."""
        uses: list[dict[str, str]] = []
        said = {"role": "user", "content": text}
        self._messages.append(said)
        system = {"role": "system", "content": PROMPT.format(memories="\n".join(self._search(text)) or "(nothing)")}
        try:
            reply = self._answer(system, uses)
        except OpenAIError as error:
            return {"reply": "", "tool_uses": uses, "error": str(error), "failed_review": None}
        failed = None
        if self._extract:
            try:
                self._memory.add([said, {"role": "assistant", "content": reply}], user_id=USER)
            except Exception as error:  # whatever stopped the extraction, its writes are missing
                failed = f"{type(error).__name__}: {error}"
        return {"reply": reply, "tool_uses": uses, "error": None, "failed_review": failed}

    def entries(self) -> Iterator[dict[str, str]]:
        """Every memory of the store."""
        found = self._memory.get_all(filters={"user_id": USER}, top_k=EVERYTHING)["results"]
        for memory in sorted(found, key=_key):
            yield {"kind": "memory", "key": _key(memory), "text": memory["memory"]}

    def _answer(self, system: dict[str, str], uses: list[dict[str, str]]) -> str:
        for _ in range(LIMIT):
            answer = self._client.chat.completions.create(
                model=self._model, messages=[system, *self._messages], tools=TOOLS
            )
            message = answer.choices[0].message
            self._messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return message.content or ""
            for call in message.tool_calls:
                result = self._use(call.function.name, call.function.arguments)
                uses.append({"name": call.function.name, "arguments": call.function.arguments, "result": result})
                self._messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        raise OpenAIError(f"stopped after {LIMIT} model calls")

    def _use(self, name: str, arguments: str) -> str:
        try:
            given = json.loads(arguments)
            if name == "add_memory":
                self._save(given["text"], uuid.uuid4().hex)
                return "Saved."
            if name == "search_memory":
                return "\n".join(self._search(given["query"])) or "Nothing found."
        except (ValueError, KeyError, TypeError) as error:
            return f"Error: {error!r}"
        return f"Error: there is no tool {name}."

    def _save(self, text: str, key: str) -> None:
        self._memory.add([{"role": "user", "content": text}], user_id=USER, metadata={"key": key}, infer=False)

    def _search(self, text: str) -> list[str]:
        found = self._memory.search(text, filters={"user_id": USER}, top_k=SHOWN)["results"]
        return [f"- {memory['memory']}" for memory in found]


def _key(memory: dict[str, Any]) -> str:
    return str((memory.get("metadata") or {}).get("key") or memory["id"])


def _config(opening: dict[str, Any]) -> dict[str, Any]:
    reach = {"api_key": opening["api_key"], "openai_base_url": opening["base_url"]}
    folder = Path(opening["folder"])
    store = {"path": str(folder / "store"), "on_disk": True, "embedding_model_dims": DIMENSIONS}
    return {
        "vector_store": {"provider": "qdrant", "config": store},
        "embedder": {"provider": "openai", "config": {**reach, "model": "word-overlap", "embedding_dims": DIMENSIONS}},
        "llm": {"provider": "openai", "config": {**reach, "model": opening["model"]}},
        "history_db_path": str(folder / "history.db"),
    }


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    serve(Conversation)
