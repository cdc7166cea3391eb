"""The declared differences between our driver and the stock program, each with reason, reach and direction.

The list is exact in both directions. A difference that no entry covers fails the check, and so does a pattern that is
met by none: what has become equal must be taken off the list, or the list would hide its return.
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
    """One declared difference.

    ``match`` are regular expressions over ``Departure.what``, matched from its start; each has to be met. ``models`` is
    one over model names, for what is there under some names only; empty for all. ``version`` limits it to one version.
    """

    match: tuple[str, ...] = Field(min_length=1)
    what: str
    reason: str
    direction: str = "none"
    presets: tuple[str, ...] = Field(("released", "stock"), min_length=1)
    models: str = ""
    version: str = ""


class Verdict(NamedTuple):
    """What is not as declared."""

    undeclared: tuple[Departure, ...]
    gone: tuple[str, ...]  # patterns

    @property
    def clean(self) -> bool:
        """Whether the list is exact."""
        return not self.undeclared and not self.gone


def declared(agent: str, preset: str, version: str, model: str | None = None) -> tuple[DeclaredDeparture, ...]:
    """The declared differences of an agent's version under a preset; those for one model name, or for any."""
    return tuple(
        entry
        for entry in _entries(agent)
        if preset in entry.presets
        and entry.version in {"", version}
        and (model is None or re.search(entry.models, model))
    )


def listed_versions(agent: str) -> set[str]:
    """The versions that have entries of their own."""
    return {entry.version for entry in _entries(agent)} - {""}


def _entries(agent: str) -> list[DeclaredDeparture]:
    text = (files(__package__) / "differences.yaml").read_text(encoding="utf-8")
    return [DeclaredDeparture.model_validate(fields) for fields in yaml.safe_load(text)[agent]]


def judge(found: Iterable[Departure], entries: Sequence[DeclaredDeparture]) -> Verdict:
    """Hold differences against the list."""
    listed = list(found)
    covers = [re.compile(pattern) for entry in entries for pattern in entry.match]
    undeclared = [each for each in listed if not any(pattern.match(each.what) for pattern in covers)]
    gone = [pattern.pattern for pattern in covers if not any(pattern.match(each.what) for each in listed)]
    return Verdict(tuple(undeclared), tuple(gone))
