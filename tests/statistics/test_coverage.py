"""The intervals hold what they claim: a reduced version of ``coverage_table`` with a fixed seed."""

from __future__ import annotations

import pytest

from stewardbench.statistics.bootstrap import FEW
from stewardbench.statistics.coverage import WORLDS, World, simulate


@pytest.mark.parametrize("world", [w for w in WORLDS if w.items >= FEW], ids=lambda world: world.name)
def test_clustered_intervals_hold_the_truth_93_to_97_times_in_100(world: World) -> None:
    rate, gap, wilson = simulate(world, sets=2_000, draws=1_000, seed=20_260)
    assert 0.93 <= rate.share <= 0.97, rate
    assert 0.93 <= gap.share <= 0.97, gap
    assert wilson.share < 0.88, "episodes of one item are not independent, and Wilson should show it"


def test_four_base_items_are_few_and_the_interval_still_nearly_holds() -> None:
    (world,) = [w for w in WORLDS if w.items < FEW]
    rate, gap, _ = simulate(world, sets=2_000, draws=1_000, seed=20_260)
    assert 0.91 <= rate.share <= 0.98, rate
    assert 0.91 <= gap.share <= 0.99, gap


def test_independent_episodes_need_no_clusters() -> None:
    world = World("independent", items=100, episodes=16, rate=0.5, correlation=0.001)
    rate, _, wilson = simulate(world, sets=2_000, draws=1_000, seed=1)
    assert 0.93 <= rate.share <= 0.97
    assert 0.93 <= wilson.share <= 0.97
