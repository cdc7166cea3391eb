"""Reading what a model wrote where one JSON object was asked for: a judge, an annotator, a writer, an agent's action.

Models wrap the object in whatever their training left them with. What stands around it is dropped, what it says is
never repaired:

    thinking    tags of any family, also an end without a beginning; an object inside it is a draft and no answer
    prose       before and after, code fences of any spelling, a byte order mark
    refused     two different objects, an object inside a list or a broken object, repeated keys, absurd nesting, NaN

Any text, however long or malformed, is read with a bounded number of starts of the decoder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

MAX_STARTS = 200
MAX_DEPTH = 20
_START = re.compile(r'\{\s*["}]')
_ENCLOSED = re.compile(r'(?:[\[{]|":)\s{0,99}\Z')
_NAME = r"(?:[\w-]{1,20}:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad)"
_THINKING = re.compile(
    rf"(?P<end>< ?/ ?{_NAME} ?>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    rf"|<\|channel\|> ?final\b[^<]{{0,40}}<\|message\|>|\bassistantfinal)"
    rf"|<{_NAME}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|> ?analysis ?<\|message\|>",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,9}(?:\.0*)?\s*\Z")
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class UnreadableReply(ValueError):
    """A reply that is not one JSON object. The message says why, in words that can be sent back to the model."""


class _Repeated(dict[str, Any]):
    """An object one of whose keys, ``key``, stands in it twice."""

    key = ""


@dataclass(frozen=True, slots=True)
class ReplyObject:
    """One JSON object in a reply. ``enclosed``: it stands directly in a list, or as a value of a broken object."""

    value: dict[str, Any]
    start: int
    end: int
    enclosed: bool

    @property
    def fault(self) -> str:
        """What makes the object unusable, or nothing."""
        if (key := _repeated_key(self.value)) is not None:
            return f"the key {key[:60]} is repeated"
        return f"it is nested deeper than {MAX_DEPTH}" if _deeper(self.value, MAX_DEPTH) else ""


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of a reply in order. ``broken``: something began like one and is none. ``thought``: only drafts."""

    found: tuple[ReplyObject, ...]
    broken: bool
    thought: bool


def read_object(raw: str) -> dict[str, Any]:
    """The one JSON object of a reply. Raises UnreadableReply for none, or for more than one.

    The same object twice is one object. Texts with half a surrogate pair come back with U+FFFD in its place.
    """
    seen = objects(raw)
    filled = [one for one in seen.found if one.value] or list(seen.found)
    if not filled:
        raise UnreadableReply(_nothing(raw, seen))
    if any(one.enclosed for one in filled):
        raise UnreadableReply("the reply is not one JSON object but a part of something else")
    first = filled[0]
    if len({json.dumps(one.value, sort_keys=True) for one in filled}) > 1:
        raise UnreadableReply("the reply is not one JSON object but several different ones")
    if first.fault:
        raise UnreadableReply(f"the reply is not one JSON object that can be read: {first.fault}")
    return printable(first.value) if _odd(raw) else first.value


def objects(raw: str) -> Objects:
    """Every JSON object of a reply that is no draft in its thinking, outermost ones only."""
    if next(islice(_START.finditer(raw), MAX_STARTS, None), None) is not None:
        raw = _after_thinking(raw)  # too many to look at all of them
    found, broken = [], False
    for one in _decoded(raw):
        if one is None:
            broken = True
        else:
            found.append(one)
    thinking = _thinking(raw, found)
    kept = tuple(one for one in found if not any(start <= one.start < end for start, end in thinking))
    return Objects(kept, broken, bool(found) and not kept)


def whole_number(value: object) -> int | None:
    """A whole number that a model wrote as 4, 4.0, "4" or "4.0"; None for anything else, truth values too."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and _WHOLE.match(value):
        return int(float(value))
    return None


def truth_value(value: object) -> bool | None:
    """A truth value that a model wrote as one or as a word; None for anything else, 0 and 1 too."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.strip().casefold()) if isinstance(value, str) else None


def printable(value: Any) -> Any:
    """A value with half surrogate pairs replaced by U+FFFD, so that it can be stored."""
    if isinstance(value, str):
        return _HALF_PAIR.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_HALF_PAIR.sub("\ufffd", key): printable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [printable(item) for item in value]
    return value


def _nothing(raw: str, seen: Objects) -> str:
    if not raw.strip():
        return "the reply is empty"
    if seen.thought:
        return "the reply is not one JSON object: it holds thinking only"
    return "the reply is not one JSON object" + (": the JSON is not valid" if seen.broken else "")


def _odd(raw: str) -> bool:
    return "\\u" in raw or not raw.isascii()


def _decoded(raw: str) -> Iterator[ReplyObject | None]:
    """Objects from left to right; None for each place that begins like one and cannot be decoded."""
    position = 0
    for _ in range(MAX_STARTS):
        start = _START.search(raw, position)
        if start is None:
            return
        value, position, failed = _decode(raw, start.start())
        if failed:
            yield None
        else:
            before = raw[max(0, start.start() - 100) : start.start()]
            yield ReplyObject(value, start.start(), position, _ENCLOSED.search(before) is not None)


def _decode(raw: str, start: int) -> tuple[dict[str, Any], int, bool]:
    """The object at a place, where to look next, and whether it failed to parse."""
    try:
        value, end = _DECODER.raw_decode(raw, start)
    except (ValueError, RecursionError):
        return {}, start + 1, True
    return value, end, False


def _thinking(raw: str, found: Iterable[ReplyObject]) -> list[tuple[int, int]]:
    """The spans of a reply that are thinking. A tag inside an object is part of one of its texts."""
    inside = [(one.start, one.end) for one in found]
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    after = 0
    for mark in _THINKING.finditer(raw):
        if any(start < mark.start() < end for start, end in inside):
            continue
        if mark["end"] is None:
            opened = mark.start() if opened is None else opened
        else:
            spans.append((after if opened is None else opened, mark.end()))
            opened, after = None, mark.end()
    return spans if opened is None else [*spans, (opened, len(raw))]


def _after_thinking(raw: str) -> str:
    ends = [mark.end() for mark in _THINKING.finditer(raw) if mark["end"] is not None]
    return raw[ends[-1] :] if ends else raw


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    if len(whole) == len(pairs):
        return whole
    seen: set[str] = set()
    repeated = _Repeated(whole)
    repeated.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return repeated


def _repeated_key(value: Any) -> str | None:
    """The first repeated key anywhere in a value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, _Repeated):
            return one.key
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return None


def _deeper(value: Any, levels: int) -> bool:
    """Whether a value is nested deeper than so many levels."""
    layer = [value]
    for _ in range(levels):
        inner = [list(one.values()) if isinstance(one, dict) else one for one in layer if isinstance(one, dict | list)]
        layer = [item for items in inner for item in items]
    return any(isinstance(one, dict | list) for one in layer)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse, object_pairs_hook=_pairs)
