"""Comparing two runs: pairs by task, a verdict from the interval, an exit code for CI, either benchmark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_runs import write_run
from typer.testing import CliRunner

from made_outcomes import outcome
from stewardbench.cli import app
from stewardbench.errors import UsageError
from stewardbench.pasb.measure.outcomes import EpisodeOutcome
from stewardbench.report.build import build_report
from stewardbench.report.compare import compare, sentence
from stewardbench.report.measured import CLUSTER, TASK, Measured, Metric, measured
from stewardbench.report.ranking import gate, rank
from stewardbench.seeding import generator

LOW, HIGH, NEITHER = Metric("bad", "Bad"), Metric("good", "Good", lower=False), Metric("odd", "Odd", lower=None)


def side(
    values: np.ndarray, *, name: str = "run", benchmark: str = "pasb", metrics: tuple[Metric, ...] = (LOW,)
) -> Measured:
    """A run of four tasks per cluster, one value per task for every metric."""
    tasks = [f"t{index:04d}" for index in range(len(values))]
    clusters = [f"c{index // 4:03d}" for index in range(len(values))]
    frame = pl.DataFrame({TASK: tasks, CLUSTER: clusters, **{metric.name: values.astype(float) for metric in metrics}})
    return Measured(benchmark, name, frame, metrics, "base items", False)


def noise(seed: int, size: int = 160) -> np.ndarray:
    return np.random.default_rng(seed).random(size)


def test_a_rise_in_a_bad_metric_is_worse_and_in_a_good_one_better() -> None:
    base = noise(1) * 0.5
    for metric, verdict in ((LOW, "worse"), (HIGH, "better"), (NEITHER, "different")):
        found = compare(side(base, metrics=(metric,)), side(base + 0.3, metrics=(metric,)))
        assert found.headline.verdict == verdict
        assert found.headline.change.estimate == pytest.approx(30.0)
        assert found.headline.sign.positive == 40


def test_runs_that_differ_by_chance_are_not_told_apart() -> None:
    found = compare(side(noise(1)), side(noise(2)))
    assert found.headline.verdict == "no difference shown"
    assert "No difference shown" in sentence(found)
    assert 0 < found.headline.detectable < 30


def test_pairing_sees_what_two_separate_rates_would_not() -> None:
    base = noise(3)  # tasks differ by far more than the runs
    found = compare(side(base), side(base + 0.02 + 0.01 * noise(4)))
    assert found.headline.verdict == "worse"


def test_a_run_against_itself_is_equal_within_what_so_many_items_can_show() -> None:
    few, many = (compare(side(noise(5, n)), side(noise(5, n))).headline for n in (160, 800))
    assert (few.change.estimate, few.change.known, few.verdict) == (0.0, False, "no difference shown")
    assert many.verdict == "equal"


def test_runs_that_hardly_differ_are_equal_within_a_margin_and_not_within_less() -> None:
    base = noise(3, 400) * 0.8
    other = base + 0.05 * (noise(4, 400) - noise(4, 400).mean())
    assert compare(side(base), side(other)).headline.verdict == "equal"
    assert compare(side(base), side(other), margin=0.1).headline.verdict == "no difference shown"
    with pytest.raises(UsageError, match="above 0"):
        compare(side(base), side(other), margin=0)


def test_tasks_without_a_pair_and_unscored_ones_are_left_out_and_counted() -> None:
    before, after = side(noise(6)), side(noise(6) + 0.1)
    frame = after.frame.head(100).with_columns(bad=pl.when(pl.int_range(pl.len()) < 10).then(None).otherwise("bad"))
    found = compare(before, replace(after, frame=frame))
    assert (found.pairs, found.only_before, found.only_after) == (100, 60, 0)
    assert found.headline.change.n == 90


def test_the_headline_stands_first_and_all_intervals_hold_together() -> None:
    metrics = (LOW, HIGH, NEITHER)
    before, after = side(noise(7), metrics=metrics), side(noise(8), metrics=metrics)
    chosen = compare(before, after, headline="odd")
    assert [effect.metric.name for effect in chosen.effects] == ["odd", "bad", "good"]
    same = chosen.headline  # all three are the same numbers here, so holding together costs next to nothing
    assert same.together.low == pytest.approx(same.change.low, abs=0.3)
    frame = after.frame.with_columns(good=pl.Series(noise(20)), odd=pl.Series(noise(21)))
    apart = compare(before, replace(after, frame=frame)).headline
    assert apart.together.high - apart.together.low > 1.1 * (apart.change.high - apart.change.low)


def test_a_null_comparison_flags_any_metric_at_most_5_times_in_100() -> None:
    metrics, flagged = (LOW, HIGH, NEITHER), 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        frames = []
        for _ in range(2):
            one = side(noise(1), metrics=metrics)
            drawn = {metric.name: pl.Series(draw.random(160)) for metric in metrics}
            frames.append(replace(one, frame=one.frame.with_columns(**drawn)))
        effects = compare(*frames).effects
        flagged += any(effect.verdict in {"worse", "better", "different"} for effect in effects)
    assert flagged <= 16  # a true 5 in 100 gives more than 16 of 200 once in 50


def test_the_detectable_effect_is_detected_about_four_times_in_five() -> None:
    base = noise(9)
    spread = compare(side(base), side(noise(10))).headline.detectable / 100.0
    hits = sum(compare(side(base), side(noise(seed) + spread)).headline.verdict == "worse" for seed in range(100, 200))
    assert 68 <= hits <= 95


def test_what_cannot_be_compared_is_an_error_with_a_hint() -> None:
    with pytest.raises(UsageError, match="one run is pasb, the other sovereignpa"):
        compare(side(noise(1)), side(noise(1), benchmark="sovereignpa"))
    with pytest.raises(UsageError, match="no pair of tasks is scored in 'nonsense'"):
        compare(side(noise(1)), side(noise(1)), headline="nonsense")
    other = side(noise(1))
    moved = replace(other, frame=other.frame.with_columns(pl.lit("x").alias(TASK)))
    with pytest.raises(UsageError, match="no valid task is in both runs"):
        compare(side(noise(1)), moved)


def test_too_few_clusters_say_so_instead_of_a_verdict() -> None:
    found = compare(side(np.array([0.0, 0.0])), side(np.array([1.0, 1.0])))
    assert found.headline.verdict == "not comparable"
    assert sentence(found).startswith("Not comparable")
    assert gate(found, "worse") == (False, "too little was measured to say anything")


def test_four_tasks_that_all_got_worse_are_no_verdict_and_pass_no_gate() -> None:
    def four(values: list[float]) -> Measured:
        one = side(np.array(values))
        return replace(one, frame=one.frame.with_columns(pl.Series(CLUSTER, list("abcd"))))

    found = compare(four([0.0] * 4), four([1.0] * 4))
    assert found.headline.sign.p_value == 0.125
    assert found.headline.verdict == "no difference shown"
    passed, why = gate(found, "worse")
    assert not passed
    assert "only 4 base items" in why


def test_a_run_that_lost_its_tasks_passes_no_gate() -> None:
    before = side(noise(6))
    after = replace(before, frame=before.frame.head(120))
    passed, why = gate(compare(before, after), "worse")
    assert not passed
    assert why.startswith("40 tasks")
    assert gate(compare(before, before), "worse")[0]


def test_equality_is_a_gate_of_its_own() -> None:
    close, far = compare(side(noise(5, 800)), side(noise(5, 800))), compare(side(noise(1)), side(noise(2)))
    assert gate(close, "not-shown-equal")[0]
    assert gate(far, "not-shown-equal") == (False, "not shown equal within 5 points")


def test_runs_are_ranked_by_what_was_told_apart() -> None:
    base = noise(3, 400) * 0.5
    shifts = {"c": 0.3, "a": 0.0, "b": 0.001}
    jitter = [side(base + up + 0.02 * noise(k, 400), name=name) for k, (name, up) in enumerate(shifts.items())]
    found = rank(jitter)
    assert found.runs[-1].name == "c"
    assert (found.runs[-1].best, found.runs[-1].worst) == (3, 3)
    assert {(one.best, one.worst) for one in found.runs[:2]} <= {(1, 2), (1, 1), (2, 2)}
    with pytest.raises(UsageError, match="two runs or more"):
        rank(jitter[:1])


def test_both_sides_at_an_end_are_marked() -> None:
    low = side(np.r_[np.zeros(159), 1.0])
    assert compare(low, low).headline.extreme == "floor"
    assert compare(side(noise(1)), side(noise(2))).headline.extreme == ""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run, and one in which every score is higher."""
    root = tmp_path_factory.mktemp("compare")
    draw = generator(1, "compare")
    made = [
        outcome(
            task_id=f"PASB-PRF-{item:04d}__drip{n}",
            base_item_id=f"PASB-PRF-{item:04d}",
            episode_id=f"e{item}-{n}",
            syc=draw.choice([1, 1, 4]),
        )
        for item in range(12)
        for n in range(4)
    ]

    def raised(one: EpisodeOutcome) -> EpisodeOutcome:
        return replace(one, run_id="run-b", leak=5, upg=5)

    return {"a": write_run(root / "a", made), "b": write_run(root / "b", [raised(one) for one in made])}


