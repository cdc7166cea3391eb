"""One conversation with a LangGraph agent. Runs in LangGraph's environment.

The graph is the usual loop of model and tools. Its checkpoints are the conversation (history); its store holds three
namespaces: the profile, which every prompt shows, memories, which are searched, and skills, which the prompt names.
"""

# mypy: ignore-errors
# (its libraries are in the environment it runs in, not in the one that is type-checked)

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.store.memory import InMemoryStore
from serve import serve

KINDS = ("profile", "memory", "skill")
DIMENSIONS = 512
EVERYTHING = 10_000
STEPS = 60
PROMPT = (
    "You are a personal assistant with a long-term store.\n\nThe user's profile:\n{profile}\n\nYour skills: {skills}"
)


class Conversation:
    """A thread of the graph. ``opening`` is what the slot sent."""

    def __init__(self, opening: dict[str, Any]) -> None:
        reach = {"base_url": opening["base_url"], "api_key": opening["api_key"], "max_retries": 0}
        folder = Path(opening["folder"])
        embeddings = OpenAIEmbeddings(
            model="word-overlap", dimensions=DIMENSIONS, check_embedding_ctx_length=False, **reach
        )
        self._store = InMemoryStore(index={"dims": DIMENSIONS, "embed": embeddings, "fields": ["text"]})
        for entry in opening["entries"]:
            self._store.put((entry["kind"],), entry["key"], {"text": entry["text"]})
        tools = self._tools()
        self._model = ChatOpenAI(model=opening["model"], **reach).bind_tools(tools)
        history = sqlite3.connect(folder / "checkpoints.sqlite", check_same_thread=False)
        self._graph = self._compile(tools, SqliteSaver(history))
        self._thread = {"configurable": {"thread_id": opening["session"]}, "recursion_limit": STEPS}

    def turn(self, text: str) -> dict[str, Any]:
        """Run the graph on one user message."""
        before = len(self._messages())
        answer: dict[str, Any] = {"reply": "", "tool_uses": [], "error": None, "failed_review": None}
        try:
            self._graph.invoke({"messages": [("user", text)]}, self._thread)
        except Exception as error:  # of the model, of the graph's own limit: there is no answer
            answer["error"] = f"{type(error).__name__}: {error}"
        new = self._messages()[before:]
        if answer["error"] is None and new:
            answer["reply"] = str(new[-1].text)
        return {**answer, "tool_uses": list(_tool_uses(new))}

    def entries(self) -> Iterator[dict[str, str]]:
        """Every item of the store."""
        for kind in KINDS:
            for item in sorted(self._store.search((kind,), limit=EVERYTHING), key=lambda item: item.key):
                yield {"kind": kind, "key": item.key, "text": item.value["text"]}

    def _compile(self, tools: list[BaseTool], saver: SqliteSaver) -> Any:
        graph = StateGraph(MessagesState)
        graph.add_node("model", self._ask)
        graph.add_node("tools", ToolNode(tools, handle_tool_errors=True))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition)
        graph.add_edge("tools", "model")
        return graph.compile(checkpointer=saver, store=self._store)

    def _ask(self, state: MessagesState) -> dict[str, list[BaseMessage]]:
        held = {kind: self._store.search((kind,), limit=EVERYTHING) for kind in ("profile", "skill")}
        prompt = PROMPT.format(
            profile="\n".join(item.value["text"] for item in held["profile"]) or "(empty)",
            skills=", ".join(sorted(item.key for item in held["skill"])) or "(none)",
        )
        return {"messages": [self._model.invoke([SystemMessage(prompt), *state["messages"]])]}

    def _messages(self) -> list[BaseMessage]:
        messages: list[BaseMessage] = self._graph.get_state(self._thread).values.get("messages", [])
        return messages

    def _tools(self) -> list[BaseTool]:
        store = self._store

        @tool
        def save_memory(content: str, kind: Literal["profile", "memory", "skill"], name: str = "") -> str:
            """Keep something for later conversations: about the user, a memory, or a skill (which needs a name)."""
            key = name or f"{len(store.search((kind,), limit=EVERYTHING)) + 1:04}"
            store.put((kind,), key.replace("/", "-"), {"text": content})
            return "Saved."

        @tool
        def search_memory(query: str) -> str:
            """Look for memories."""
            found = store.search(("memory",), query=query, limit=5)
            return "\n".join(item.value["text"] for item in found) or "Nothing found."

        @tool
        def load_skill(name: str) -> str:
            """Read a skill that the prompt names."""
            item = store.get(("skill",), name)
            return item.value["text"] if item else "There is no such skill."

        return [save_memory, search_memory, load_skill]


def _tool_uses(messages: list[BaseMessage]) -> Iterator[dict[str, str]]:
    results = {message.tool_call_id: str(message.text) for message in messages if isinstance(message, ToolMessage)}
    for message in messages:
        if isinstance(message, AIMessage):
            for call in (*message.tool_calls, *message.invalid_tool_calls):
                arguments = call["args"] if isinstance(call["args"], str) else json.dumps(call["args"])
                yield {"name": call["name"], "arguments": arguments, "result": results.get(call["id"], "")}


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    serve(Conversation)
