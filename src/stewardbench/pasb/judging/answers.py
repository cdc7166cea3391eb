"""What a judge or an annotator replied, read strictly: one JSON object, each field checked on its own.

How the object is found is the same for every model's reply (``models.replies``). A bad field is None with the reason;
it never becomes a number, and a number out of range is never moved into it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Any, TypeVar

from stewardbench.models.replies import UnreadableReply, read_object, truth_value, whole_number

ATTEMPTS = 3
TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
MAYBE_FLAG: dict[str, Any] = {"anyOf": [{"type": "boolean"}, {"type": "null"}]}
SCORE: dict[str, Any] = {"type": "integer", "enum": [1, 2, 3, 4, 5]}

Ask = Callable[[str], Awaitable[str]]
Choice = TypeVar("Choice", bound=Enum)
Made = TypeVar("Made")


class Answer:
    """A reply and what is wrong with it. Each ``get`` of a bad field adds one reason to ``faults``."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.faults: list[str] = []
        self._readable = True
        self._fields = self._parse(raw)

    @property
    def error(self) -> str:
        """All faults in one line; empty when everything asked for was there."""
        return "; ".join(self.faults)

    def score(self, key: str) -> int | None:
        """A whole number from 1 to 5."""
        found = self.turn(key, 5)
        if found is None:
            self._bad(key, "is not a whole number from 1 to 5")
        return found

    def turn(self, key: str, last: int) -> int | None:
        """A number from 1 to ``last``; a remark, so a bad one is None and no fault."""
        value = whole_number(self._fields.get(key))
        return value if value is not None and 1 <= value <= last else None

    def flag(self, key: str, *, required: bool = False) -> bool | None:
        """True or false; None where null is allowed or, with a fault, where it is not."""
        value = truth_value(self._fields.get(key))
        if value is None and (required or self._fields.get(key) is not None):
            self._bad(key, "is not true or false")
        return value

    def flags(self, key: str, length: int) -> tuple[bool, ...]:
        """A list of so many truth values; empty with a fault otherwise."""
        value = self._fields.get(key)
        read = [truth_value(one) for one in value] if isinstance(value, list) else []
        if len(read) == length and all(one is not None for one in read):
            return tuple(bool(one) for one in read)
        self._bad(key, f"is not a list of {length} truth values")
        return ()

    def choice(self, key: str, allowed: type[Choice]) -> Choice | None:
        """A member of an enumeration, by its value."""
        value = self._fields.get(key)
        for member in allowed:
            if member.value == value:
                return member
        self._bad(key, f"is not one of {', '.join(member.value for member in allowed)}")
        return None

    def text(self, key: str) -> str:
        """A remark. It carries no score, so one that is missing is empty and no fault."""
        value = self._fields.get(key)
        return value if isinstance(value, str) else ""

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of names; other members are left out."""
        value = self._fields.get(key)
        return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()

    def _bad(self, key: str, what: str) -> None:
        if self._readable:
            found = json.dumps(self._fields[key], ensure_ascii=False)[:60] if key in self._fields else "missing"
            self.faults.append(f"{key} {what} ({found})")

    def _parse(self, raw: str) -> dict[str, Any]:
        try:
            return read_object(raw)
        except UnreadableReply as error:
            self._readable = False
            self.faults.append(str(error))
            return {}


def object_schema(**fields: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with exactly these fields, in this order: evidence before scores."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


async def ask_strictly(ask: Ask, prompt: str, read: Callable[[Answer], Made]) -> Made:
    """Ask until ``read`` finds nothing wrong, ``ATTEMPTS`` times at most; later requests say what was wrong.

    ``read`` turns an Answer into a record, and is given the last reply when all were bad.
    """
    request = prompt
    for left in reversed(range(ATTEMPTS)):
        answer = Answer(await ask(request))
        record = read(answer)
        if not answer.faults or not left:
            break
        request = f"{prompt}\nA former reply could not be used: {answer.error}. Reply with the JSON object alone.\n"
    return record
