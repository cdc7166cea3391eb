"""What OpenClaw wrote down about a conversation: tool calls with their results, and how each turn ended.

The HTTP answer of a turn holds the reply alone, and says "No response" or repeats an error in the assistant's voice
where there is none. The transcript, one JSON object per event, is the better witness.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stewardbench.agents.interface import ToolUse
from stewardbench.agents.openclaw.databases import copy_of
from stewardbench.models.messages import message_text

WRITERS = frozenset({"write", "edit", "apply_patch", "skill_workshop"})
Message = dict[str, Any]


def read_messages(agent_folder: Path, key: str) -> list[Message]:
    """All messages of one conversation, oldest first; nothing where it has no transcript yet.

    ``agent_folder`` holds a file per conversation (2026.5.28) or one database (2026.9.6).
    """
    database = agent_folder / "agent" / "openclaw-agent.sqlite"
    try:
        lines = _from_database(database, key) if database.exists() else _from_files(agent_folder / "sessions", key)
    except (FileNotFoundError, KeyError, ValueError, sqlite3.DatabaseError):
        return []
    return list(_messages(lines))


def tool_uses(messages: Sequence[Message]) -> tuple[ToolUse, ...]:
    """Every tool call with the result that belongs to it."""
    results = {message.get("toolCallId"): message for message in messages if message.get("role") == "toolResult"}
    return tuple(
        _use(part, results.get(part.get("id"), {}))
        for message in messages
        if message.get("role") == "assistant"
        for part in message.get("content") or ()
        if isinstance(part, dict) and part.get("type") == "toolCall"
    )


def model_calls(messages: Sequence[Message]) -> int:
    """How often the model was asked."""
    return sum(message.get("role") == "assistant" for message in messages)


def fault(messages: Sequence[Message]) -> str | None:
    """Why the last answer of these messages is none, or None where it is one."""
    answers = [message for message in messages if message.get("role") == "assistant"]
    if not answers:
        return "the agent never asked its model"
    last = answers[-1]
    if last.get("stopReason") in {"error", "aborted"}:
        return str(last.get("errorMessage") or f"the model call ended with {last['stopReason']}")
    return None


def answered(messages: Sequence[Message]) -> bool:
    """Whether the model said anything in words."""
    return any(message.get("role") == "assistant" and message_text(message).strip() for message in messages)


def _from_files(sessions: Path, key: str) -> list[str]:
    entry = json.loads((sessions / "sessions.json").read_text())[key]
    return (sessions / f"{entry['sessionId']}.jsonl").read_text().splitlines()


def _from_database(database: Path, key: str) -> list[str]:
    query = """
        SELECT event_json FROM transcript_events JOIN session_nodes ON session_id = current_session_id
        WHERE session_key = ? AND event_json IS NOT NULL ORDER BY seq
    """
    with copy_of(database) as connection:
        return [line for (line,) in connection.execute(query, (key,))]


def _messages(lines: Sequence[str]) -> Iterator[Message]:
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # the last line may be half written
        if entry.get("type") == "message" and isinstance(entry.get("message"), dict):
            yield entry["message"]


def _use(call: dict[str, Any], result: Message) -> ToolUse:
    name, text = str(call.get("name")), message_text(result)
    blocked = bool(result.get("isError")) and not text.startswith("Validation failed")
    return ToolUse(
        name=name,
        arguments=json.dumps(call.get("arguments"), ensure_ascii=False),
        result=text,
        refused=name in WRITERS and (blocked or '"status": "quarantined"' in text),
    )
