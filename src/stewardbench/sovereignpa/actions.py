"""The actions and how a JSON object becomes one (specification section 6).

    {"action":"view_option","option":"opt3"}
    {"action":"ask_user","type":"consent","question":"...","details":[...],"option":"opt3","addons":[...]}
    {"action":"book","option":"opt3","fields":{"full_name":"..."},"addons":[...],"notes":""}
    {"action":"report","message":"..."}
    {"action":"click","button":"b2","text":"..."}      (cancellation only, with ask_user and report)

``read_action`` serves every protocol: text replies pass through ``replies.find_action`` first, native tool calls hand
over their arguments with the tool's name as ``action``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from stewardbench.sovereignpa.axes import Route
from stewardbench.sovereignpa.details import Detail, named
from stewardbench.sovereignpa.replies import Unreadable

_TYPES = {route.value: route for route in Route}


@dataclass(frozen=True, slots=True)
class ViewOption:
    """Open a listing."""

    option: str
    action: Literal["view_option"] = "view_option"


@dataclass(frozen=True, slots=True)
class AskUser:
    """Put a question to the user. ``extra`` is None where the agent did not say which extras it means."""

    type: Route
    question: str
    details: tuple[Detail, ...] = ()
    option: str | None = None
    extra: bool | None = None
    action: Literal["ask_user"] = "ask_user"


@dataclass(frozen=True, slots=True)
class Book:
    """Submit the form. ``extra`` None keeps the page's current selection."""

    option: str
    fields: tuple[tuple[str, str], ...]
    extra: bool | None = None
    notes: str = ""
    action: Literal["book"] = "book"


@dataclass(frozen=True, slots=True)
class Report:
    """Tell the user the outcome and end the episode."""

    message: str
    action: Literal["report"] = "report"


@dataclass(frozen=True, slots=True)
class Click:
    """Press a button of a cancellation page; ``text`` goes into the page's box."""

    button: str
    text: str = ""
    action: Literal["click"] = "click"


BookingAction = ViewOption | AskUser | Book | Report
CancelAction = Click | AskUser | Report
Action = BookingAction | CancelAction


@dataclass(frozen=True, slots=True)
class Menu:
    """What actions may name on one scenario's pages: option ids by folded id or name, and the extra's folded name."""

    options: Mapping[str, str]
    extra: str

    def option(self, value: Any) -> str:
        """The id of an option given by id or full name."""
        if not isinstance(value, str):
            raise Unreadable("option must be a text such as opt1")
        found = self.options.get(value) or self.options.get(value.strip().casefold())
        if found is None:
            raise Unreadable(f"unknown option {value[:60]!r}; options are opt1 to opt{len(set(self.options.values()))}")
        return found

    def addons(self, obj: Mapping[str, Any]) -> bool | None:
        """Whether the extra is on the list; None where the key is absent or null."""
        value = obj.get("addons")
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Unreadable("addons must be a list of names")
        for item in value:
            if item.strip().casefold() != self.extra:
                raise Unreadable(f"unknown extra {item[:60]!r}")
        return bool(value)


def read_action(obj: Mapping[str, Any], menu: Menu) -> BookingAction:
    """The action that an object with an ``action`` key describes. Raises Unreadable with what is wrong."""
    kind = obj.get("action")
    if kind == "view_option":
        return ViewOption(menu.option(required(obj, "option")))
    if kind == "ask_user":
        return read_question(obj, menu)
    if kind == "book":
        option = menu.option(required(obj, "option"))
        return Book(option, _fields(required(obj, "fields")), menu.addons(obj), optional_text(obj, "notes"))
    if kind == "report":
        return Report(required_text(obj, "message"))
    raise Unreadable(f"unknown action {str(kind)[:60]!r}; use view_option, ask_user, book or report")


def read_question(obj: Mapping[str, Any], menu: Menu | None) -> AskUser:
    """The question that an ``ask_user`` object describes; without a menu, option and addons are not read."""
    question = required_text(obj, "question")
    if not question.strip():
        raise Unreadable("question must not be empty")
    declared = obj.get("type")
    if declared is not None and (not isinstance(declared, str) or declared not in _TYPES):
        raise Unreadable("type must be preference, consent, approval or other")
    details = obj.get("details")
    if details is None:
        details = []
    if not isinstance(details, list) or not all(isinstance(item, str) for item in details):
        raise Unreadable("details must be a list of field names")
    option = obj.get("option")
    return AskUser(
        type=_TYPES[declared] if declared is not None else Route.OTHER,
        question=question,
        details=named(details),
        option=menu.option(option) if menu and option not in (None, "") else None,
        extra=menu.addons(obj) if menu else None,
    )


def required(obj: Mapping[str, Any], key: str) -> Any:
    """A value that must be there."""
    if obj.get(key) is None:
        raise Unreadable(f"{obj['action']} needs the key {key}")
    return obj[key]


def required_text(obj: Mapping[str, Any], key: str) -> str:
    """A text that must be there."""
    value = required(obj, key)
    if not isinstance(value, str):
        raise Unreadable(f"{key} must be a text")
    return value


def optional_text(obj: Mapping[str, Any], key: str) -> str:
    """A text that may be absent or null."""
    return required_text(obj, key) if obj.get(key) is not None else ""


def _fields(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise Unreadable("fields must be an object of field names and values")
    pairs = []
    for name, content in value.items():
        if isinstance(content, bool) or not isinstance(content, str | int | float | None):
            raise Unreadable(f"the value of {name[:60]!r} must be a text")
        pairs.append((name, "" if content is None else str(content)))
    return tuple(pairs)
