"""Text files that people bring: opened, and their encoding named where it is not the one wanted (UTF-8)."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from stewardbench.errors import DataError
from stewardbench.records.bounds import TooMuch, regular, whole

_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip (or an Excel workbook)", b"PAR1": "Parquet"}
SAVE = "Save the file as UTF-8."


@contextmanager
def opened(path: Path, wanted: str) -> Iterator[BinaryIO]:
    """A data file open for reading bytes. Raises DataError where there is none, or where it is no text in UTF-8."""
    try:
        file = regular(path)
    except FileNotFoundError:
        raise DataError("no such file.", path=path, hint="Check the path.") from None
    except IsADirectoryError:
        raise DataError("is a folder, not a file.", path=path, hint=f"Name {wanted}.") from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}.", path=path, hint="Check the path.") from None
    with file:
        start = file.read(4)
        for mark, name in _MARKS.items():
            if start.startswith(mark):
                raise DataError(f"is {name} text, not UTF-8.", path=path, hint=SAVE)
        for mark, name in _PACKED.items():
            if start.startswith(mark):
                raise DataError(f"is {name}, not text.", path=path, hint=f"Unpack or export it as {wanted}.")
        file.seek(0)
        yield file


def decoded(raw: bytes, path: Path, line: int = 0) -> str:
    """Bytes as text. Raises DataError that names the first byte that is no UTF-8, and the likely encoding."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line or raw.count(b"\n", 0, error.start) + 1
        likely = _likely(raw)
        raise DataError(f"byte {raw[error.start]:#04x} is not UTF-8{likely}.", path=path, line=at, hint=SAVE) from None


def _likely(raw: bytes) -> str:
    """What else the bytes may be; every byte is a letter of Latin-1, and Windows-1252 lacks five."""
    try:
        raw.decode("cp1252")
    except UnicodeDecodeError:
        return ""
    return "; the text looks like Windows-1252, which older spreadsheets write"


def read_text(path: Path, wanted: str = "a text file") -> str:
    """The text of a data file, without a byte order mark. Raises DataError (file and line)."""
    with opened(path, wanted) as file:
        try:
            data = whole(file)
        except TooMuch as fault:
            raise DataError(f"is too large: {fault}.", path=path, hint="Split it.") from None
        return decoded(data.removeprefix(codecs.BOM_UTF8), path)
