"""Rates on an imperfect reading, corrected by labels: unbiased and covered in a world whose truth is known.

The world has the published shape (Commit about 60 %, failure 45.0 % on the session-only side and 71.9 % on the
committed one, a gap of 26.9 points): 100 base items of 16 tasks, and 150 labels drawn by reading.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from stewardbench.seeding import generator
from stewardbench.statistics.labelled import (
    Labelled,
    corrected_gap,
    corrected_rate,
    corrected_share,
)

ITEMS, TASKS, LABELS, SETS = 100, 16, 150, 600
COMMIT, LOW, HIGH, SPECIFICITY = 0.60, 0.450, 0.719, 0.97
GAP = HIGH - LOW


def world(draw, sensitivity, labels=LABELS):
    """One study: truth by item, a reading with planted errors, failures that follow the truth, and some labels."""
    cluster = np.repeat(np.arange(ITEMS), TASKS)
    chance = draw.beta(COMMIT * 4, (1 - COMMIT) * 4, ITEMS)[cluster]
    truth = draw.random(len(cluster)) < chance
    lean = draw.normal(0, 0.08, ITEMS)[cluster]
    failure = (draw.random(len(cluster)) < np.where(truth, HIGH, LOW) + lean).astype(float)
    reading = np.where(truth, draw.random(len(cluster)) < sensitivity, draw.random(len(cluster)) > SPECIFICITY)
    seen = np.zeros(len(cluster), bool)
    for stratum in (0, 1):
        inside = np.flatnonzero(reading == stratum)
        seen[draw.choice(inside, max(10, round(labels * len(inside) / len(cluster))), replace=False)] = True
    label = np.where(seen, truth, math.nan)
    return Labelled(reading.astype(float), label, reading.astype(np.int64), cluster), failure


def rng(*names):
    return np.random.default_rng(generator(0, "labelled", *names).getrandbits(64))


@pytest.mark.parametrize("sensitivity", [0.80, 0.40, 0.22])
def test_corrected_commit_and_gap_are_unbiased_and_covered(sensitivity):
    draw = rng(str(sensitivity))
    shares, gaps, naive, held = [], [], [], np.zeros(2)
    for _ in range(SETS):
        units, failure = world(draw, sensitivity)
        share, gap = corrected_share(units), corrected_gap(units, failure)
        shares.append(share.estimate)
        gaps.append(gap.estimate)
        committed = units.reading == 1
        naive.append(failure[committed].mean() - failure[~committed].mean())
        held += [share.low <= COMMIT <= share.high, gap.low <= GAP <= gap.high]
    assert abs(np.mean(shares) - COMMIT) < 0.01
    assert abs(np.mean(gaps) - GAP) < 0.01
    assert np.all((held / SETS >= 0.93) & (held / SETS <= 0.99)), held / SETS
    assert GAP - np.mean(naive) > 0.03  # what goes uncorrected: 3 to 15 points too small


def test_without_the_strata_the_correction_is_wrong():
    """The mutation that the simulation is to notice: labels taken as if they were drawn without strata."""
    draw = rng("mutation")
    found = []
    for _ in range(100):
        units, _ = world(draw, 0.22)
        seen = np.flatnonzero(~np.isnan(units.label))
        half = np.concatenate([draw.choice(seen[units.reading[seen] == side], 15, replace=False) for side in (0, 1)])
        label = np.full(len(units.label), math.nan)
        label[half] = units.label[half]
        flat = Labelled(units.reading, label, np.zeros_like(units.stratum), units.cluster)
        found.append(corrected_share(flat).estimate)
    assert abs(np.mean(found) - COMMIT) > 0.05


def test_a_perfect_reading_is_left_as_it_is():
    units, failure = world(rng("perfect"), 0.6)
    label = np.where(np.isnan(units.label), math.nan, units.reading)
    perfect = Labelled(units.reading, label, units.stratum, units.cluster)
    committed = units.reading == 1
    assert corrected_share(perfect).estimate == pytest.approx(units.reading.mean())
    assert corrected_gap(perfect, failure).estimate == pytest.approx(
        failure[committed].mean() - failure[~committed].mean()
    )
    assert corrected_rate(perfect, failure, positive=True).estimate == pytest.approx(failure[committed].mean())


def test_an_undecided_reading_is_taken_up_by_labels():
    reading = np.full(40, 0.5)
    label = np.array([1.0, 0.0] * 10 + [math.nan] * 20)
    units = Labelled(reading, label, np.zeros(40, np.int64), np.arange(40) // 4)
    assert corrected_share(units).estimate == pytest.approx(0.5)


def test_a_stratum_without_labels_and_a_lone_cluster_give_no_bounds():
    zeros = np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="stratum 1 has no label"):
        Labelled(np.ones(2), np.array([1.0, math.nan]), np.array([0, 1]), np.array([0, 1]))
    lone = Labelled(np.ones(3), np.ones(3), zeros, zeros)
    assert not corrected_share(lone).known
    assert math.isnan(corrected_rate(lone, np.ones(3), positive=False).estimate)
