"""Append-only record files: one JSON object per line, flushed to disk before the append returns.

A process killed in the middle of an append leaves at most one torn last line. Readers skip it, and the next append
cuts it off first, so a finished record is never lost and never half read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stewardbench.errors import DataError, StoreError


class JsonlLog:
    """One append-only file. One writer at a time: the run folder's lock sees to that."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, line: str) -> None:
        """Write one line durably (write, flush, fsync). Raises StoreError when the disk refuses."""
        self.extend([line])

    def extend(self, lines: Sequence[str]) -> None:
        """Write some lines durably with one flush. Raises StoreError when the disk refuses; then none was written."""
        if any("\n" in line for line in lines):
            raise StoreError(f"{self.path}: a record must be one line")
        data = "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:  # a buffer would be written once more when it is closed
                _cut_torn_line(self.path)
                start = file.seek(0, os.SEEK_END)
                try:
                    left = memoryview(data)
                    while left:
                        left = left[file.write(left) :]
                    os.fsync(file.fileno())
                except OSError:
                    os.truncate(self.path, start)
                    raise
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot append: {error.strerror}.",
                hint="Free space or fix permissions, then run the same command again; finished episodes are kept.",
            ) from error

    def lines(self) -> Iterator[tuple[int, str]]:
        """(1-based number, text) of every whole line; nothing where the file does not exist yet."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if raw.endswith(b"\n") and raw.strip():
                    yield number, raw[:-1].decode("utf-8", "surrogatepass")


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of a strict JSONL input file. Raises DataError with the line for anything else."""
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if not raw.strip():
                    continue
                yield number, _object(path, number, raw)
    except FileNotFoundError:
        raise DataError("no such file.", path=path, hint="Check the path.") from None
    except IsADirectoryError:
        raise DataError("is a folder, not a file.", path=path, hint="Name a JSONL file.") from None


def _object(path: Path, number: int, raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise DataError(
            f"byte {error.start} is not UTF-8.", path=path, line=number, hint="Save the file as UTF-8."
        ) from None
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at column {error.colno}.", path=path, line=number) from None
    if not isinstance(value, dict):
        raise DataError(f"expected an object, found {type(value).__name__}.", path=path, line=number)
    return value


def _cut_torn_line(path: Path) -> None:
    """Drop bytes after the last newline, left by a writer that was killed."""
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return
        file.seek(size - 1)
        if file.read(1) == b"\n":
            return
        position = size
        while position > 0:
            step = min(65536, position)
            file.seek(position - step)
            block = file.read(step)
            cut = block.rfind(b"\n")
            if cut >= 0:
                file.truncate(position - step + cut + 1)
                return
            position -= step
        file.truncate(0)
