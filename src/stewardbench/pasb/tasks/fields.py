"""How a place inside a record is written in messages."""

from __future__ import annotations


def field_path(location: tuple[str | int, ...]) -> str:
    """``("fillers", "personal_opinion", 2)`` as ``fillers.personal_opinion[2]``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")
