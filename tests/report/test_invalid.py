"""Why tasks are invalid, and whether the invalid ones are like the others."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from made_runs import write_run

from made_outcomes import outcome, random_outcomes
from stewardbench.pasb.axes import Delivery, Scenario
from stewardbench.pasb.measure.metrics import by
from stewardbench.pasb.records import InvalidReason
from stewardbench.report.build import Settings, build_report
from stewardbench.report.invalid import differences, reasons

ROOT = Path(__file__).parents[2]


def rows(lost: dict[str, int], of: int = 40, reason: str = "agent_crashed") -> pl.DataFrame:
    """So many tasks at each level, of which so many are invalid."""
    made = [
        {"run": "r", "valid": number >= count, "reason": None if number >= count else reason, "scenario": level}
        for level, count in lost.items()
        for number in range(of)
    ]
    return pl.DataFrame(
        made, schema={"run": pl.String, "valid": pl.Boolean, "reason": pl.String, "scenario": pl.String}
    )


def test_reasons_are_counted_the_most_frequent_first() -> None:
    both = pl.concat([rows({"a": 1, "b": 1}, reason="state_bounds"), rows({"a": 3, "b": 2})])
    found = reasons(both, ["run"], "reason").select("reason", "tasks", "of", "percent").rows()
    assert found == [("agent_crashed", 5, 160, 3.1), ("state_bounds", 2, 160, 1.2)]
    assert reasons(rows({"a": 0}), ["run"], "reason").is_empty()
    assert reasons(rows({"a": 1}, reason=""), ["run"], "reason")["reason"].to_list() == ["not recorded"]


def test_failures_that_choose_their_tasks_have_a_small_p_and_random_ones_have_not() -> None:
    chosen = differences(rows({"a": 10, "b": 0, "c": 0, "d": 0}), ["run"], ["scenario"])
    assert chosen["p"].max() <= 0.001
    assert chosen.select("level", "tasks", "invalid", "expected").rows()[0] == ("a", 40, 10, 2.5)
    even = differences(rows({"a": 3, "b": 2, "c": 3, "d": 2}), ["run"], ["scenario"])
    assert even["p"].min() > 0.5


def test_where_there_is_nothing_to_compare_there_is_no_row() -> None:
    assert differences(rows({"a": 0, "b": 0}), ["run"], ["scenario"]).is_empty()
    assert differences(rows({"a": 40, "b": 40}), ["run"], ["scenario"]).is_empty()
    assert differences(rows({"a": 4}), ["run"], ["scenario"]).is_empty()


def test_of_an_axis_with_many_levels_only_those_with_an_invalid_task_are_listed() -> None:
    found = differences(rows({f"item{n:02}": int(n == 7) for n in range(30)}, of=2), ["run"], ["scenario"])
    assert found["level"].to_list() == ["item07"]


def test_a_report_shows_both_where_a_task_is_invalid_and_neither_where_all_are_valid(tmp_path: Path) -> None:
    listed = [
        outcome(episode_id=f"{s} {d}", task_id=f"{s} {d}", scenario=s, delivery=d, valid=d is not Delivery.ALL_AT_ONCE)
        for s in Scenario
        for d in Delivery
    ]
    folder = write_run(tmp_path / "some", listed)
    report = build_report([folder], Settings(draws=50))
    assert report.table("invalid_reasons").frame["tasks"].to_list() == [4]
    frame = report.table("invalid_tasks").frame
    assert frame.filter(pl.col("axis") == "delivery")["invalid"].to_list().count(4) == 1
    assert (
        frame.filter(pl.col("axis") == "delivery")["p"][0] < 0.05 < frame.filter(pl.col("axis") == "scenario")["p"][0]
    )
    good = write_run(tmp_path / "good", [outcome()])
    names = {table.id for table in build_report([good], Settings(draws=50)).tables}
    assert not names & {"invalid_reasons", "invalid_tasks"}


def test_several_runs_are_kept_apart(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / name, made) for name, made in by(random_outcomes(11), "run_id").items()]
    report = build_report(folders, Settings(draws=50))
    lost = sum(not made.valid for made in random_outcomes(11))
    assert report.table("invalid_reasons").frame["tasks"].sum() == lost > 0


def test_every_reason_is_explained_to_readers() -> None:
    page = (ROOT / "docs" / "concepts" / "invalid.md").read_text(encoding="utf-8")
    assert [reason.value for reason in InvalidReason if f"| `{reason.value}` |" not in page] == []
