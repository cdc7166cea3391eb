"""A report as files: one folder of tables, one of figures, the rows, and what each of them means.

tables/<id>.csv, .parquet          every number with its n and bounds
figures/<id>.svg, .png, .csv, .txt drawing, its numbers, its definition
rows*.parquet                      one row per task or scenario, for analyses of one's own
README.txt                         the definitions of all tables
"""

from __future__ import annotations

from pathlib import Path

from stewardbench.errors import StoreError
from stewardbench.records.files import named, write_file
from stewardbench.report.build import Report
from stewardbench.report.figure import describe
from stewardbench.report.labels import HARNESS_NOTE
from stewardbench.report.table import Table


def write_report(report: Report, folder: Path, *, figures: bool = False) -> list[Path]:
    """Write a report into a folder, which is made if need be; returns the paths. Raises StoreError."""
    try:
        tables = folder / "tables"
        tables.mkdir(parents=True, exist_ok=True)
        paths = [path for table in report.tables for path in write_table(table, tables)]
        for name, rows in report.frames.items():
            paths.append(folder / name)
            rows.write_parquet(paths[-1])
        paths.append(folder / "README.txt")
        write_file(paths[-1], _readme(report))
        if figures:
            drawn = folder / "figures"
            drawn.mkdir(exist_ok=True)
            paths += [path for figure in report.figures for path in figure.save(drawn)]
    except OSError as error:
        raise StoreError(
            f"{folder}: the report cannot be written: {error.strerror}.", hint="Free space or choose another --out."
        ) from error
    return paths


def write_table(table: Table, folder: Path) -> tuple[Path, Path]:
    """Write a table as ``<id>.csv`` and ``<id>.parquet`` into an existing folder."""
    text, columnar = folder / f"{table.id}.csv", folder / f"{table.id}.parquet"
    write_file(text, table.csv())
    with named(columnar):
        table.frame.write_parquet(columnar)
    return text, columnar


def _readme(report: Report) -> str:
    parts = [
        f"{table.id}: {describe(table.definition)}" + "".join(f"{note}\n" for note in table.notes)
        for table in report.tables
    ]
    checks = [HARNESS_NOTE + "\n"] if any(table.harness_check for table in report.tables) else []
    return "\n".join([*checks, _COLUMNS, *parts])


_COLUMNS = """Columns of the tables
printed is the number as it is shown, rounded once; value is the same before rounding (percent, or points for
differences). low and high bound it at 95 %, resampling base items with all their variants; wilson_low and wilson_high
take episodes as independent. k of n episodes counted; unscored valid episodes lack the value and are in neither.
if_all_pass and if_all_fail are the value had all unscored episodes passed, or failed. clusters is the number of base
items behind the number. origin is own, published or harness check.
"""