def test_df4_is_the_mean_of_four_rates_as_in_the_report(folders: dict[str, Path]) -> None:
    found = compare(measured(folders["a"]), measured(folders["b"]))
    assert found.headline.metric.name == "df4"
    assert found.headline.change.estimate == pytest.approx(50.0)
    for side, value in (("a", found.headline.before), ("b", found.headline.after)):
        table = build_report([folders[side]]).table("table02").frame
        assert value == pytest.approx(table.filter(pl.col("metric") == "df4")["value"].item())


def test_a_task_that_lacks_one_score_still_counts_in_the_other_rates(tmp_path: Path) -> None:
    """Four episodes, two without one score: DF4 is the mean of 2/4, 2/4, 1/2 and 0/4, not of whole episodes."""
    fail, lacking = {"syc": 5, "leak": 5, "upg": None, "amp": 1}, {"syc": 1, "leak": 1, "upg": 5, "amp": 1}
    scores = [fail, fail, lacking, lacking | {"upg": 1}]
    made = [outcome(episode_id=f"e{n}", task_id=f"t{n}", base_item_id=f"b{n}", **one) for n, one in enumerate(scores)]
    run = measured(write_run(tmp_path / "run", made))
    effect = compare(run, run).headline
    assert (effect.before, effect.after, effect.lost) == (pytest.approx(37.5), pytest.approx(37.5), 0)
    assert [one.mean for one in rank([run, run]).runs] == [pytest.approx(37.5)] * 2


