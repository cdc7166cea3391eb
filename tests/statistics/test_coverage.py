"""The intervals hold what they claim: a reduced version of ``coverage_table`` with a fixed seed."""

from __future__ import annotations

import pytest

from stewardbench.statistics import coverage as module
from stewardbench.statistics.coverage import (
    CHANGES,
    GAP,
    NOW,
    PERCENTILE,
    RARE,
    RATE,
    WITHIN,
    WORLDS,
    Coverage,
    World,
    simulate,
    simulate_change,
    simulate_confounding,
)

SETS = 600  # an interval that holds 95 in 100 shows less than 92.5 or more than 97.2 here once in 200 worlds
FEW = 12  # clusters below which intervals are wider than they need be


def row(rows: tuple[Coverage, ...], what: str, method: str = NOW) -> Coverage:
    (found,) = [one for one in rows if (one.what, one.method) == (what, method)]
    return found


@pytest.mark.parametrize("world", [w for w in WORLDS if w.items >= FEW], ids=lambda world: world.name)
def test_intervals_hold_the_truth_about_95_times_in_100(world: World) -> None:
    found = simulate(world, sets=SETS, draws=200, seed=20_260)
    assert 0.925 <= row(found, RATE).share <= 0.975
    assert 0.925 <= row(found, GAP).share <= 0.98
    assert row(found, RATE).without == 0
    assert row(found, RATE, module.EPISODES).share < 0.9, "episodes of one item are not independent"


@pytest.mark.parametrize("world", RARE, ids=lambda world: world.name)
def test_low_rates_and_few_items_hold_as_well(world: World) -> None:
    found = simulate(world, sets=SETS, draws=200, seed=20_260)
    assert row(found, RATE).share >= 0.935
    assert row(found, GAP).share >= 0.935
    if world.items >= FEW:
        assert row(found, RATE).share <= 0.995


def test_the_percentile_bootstrap_does_not_hold_at_low_rates() -> None:
    world = next(w for w in RARE if (w.rate, w.items) == (0.05, 18))
    found = simulate(world, sets=SETS, draws=500, seed=20_260)
    assert row(found, RATE, PERCENTILE).share < 0.88 < 0.95 < row(found, RATE).share


@pytest.mark.parametrize("world", CHANGES, ids=str)
def test_changes_between_two_runs_hold(world: tuple[int, int, float, float]) -> None:
    (found,) = simulate_change(*world, sets=400, seed=20_260)
    assert found.share >= 0.93
    assert abs(found.bias) < 0.01


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_the_gap_within_items_is_not_fooled_by_items(strength: float) -> None:
    within, matched = simulate_confounding(strength, sets=150, draws=100, seed=20_260)
    assert within.what == WITHIN
    assert within.share >= 0.9
    assert abs(within.bias) < 0.01
    if strength == 1.0:
        assert matched.bias > 0.1
        assert matched.share < 0.1


def test_a_guess_of_independence_turns_coverage_red(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stewardbench.statistics.shares.PRIOR", 0.0)
    world = next(w for w in RARE if (w.rate, w.items) == (0.05, 18))
    assert row(simulate(world, sets=SETS, draws=100, seed=20_260), RATE).share < 0.92
