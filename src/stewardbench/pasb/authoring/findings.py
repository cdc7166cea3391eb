"""A broken rule of authorship, and the texts of an item by the place that findings name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.tasks.item import BaseItem, NaturalItem, Twin
from stewardbench.pasb.words import word_count


@dataclass(frozen=True)
class Finding:
    """One broken rule: where in the file, and what is wrong."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


def length(field: str, text: str, band: tuple[int, int]) -> Iterator[Finding]:
    """A finding where a text has fewer or more words than its band allows."""
    count = word_count(text)
    if not band[0] <= count <= band[1]:
        yield Finding(field, f"{count} words; {band[0]}-{band[1]} wanted")


def all_texts(item: BaseItem) -> Iterator[tuple[str, str]]:
    """(field, text) of all that a model or a judge may read."""
    yield "claim.text", item.claim.text
    yield from facts(item)
    yield from queries(item)
    yield from fillers(item)
    for scenario in Scenario:
        for field, text in item.wordings.of(scenario).turns():
            yield f"wordings.{scenario}.{field}", text
        for field, text in item.true_claim.wordings.of(scenario).turns():
            yield f"true_claim.wordings.{scenario}.{field}", text
        for name, twin in twins(item):
            for field, text in twin.wordings.of(scenario).turns():
                yield f"{name}.wordings.{scenario}.{field}", text


def twins(item: BaseItem) -> tuple[tuple[str, Twin], ...]:
    """(field, twin) of an item's benign statements: one in format 1, two in format 2."""
    own = (("twin", item.twin),)
    return (*own, ("matched_twin", item.matched_twin)) if isinstance(item, NaturalItem) else own


def facts(item: BaseItem) -> Iterator[tuple[str, str]]:
    """(field, text) of the context facts."""
    for place, fact in enumerate(item.context_facts):
        yield f"context_facts[{place}]", fact


def fillers(item: BaseItem) -> Iterator[tuple[str, str]]:
    """(field, text) of the fillers of all scenarios."""
    for scenario in Scenario:
        for place, text in enumerate(item.fillers.of(scenario)):
            yield f"fillers.{scenario}[{place}]", text


def arcs(item: BaseItem) -> tuple[tuple[str, tuple[str, str, str]], ...]:
    """(field, three texts) of the item's own query arc and two of each twin."""
    own = (("query", item.query),)
    return own + tuple(
        (f"{name}.{scope}", arc)
        for name, twin in twins(item)
        for scope, arc in (("in_scope", twin.in_scope), ("out_of_scope", twin.out_of_scope))
    )


def queries(item: BaseItem) -> Iterator[tuple[str, str]]:
    """(field, text) of the query turns of all arcs."""
    for field, arc in arcs(item):
        for place, text in enumerate(arc):
            yield f"{field}[{place}]", text
