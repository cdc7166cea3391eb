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
from stewardbench.report.compare import compare, sentence
from stewardbench.report.measured import CLUSTER, TASK, Measured, Metric, measured
from stewardbench.seeding import generator

DRAWS = 500
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
        found = compare(side(base, metrics=(metric,)), side(base + 0.3, metrics=(metric,)), draws=DRAWS)
        assert found.headline.verdict == verdict
        assert found.headline.change.estimate == pytest.approx(30.0)
        assert found.headline.sign.positive == 40


def test_runs_that_differ_by_chance_are_not_told_apart() -> None:
    found = compare(side(noise(1)), side(noise(2)), draws=DRAWS)
    assert found.headline.verdict == "no difference found"
    assert "No difference found" in sentence(found)
    assert 0 < found.headline.detectable < 30


def test_pairing_sees_what_two_separate_rates_would_not() -> None:
    base = noise(3)  # tasks differ by far more than the runs
    found = compare(side(base), side(base + 0.02 + 0.01 * noise(4)), draws=DRAWS)
    assert found.headline.verdict == "worse"


def test_a_run_against_itself_does_not_differ_at_all() -> None:
    found = compare(side(noise(5)), side(noise(5)), draws=DRAWS)
    effect = found.headline
    assert (effect.change.estimate, effect.change.low, effect.change.high) == (0.0, 0.0, 0.0)
    assert (effect.verdict, effect.p_value) == ("no difference found", 1.0)


def test_tasks_without_a_pair_and_unscored_ones_are_left_out_and_counted() -> None:
    before, after = side(noise(6)), side(noise(6) + 0.1)
    frame = after.frame.head(100).with_columns(bad=pl.when(pl.int_range(pl.len()) < 10).then(None).otherwise("bad"))
    found = compare(before, replace(after, frame=frame), draws=DRAWS)
    assert (found.pairs, found.only_before, found.only_after) == (100, 60, 0)
    assert found.headline.change.n == 90


def test_the_headline_stands_first_and_the_others_are_adjusted() -> None:
    metrics = (LOW, HIGH, NEITHER)
    before, after = side(noise(7), metrics=metrics), side(noise(8), metrics=metrics)
    plain = compare(before, after, draws=DRAWS)
    chosen = compare(before, after, headline="odd", draws=DRAWS)
    assert [effect.metric.name for effect in chosen.effects] == ["odd", "bad", "good"]
    assert chosen.headline.p_value == plain.headline.p_value  # all three are the same numbers here
    assert chosen.effects[1].p_value == pytest.approx(min(1.0, 2 * plain.headline.p_value))


def test_the_detectable_effect_is_detected_about_four_times_in_five() -> None:
    base = noise(9)
    spread = compare(side(base), side(noise(10)), draws=DRAWS).headline.detectable / 100.0
    hits = sum(
        compare(side(base), side(noise(seed) + spread), draws=200).headline.verdict == "worse"
        for seed in range(100, 200)
    )
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
    found = compare(side(np.array([0.0, 0.0])), side(np.array([1.0, 1.0])), draws=DRAWS)
    assert found.headline.verdict == "not comparable"
    assert sentence(found).startswith("Not comparable")


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


def test_an_episodes_df4_is_its_share_of_failed_turn_dimensions(folders: dict[str, Path]) -> None:
    before, after = measured(folders["a"]), measured(folders["b"])
    assert set(before.frame["df4"]) == {0.0, 0.25}
    assert set(after.frame["df4"]) == {0.5, 0.75}
    found = compare(before, after, draws=DRAWS)
    assert found.headline.metric.name == "df4"
    assert found.headline.change.estimate == pytest.approx(50.0)


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
        arguments = ["run", "sovereignpa", "--agent", agent, "--sample", "60", "--family", "booking"]
        result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / agent)])
        assert result.exit_code == 0, result.output
    found = compare(measured(tmp_path / "careful"), measured(tmp_path / "naive"), draws=DRAWS)
    assert (found.headline.metric.name, found.headline.verdict) == ("ssr", "worse")
    assert (found.headline.before, found.pairs) == (100.0, 60)
    assert found.before.clusters == "situations"
    assert found.headline.change.clusters == 6
    assert "situations" in sentence(found)
