"""Reading CSV files that users fill or bring, with the file and line of whatever is wrong."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from stewardbench.errors import DataError


def csv_rows(path: Path, needed: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """(line on which the row ends, row) of a UTF-8 CSV file. Raises DataError for a missing column or a short row."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in needed if name not in (reader.fieldnames or ())]
            if missing:
                raise DataError(f"no column {', '.join(missing)}.", path=path, line=1, hint="Check the header row.")
            for row in reader:
                if None in row.values():
                    raise DataError("fewer columns than the header.", path=path, line=reader.line_num)
                yield reader.line_num, row
    except FileNotFoundError:
        raise DataError("no such file.", path=path, hint="Check the path.") from None
    except UnicodeDecodeError as error:
        raise DataError(f"byte {error.start} is not UTF-8.", path=path, hint="Save the file as UTF-8.") from None
