"""Selection adjustments: in a world where the raw gap is confounded, they find the planted effect."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from stewardbench.statistics import matched_gap, propensities, weighted_gap


def confounded(effect: float, size: int = 8000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Stance drives both treatment and outcome; ``effect`` is what treatment itself adds."""
    random = np.random.default_rng(seed)
    stance = random.integers(0, 4, size)
    treated = random.random(size) < np.array([0.15, 0.35, 0.6, 0.85])[stance]
    chance = np.array([0.1, 0.3, 0.5, 0.7])[stance] + effect * treated
    return (random.random(size) < chance).astype(float), treated, stance, np.arange(size) % 100


@pytest.mark.parametrize("effect", [0.0, 0.15])
def test_both_adjustments_recover_the_effect_that_the_raw_gap_misses(effect: float) -> None:
    outcome, treated, stance, items = confounded(effect)
    raw = outcome[treated].mean() - outcome[~treated].mean()
    assert raw > effect + 0.15
    matched = matched_gap(outcome, treated, stance, items, seed=1, purpose="t")
    assert matched.interval.low <= effect <= matched.interval.high
    assert matched.interval.estimate == pytest.approx(effect, abs=0.03)
    assert (matched.strata, matched.dropped) == (4, 0)
    weighted = weighted_gap(outcome, treated, stance[:, None], items, seed=1, purpose="t")
    assert weighted.interval.low <= effect <= weighted.interval.high
    assert weighted.interval.estimate == pytest.approx(effect, abs=0.03)
    assert weighted.overlap.imbalance_before > 0.5
    assert weighted.overlap.imbalance_after < 0.05


def test_matching_within_one_stratum_is_the_plain_gap() -> None:
    outcome, treated, _, items = confounded(0.1, 400)
    result = matched_gap(outcome, treated, np.zeros(400, int), items, draws=200, seed=1, purpose="t")
    assert result.interval.estimate == pytest.approx(outcome[treated].mean() - outcome[~treated].mean())


def test_matching_averages_over_the_treated() -> None:
    outcome = np.array([1.0, 1.0, 1.0, 0.0, 0.5, 0.0])
    treated = np.array([True, True, True, False, True, False])
    strata = np.array(["a", "a", "a", "a", "b", "b"])
    result = matched_gap(outcome, treated, strata, np.arange(6), draws=50, seed=1, purpose="t")
    assert result.interval.estimate == pytest.approx((3 * 1.0 + 1 * 0.5) / 4)


def test_strata_with_one_group_are_dropped_and_counted() -> None:
    outcome = np.array([1.0, 0.0, 1.0, 1.0, math.nan])
    treated = np.array([True, False, True, True, True])
    strata = np.array([0, 0, 1, 1, 0])
    result = matched_gap(outcome, treated, strata, np.arange(5), draws=50, seed=1, purpose="t")
    assert (result.strata, result.dropped, result.interval.n) == (1, 2, 2)
    nothing = matched_gap(outcome[2:], treated[2:], strata[2:], np.arange(3), draws=50, seed=1, purpose="t")
    assert math.isnan(nothing.interval.estimate)
    assert (nothing.strata, nothing.dropped) == (0, 2)


def test_propensities_are_sklearns_ridge_logistic() -> None:
    random = np.random.default_rng(4)
    codes = np.stack([random.integers(0, 5, 3000), random.integers(0, 3, 3000)], axis=1)
    treated = random.random(3000) < 1 / (1 + np.exp(1.2 - 0.7 * codes[:, 0] + 0.5 * codes[:, 1]))
    dummies = np.concatenate([np.eye(5)[codes[:, 0]], np.eye(3)[codes[:, 1]]], axis=1)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(dummies, treated).predict_proba(dummies)[:, 1]
    assert propensities(treated, codes) == pytest.approx(theirs, abs=1e-4)


def test_a_level_that_is_always_treated_stays_finite_and_is_trimmed() -> None:
    outcome, treated, stance, items = confounded(0.1)
    treated = treated | (stance == 3)
    result = weighted_gap(outcome, treated, stance[:, None], items, draws=200, seed=1, purpose="t")
    assert result.overlap.trimmed == int((stance == 3).sum())
    assert result.interval.n == int((stance != 3).sum())
    assert result.interval.estimate == pytest.approx(0.1, abs=0.04)


def test_no_overlap_at_all_gives_no_number() -> None:
    treated = np.arange(2000) % 2 == 0
    result = weighted_gap(
        np.ones(2000), treated, treated.astype(int)[:, None], np.arange(2000) % 50, draws=50, seed=1, purpose="t"
    )
    assert math.isnan(result.interval.estimate)
    assert result.overlap.trimmed == 2000
    assert result.overlap.effective_treated == 0.0


def test_empty_input_gives_no_number() -> None:
    empty = np.zeros(0)
    assert math.isnan(
        weighted_gap(empty, empty, np.zeros((0, 1), int), empty, draws=10, seed=1, purpose="t").interval.estimate
    )
    assert math.isnan(matched_gap(empty, empty, empty, empty, draws=10, seed=1, purpose="t").interval.estimate)
