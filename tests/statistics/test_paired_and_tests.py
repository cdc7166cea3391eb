"""Paired effects, exact tests, Holm, Spearman and power, against published and independently computed values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from stewardbench.statistics import (
    clusters_needed,
    holm,
    mcnemar,
    minimum_detectable_effect,
    paired_effect,
    sign_test,
    spearman,
)
from stewardbench.statistics.power import t_test_power


def test_the_sign_test_drops_ties_and_counts_them() -> None:
    result = sign_test([1.0, 2.0, 0.5, -1.0, 0.0, 1e-16, math.nan])
    assert (result.positive, result.negative, result.ties) == (3, 1, 2)
    assert result.p_value == pytest.approx(2 * (1 + 4) / 16)  # 4 tosses: P(at most 1 minus), doubled
    assert sign_test([0.0, 0.0]).p_value == 1.0
    assert sign_test(np.ones(10)).p_value == pytest.approx(2 / 1024)


def test_mcnemar_agrees_with_statsmodels() -> None:
    first = [True] * 9 + [False] * 2 + [True] * 5 + [False] * 4
    second = [False] * 9 + [True] * 2 + [True] * 5 + [False] * 4
    result = mcnemar(first, second)
    assert (result.first_only, result.second_only) == (9, 2)
    assert result.p_value == pytest.approx(statsmodels_mcnemar([[5, 9], [2, 4]], exact=True).pvalue)
    assert mcnemar([True, False], [True, False]).p_value == 1.0
    with pytest.raises(ValueError, match="differ in shape"):
        mcnemar([True], [True, False])


def test_holm_steps_down_and_keeps_the_order() -> None:
    assert holm([0.04, 0.01, 0.03, math.nan]) == pytest.approx((0.06, 0.03, 0.06, math.nan), nan_ok=True)
    assert holm([0.9, 0.8]) == (1.0, 1.0)
    assert holm([]) == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_spearman_averages_tied_ranks() -> None:
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]).rho == pytest.approx(0.9486832980505138)
    assert spearman([1, 2, 3, math.nan], [3, 2, 1, 0]).rho == pytest.approx(-1.0)
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3]).rho)
    assert math.isnan(spearman([1, 2], [1, 2]).rho)


def test_a_cluster_counts_once_however_many_pairs_it_holds() -> None:
    result = paired_effect([1.0] * 9 + [0.0, -1.0], ["a"] * 9 + ["b", "c"], draws=100, seed=1, purpose="t")
    assert result.effect == pytest.approx(0.0)
    assert (result.sign.positive, result.sign.negative, result.sign.ties) == (1, 1, 1)
    assert (result.interval.n, result.interval.clusters) == (11, 3)
    assert result.spread == pytest.approx(1.0)


def test_unscored_pairs_and_emptied_clusters_are_left_out() -> None:
    result = paired_effect([0.2, math.nan, math.nan, 0.4], ["a", "a", "b", "c"], draws=100, seed=1, purpose="t")
    assert result.effect == pytest.approx(0.3)
    assert (result.interval.n, result.interval.clusters) == (2, 2)


def test_a_real_effect_is_found_and_no_effect_is_not() -> None:
    random = np.random.default_rng(2)
    items = np.repeat(np.arange(60), 4)
    noise = np.repeat(random.normal(0, 0.1, 60), 4) + random.normal(0, 0.1, 240)
    moved = paired_effect(noise + 0.2, items, seed=1, purpose="t")
    assert moved.interval.low > 0
    assert moved.sign.p_value < 0.001
    still = paired_effect(noise - noise.mean(), items, seed=1, purpose="t")
    assert still.interval.low < 0 < still.interval.high


def test_equal_runs_differ_by_exactly_nothing() -> None:
    result = paired_effect(np.zeros(30), np.arange(30), draws=200, seed=1, purpose="t")
    assert (result.effect, result.interval.low, result.interval.high) == (0.0, 0.0, 0.0)


def test_no_pairs_give_no_effect() -> None:
    result = paired_effect([], [], seed=1, purpose="t")
    assert math.isnan(result.effect)
    assert result.sign.p_value == 1.0


@pytest.mark.parametrize("clusters", [4, 18, 100, 800])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_minimum_detectable_effect_agrees_with_statsmodels(clusters: int, power: float) -> None:
    expected = TTestPower().solve_power(nobs=clusters, alpha=0.05, power=power)
    assert minimum_detectable_effect(1.0, clusters, power=power) == pytest.approx(np.squeeze(expected), rel=1e-4)


def test_two_clusters_can_only_find_enormous_effects() -> None:
    assert minimum_detectable_effect(1.0, 2) > 9
    assert t_test_power(minimum_detectable_effect(1.0, 2), 2) == pytest.approx(0.8)


def test_power_agrees_with_a_textbook_value() -> None:
    # 34 pairs find an effect of half a standard deviation with 80 % power (Cohen's tables)
    assert clusters_needed(0.5, 1.0) == 34
    effect = minimum_detectable_effect(12.0, 34)
    assert effect == pytest.approx(6.0, rel=0.02)
    assert math.isnan(minimum_detectable_effect(1.0, 1))
    assert math.isnan(minimum_detectable_effect(math.nan, 20))
    with pytest.raises(ValueError, match="other than zero"):
        clusters_needed(0.0, 1.0)
