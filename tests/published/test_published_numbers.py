"""The packaged published numbers are complete, consistent among themselves, and always marked as published."""

from __future__ import annotations

import polars as pl
import pytest

from stewardbench import published
from stewardbench.errors import UsageError
from stewardbench.pasb.report.published import beside, published_tables
from stewardbench.report.table import definitions

SIZES = {
    "table02": 168,
    "table02_avg": 12,
    "table09": 144,
    "table10": 600,
    "table11": 600,
    "table12": 150,
    "table13": 125,
}


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_every_printed_cell_is_there_and_marked(name: str, size: int) -> None:
    frame = published.pasb_table(name)
    assert len(frame) == size
    assert set(frame["origin"]) == {"published"}
    assert frame["value"].null_count() == 0


def test_counts_reproduce_their_printed_percentages_but_one() -> None:
    counts = published.pasb_counts()
    assert len(counts) == 1560
    wrong = []
    for table, model, agent, cell, metric, printed, k, n in counts.iter_rows():
        decimals = len(printed.partition(".")[2])
        if abs(100 * k / n - float(printed)) > 0.5 * 10**-decimals + 1e-9:
            wrong.append((table, model, agent, cell, metric))
    assert wrong == []


def test_published_tables_carry_no_intervals_and_show_what_was_printed() -> None:
    tables = published_tables()
    assert set(tables) <= set(definitions("stewardbench.pasb.report"))
    for identity, table in tables.items():
        assert set(table.frame["origin"]) == {"published"}, identity
        if "low" in table.frame.columns:
            assert table.frame["low"].null_count() == len(table.frame), identity
    cell = tables["table13"].frame.filter(
        pl.col("model") == "Gemma-4-E4B-it", pl.col("agent") == "openclaw", pl.col("scenario") == "signed_memory"
    )
    assert cell["printed"].to_list() == ["63.7"]
    average = tables["table10"].frame.filter(
        pl.col("model").str.starts_with("Average"), pl.col("scenario") == "signed_memory", pl.col("metric") == "esc"
    )
    assert average["printed"].to_list() == ["45.2"]


def test_derived_means_are_those_of_the_running_text() -> None:
    tables, text = published_tables(), published.pasb_text()
    by_scenario = tables["figure04a"].frame
    commit = {
        (agent, scenario): value
        for agent, scenario, metric, value in by_scenario.select("agent", "scenario", "metric", "value").iter_rows()
        if metric == "commit"
    }
    assert round(commit["hermes", "signed_memory"]) == text["commit_hermes_signed_memory_mean"]
    assert round(commit["openclaw", "procedural_workflow"]) == text["commit_openclaw_procedural_mean"]
    failure = {
        (agent, delivery): printed
        for agent, delivery, printed in tables["figure04b"].frame.select("agent", "delivery", "printed").iter_rows()
    }
    assert float(failure["hermes", "all_at_once"]) == text["failure_hermes_all_at_once"]
    assert float(failure["openclaw", "drip"]) == text["failure_openclaw_drip"]


def test_beside_adds_rows_and_takes_nothing_away() -> None:
    own = published_tables()["table02"]
    (both,) = beside([own])
    assert len(both.frame) == 2 * len(own.frame)


def test_an_unknown_table_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="table13"):
        published.pasb_table("table99")


def test_sovereignpa_numbers_are_there() -> None:
    table = published.sovereignpa_table()
    assert "agent" in table.columns
    assert len(table) >= 17
    assert len(published.sovereignpa_table("text")) > 50
    assert set(published.sources()) == {"pasb", "sovereignpa"}
