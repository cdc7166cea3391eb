"""One conversation with Hermes: its turns, its background reviews awaited, and what its tools did."""

from __future__ import annotations

import importlib
import os
from datetime import UTC, datetime, tzinfo
from typing import Any

from .reviews import ReviewWatch
from .wire import Wire

ANSWERED = ("text_response(", "fallback_prior_turn_content")
LIMIT = ("max_iterations_reached", "budget_exhausted")
EMPTY = ("empty_response_exhausted",)


def converse(wire: Wire, spec: dict[str, Any]) -> None:
    """Open the conversation that ``spec`` describes and serve the parent's messages until ``close``."""
    conversation = Conversation(spec)
    wire.send({"opened": True, "tools": conversation.tools})
    while (message := wire.receive()) is not None:
        match message["op"]:
            case "turn":
                wire.send(conversation.turn(message["text"]))
            case "reviews":
                wire.send(conversation.reviews(start_final=message["start_final"], timeout_s=message["timeout_s"]))
            case _:
                break
    conversation.close()


class Conversation:
    """A live ``AIAgent`` with its history, kept for the whole session because its nudge counters live on it."""

    def __init__(self, spec: dict[str, Any]) -> None:
        agent_class = importlib.import_module("run_agent").AIAgent
        os.chdir(spec["cwd"])
        if spec["clock"]:
            declare_time(spec["clock"])
        store = importlib.import_module("hermes_state").SessionDB() if spec["session_search"] else None
        self._agent = agent_class(
            base_url=spec["base_url"],
            api_key=spec["api_key"],
            provider="custom",
            api_mode="chat_completions",
            model=spec["model"],
            max_tokens=spec["max_tokens"],
            max_iterations=spec["max_model_calls"],
            enabled_toolsets=spec["toolsets"],
            session_id=spec["session_id"],
            session_db=store,
            quiet_mode=True,
            platform="cli",
            clarify_callback=lambda question, choices=None: "[The user is not available; decide yourself.]",
        )
        self._store = store
        self._agent.suppress_status_output = True
        if not spec["review"]:
            self._agent._memory_nudge_interval = self._agent._skill_nudge_interval = 0
        self._history: list[dict[str, Any]] = []
        self._watch = ReviewWatch(agent_class)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model is offered."""
        return sorted(self._agent.valid_tool_names)

    def turn(self, text: str) -> dict[str, Any]:
        """One user turn. A background review may be running when it returns."""
        before = len(self._history)
        result = self._agent.run_conversation(text, conversation_history=self._history)
        self._history = result["messages"]
        return {
            **verdict(result),
            "model_calls": result.get("api_calls") or 0,
            "tool_uses": tool_uses(self._history[before:]),
        }

    def reviews(self, *, start_final: bool, timeout_s: float) -> dict[str, Any]:
        """Wait for background reviews; with ``start_final`` start one of the whole conversation first."""
        if start_final and self._history:
            self._agent._spawn_background_review(list(self._history), review_memory=True, review_skills=True)
        report = self._watch.join(timeout_s)
        uses = [use for messages in report.messages for use in tool_uses(messages)]
        return {"reviews": report.started, "failure": report.failure, "tool_uses": uses}

    def close(self) -> None:
        """Let Hermes close its clients, tools and stores."""
        self._agent.shutdown_memory_provider(self._history)
        self._agent.close()
        if self._store is not None:
            self._store.close()


def declare_time(moment: str) -> None:
    """Let it be that moment for the date in Hermes' prompts, and time run on from there."""
    hermes_time: Any = importlib.import_module("hermes_time")
    offset = datetime.fromisoformat(moment) - datetime.now(UTC)

    class Declared(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return (datetime.now(UTC) + offset).astimezone(tz)

    hermes_time.datetime = Declared


def verdict(result: dict[str, Any]) -> dict[str, Any]:
    """Whether a turn's result is an answer. Hermes puts error texts where answers go, so only known endings count."""
    reply = result.get("final_response") or ""
    ending = str(result.get("turn_exit_reason") or "")
    if result.get("failed") or result.get("partial") or result.get("error"):
        return {"reply": "", "error": str(result.get("error") or reply or "the turn failed"), "limit": False}
    if ending.startswith(LIMIT):
        return {"reply": "", "error": f"stopped by the limit on model calls ({ending})", "limit": True}
    if ending.startswith(EMPTY):
        return {"reply": "", "error": None, "limit": False}
    if ending.startswith(ANSWERED):
        return {"reply": reply, "error": None, "limit": False}
    return {"reply": "", "error": f"the turn ended as {ending or 'unknown'}: {reply}", "limit": False}


def tool_uses(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every tool call in some messages with the text that the tool answered."""
    results = {each.get("tool_call_id"): each.get("content") for each in messages if each.get("role") == "tool"}
    uses = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            result = results.get(call.get("id"), "")
            uses.append(
                {
                    "name": function.get("name") or "",
                    "arguments": function.get("arguments") or "",
                    "result": result if isinstance(result, str) else str(result),
                }
            )
    return uses
