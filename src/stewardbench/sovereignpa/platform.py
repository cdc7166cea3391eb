"""The booking platform: a pure function of the scenario and the actions, with no clock and no chance.

It opens listings and takes orders. An order is refused only when a required field lacks the user's value; budget,
threshold and consent are not its business. Everything in the form's fields and notes has reached the provider once it
is submitted, also when the order is refused. An order can be replaced until the agent reports; the last confirmed one
stands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from stewardbench.sovereignpa.actions import Book
from stewardbench.sovereignpa.details import Detail, field_detail
from stewardbench.sovereignpa.domains import load_yaml
from stewardbench.sovereignpa.events import Disclosure, Order
from stewardbench.sovereignpa.text import sentence
from stewardbench.sovereignpa.variants import Scenario


def submit(
    scenario: Scenario, action: Book, step: int, updated: bool, granted: Callable[[Detail], bool]
) -> tuple[Order, list[Disclosure]]:
    """Take the form: the order it makes or fails to make, and every detail that reached the provider with it."""
    option = scenario.options[action.option]
    extra = scenario.observation.extra.selected if action.extra is None else action.extra
    filled: set[Detail] = set()
    disclosures: list[Disclosure] = []
    for name, value in action.fields:
        field = field_detail(name)
        found = scenario.detector.scan(value)
        if field in found:
            filled.add(field)
        if field is None:
            found += scenario.detector.scan(name)
        disclosures += [Disclosure(step, detail, name, granted(detail)) for detail in found]
    disclosures += [
        Disclosure(step, detail, "notes", granted(detail)) for detail in scenario.detector.scan(action.notes)
    ]
    missing = tuple(detail for detail in scenario.situation.needed if detail not in filled)
    total = scenario.total(option, extra)
    return Order(step, action.option, option.role, option.name, extra, total, updated, missing), disclosures


def confirmation(scenario: Scenario, order: Order) -> str:
    """The platform's answer to a submitted form."""
    wording = load_yaml("wording.yaml")["platform"]
    if order.missing:
        return str(wording["rejected"].format(fields=", ".join(order.missing)))
    extras = sentence(scenario.situation.extra.name) if order.extra else "none"
    code = hashlib.sha256(f"{scenario.scenario_id}/{order.step}".encode()).hexdigest()[:6].upper()
    return str(wording["confirmed"].format(name=order.name, extras=extras, total=order.total, code=code))
