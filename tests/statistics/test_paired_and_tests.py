"""Paired effects, exact tests, Holm, Spearman and power, against published and independently computed values."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from stewardbench.statistics import (
    change_interval,
    clusters_needed,
    holm,
    mcnemar,
    minimum_detectable_effect,
    paired_effect,
    sign_test,
    simultaneous_level,
    spearman,
    wilson,
    within_gap,
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


@pytest.fixture(scope="module")
def small_heap() -> Iterator[None]:
    """statsmodels collects garbage in every call, which walks over all that the test session ever made."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("small_heap")
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_spearman_averages_tied_ranks() -> None:
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]).rho == pytest.approx(0.9486832980505138)
    assert spearman([1, 2, 3, math.nan], [3, 2, 1, 0]).rho == pytest.approx(-1.0)
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3]).rho)
    assert math.isnan(spearman([1, 2], [1, 2]).rho)


def test_a_cluster_counts_once_however_many_pairs_it_holds() -> None:
    result = paired_effect([1.0] * 9 + [0.0, -1.0], ["a"] * 9 + ["b", "c"], bounded=1.0)
    assert result.effect == pytest.approx(0.0)
    assert (result.sign.positive, result.sign.negative, result.sign.ties) == (1, 1, 1)
    assert (result.interval.n, result.interval.clusters) == (11, 3)
    assert result.spread == pytest.approx(1.0)


def test_unscored_pairs_and_emptied_clusters_are_left_out() -> None:
    result = paired_effect([0.2, math.nan, math.nan, 0.4], ["a", "a", "b", "c"], bounded=1.0)
    assert result.effect == pytest.approx(0.3)
    assert (result.interval.n, result.interval.clusters) == (2, 2)


def test_a_real_effect_is_found_and_no_effect_is_not() -> None:
    random = np.random.default_rng(2)
    items = np.repeat(np.arange(60), 4)
    noise = np.repeat(random.normal(0, 0.1, 60), 4) + random.normal(0, 0.1, 240)
    moved = paired_effect(noise + 0.2, items, bounded=1.0)
    assert moved.interval.low > 0
    assert moved.sign.p_value < 0.001
    still = paired_effect(noise - noise.mean(), items, bounded=1.0)
    assert still.interval.low < 0 < still.interval.high


def test_equal_runs_differ_nowhere_and_at_most_in_a_few_clusters() -> None:
    result = paired_effect(np.zeros(30), np.arange(30), bounded=1.0)
    assert (result.effect, result.interval.known) == (0.0, False)
    assert result.interval.at_most == pytest.approx(wilson(0, 30).high)


def test_a_few_changes_are_no_difference_unless_the_exact_test_says_so() -> None:
    four = change_interval([1.0] * 4 + [0.0] * 96, np.arange(100), bounded=1.0)
    assert four.low <= 0.0 < four.estimate < four.high
    six = change_interval([1.0] * 6 + [0.0] * 94, np.arange(100), bounded=1.0)
    assert six.low > 0
    all_of_twenty = change_interval([1.0] * 20, np.arange(20), bounded=1.0)
    assert 0.6 < all_of_twenty.low < all_of_twenty.high == 1.0
    unbounded = change_interval([3.0] * 20, np.arange(20), bounded=None)
    assert not unbounded.known


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=20, max_size=60))
def test_no_change_interval_is_without_width(changes: list[float]) -> None:
    found = change_interval(changes, np.arange(len(changes)), bounded=1.0)
    assert not found.known or found.high - found.low > 1e-3
    assert found.known or found.at_most > 0


def test_one_level_for_all_lies_between_one_interval_and_bonferroni() -> None:
    random = np.random.default_rng(3)
    alike = np.repeat(random.normal(size=(80, 1)), 5, axis=1)
    apart = random.normal(size=(80, 5))
    assert simultaneous_level(alike, seed=1, purpose="t") == pytest.approx(0.95, abs=0.003)
    assert 0.985 < simultaneous_level(apart, seed=1, purpose="t") <= 0.99
    assert simultaneous_level(alike[:, :1], seed=1, purpose="t") == 0.95
    assert simultaneous_level(np.zeros((9, 4)), seed=1, purpose="t") == 0.95


def test_the_gap_within_items_is_a_regression_with_a_dummy_for_every_item() -> None:
    random = np.random.default_rng(6)
    items, codes = np.repeat(np.arange(30), 16), random.integers(0, 3, (480, 2))
    treated = random.random(480) < 0.3 + 0.01 * np.repeat(np.arange(30), 16)
    y = 0.2 * treated + 0.1 * codes[:, 0] + np.repeat(random.normal(size=30), 16) + random.normal(size=480)
    ours = within_gap(y, treated, items, codes)
    columns = [treated, *(codes[:, k] == level for k in (0, 1) for level in (1, 2)), *(items == i for i in range(30))]
    model = sm.OLS(y, np.stack(columns, axis=1).astype(float))
    theirs = model.fit(cov_type="cluster", cov_kwds={"groups": items}, use_t=True)
    assert ours.estimate == pytest.approx(theirs.params[0])
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.conf_int()[0]), rel=0.01)
    assert (ours.n, ours.clusters) == (480, 30)


def test_items_without_variation_say_nothing_within() -> None:
    found = within_gap([1.0, 0.0, 1.0, 1.0], [True, True, False, False], ["a", "a", "b", "b"], np.zeros((4, 0), int))
    assert math.isnan(found.estimate)
    assert (found.n, found.clusters) == (0, 0)


def test_no_pairs_give_no_effect() -> None:
    result = paired_effect([], [], bounded=1.0)
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
