"""The definitions that the methods page lists: each benchmark's own ``terms.yaml``, and the shared one here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import yaml


@dataclass(frozen=True, slots=True)
class TermList:
    """Terms under one heading: (name, definition) pairs in reading order."""

    id: str
    title: str
    lead: str
    terms: tuple[tuple[str, str], ...]


def term_lists(package: str) -> tuple[TermList, ...]:
    """The lists of ``terms.yaml`` in a package, in order."""
    text = (files(package) / "terms.yaml").read_text(encoding="utf-8")
    return tuple(
        TermList(entry["id"], entry["title"], entry["lead"], tuple(entry["terms"].items()))
        for entry in yaml.safe_load(text)
    )


def shared_terms() -> tuple[TermList, ...]:
    """What every benchmark's numbers have in common: states, sources, intervals."""
    return term_lists("stewardbench.site")
