"""How much of a spread belongs to which level of a nested design: items, variants of an item, trials, readings.

    y = mean + item + variant in item + trial in variant + reading in trial

Henderson's first method: the sums of squares of every level are set equal to what they are expected to be, which for
nested random effects is a triangular system. It needs no balance and no iteration; for balanced data it is the usual
analysis of variance. An estimate may fall below zero, where a level adds nothing that can be told from the one within.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Level:
    """What one level adds. ``name`` joins the levels that the data cannot tell apart; ``groups`` are its units."""

    name: str
    variance: float
    groups: int


def nested_variance(values: Floats, levels: Sequence[tuple[str, Sequence[object]]]) -> tuple[Level, ...]:
    """Variance components of ``values`` (one per observation), from the outermost level to the innermost.

    Each level is a name and one label per observation; labels of an inner level are read within the outer ones. The
    innermost level must tell all observations apart. A level with no more units than the one outside it adds its name
    to it: one trial per variant gives "variant + trial". Empty when the outermost level has fewer than two units.
    Raises ValueError when two observations share all labels.
    """
    codes = _codes(levels, len(values))
    if len(codes[-1]) != len(set(codes[-1].tolist())):
        raise ValueError("the innermost level must tell all observations apart")
    kept: list[tuple[list[str], Ints]] = []
    for (name, _), code in zip(levels, codes, strict=True):
        if kept and code.max(initial=-1) == kept[-1][1].max(initial=-1):
            kept[-1][0].append(name)
        else:
            kept.append(([name], code))
    groups = [int(code.max(initial=-1)) + 1 for _, code in kept]
    if not kept or groups[0] < 2:
        return ()
    found = _solved(values, [code for _, code in kept])
    return tuple(
        Level(" + ".join(names), float(variance), count)
        for (names, _), variance, count in zip(kept, found, groups, strict=True)
    )


def _codes(levels: Sequence[tuple[str, Sequence[object]]], size: int) -> list[Ints]:
    """For every level, the number of each observation's unit: equal where it and all outer labels are equal."""
    codes, outer = [], [()] * size  # type: list[Ints], list[tuple[object, ...]]
    for _, labels in levels:
        outer = [(*above, label) for above, label in zip(outer, labels, strict=True)]
        numbers: dict[tuple[object, ...], int] = {}
        codes.append(np.array([numbers.setdefault(path, len(numbers)) for path in outer], np.int64))
    return codes


def _solved(values: Floats, codes: Sequence[Ints]) -> Floats:
    centred = values - values.mean()
    whole = np.zeros(len(values), np.int64)
    squares = [float((np.bincount(c, centred) ** 2 / np.bincount(c)).sum()) for c in (whole, *codes)]
    expected = np.array([[_expected(outer, inner) for inner in codes] for outer in (whole, *codes)])
    return np.asarray(np.linalg.solve(np.diff(expected, axis=0), np.diff(squares)), np.float64)


def _expected(groups: Ints, level: Ints) -> float:
    """What one unit of a level's variance adds to the sum over ``groups`` of total squared over size."""
    pairs, sizes = np.unique(np.stack([groups, level]), axis=1, return_counts=True)
    return float((sizes**2 / np.bincount(groups)[pairs[0]]).sum())
