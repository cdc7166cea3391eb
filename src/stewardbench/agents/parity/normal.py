"""Requests and files with everything taken out that differs between two runs of the same program.

Nothing else is touched: what is left must be equal, or declared. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from stewardbench.agents.parity.log import Body

REPLACED = (
    (re.compile(r"\[(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d \d\d:\d\d [A-Z]+\]"), "[TIME]"),
    (re.compile(r"Conversation started: \w+, \w+ \d\d, \d{4}"), "Conversation started: DATE"),
    (re.compile(r"Current date: \d{4}-\d\d-\d\d"), "Current date: DATE"),
    (re.compile(r"session=agent:main:\S+"), "session=KEY"),
    (re.compile(r"custom-127-0-0-1-\d+"), "PROVIDER"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://ADDRESS"),
    (re.compile(r"Reply number \d+\."), "Reply number N."),
    (re.compile(r"\bcall_?\d+\b"), "CALL"),
    (re.compile(r"Python toolchain: [^\n]*"), "Python toolchain: MACHINE"),  # its probes give up on a busy machine
    (re.compile(r"Host: Linux \([^)]*\)"), "Host: MACHINE"),
    (re.compile(r"host=\S+"), "host=MACHINE"),
    (re.compile(r"os=Linux \S+ \(\w+\)"), "os=MACHINE"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "ID"),
)


def conversation(bodies: Sequence[Body], places: Mapping[str, str]) -> list[Body]:
    """The requests of a conversation, normalised. ``places`` maps paths of this run to neutral names."""
    return [_walk(body, places) for body in bodies]


def _walk(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return text(value, places)
    if isinstance(value, dict):
        return {key: _walk(inner, places) for key, inner in value.items()}
    return [_walk(inner, places) for inner in value] if isinstance(value, list) else value


def text(raw: str, places: Mapping[str, str]) -> str:
    """One text, normalised. Longer paths are replaced first."""
    for place in sorted(places, key=len, reverse=True):
        raw = raw.replace(place, places[place])
    for pattern, neutral in REPLACED:
        raw = pattern.sub(neutral, raw)
    return raw


def prompt_of(body: Body) -> str:
    """The system prompt of a request; newer models are sent it under the role ``developer``."""
    first: dict[str, Any] = body["messages"][0]
    if first["role"] not in {"system", "developer"}:
        return ""
    content = first["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
