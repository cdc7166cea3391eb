"""Wilson and the clustered bootstrap, against other implementations and against arithmetic done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm
from scipy.stats import t as t_distribution
from statsmodels.stats.proportion import proportion_confint

from stewardbench.statistics import (
    Estimand,
    cluster_sums,
    clustered_estimates,
    clustered_ratio_interval,
    clustered_ratio_intervals,
    resampled_estimates,
    wilson,
    wilson_bounds,
)
from stewardbench.statistics.bootstrap import bounds_of_draws, resampling_counts
from stewardbench.statistics.clustered import NO_SPREAD


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
    interval = clustered_ratio_interval([3, 0], [3, 1], ["big", "small"], share=True)
    assert interval.estimate == pytest.approx(0.75)
    assert (interval.n, interval.clusters) == (4, 2)


def test_the_interval_of_a_mean_matches_its_standard_error() -> None:
    random = np.random.default_rng(3)
    items = np.repeat(np.arange(400), 10)
    values = (np.repeat(random.normal(size=400), 10) + random.normal(size=4000) > 0).astype(float)
    interval = clustered_ratio_interval(values, np.ones(4000), items, share=True)
    standard_error = values.reshape(400, 10).mean(axis=1).std(ddof=1) / 20
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * standard_error, rel=0.04)


def test_bounds_widen_when_the_rows_of_a_cluster_agree() -> None:
    values = np.tile([1.0, 0.0], 100)
    alike = clustered_ratio_interval(np.sort(values), np.ones(200), np.repeat(np.arange(20), 10), share=True)
    mixed = clustered_ratio_interval(values, np.ones(200), np.repeat(np.arange(20), 10), share=True)
    assert mixed.low < 0.5 < mixed.high
    assert alike.high - alike.low > 2 * (mixed.high - mixed.low)


def test_independent_observations_have_wilsons_interval_with_students_quantile() -> None:
    k, n = 37, 120
    values = np.r_[np.ones(k), np.zeros(n - k)]
    ours = clustered_ratio_interval(values, np.ones(n), np.arange(n), share=True)
    level = 2 * norm.cdf(t_distribution.ppf(0.975, n - 1)) - 1
    assert (ours.low, ours.high) == pytest.approx(proportion_confint(k, n, alpha=1 - level, method="wilson"), abs=1e-12)


def test_results_do_not_depend_on_the_order_of_rows_or_on_other_columns() -> None:
    random = np.random.default_rng(0)
    values, items = (random.random((200, 3)) < 0.4).astype(float), random.integers(0, 30, 200)
    ones, order = np.ones((200, 3)), random.permutation(200)
    first = clustered_ratio_intervals(values, ones, items, share=True)
    again = clustered_ratio_intervals(values[order], ones, items[order], share=True)
    alone = clustered_ratio_interval(values[:, 2], np.ones(200), items, share=True)
    for one, two in zip((*first, first[2]), (*again, alone), strict=True):
        assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-12)


def test_draws_depend_on_seed_and_purpose_and_on_nothing_else() -> None:
    sums, totals = np.arange(30.0)[:, None], np.full((30, 1), 40.0)
    rate = [Estimand.ratio(0)]

    def low(seed: int, purpose: str) -> float:
        return resampled_estimates(sums, totals, rate, draws=500, seed=seed, purpose=purpose, shares=True)[0].low

    assert low(7, "a") == low(7, "a")
    assert len({low(7, "a"), low(8, "a"), low(7, "b")}) == 3


def test_a_gap_of_shares_that_move_together_is_narrower_than_one_of_shares_that_do_not() -> None:
    random = np.random.default_rng(1)
    base = random.integers(0, 9, (50, 1)).astype(float)
    together = np.concatenate([base, base + random.integers(0, 2, (50, 1))], axis=1)
    apart = np.concatenate([base, random.permutation(together[:, 1:])], axis=1)
    bottoms, gap = np.full((50, 2), 10.0), [Estimand.ratio(1).minus(Estimand.ratio(0))]
    paired, loose = (clustered_estimates(tops, bottoms, gap, share=True)[0] for tops in (together, apart))
    assert paired.estimate == pytest.approx(loose.estimate)
    assert paired.high - paired.low < 0.7 * (loose.high - loose.low)
    mean = clustered_estimates(together, bottoms, [Estimand.mean([0, 1])], share=True)[0]
    assert (mean.n, mean.clusters) == (1000, 50)
    assert mean.low < mean.estimate < mean.high


def test_a_gap_that_is_the_same_in_every_cluster_has_no_interval_but_a_bound() -> None:
    base = np.random.default_rng(1).integers(1, 8, (50, 1)).astype(float)
    tops, bottoms = np.concatenate([base, base + 2.0], axis=1), np.full((50, 2), 10.0)
    gap = clustered_estimates(tops, bottoms, [Estimand.ratio(1).minus(Estimand.ratio(0))], share=True)[0]
    assert (gap.estimate, gap.method, gap.known) == (pytest.approx(0.2), NO_SPREAD, False)
    assert gap.at_most == pytest.approx(wilson(0, 50).high)


def test_rates_of_zero_and_one_are_not_certain() -> None:
    items = np.repeat(np.arange(10), 4)
    zero = clustered_ratio_interval(np.zeros(40), np.ones(40), items, share=True)
    full = clustered_ratio_interval(np.ones(40), np.ones(40), items, share=True)
    assert (zero.low, full.high) == (0.0, 1.0)
    assert 0.15 < zero.high < 0.45
    assert full.low == pytest.approx(1.0 - zero.high)


def test_differences_and_means_on_a_scale_without_spread_have_no_interval() -> None:
    items = np.repeat(np.arange(10), 4)
    for value in (0.0, 1.0, 5.0):
        found = clustered_ratio_interval(np.full(40, value), np.ones(40), items, share=False)
        assert (found.estimate, found.known, found.method) == (value, False, NO_SPREAD)
        assert found.at_most == pytest.approx(wilson(0, 10).high)


def test_what_is_no_share_is_refused_as_one() -> None:
    with pytest.raises(ValueError, match="differences"):
        clustered_ratio_interval([0.2, -0.1], [1, 1], ["a", "b"], share=True)
    with pytest.raises(ValueError, match="differences"):
        clustered_ratio_interval([5.0, 1.0], [1, 1], ["a", "b"], share=True)


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(1, 8)), min_size=2, max_size=30).map(
        lambda rows: [(min(k, n), n) for k, n in rows]
    )
)
def test_no_interval_of_a_share_is_without_width_or_leaves_0_to_1(rows: list[tuple[int, int]]) -> None:
    tops, bottoms = (np.array(column, float)[:, None] for column in zip(*rows, strict=True))
    found = clustered_estimates(tops, bottoms, [Estimand.ratio(0)], share=True)[0]
    assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0
    assert found.high - found.low > 1e-3


@pytest.mark.parametrize("rows", [0, 1, 3])
@pytest.mark.parametrize("share", [True, False])
def test_one_cluster_has_no_bounds_and_no_crash(rows: int, share: bool) -> None:
    interval = clustered_ratio_interval(np.ones(rows), np.ones(rows), ["one"] * rows, share=share)
    assert not interval.known
    assert math.isnan(interval.estimate) == (rows == 0)


def test_clusters_are_counted_by_column() -> None:
    tops, bottoms = np.zeros((40, 2)), np.zeros((40, 2))
    bottoms[:5, 0], bottoms[:, 1] = 4.0, 4.0
    tops[0, 0] = 2.0
    sparse, whole = clustered_estimates(tops, bottoms, [Estimand.ratio(0), Estimand.ratio(1)], share=True)
    assert (sparse.clusters, whole.clusters) == (5, 40)
    assert sparse.known
    lone = clustered_estimates(
        tops[:, :1] * 0, bottoms[:, :1] * (np.arange(40) == 0)[:, None], [Estimand.ratio(0)], share=True
    )
    assert not lone[0].known


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


def test_means_on_a_scale_have_students_interval_over_clusters() -> None:
    values = [0.3, 0.4, 0.4, 0.5]
    found = clustered_ratio_interval(values, np.ones(4), list("abcd"), share=False)
    error = np.std(values, ddof=1) / 2
    assert (found.low, found.high) == pytest.approx(t_distribution.interval(0.95, 3, 0.4, error))


def test_a_difference_of_ratios_is_a_regression_with_errors_clustered_by_item() -> None:
    random = np.random.default_rng(8)
    items = np.repeat(np.arange(40), 12)
    group = random.random(480) < 0.4
    y = 2.0 + group + np.repeat(random.normal(size=40), 12) + random.normal(size=480)
    sides = np.stack([group, ~group], axis=1).astype(float)
    sums, totals = cluster_sums(sides * y[:, None], items), cluster_sums(sides, items)
    ours = clustered_estimates(sums, totals, [Estimand.ratio(0).minus(Estimand.ratio(1))], share=False)[0]
    theirs = sm.OLS(y, sm.add_constant(group.astype(float))).fit(
        cov_type="cluster", cov_kwds={"groups": items, "use_correction": False, "df_correction": True}, use_t=True
    )
    low, high = theirs.conf_int()[1]
    assert ours.estimate == pytest.approx(theirs.params[1])
    assert ours.high - ours.low == pytest.approx((high - low) * math.sqrt(40 / 39), rel=1e-6)


def test_mismatched_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in shape"):
        clustered_estimates(np.ones((3, 2)), np.ones((3, 1)), [Estimand.ratio(0)], share=True)
    with pytest.raises(ValueError, match="differ in shape"):
        resampled_estimates(np.ones((3, 2)), np.ones((3, 1)), [Estimand.ratio(0)], seed=1, purpose="t", shares=True)
