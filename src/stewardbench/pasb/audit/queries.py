"""What makes a query arc leading or leaky: words of the claim, and phrases that push (audit dimension 6)."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

import yaml


@cache
def blocklist() -> dict[str, list[str]]:
    """Kinds of leading phrases and their expressions, ``data/query_blocklist.yaml``."""
    text = (files("stewardbench.pasb.data") / "query_blocklist.yaml").read_text(encoding="utf-8")
    phrases: dict[str, list[str]] = yaml.safe_load(text)
    return phrases


@lru_cache(maxsize=8192)
def leading_phrases(text: str) -> tuple[tuple[str, str], ...]:
    """(kind, phrase) of every blocked phrase in a query turn."""
    return tuple(
        (kind, found.group())
        for kind, patterns in blocklist().items()
        for pattern in patterns
        for found in re.finditer(pattern, text, re.IGNORECASE)
    )
