"""Finding the one JSON action in an agent's raw reply (specification section 6).

What stands around the object is dropped as for any reply (``models.replies``). The object that has an ``action`` key
counts; a second one is an error, even an equal one, since one reply is one step.
"""

from __future__ import annotations

from typing import Any

from stewardbench.models.replies import objects, printable


class Unreadable(Exception):
    """A reply that is no action. The message goes back to the agent."""


def find_action(raw: str) -> dict[str, Any]:
    """The object with an ``action`` key in a reply. Raises Unreadable with what is wrong."""
    if '"action"' not in raw:
        raise Unreadable("no JSON object with an action key" if "{" in raw else "no JSON object found")
    seen = objects(raw)
    actions = [one for one in seen.found if "action" in one.value]
    if not actions:
        raise Unreadable("the JSON is not valid" if seen.broken else "no JSON object with an action key")
    if len(actions) > 1:
        raise Unreadable("one action per reply")
    (action,) = actions
    if action.fault:
        raise Unreadable(action.fault)
    return dict(printable(action.value)) if "\\u" in raw or not raw.isascii() else action.value
