"""Run folders of version 0.1.0 still read, and give the tables that version 0.1.0 made of them, byte for byte.

All that was measured is the same text: every printed number, every count, every key, in the same order. Only the bounds
of intervals are made by the present estimator, since those of version 0.1.0 did not hold at low rates.
"""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest

from stewardbench.report.build import Report, build_report
from stewardbench.runs.folder import run_folders

OLD = Path(__file__).parents[1] / "old_runs"
BOUNDS = ("low", "high", "at_most")  # of the estimator, not of the records
ADDED = ("policy",)  # said of every row since: version 0.1.0 told agents a masked model name
LATER = ("commits",)  # tables of readings that version 0.1.0 did not make
TABLES = sorted(path.stem for path in (OLD / "tables").glob("*.csv"))


@pytest.fixture(scope="module")
def report() -> Report:
    return build_report(run_folders([OLD]))


def test_the_old_folders_give_the_same_tables_and_no_fewer(report: Report) -> None:
    assert [table.id for table in report.tables if table.id not in (*TABLES, *LATER)] == []
    assert len(TABLES) == 24


def measured(csv: bytes) -> str:
    """A table without its bounds and the columns it has gained, as CSV text."""
    frame = pl.read_csv(io.BytesIO(csv), infer_schema=False)
    return frame.drop(name for name in (*BOUNDS, *ADDED) if name in frame.columns).write_csv()


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_old_folders_is_the_same_bytes(report: Report, name: str) -> None:
    now, then = report.table(name).csv().encode(), (OLD / "tables" / f"{name}.csv").read_bytes()
    assert measured(now) == measured(then)
