"""Counting rows into cells: k and n of every indicator in every group, kept apart by cluster.

Counts are integers. Everything that is printed is made of them exactly, and every interval resamples the same sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Group = tuple[str, ...]
Cell = tuple[Group, str]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counts:
    """k and n of indicators in groups of rows, by cluster; arrays are (clusters, groups, indicators).

    ``rows`` is the number of rows of each group, scored or not. ``sure`` counts, as (groups, indicators), the unscored
    rows that count whatever is missing.
    """

    groups: dict[Group, int]
    indicators: dict[str, int]
    k: IntArray
    n: IntArray
    rows: dict[Group, int]
    sure: IntArray | None = None

    def certain(self, group: Group, indicator: str) -> int:
        """How many of the unscored rows of a cell are certain to count."""
        if self.sure is None or group not in self.groups:
            return 0
        return int(self.sure[self.groups[group], self.indicators[indicator]])

    def cell(self, group: Group, indicator: str) -> tuple[int, int, int]:
        """(k, n, unscored) of one indicator in one group; zeros where the group has no rows."""
        if group not in self.groups:
            return 0, 0, 0
        place = self.groups[group], self.indicators[indicator]
        n = int(self.n[:, *place].sum())
        return int(self.k[:, *place].sum()), n, self.rows[group] - n

    def column(self, cell: Cell) -> int | None:
        """Where a cell's cluster sums stand in ``flat``; None where the group has no rows."""
        group, indicator = cell
        return self.groups[group] * len(self.indicators) + self.indicators[indicator] if group in self.groups else None

    def flat(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Numerators and denominators as (clusters, groups * indicators)."""
        shape = (len(self.k), self.k.shape[1] * self.k.shape[2])
        return self.k.reshape(shape).astype(np.float64), self.n.reshape(shape).astype(np.float64)


def count(
    rows: pl.DataFrame,
    keys: Sequence[str],
    indicators: Mapping[str, str],
    *,
    cluster: str = "base_item_id",
    certain: Mapping[str, str] | None = None,
) -> Counts:
    """Sum indicator columns within groups and clusters.

    ``indicators`` maps the name of a cell to its column, which is Boolean or integer; null is unscored. Groups keep the
    order of their keys. Without keys all rows are the one group ``()``. ``certain`` maps indicators to Boolean columns
    that are true for unscored rows which count whatever is missing.
    """
    clusters = rows[cluster].cast(pl.String).unique().sort()
    sums = (
        rows.group_by([*keys, cluster])
        .agg(
            [pl.col(column).cast(pl.Int64).sum().alias(f"k {name}") for name, column in indicators.items()]
            + [pl.col(column).count().cast(pl.Int64).alias(f"n {name}") for name, column in indicators.items()]
            + [pl.col(column).cast(pl.Int64).sum().alias(f"sure {name}") for name, column in (certain or {}).items()]
            + [pl.len().cast(pl.Int64).alias("rows")]
        )
        .with_columns(pl.col(cluster).cast(pl.String))
    )
    groups = _groups(rows, keys)
    names = list(indicators)
    shape = (len(clusters), len(groups), len(names))
    numbers = {label: number for number, label in enumerate(clusters)}
    place = np.fromiter((numbers[label] for label in sums[cluster]), np.int64, len(sums))
    keyed = sums.select(pl.col(key).cast(pl.String) for key in keys).rows() if keys else [()] * len(sums)
    slot = np.fromiter((groups[key] for key in keyed), np.int64, len(sums))
    k, n = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    k[place, slot] = sums.select(f"k {name}" for name in names).to_numpy()
    n[place, slot] = sums.select(f"n {name}" for name in names).to_numpy()
    sure = np.zeros(shape[1:], np.int64)
    for name in certain or {}:
        np.add.at(sure[:, names.index(name)], slot, sums[f"sure {name}"].to_numpy())
    totals = np.bincount(slot, sums["rows"].to_numpy(), minlength=len(groups)).astype(int)
    held = {group: int(totals[index]) for group, index in groups.items()}
    return Counts(groups, {name: index for index, name in enumerate(names)}, k, n, held, sure)


def _groups(rows: pl.DataFrame, keys: Sequence[str]) -> dict[Group, int]:
    """The distinct values of the keys, in order of the keys' own order (enums) or name, with their position."""
    if not keys:
        return {(): 0}
    distinct = rows.select(keys).unique().sort(keys).select(pl.col(key).cast(pl.String) for key in keys)
    return {group: position for position, group in enumerate(distinct.iter_rows())}
