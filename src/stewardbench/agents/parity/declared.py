"""The declared differences between our driver and the stock program, each with reason, reach and direction.

The list is exact in both directions. A difference that no entry covers fails the check, and so does an entry that
covers none: what has become equal must be taken off the list, or the list would hide its return.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import NamedTuple

import yaml
from pydantic import Field

from stewardbench.agents.parity.compare import Departure
from stewardbench.records import Record


class DeclaredDeparture(Record):
    """One declared difference. ``match`` is a regular expression over ``Departure.what``, matched from its start."""

    match: str
    what: str
    reason: str
    direction: str = "none"
    presets: tuple[str, ...] = Field(("released", "stock"), min_length=1)


class Verdict(NamedTuple):
    """What is not as declared."""

    undeclared: tuple[Departure, ...]
    gone: tuple[DeclaredDeparture, ...]

    @property
    def clean(self) -> bool:
        """Whether the list is exact."""
        return not self.undeclared and not self.gone


def declared(agent: str, preset: str) -> tuple[DeclaredDeparture, ...]:
    """An agent's declared differences under a preset."""
    text = (files(__package__) / "differences.yaml").read_text(encoding="utf-8")
    entries = (DeclaredDeparture.model_validate(fields) for fields in yaml.safe_load(text)[agent])
    return tuple(entry for entry in entries if preset in entry.presets)


def judge(found: Iterable[Departure], entries: Sequence[DeclaredDeparture]) -> Verdict:
    """Hold differences against the list."""
    listed = list(found)
    covers = [re.compile(entry.match) for entry in entries]
    undeclared = [each for each in listed if not any(pattern.match(each.what) for pattern in covers)]
    used = [any(pattern.match(each.what) for each in listed) for pattern in covers]
    return Verdict(tuple(undeclared), tuple(entry for entry, hit in zip(entries, used, strict=True) if not hit))
