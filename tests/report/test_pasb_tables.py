"""The columnar tables agree, cell by cell, with the metrics' own functions on episodes; one metric, one meaning."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_outcomes import outcome, random_outcomes
from stewardbench.pasb.axes import DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.measure import metrics
from stewardbench.pasb.measure.outcomes import EpisodeOutcome
from stewardbench.pasb.records import Stance
from stewardbench.pasb.report import boundary, panels, tables
from stewardbench.pasb.report.build import pasb_tables
from stewardbench.pasb.report.missing import missing_table
from stewardbench.pasb.report.rows import READINGS, rows_of
from stewardbench.pasb.report.study import Study
from stewardbench.pasb.report.trials import trials_table, variance_table
from stewardbench.report.table import Table

DRAWS = 40


def study(outcomes: list[EpisodeOutcome], **settings: object) -> Study:
    return Study(rows_of(outcomes), draws=DRAWS, **settings)  # type: ignore[arg-type]


def cell(table: Table, **keys: str) -> dict[str, object]:
    found = table.frame.filter(*(pl.col(name) == value for name, value in keys.items()))
    assert len(found) == 1, (keys, found)
    return found.row(0, named=True)


def same_rate(found: dict[str, object], expected: metrics.Rate) -> None:
    assert (found["k"], found["n"], found["unscored"]) == (expected.k, expected.n, expected.unscored)
    same_value(found, expected.value)
    if expected.bounds:
        assert found["if_all_pass"] == pytest.approx(float(100 * expected.bounds[0]), abs=1e-5)
        assert found["if_all_fail"] == pytest.approx(float(100 * expected.bounds[1]), abs=1e-5)


def same_value(found: dict[str, object], expected: Fraction | None) -> None:
    if expected is None:
        assert found["value"] is None
        assert found["printed"] == "n/a"
    else:
        assert found["value"] == pytest.approx(float(100 * expected), abs=1e-5)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2.5, 3, 4.5]))
def test_every_table_agrees_with_the_metrics_on_episodes(seed: int, at: float) -> None:
    made = random_outcomes(seed)
    whole = study(made, at=at)
    main, scenario, delivery = tables.main_table(whole), tables.scenario_table(whole), tables.delivery_table(whole)
    cross, commits, likert = tables.cross_domain_table(whole), tables.commit_table(whole), tables.likert_table(whole)
    for run_id, episodes in metrics.by(made, "run_id").items():
        for name, rate in metrics.failure_rates(episodes, at).items():
            same_rate(cell(main, run_id=run_id, metric=name), rate)
            by_scenario, by_delivery = metrics.by(episodes, "scenario"), metrics.by(episodes, "delivery")
            for level in Scenario:
                expected = metrics.max_failure_rate(by_scenario[level], name, at)
                same_rate(cell(scenario, run_id=run_id, scenario=level, metric=name), expected)
            for step in Delivery:
                expected = metrics.max_failure_rate(by_delivery[step], name, at)
                same_rate(cell(delivery, run_id=run_id, delivery=step, metric=name), expected)
            cdl = [e for e in episodes if e.sub_axis is SubAxis.CDL]
            same_rate(cell(cross, run_id=run_id, metric=name), metrics.max_failure_rate(cdl, name, at))
            mean = metrics.mean_likert(episodes, name)
            found = cell(likert, run_id=run_id, metric=name)
            assert (found["n"], found["unscored"]) == (mean.n, mean.unscored)
            assert found["value"] == (None if mean.value is None else pytest.approx(float(mean.value), abs=1e-5))
        same_rate(cell(main, run_id=run_id, metric="commit"), metrics.commit_rate(episodes))
        same_rate(cell(commits, run_id=run_id, scenario="all"), metrics.commit_rate(episodes))
        same_rate(cell(main, run_id=run_id, metric="df_any"), metrics.df_any(episodes, at))
        for name, mean_of in (("df4", metrics.df4(episodes, at)), ("df6", metrics.df6(episodes, at))):
            found = cell(main, run_id=run_id, metric=name)
            same_value(found, mean_of.value)
            assert (found["n"], found["unscored"]) == (mean_of.n, mean_of.unscored)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6))
def test_boundary_panels_and_lifts_agree_with_the_metrics_on_episodes(seed: int) -> None:
    made = random_outcomes(seed)
    whole = study(made)
    runs = metrics.by(made, "run_id")
    found = boundary.boundary_table(whole)
    for failure, how in (("df4", metrics.df4), ("df6", metrics.df6), ("syc", metrics.one_dimension("syc"))):
        for model, episodes in ((boundary.POOLED, made), *((None, runs[run]) for run in runs)):
            expected = metrics.boundary(episodes, how)
            keys = {"model": model} if model else {"run_id": episodes[0].run_id}
            same_value(cell(found, failure=failure, metric="gap", **keys), expected.gap)
            same_value(cell(found, failure=failure, metric="committed", **keys), expected.committed.value)
            same_value(cell(found, failure=failure, metric="session_only", **keys), expected.session_only.value)
        same_value(
            cell(found, failure=failure, metric="gap", model=boundary.MACRO), metrics.boundary_macro(runs, how).value
        )
    assert found.frame["model"][0] == boundary.POOLED  # the paper's reading comes first
    panel, per_run, surfaces = panels.stance_table(whole), panels.stance_per_run(whole), panels.surface_table(whole)
    for stance, rates in metrics.stance_panel(made).items():
        same_rate(cell(panel, stance=str(stance), metric="write"), rates.write)
        same_rate(cell(panel, stance=str(stance), metric="promoted"), rates.promoted)
        same_rate(cell(panel, stance=str(stance), metric="attribution_removed"), rates.attribution_removed)
        same_rate(cell(panel, stance=str(stance), metric="failure"), rates.failure)
    lifts = panels.cross_domain_lift(whole)
    for name, lift in metrics.cross_domain_lift(made).items():
        same_rate(cell(lifts, model=panels.POOLED, dimension=name, metric="committed"), lift.committed)
        same_rate(cell(lifts, model=panels.POOLED, dimension=name, metric="same_domain"), lift.same_domain)
        same_value(cell(lifts, model=panels.POOLED, dimension=name, metric="lift"), lift.lift)
        same_value(cell(lifts, model=panels.POOLED, dimension=name, metric="reference"), lift.reference)
    for run_id, episodes in runs.items():
        for label, rate in metrics.surface_shares(episodes).items():
            if label == "instructions" and not rate.k:  # none of the paper's, so shown only where it was written
                assert surfaces.frame.filter(run_id=run_id, metric=label).is_empty()
                continue
            same_rate(cell(surfaces, run_id=run_id, metric=label), rate)
        for stance, rates in metrics.stance_panel(episodes).items():
            same_rate(cell(per_run, run_id=run_id, stance=str(stance), metric="write"), rates.write)


def test_averages_weigh_every_run_alike() -> None:
    made = random_outcomes(3)
    whole = study(made)
    runs = metrics.by(made, "run_id")
    expected = metrics.mean_over_runs(
        metrics.max_failure_rate(metrics.by(episodes, "scenario")["signed_memory"], "leak").value
        for episodes in runs.values()
    )
    found = cell(tables.scenario_table(whole), model=tables.AVERAGE, scenario="signed_memory", metric="leak")
    same_value(found, expected)
    heat = cell(panels.scenario_heatmap(whole), scenario="signed_memory", metric="leak")
    same_value(heat, expected)
    hermes = [metrics.df4(metrics.by(runs[run], "delivery")["drip"]).value for run in runs if run.endswith("hermes")]
    found = cell(panels.delivery_by_agent(whole), agent="hermes", delivery="drip", metric="df4")
    same_value(found, metrics.mean_over_runs(hermes))
    assert found["runs"] == "2"


def test_model_averages_rank_the_least_failing_first() -> None:
    made = [
        outcome(run_id="b", model="bad", syc=5, leak=5, upg=5, amp=5, pers=5, esc=5),
        outcome(run_id="g1", model="good"),
        outcome(run_id="g2", model="good", agent="openclaw", syc=3),
    ]
    table = tables.model_averages(study(made))
    assert table.frame.select("model", "agents", "printed").rows() == [
        ("good", "hermes + openclaw", "8.33"),
        ("bad", "hermes", "100.00"),
    ]


def test_every_printed_number_has_its_n_and_interval() -> None:
    for table in pasb_tables(study(random_outcomes(5))):
        if "printed" in table.frame.columns:
            known = table.frame.filter(pl.col("value").is_not_null())
            assert known["n"].null_count() == 0, table.id
            assert (known["n"] > 0).all(), table.id
            bounded = known.filter(pl.col("low").is_not_null())
            assert (bounded["low"] <= bounded["value"] + 1e-6).all(), table.id
            assert (bounded["high"] >= bounded["value"] - 1e-6).all(), table.id
            single = known.filter(pl.col("k").is_not_null())
            assert single["wilson_low"].null_count() == 0, table.id


def test_tables_do_not_depend_on_the_order_of_rows() -> None:
    made = random_outcomes(6)
    first, second = study(made), study(made)
    shuffled = Study(
        second.rows.sample(fraction=1.0, shuffle=True, seed=4).sort("run_id", maintain_order=True), draws=DRAWS
    )
    ordered = Study(first.rows.sort("run_id", maintain_order=True), draws=DRAWS)
    for one, two in zip(pasb_tables(ordered), pasb_tables(shuffled), strict=True):
        assert one.csv() == two.csv(), one.id


def test_rounding_happens_once_half_to_even() -> None:
    made = [outcome(task_id=f"t{i}", base_item_id=f"i{i}", syc=5 if i < 1 else 1) for i in range(16)]
    table = tables.main_table(study(made))
    assert cell(table, metric="syc")["printed"] == "6.25"
    assert cell(table, metric="commit")["printed"] == "100.0"
    assert (
        cell(tables.scenario_table(study(made)), metric="syc", scenario="signed_memory", run_id="run-a")["printed"]
        == "6.2"
    )


def test_harness_checks_are_marked_and_never_pooled_with_measurements() -> None:
    real = [outcome(run_id="real", task_id=f"t{i}", base_item_id=f"i{i}", syc=1) for i in range(4)]
    check = [
        outcome(run_id="check", model="scripted/copier", task_id=f"t{i}", base_item_id=f"i{i}", syc=5) for i in range(4)
    ]
    both = study([*real, *check])
    main = tables.main_table(both)
    assert set(main.frame.filter(pl.col("run_id") == "check")["origin"]) == {"harness check"}
    assert main.harness_check
    pooled = cell(boundary.boundary_table(both), model=boundary.POOLED, failure="syc", metric="committed")
    assert (pooled["origin"], pooled["value"], pooled["n"]) == ("own", 0.0, 4)
    alone = cell(boundary.boundary_table(study(check)), model=boundary.POOLED, failure="syc", metric="committed")
    assert (alone["origin"], alone["value"]) == ("harness check", 100.0)


def test_one_record_of_the_reference_judge_marks_its_whole_run() -> None:
    table = tables.main_table(study([outcome(task_id="a", harness_check=True), outcome(task_id="b")]))
    assert set(table.frame["origin"]) == {"harness check"}


def test_invalid_episodes_are_counted_and_enter_no_rate() -> None:
    made = [outcome(task_id="a"), outcome(task_id="b", valid=False, invalid_reason="cut_canary", syc=5)]
    whole = study(made)
    assert cell(tables.main_table(whole), metric="syc")["n"] == 1
    row = tables.accounting_table(whole).frame.row(0, named=True)
    assert (row["tasks"], row["valid"], row["invalid"], row["invalid_reasons"]) == (2, 1, 1, "cut_canary 1")


def test_bounds_leave_open_what_is_missing_and_nothing_else() -> None:
    made = [outcome(task_id="a"), outcome(task_id="b", valid=False, invalid_reason="cut_canary")]
    made += [outcome(task_id="c", syc=None, syc_least=5), outcome(task_id="d", syc=None, syc_least=1)]
    found = missing_table(study(made))
    assert found is not None
    row = next(found.frame.filter(metric="syc").iter_rows(named=True))
    assert (row["value"], row["n"], row["unscored"], row["invalid"]) == ("0.0", 1, 2, 1)
    assert (row["if_all_pass"], row["if_all_fail"]) == (25.0, 75.0)
    assert found.frame.filter(metric="commit")["if_all_pass"].to_list() == [75.0]
    assert missing_table(study(made[:1])) is None


def test_a_run_without_one_side_of_the_boundary_is_named() -> None:
    made = [outcome(run_id="r1", task_id="a"), outcome(run_id="r2", model="model-b", task_id="a")]
    made += [outcome(run_id="r2", model="model-b", task_id="b", committed=False, primary="session_only")]
    table = boundary.boundary_table(study(made))
    assert "model-a on hermes" in table.notes[0]
    assert "model-b" not in table.notes[0]
    assert cell(table, model=boundary.MACRO, failure="df4", metric="gap")["n"] == 2  # only the run with both sides


def test_an_empty_study_gives_empty_tables_and_no_crash() -> None:
    for table in pasb_tables(study([])):
        assert table.frame.filter(pl.col("value").is_not_null()).is_empty() if "value" in table.frame.columns else True
    only_invalid = study([outcome(valid=False, invalid_reason="agent_crashed")])
    assert cell(tables.main_table(only_invalid), metric="syc")["printed"] == "n/a"
    assert len(pasb_tables(only_invalid)) > 10


def test_stances_are_those_of_the_records() -> None:
    table = panels.stance_table(study(random_outcomes(1)))
    assert table.frame["stance"].unique(maintain_order=True).to_list() == [*map(str, Stance), panels.ALL_STANCES]
    assert len(DIMENSIONS) == 6


def repeated(*scores: tuple[int | None, ...]) -> list[EpisodeOutcome]:
    """One task per tuple, on base items of their own, with one trial per sycophancy score."""
    return [
        outcome(
            episode_id=f"{task} {trial}", task_id=f"t{task}", base_item_id=f"i{task}", trial=trial, syc=score, pers=1
        )
        for task, several in enumerate(scores)
        for trial, score in enumerate(several, 1)
    ]


def test_trials_are_all_counted_and_read_together() -> None:
    whole = study(repeated((5, 1, 1), (5, 5, 5), (1, 1, 1), (1, None, 5)))
    assert cell(tables.main_table(whole), metric="syc")["n"] == 11, "no repeat is dropped"
    found = trials_table(whole)
    assert found is not None
    each, once, always = (cell(found, failure="syc", metric=m) for m in ("each_trial", "at_least_once", "every_time"))
    assert (each["k"], each["n"], each["unscored"]) == (5, 11, 1)
    assert (once["k"], once["n"], once["unscored"]) == (2, 3, 1), "a missing trial may be the one that fails"
    assert (always["k"], always["n"]) == (1, 3)
    assert trials_table(study(repeated((5,), (1,)))) is None


def test_variance_is_split_by_what_the_run_can_tell_apart() -> None:
    whole = study(repeated((5, 1), (1, 5), (5, 1), (1, 5)))
    found = variance_table(whole)
    assert found is not None
    levels = {row["level"]: row for row in found.frame.iter_rows(named=True)}
    assert list(levels) == ["base item + task", "trial + reading"]
    assert levels["base item + task"]["variance"] < 0, "all items have the same mean"
    assert levels["trial + reading"]["share_percent"] == 100.0
    once = study(repeated((5,), (1,), (5,), (1,)))
    assert variance_table(once) is None
    again = pl.DataFrame(
        [{"episode_id": "0 1", "blind": False, "reading": 1} | dict.fromkeys(DIMENSIONS, 1)], schema=READINGS
    )
    judged_twice = variance_table(Study(once.rows, again))
    assert judged_twice is not None
    assert list(judged_twice.frame["level"]) == ["base item + task + trial", "reading"]
    assert judged_twice.frame["variance"][1] == pytest.approx(25.0**2 / 2), "df4 of 25 and of 0 by one judge"
