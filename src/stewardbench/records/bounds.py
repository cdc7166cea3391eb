"""How much of a stranger's file is read: one limit of each kind, far above anything that is made in earnest.

Task files, sheets, run folders and audit bundles come from other people. Each of them could hold a line without an end,
a value that is nested a thousand times, or a number of a million digits, and each would otherwise cost the reader's
memory before it is found to be wrong. What is over a limit is refused by name, and the limit is said.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

MEGABYTE = 1 << 20
LINE_BYTES = 256 * MEGABYTE  # one line of JSON; an episode with every captured file is a hundredth of it
ROW_BYTES = 16 * MEGABYTE  # one line of a data file that people bring; a task is a thousandth of it
FILE_BYTES = 256 * MEGABYTE  # a file that is read whole: a sheet, a YAML file, a manifest
DEPTH = 64  # lists and objects in each other
COUNT = 1_000_000  # lists and objects in one value, counted as often as they are referred to
DIGITS = 4300  # of a number; Python's own limit, beyond which its parser gives up


class TooMuch(ValueError):
    """Something is over its limit; the text says what and by how much, as the end of a sentence."""


def regular(path: Path) -> BinaryIO:
    """An ordinary file, open for reading. Raises OSError, also for a pipe or a device, on which reading could wait."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
    os.close(descriptor)
    if folder:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is no ordinary file", str(path))


def lines(file: BinaryIO, most: int = LINE_BYTES) -> Iterator[bytes]:
    """The lines of a file with their line ends, one at a time. Raises TooMuch at a line that is too long."""
    while raw := file.readline(most + 1):
        if len(raw) > most:
            raise TooMuch(f"a line of more than {most:,} bytes")
        yield raw


def whole(file: BinaryIO, most: int = FILE_BYTES) -> bytes:
    """All of a file. Raises TooMuch where that is too large to be read whole."""
    data = file.read(most + 1)
    if len(data) > most:
        raise TooMuch(f"more than {most:,} bytes")
    return data


def not_too_deep(value: Any, most: int = DEPTH) -> None:
    """Raises TooMuch where lists and objects stand in each other more than ``most`` times, or are more than ``COUNT``.

    Does not recurse itself, and ends early where a few lines of YAML refer to each other a billion times.
    """
    level, left = [value], COUNT
    for _ in range(most + 1):
        found = (inner for outer in level for inner in _inside(outer) if isinstance(inner, dict | list))
        level = list(islice(found, left + 1))
        if not level:
            return
        left -= len(level)
        if left < 0:
            raise TooMuch(f"more than {COUNT:,} lists and objects")
    raise TooMuch(f"more than {most} lists and objects in each other")


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
