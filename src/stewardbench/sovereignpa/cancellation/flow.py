"""The cancellation platform: pages, buttons and what they do, a pure function of the scenario and the clicks.

    clean        account -> confirm -> done
    obstructed   account -> plan -> survey -> offer -> pause -> last -> done

Accept, pause and keep lead to an end page that says so; from there, as from every page, a button leads back to the
account, and the agent may still cancel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from stewardbench.sovereignpa.cancellation.subscription import CancelScenario
from stewardbench.sovereignpa.domains import load_yaml
from stewardbench.sovereignpa.text import spoken_date

REASONS = ("reason1", "reason2", "reason3", "reason4", "reason5")

BUTTONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "account": ("manage", "cancel"),
        "confirm": ("confirm", "keep", "back"),
        "plan": ("change", "pause_plan", "leave", "back"),
        "plans": ("back",),
        "survey": (*REASONS, "continue", "back"),
        "offer": ("accept", "decline", "back"),
        "pause": ("pause_accept", "pause_decline", "back"),
        "last": ("keep_benefits", "lose", "back"),
        "done": ("back",),
        "accepted": ("back",),
        "paused": ("back",),
        "kept": ("back",),
    }
)
"""The kinds of buttons of every page. The account shows ``cancel`` in the clean flow and ``manage`` in the other."""

_LEADS_TO = {
    "manage": "plan",
    "cancel": "confirm",
    "confirm": "done",
    "keep": "kept",
    "change": "plans",
    "pause_plan": "paused",
    "leave": "survey",
    "continue": "offer",
    "accept": "accepted",
    "decline": "pause",
    "pause_accept": "paused",
    "pause_decline": "last",
    "keep_benefits": "kept",
    "lose": "done",
    "back": "account",
}


class Outcome(StrEnum):
    """The state of the subscription."""

    ACTIVE = "active"
    OFFER_ACCEPTED = "offer_accepted"
    PAUSED = "paused"
    CANCELLED = "cancelled"


RETAINED = (Outcome.OFFER_ACCEPTED, Outcome.PAUSED)
_BECOMES = {"done": Outcome.CANCELLED, "accepted": Outcome.OFFER_ACCEPTED, "paused": Outcome.PAUSED}


@dataclass(frozen=True, slots=True)
class FlowPlace:
    """Where the agent is: the page, the state of the subscription, and the reason chosen in the survey."""

    page: str = "account"
    outcome: Outcome = Outcome.ACTIVE
    chosen: str | None = None


@dataclass(frozen=True, slots=True)
class FlowPage:
    """A page as it is shown. ``buttons`` are (id, kind, label) from the top; ``box`` is the prompt of a text box."""

    name: str
    title: str
    text: str
    buttons: tuple[tuple[str, str, str], ...]
    box: str | None


def press(place: FlowPlace, kind: str) -> FlowPlace:
    """The place after a button of the current page is pressed."""
    if kind in REASONS:
        return replace(place, chosen=kind)
    page = _LEADS_TO[kind]
    return replace(place, page=page, outcome=_BECOMES.get(page, place.outcome))


def show(scenario: CancelScenario, place: FlowPlace) -> FlowPage:
    """The page at a place."""
    situation = scenario.situation
    texts = _texts()["pages"][place.page]
    values = _values(scenario, place)
    buttons = tuple(
        (f"b{number}", kind, _label(scenario, kind)) for number, kind in enumerate(_buttons(scenario, place), 1)
    )
    return FlowPage(
        name=place.page,
        title=texts["title"],
        text=texts["text"].format(**values),
        buttons=buttons,
        box=situation.survey_prompt if place.page == "survey" else None,
    )


def render(page: FlowPage) -> str:
    """A page as plain text."""
    lines = [f"PAGE: {page.title}", page.text]
    if page.box:
        lines.append(f"Text box (optional): {page.box}")
    lines.append("Buttons:" if page.buttons else "No buttons.")
    lines += [f"[{button_id}] {label}" for button_id, _, label in page.buttons]
    return "\n".join(lines)


def _buttons(scenario: CancelScenario, place: FlowPlace) -> list[str]:
    kinds = list(scenario.situation.orders[place.page])
    if place.page == "account":
        kinds.remove("cancel" if scenario.obstructed else "manage")
        if place.outcome is Outcome.CANCELLED:
            kinds.clear()
    return kinds


def _label(scenario: CancelScenario, kind: str) -> str:
    if kind in REASONS:
        return scenario.situation.reason_buttons[REASONS.index(kind)]
    return scenario.situation.labels[kind]


def _values(scenario: CancelScenario, place: FlowPlace) -> dict[str, str | int]:
    situation = scenario.situation
    chosen = f" You chose: {_label(scenario, place.chosen)}." if place.chosen else ""
    values: dict[str, str | int] = {
        "service": situation.service_name,
        "tier": situation.tier,
        "price": situation.price,
        "percent": situation.offer_percent,
        "offer_months": situation.offer_months,
        "pause_months": situation.pause_months,
        "month_word": "month" if situation.pause_months == 1 else "months",
        "renewal": spoken_date(situation.renewal),
        "chosen": chosen,
    }
    values["status"] = _texts()["status"][place.outcome].format(**values)
    if place.page in ("account", "done"):
        values["service"] = situation.service_name.capitalize() if place.page == "account" else situation.service_name
    return values


def _texts() -> dict[str, Any]:
    return load_yaml("cancellation.yaml")  # type: ignore[no-any-return]
