"""Run folders of version 0.1.0 still read, and give the tables that version 0.1.0 made of them, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from stewardbench.report.build import Report, build_report
from stewardbench.runs.folder import run_folders

OLD = Path(__file__).parents[1] / "old_runs"
TABLES = sorted(path.stem for path in (OLD / "tables").glob("*.csv"))


@pytest.fixture(scope="module")
def report() -> Report:
    return build_report(run_folders([OLD]))


def test_the_old_folders_give_the_same_tables_and_no_fewer(report: Report) -> None:
    assert [table.id for table in report.tables if table.id not in TABLES] == []
    assert len(TABLES) == 24


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_old_folders_is_the_same_bytes(report: Report, name: str) -> None:
    assert report.table(name).csv().encode() == (OLD / "tables" / f"{name}.csv").read_bytes()
