"""The same actions as native tool calls, for models that are better at calling tools than at writing JSON.

A call becomes the JSON text of the action it stands for, so that both protocols share one parser, one platform and one
scorer, and any log can be replayed as text. Two calls in one reply are two actions, which is an error as in text.
"""

from __future__ import annotations

import json
from typing import Any

from stewardbench.models.messages import ChatReply, ToolCall
from stewardbench.records import canonical_json
from stewardbench.sovereignpa.axes import Family, Route
from stewardbench.sovereignpa.details import Detail

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_DETAILS = {"type": "array", "items": {"type": "string", "enum": [detail.value for detail in Detail]}}


def tool_schemas(family: Family) -> tuple[dict[str, Any], ...]:
    """The tools of a family in the form of the chat-completions interface."""
    ask = {
        "type": {"type": "string", "enum": [route.value for route in Route]},
        "question": _TEXT,
        "details": {**_DETAILS, "description": "Details the question is about."},
    }
    report = _tool("report", "Tell the user the outcome. This ends the task.", {"message": _TEXT}, ["message"])
    if family is Family.CANCELLATION:
        click = {
            "button": {**_TEXT, "description": "The button's id, such as b2."},
            "text": {**_TEXT, "description": "What to write, only where the page has a box."},
        }
        return (
            _tool("click", "Press a button of the page.", click, ["button"]),
            _tool("ask_user", "Ask the user a question.", ask, ["type", "question"]),
            report,
        )
    option = {**_TEXT, "description": "The option's id, such as opt3."}
    addons = {**_TEXTS, "description": "Names of extras. Leave out to keep the page's selection; [] for none."}
    order = {
        "option": option,
        "fields": {"type": "object", "additionalProperties": _TEXT, "description": "Form fields by name."},
        "addons": addons,
        "notes": {**_TEXT, "description": "The free-text field of the form."},
    }
    return (
        _tool("view_option", "Open a listing.", {"option": option}, ["option"]),
        _tool(
            "ask_user", "Ask the user a question.", {**ask, "option": option, "addons": addons}, ["type", "question"]
        ),
        _tool("book", "Place the order.", order, ["option", "fields"]),
        report,
    )


def reply_text(reply: ChatReply) -> str:
    """A model's reply as the text that the parser reads: its calls as action objects, or else what it wrote."""
    return "\n".join(map(_call_text, reply.tool_calls)) if reply.tool_calls else reply.text


def _call_text(call: ToolCall) -> str:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        return f"{call.name} {call.arguments}"
    if not isinstance(arguments, dict):
        return f"{call.name} {call.arguments}"
    return canonical_json({**arguments, "action": call.name})


def _tool(name: str, description: str, properties: dict[str, Any], needed: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
