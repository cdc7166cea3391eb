"""Finding the one JSON action in an agent's raw reply (specification section 6).

Text and code fences around the object are tolerated. The first object that parses and has an ``action`` key counts; a
second one is an error. Any reply, however long or malformed, is read in linear time.
"""

from __future__ import annotations

import json
import re
from typing import Any

from stewardbench.sovereignpa.text import printable

MAX_STARTS = 200
_START = re.compile(r'\{\s*"')


class Unreadable(Exception):
    """A reply that is no action. The message goes back to the agent."""


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse)


def find_action(raw: str) -> dict[str, Any]:
    """The object with an ``action`` key in a reply. Raises Unreadable with what is wrong."""
    if '"action"' not in raw:
        raise Unreadable("no JSON object with an action key" if "{" in raw else "no JSON object found")
    found: dict[str, Any] | None = None
    position, broken = 0, False
    for _ in range(MAX_STARTS):
        start = _START.search(raw, position)
        if start is None:
            break
        value, position, failed = _decode(raw, start.start())
        broken = broken or failed
        if isinstance(value, dict) and "action" in value:
            if found is not None:
                raise Unreadable("one action per reply")
            found = value
    if found is None:
        raise Unreadable("the JSON is not valid" if broken else "no JSON object with an action key")
    return _clean(found) if "\\u" in raw or not raw.isascii() else found


def _decode(raw: str, start: int) -> tuple[Any, int, bool]:
    """The value at a place, where to look next, and whether it failed to parse."""
    try:
        value, end = _DECODER.raw_decode(raw, start)
    except (ValueError, RecursionError):
        return None, start + 1, True
    return value, end, False


def _clean(value: Any) -> Any:
    """The value with lone surrogates replaced, so that it can be logged."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
