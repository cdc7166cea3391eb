"""No table prints an interval without width, a bound that is no number, or an interval that leaves out its estimate."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from stewardbench.report.build import Report, build_report
from stewardbench.runs.folder import run_folders

OLD = Path(__file__).parents[1] / "old_runs"
LEAST = 1e-3  # points


@pytest.fixture(scope="module")
def report() -> Report:
    return build_report(run_folders([OLD]))


def bounds(report: Report) -> list[tuple[str, pl.DataFrame]]:
    return [(t.id, t.frame) for t in report.tables if {"low", "high"} <= set(t.frame.columns)]


def test_there_are_tables_with_bounds(report: Report) -> None:
    assert len(bounds(report)) >= 15


def test_no_interval_is_without_width(report: Report) -> None:
    for name, frame in bounds(report):
        known = frame.drop_nulls(["low", "high"])
        assert known.filter(pl.col("high") - pl.col("low") < LEAST).is_empty(), name


def test_a_bound_is_a_number_or_missing(report: Report) -> None:
    for name, frame in bounds(report):
        for column in ("low", "high"):
            assert frame[column].cast(pl.Float64).is_nan().sum() == 0, name


def test_an_interval_holds_its_estimate(report: Report) -> None:
    for name, frame in bounds(report):
        if "value" in frame.columns:
            known = frame.drop_nulls(["low", "high", "value"])
            outside = known.filter((pl.col("value") < pl.col("low") - 1e-6) | (pl.col("value") > pl.col("high") + 1e-6))
            assert outside.is_empty(), name


def test_where_nothing_differs_the_table_says_how_many_may(report: Report) -> None:
    effects = report.table("sovereignpa_effects").frame
    still = effects.filter(pl.col("low").is_null() & (pl.col("n_plus") + pl.col("n_minus") == 0))
    assert not still.is_empty()
    assert still["at_most"].is_not_null().all()
