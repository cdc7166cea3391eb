"""Nested variance components: balanced data by hand, the second opinion of a mixed model, and what cannot be told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import mixedlm

from stewardbench.statistics.nested import nested_variance


def made(items: int, tasks: int, trials: int, spread: tuple[float, float, float], seed: int = 1):
    draw = np.random.default_rng(seed)
    item, task, trial = np.indices((items, tasks, trials)).reshape(3, -1)
    values = (
        draw.normal(0, spread[0], items)[item]
        + draw.normal(0, spread[1], (items, tasks))[item, task]
        + draw.normal(0, spread[2], items * tasks * trials)
    )
    return values, [("item", item.tolist()), ("task", task.tolist()), ("trial", trial.tolist())]


def test_two_levels_are_the_usual_analysis_of_variance():
    values, levels = np.array([1.0, 3.0, 5.0, 7.0]), [("item", [0, 0, 1, 1]), ("trial", [0, 1, 0, 1])]
    item, trial = nested_variance(values, levels)
    assert (trial.variance, trial.groups) == (pytest.approx(2.0), 4)  # within: ((1-2)^2 + ...) / 2
    assert (item.variance, item.groups) == (pytest.approx((16.0 - 2.0) / 2), 2)  # (between - within) / size


def test_unbiased_over_many_sets_also_without_balance():
    found = []
    for seed in range(300):
        values, levels = made(12, 4, 3, (2.0, 1.0, 1.5), seed)
        keep = np.random.default_rng(seed + 10_000).random(len(values)) < 0.7
        kept = [(name, [label for label, k in zip(labels, keep, strict=True) if k]) for name, labels in levels]
        found.append([part.variance for part in nested_variance(values[keep], kept)])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert np.all(np.abs(mean - [4.0, 1.0, 2.25]) < 4 * error)


def test_a_mixed_model_says_the_same_on_balanced_data():
    values, levels = made(40, 4, 3, (2.0, 1.0, 1.5))
    ours = [part.variance for part in nested_variance(values, levels)]
    frame = pd.DataFrame({"y": values, "item": levels[0][1], "task": levels[1][1]})
    fit = mixedlm("y ~ 1", frame, groups="item", re_formula="1", vc_formula={"task": "0 + C(task)"}).fit()
    assert ours == pytest.approx([float(fit.cov_re.iloc[0, 0]), float(fit.vcomp[0]), float(fit.scale)], rel=1e-3)


def test_levels_that_the_data_cannot_tell_apart_share_a_row():
    values, levels = made(6, 4, 1, (2.0, 1.0, 1.5))
    assert [part.name for part in nested_variance(values, levels)] == ["item", "task + trial"]
    assert nested_variance(np.ones(3), [("item", [0, 0, 0]), ("trial", [0, 1, 2])]) == ()
    with pytest.raises(ValueError, match="innermost"):
        nested_variance(np.ones(2), [("item", [0, 0])])
