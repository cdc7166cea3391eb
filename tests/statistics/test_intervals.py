"""Wilson and the clustered bootstrap, against other implementations and against arithmetic done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from stewardbench.statistics import (
    Estimand,
    cluster_sums,
    clustered_estimates,
    clustered_ratio_interval,
    clustered_ratio_intervals,
    wilson,
    wilson_bounds,
)
from stewardbench.statistics.bootstrap import FEW, bounds_of_draws, resampling_counts


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95]))
def test_wilson_agrees_with_statsmodels_and_scipy(counts: tuple[int, int], level: float) -> None:
    k, n = counts
    ours = wilson(k, n, level)
    theirs = proportion_confint(k, n, alpha=1 - level, method="wilson")
    assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-12)
    scipys = binomtest(k, n).proportion_ci(level, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((scipys.low, scipys.high), abs=1e-12)
    assert ours.low <= ours.estimate <= ours.high


def test_wilson_of_nothing_is_unknown_and_of_impossible_counts_an_error() -> None:
    assert not wilson(0, 0).known
    assert np.isnan(wilson_bounds([0, 3], [0, 4])[0]).tolist() == [True, False]
    with pytest.raises(ValueError, match="between 0 and the number of trials"):
        wilson(5, 4)


def test_a_ratio_of_sums_weights_clusters_by_their_size() -> None:
    interval = clustered_ratio_interval([3, 0], [3, 1], ["big", "small"], draws=200, seed=1, purpose="t")
    assert interval.estimate == pytest.approx(0.75)
    assert (interval.n, interval.clusters) == (4, 2)


def test_the_interval_of_a_mean_matches_its_standard_error() -> None:
    random = np.random.default_rng(3)
    items = np.repeat(np.arange(400), 10)
    values = (np.repeat(random.normal(size=400), 10) + random.normal(size=4000) > 0).astype(float)
    interval = clustered_ratio_interval(values, np.ones(4000), items, seed=5, purpose="se")
    standard_error = values.reshape(400, 10).mean(axis=1).std(ddof=1) / 20
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * standard_error, rel=0.04)


def test_bounds_widen_when_the_rows_of_a_cluster_agree() -> None:
    values = np.tile([1.0, 0.0], 100)
    alike = clustered_ratio_interval(np.sort(values), np.ones(200), np.repeat(np.arange(20), 10), seed=1, purpose="t")
    mixed = clustered_ratio_interval(values, np.ones(200), np.repeat(np.arange(20), 10), seed=1, purpose="t")
    assert mixed.low == mixed.high == 0.5
    assert alike.high - alike.low > 0.4


def test_results_depend_on_seed_and_purpose_and_on_nothing_else() -> None:
    random = np.random.default_rng(0)
    values, items = random.random((200, 3)), random.integers(0, 30, 200)
    ones = np.ones((200, 3))
    first = clustered_ratio_intervals(values, ones, items, draws=500, seed=7, purpose="a")
    order = random.permutation(200)
    again = clustered_ratio_intervals(values[order], ones, items[order], draws=500, seed=7, purpose="a")
    for one, two in zip(first, again, strict=True):
        assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-12)
    assert clustered_ratio_intervals(values, ones, items, draws=500, seed=8, purpose="a")[0].low != first[0].low
    assert clustered_ratio_intervals(values, ones, items, draws=500, seed=7, purpose="b")[0].low != first[0].low


def test_columns_are_independent_of_how_many_are_asked_for() -> None:
    random = np.random.default_rng(0)
    values, items = random.random((300, 900)), np.repeat(np.arange(30), 10)
    many = clustered_ratio_intervals(values, np.ones_like(values), items, draws=10_000, seed=1, purpose="t")
    one = clustered_ratio_interval(values[:, 700], np.ones(300), items, draws=10_000, seed=1, purpose="t")
    assert (many[700].low, many[700].high) == pytest.approx((one.low, one.high), abs=1e-12)


def test_gaps_and_means_of_ratios_are_resampled_jointly() -> None:
    random = np.random.default_rng(1)
    base = random.random((50, 1)) * 10
    tops, bottoms = np.concatenate([base, base + 2.0], axis=1), np.full((50, 2), 10.0)
    low, high = Estimand.ratio(0), Estimand.ratio(1)
    gap, mean = clustered_estimates(
        tops, bottoms, [high.minus(low), Estimand.mean([0, 1])], draws=500, seed=1, purpose="t"
    )
    assert gap.estimate == pytest.approx(0.2)
    assert gap.high - gap.low == pytest.approx(0.0, abs=1e-12)  # the two move together, so their gap does not move
    assert mean.estimate == pytest.approx((tops[:, 0].mean() + tops[:, 1].mean()) / 20)
    assert mean.n == 1000


def test_a_rate_of_zero_is_not_certain() -> None:
    interval = clustered_ratio_interval(np.zeros(40), np.ones(40), np.repeat(np.arange(10), 4), seed=1, purpose="t")
    assert interval.method == "wilson over clusters"
    assert (interval.low, interval.high) == (0.0, pytest.approx(wilson(0, 10).high))
    full = clustered_ratio_interval(np.ones(40), np.ones(40), np.repeat(np.arange(10), 4), seed=1, purpose="t")
    assert (full.low, full.high) == (pytest.approx(wilson(10, 10).low), 1.0)
    differences = clustered_ratio_interval(
        np.zeros(40), np.ones(40), np.repeat(np.arange(10), 4), seed=1, purpose="t", shares=False
    )
    assert (differences.low, differences.high) == (0.0, 0.0)
    mean_of_fives = clustered_ratio_interval(
        np.full(40, 5.0), np.ones(40), np.repeat(np.arange(10), 4), seed=1, purpose="t"
    )
    assert (mean_of_fives.low, mean_of_fives.high, mean_of_fives.method) == (5.0, 5.0, "clustered")


def test_means_and_gaps_of_fixed_shares_are_no_more_certain_than_the_shares() -> None:
    bottoms = np.full((10, 2), 4.0)
    tops = np.stack([np.full(10, 4.0), np.zeros(10)], axis=1)
    high, low = Estimand.ratio(0), Estimand.ratio(1)
    mean, gap = clustered_estimates(tops, bottoms, [Estimand.mean([0, 1]), high.minus(low)], seed=1, purpose="t")
    one, zero = wilson(10, 10), wilson(0, 10)
    assert (mean.estimate, mean.low, mean.high) == pytest.approx((0.5, one.low / 2, (1 + zero.high) / 2))
    assert (gap.estimate, gap.low, gap.high) == pytest.approx((1.0, one.low - zero.high, 1.0))


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_too_little_data_has_no_bounds_and_no_crash(rows: int) -> None:
    interval = clustered_ratio_interval(np.ones(rows), np.ones(rows), ["one"] * rows, seed=1, purpose="t")
    assert not interval.known
    assert math.isnan(interval.estimate) == (rows == 0)


def test_a_group_that_most_draws_miss_has_no_bounds() -> None:
    tops, bottoms = np.zeros((40, 1)), np.zeros((40, 1))
    bottoms[0] = 4.0
    interval = clustered_estimates(tops + 0.5 * bottoms, bottoms, [Estimand.ratio(0)], seed=1, purpose="t")[0]
    assert interval.estimate == 0.5
    assert not interval.known


def test_cluster_sums_are_sums_in_label_order() -> None:
    assert cluster_sums([[1, 10], [2, 20], [4, 40]], ["b", "a", "b"]).tolist() == [[2, 20], [5, 50]]
    with pytest.raises(ValueError, match="3 rows of values but 2"):
        cluster_sums([1, 2, 3], ["a", "b"])


def test_every_draw_takes_as_many_clusters_as_there_are() -> None:
    counts = resampling_counts(17, 300, 1, "t")
    assert (counts.sum(axis=1) == 17).all()
    assert counts.mean() == 1.0


def test_bounds_are_numpys_quantiles_further_out_for_few_clusters() -> None:
    values = np.random.default_rng(0).normal(size=(3, 20_000))
    estimates = np.zeros(3)
    low, high = bounds_of_draws(estimates, values, 1_000_000)
    assert low == pytest.approx(np.quantile(values, 0.025, axis=1), abs=1e-3)
    assert high == pytest.approx(np.quantile(values, 0.975, axis=1), abs=1e-3)
    narrow = high - low
    wide = np.subtract(*bounds_of_draws(estimates, values, 10)[::-1])
    assert (wide / narrow) == pytest.approx(2.2622 * math.sqrt(10 / 9) / 1.96, rel=0.05)  # Student's t, 9 degrees


def test_very_few_clusters_get_t_intervals_that_leave_the_range_of_the_data() -> None:
    values = [0.3, 0.4, 0.4, 0.5]
    result = clustered_ratio_interval(values, np.ones(4), list("abcd"), seed=1, purpose="t")
    mean, error = 0.4, np.std(values, ddof=1) / 2
    assert len(values) < FEW
    assert (result.low, result.high) == pytest.approx((mean - 3.182 * error, mean + 3.182 * error), rel=0.02)
    shares = clustered_ratio_interval([0.0, 1.0, 1.0, 1.0], np.ones(4), list("abcd"), seed=1, purpose="t")
    assert (shares.low, shares.high) == (pytest.approx(0.0, abs=0.06), 1.0)  # a share stays a share


def test_mismatched_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in shape"):
        clustered_estimates(np.ones((3, 2)), np.ones((3, 1)), [Estimand.ratio(0)], seed=1, purpose="t")
