"""Files of JSON lines: the records of a run, and the data files that people bring.

A run's records are append-only, one JSON object per line, flushed to disk before the append returns. A process killed
in the middle of an append leaves at most one torn last line. Readers skip it, and the next append cuts it off first,
so a finished record is never lost and never half read. A line that was changed by hand is a ``StoreError``.

A data file comes from a person or another program, so anything may be wrong with it: every fault is a ``DataError``
that names the file, the line, and where there is one the field.
"""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter
from pydantic_core import from_json

from stewardbench.errors import DataError, StoreError
from stewardbench.records.bounds import DIGITS, ROW_BYTES, TooMuch, lines, not_too_deep, regular
from stewardbench.records.fitting import Misfit, fit, fit_json
from stewardbench.records.texts import decoded, opened

T = TypeVar("T")
OUR_FAULT = "This is a fault of the program; please report it."
CHANGED = "The record was changed or written by another version; restore it, or start a new run folder."


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
            raise StoreError(f"{self.path}: a record must be one line.", hint=OUR_FAULT)
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
        for number, _, raw in self._whole():
            yield number, raw[:-1].decode("utf-8", "surrogatepass")

    def records(self, kind: type[T] | TypeAdapter[T]) -> Iterator[T]:
        """Every whole line as a record, in the order of writing. Raises StoreError (file, line, field)."""
        for number, _, raw in self._whole():
            yield self._record(kind, number, raw)

    def index(self, kind: type[T], key: str) -> RecordIndex[T]:
        """Where the records about each value of a field stand, so that a few of many can be read."""
        return RecordIndex(self, kind, key)

    def _whole(self) -> Iterator[tuple[int, int, bytes]]:
        """(1-based number, byte offset, line with its newline) of every line that was written to its end."""
        if not self.path.exists():
            return
        number = position = 0
        try:
            file = regular(self.path)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}.", hint=CHANGED) from None
        with file:
            try:
                for number, raw in enumerate(lines(file), 1):
                    if raw.endswith(b"\n") and not raw.isspace():
                        yield number, position, raw
                    position += len(raw)
            except TooMuch as fault:
                raise StoreError(f"{self.path}:{number + 1}: {fault}.", hint=CHANGED) from None

    def _record(self, kind: type[T] | TypeAdapter[T], number: int, raw: bytes) -> T:
        try:
            return fit_json(kind, raw)
        except Misfit as misfit:
            fault = misfit
        try:  # half a surrogate pair, which is no UTF-8, in a text that an agent wrote
            halves = raw.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass")
            return fit_json(kind, halves.decode("utf-16", "replace"))
        except (Misfit, UnicodeError):
            where = ":".join(part for part in (str(self.path), str(number), fault.field) if part)
            raise StoreError(f"{where}: {fault.sentence}", hint=CHANGED) from None


class RecordIndex(Generic[T]):
    """The records of one file by the value of one field. Holds offsets, not records, however large the file is."""

    def __init__(self, log: JsonlLog, kind: type[T], key: str) -> None:
        self._log, self._kind = log, kind
        self._places: dict[object, list[tuple[int, int]]] = {}
        for number, position, raw in log._whole():
            try:
                value = from_json(raw)[key]
            except (ValueError, KeyError, TypeError):
                fault = "a record with this field was expected."
                raise StoreError(f"{log.path}:{number}:{key}: {fault}", hint=CHANGED) from None
            self._places.setdefault(value, []).append((number, position))

    def of(self, value: object) -> tuple[T, ...]:
        """The records about one value, oldest first. Raises StoreError for a damaged one."""
        places = self._places.get(value, ())
        if not places:
            return ()
        with self._log.path.open("rb") as file:
            found = []
            for number, position in places:
                file.seek(position)
                found.append(self._log._record(self._kind, number, file.readline()))
            return tuple(found)


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of a data file of JSON lines. Raises DataError with the line for anything else."""
    with opened(path, "a file of JSON lines") as file:
        number = 0
        try:
            for number, raw in enumerate(lines(file, ROW_BYTES), 1):
                line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                if line.strip():
                    yield number, _object(path, number, line)
        except TooMuch as fault:
            hint = "Write one object on each line."
            raise DataError(f"not readable: {fault}.", path=path, line=number + 1, hint=hint) from None


def read_records(path: Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """(line number, record) of a data file of JSON lines. Raises DataError (file, line, field)."""
    for number, row in read_jsonl(path):
        try:
            yield number, fit(kind, row)
        except Misfit as misfit:
            raise misfit.in_file(path, number) from None


def _object(path: Path, number: int, raw: bytes) -> dict[str, Any]:
    text = decoded(raw, path, number)
    try:
        value = json.loads(text)
        not_too_deep(value)
    except json.JSONDecodeError as error:
        if number == 1 and text.lstrip().startswith("["):
            raise _array(path) from None
        raise DataError(f"not JSON: {error.msg} at column {error.colno}.", path=path, line=number) from None
    except TooMuch as fault:
        raise DataError(f"not readable: {fault}.", path=path, line=number) from None
    except RecursionError:
        raise DataError("not readable: nested too deep.", path=path, line=number) from None
    except ValueError:  # what is left of json's own: a number of too many digits
        raise DataError(f"holds a number of more than {DIGITS} digits.", path=path, line=number) from None
    if isinstance(value, list) and number == 1:
        raise _array(path)
    if not isinstance(value, dict):
        raise DataError(f"expected an object, found {type(value).__name__}.", path=path, line=number)
    return value


def _array(path: Path) -> DataError:
    return DataError(
        "expected an object on each line, found one JSON array (list) over the file.",
        path=path,
        line=1,
        hint=f"Convert it, for example with: jq -c '.[]' {path.name} > {path.stem}.jsonl",
    )


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
