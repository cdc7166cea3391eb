"""Files that commands write for people: tables, pages, task sets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_file(path: Path, text: str) -> None:
    """Write a text as UTF-8. Raises OSError, which names the file."""
    with named(path):
        path.write_text(text, encoding="utf-8")


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Put the file's name into an OSError raised inside: the system leaves it out when a disk is full."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