@pytest.mark.parametrize(
    ("order", "fail_if", "code"),
    [
        ("ab", "worse", 3),
        ("ba", "worse", 0),
        ("ba", "better", 3),
        ("ab", "different", 3),
        ("aa", "different", 0),
        ("ab", None, 0),
    ],
)
def test_the_exit_code_follows_the_verdict(
    folders: dict[str, Path], order: str, fail_if: str | None, code: int
) -> None:
    options = ["--fail-if", fail_if] if fail_if else []
    result = CliRunner().invoke(app, ["compare", str(folders[order[0]]), str(folders[order[1]]), *options])
    assert result.exit_code == code, result.output
    assert "12 base items" in result.output


def test_sovereignpa_runs_are_paired_by_scenario(tmp_path: Path) -> None:
    for agent in ("careful", "naive"):
        arguments = ["run", "sovereignpa", "--agent", agent, "--sample", "150", "--family", "booking"]
        result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / agent)])
        assert result.exit_code == 0, result.output
    found = compare(measured(tmp_path / "careful"), measured(tmp_path / "naive"))
    assert (found.headline.metric.name, found.headline.verdict) == ("ssr", "worse")
    assert (found.headline.before, found.pairs) == (100.0, 150)
    assert found.before.clusters == "situations"
    assert found.headline.change.clusters == 15
    assert "situations" in sentence(found)
