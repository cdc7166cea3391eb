"""Sheets (CSV) that people fill or bring, read as they come out of spreadsheets and data tools.

Read without being asked: a byte order mark, a comma, semicolon, tab or bar between cells, texts of any length, cells
that hold line ends, a row index without a name (also under the name that pandas gives it), TRUE for true. Refused, with
the file, the line on which the row begins, and the column: anything that would have to be guessed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from stewardbench.errors import DataError
from stewardbench.records.texts import read_text

DELIMITERS = (",", ";", "\t", "|")
INDEX = ""  # the name of a row index that has none
_UNNAMED = re.compile(r"Unnamed: \d+")
_LONGEST = 2**31 - 1  # of a cell; the csv module's own 131,072 refuses ordinary long texts
_TRUE, _FALSE = frozenset({"true", "t", "yes", "y", "1", "1.0"}), frozenset({"false", "f", "no", "n", "0", "0.0"})


class Row(dict[str, str]):
    """One row's cells by column, and where it stands. Cells are given as they are, outer blanks included."""

    def __init__(self, cells: dict[str, str], path: Path, line: int) -> None:
        super().__init__(cells)
        self.path, self.line = path, line

    def fault(self, column: str, fault: str, hint: str = "") -> DataError:
        """An error about one cell."""
        return DataError(fault, path=self.path, line=self.line, field=column or "(first column)", hint=hint)

    def boolean(self, column: str) -> bool:
        """A cell as yes or no, however spelt. Raises DataError that names any other value."""
        said = self[column].strip().casefold()
        if said in _TRUE or said in _FALSE:
            return said in _TRUE
        raise self.fault(column, f"{self[column]!r} is neither true nor false.", "Write true or false, or 1 or 0.")

    def number(self, column: str) -> int:
        """A cell as a whole number. Raises DataError that names any other value."""
        try:
            return int(self[column].strip().removesuffix(".0"))
        except ValueError:
            raise self.fault(column, f"{self[column]!r} is no whole number.") from None

    def numbers(self, column: str) -> tuple[int, ...]:
        """A cell of whole numbers between blanks. Raises DataError that names the first that is none."""
        found = []
        for part in self[column].split():
            try:
                found.append(int(part))
            except ValueError:
                raise self.fault(
                    column, f"{part!r} is no whole number.", "Write numbers with blanks between."
                ) from None
        return tuple(found)


class Once:
    """Keys that may stand once each in a file. The second line with a key is refused, and the first one named."""

    def __init__(self, path: Path, column: str, hint: str = "Remove one of the two.") -> None:
        self._path, self._column, self._hint = path, column, hint
        self._lines: dict[Hashable, int] = {}

    def note(self, key: Hashable, line: int, called: str = "") -> None:
        """Remember where a key stands. Raises DataError when it stands elsewhere too."""
        if key in self._lines:
            raise DataError(
                f"{called or key} stands in line {self._lines[key]} already.",
                path=self._path,
                line=line,
                field=self._column,
                hint=self._hint,
            )
        self._lines[key] = line


def read_sheet(path: Path, needed: Sequence[str]) -> Iterator[Row]:
    """The rows of a UTF-8 sheet that has at least the columns ``needed``; rows without any text are passed over.

    Raises DataError for a missing or doubled column, for a row with too few or too many cells, and for broken quotes.
    """
    text = read_text(path, "a CSV file")
    delimiter = _delimiter(text, needed)
    rows = _rows(text, delimiter, path)
    line, header = next(rows, (1, []))
    names = _names(header)
    _check_header(names, needed, path, line)
    for line, cells in rows:
        if any(cell.strip() for cell in cells):
            yield Row(dict(zip(names, _fitted(cells, len(names), path, line), strict=True)), path, line)


def parse_sheet(text: str) -> list[dict[str, str]]:
    """The rows of a sheet that ships with the package: commas, a header, nothing to check."""
    return list(csv.DictReader(io.StringIO(text)))


def _rows(text: str, delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """(line on which the row begins, cells) of every row that is not blank."""
    csv.field_size_limit(_LONGEST)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(
                f"quotes or line ends are broken: {error}.",
                path=path,
                line=line,
                hint='A quoted text ends with a quote before the next cell; a quote inside it is written twice ("").',
            ) from None
        if cells:
            yield line, cells


def _delimiter(text: str, needed: Sequence[str]) -> str:
    """What stands between the cells: what makes most of the wanted columns of the first line; else a comma."""
    first = next((line for line in text.splitlines() if line.strip()), "")

    def found(delimiter: str) -> int:
        names = {name.strip().strip('"') for name in first.split(delimiter)}
        return sum(name in names for name in needed)

    return max(DELIMITERS, key=found)


def _names(header: list[str]) -> list[str]:
    """The columns' names; of those without one the first is the row index, and the others are called by place."""
    names = [INDEX if _UNNAMED.fullmatch(name.strip()) else name.strip() for name in header]
    unnamed = [place for place, name in enumerate(names) if name == INDEX]
    return [f"column {place + 1}" if place in unnamed[1:] else name for place, name in enumerate(names)]


def _check_header(names: list[str], needed: Sequence[str], path: Path, line: int) -> None:
    missing = [name for name in needed if name not in names]
    if missing:
        shown = ", ".join(repr(name) for name in names) or "none"
        raise DataError(
            f"no column {', '.join(missing)}.",
            path=path,
            line=line,
            hint=f"The first row has to name the columns; found: {shown}.",
        )
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise DataError(
            f"column {twice!r} stands twice.", path=path, line=line, hint="Give each column a name of its own."
        )


def _fitted(cells: list[str], wanted: int, path: Path, line: int) -> list[str]:
    if len(cells) < wanted:
        raise DataError(f"{len(cells)} cells, fewer than the {wanted} columns of the header.", path=path, line=line)
    if any(cell.strip() for cell in cells[wanted:]):
        hint = "Put quotes around a text that holds the mark between cells."
        raise DataError(
            f"{len(cells)} cells, more than the {wanted} columns of the header.", path=path, line=line, hint=hint
        )
    return cells[:wanted]
