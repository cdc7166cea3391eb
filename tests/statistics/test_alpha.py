"""Krippendorff's alpha and plain agreement, against the library, published examples and a known world."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from stewardbench.statistics import ordinal_alpha, ordinal_alpha_interval, pair_agreement
from stewardbench.statistics.agreement import _alpha, _coincidences

NAN = math.nan
# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section E: four observers, twelve units
EXAMPLE = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


def test_the_published_example() -> None:
    assert ordinal_alpha(EXAMPLE) == pytest.approx(0.815, abs=0.001)


@given(arrays.arrays(np.int64, st.tuples(st.integers(2, 4), st.integers(2, 30)), elements=st.integers(0, 5)))
def test_the_resampled_form_equals_the_library(scores: np.ndarray) -> None:
    table = np.where(scores == 0, np.nan, scores.astype(float))
    table = table[:, (~np.isnan(table)).sum(axis=0) >= 2]
    expected = ordinal_alpha(table) if table.size else math.nan
    if table.size:
        found = float(_alpha(_coincidences(table).sum(axis=0)[None, :])[0])
        assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_alpha_of_nothing_or_of_one_value_is_unknown() -> None:
    assert math.isnan(ordinal_alpha([[1, NAN], [NAN, 2]]))
    assert math.isnan(ordinal_alpha([[3, 3, 3], [3, 3, 3]]))
    assert not ordinal_alpha_interval([[1, NAN], [NAN, 2]], ["a", "b"], seed=1, purpose="t").known


def test_the_interval_holds_the_estimate_and_narrows_with_more_items() -> None:
    random = np.random.default_rng(1)
    truth = random.integers(1, 6, 600)
    table = np.stack([truth, np.clip(truth + random.integers(-1, 2, 600), 1, 5)]).astype(float)
    few = ordinal_alpha_interval(table[:, :60], np.arange(60), seed=1, purpose="t")
    many = ordinal_alpha_interval(table, np.arange(600), seed=1, purpose="t")
    assert few.low < few.estimate < few.high
    assert many.high - many.low < (few.high - few.low) / 2
    assert (many.n, many.clusters) == (600, 600)


def test_clusters_of_repeated_units_do_not_add_certainty() -> None:
    random = np.random.default_rng(2)
    truth = random.integers(1, 6, 40)
    table = np.stack([truth, np.clip(truth + random.integers(-2, 3, 40), 1, 5)]).astype(float)
    once = ordinal_alpha_interval(table, np.arange(40), seed=1, purpose="t")
    copied = ordinal_alpha_interval(np.repeat(table, 8, axis=1), np.repeat(np.arange(40), 8), seed=1, purpose="t")
    assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.15)


def test_pair_agreement_counts_what_its_names_say() -> None:
    result = pair_agreement([1, 2, 3, 5, NAN], [1, 3, 3, 3, 2])
    assert (result.n, result.exact, result.within_one, result.at_threshold) == (4, 2, 3, 3)
    assert result.mean_difference == pytest.approx(0.25)
    assert result.confusion[1][2] == 1  # first said 2, second said 3
    assert sum(map(sum, result.confusion)) == 4
    assert math.isnan(pair_agreement([], []).mean_difference)
    with pytest.raises(ValueError, match="differ in shape"):
        pair_agreement([1], [1, 2])
