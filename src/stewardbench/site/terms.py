"""The definitions that the methods page lists, from ``terms.yaml``."""

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


def term_lists() -> tuple[TermList, ...]:
    """Every list of the methods page, in order."""
    text = (files("stewardbench.site") / "terms.yaml").read_text(encoding="utf-8")
    return tuple(
        TermList(entry["id"], entry["title"], entry["lead"], tuple(entry["terms"].items()))
        for entry in yaml.safe_load(text)
    )
