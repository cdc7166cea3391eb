"""Lines: the printed numbers of a table, exact until they are printed once, all their intervals in one pass.

Line       what a number is, its exact value, its n, and which cells it is a weighted sum of
tabulate   lines -> a tidy frame with the columns of ``MEASURES``
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from stewardbench.report.counts import Cell, Counts
from stewardbench.statistics import Estimand, Interval, clustered_estimates, wilson_bounds

SEED = 20_260  # of the bootstrap: fixed, so that the same records always give the same report
MEASURES: dict[str, pl.DataType | type[pl.DataType]] = {
    "printed": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "wilson_low": pl.Float64,
    "wilson_high": pl.Float64,
    "k": pl.Int64,
    "n": pl.Int64,
    "unscored": pl.Int64,
    "if_all_pass": pl.Float64,
    "if_all_fail": pl.Float64,
    "clusters": pl.Int64,
    "at_most": pl.Float64,
}
_STORED_DECIMALS = 6  # of values and bounds: far below what is printed, far above what machines disagree on


@dataclass(frozen=True, slots=True)
class Line:
    """One number of a table.

    ``labels`` name it; ``parts`` are (weight, cell) of the rates it is a weighted sum of. ``value`` is exact, None when
    nothing was scored. ``k`` exists for a single rate only. ``bounds`` are the values if all unscored episodes had
    passed, and if all had failed. ``decimals`` is set where a number is printed with others than its table.
    """

    labels: dict[str, str]
    value: Fraction | None
    n: int
    unscored: int
    parts: tuple[tuple[Fraction, Cell], ...]
    k: int | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    decimals: int | None = None

    @property
    def signed(self) -> bool:
        """Whether the number is a difference and shows its sign."""
        return any(weight < 0 for weight, _ in self.parts)


def tabulate(
    lines: Sequence[Line],
    counts: Counts,
    *,
    share: bool,
    decimals: int = 1,
    scale: int = 100,
) -> pl.DataFrame:
    """Lines as a tidy frame: their labels, then ``MEASURES``. Values and bounds are multiplied by ``scale``.

    ``share`` says whether the numbers are shares (and gaps and means of shares) or anything else, such as means on a
    scale; their intervals differ. ``low`` and ``high`` count clusters as the independent units; ``wilson_*`` take
    episodes as independent and exist for single rates. Where nothing differs between clusters there are no bounds, and
    ``at_most`` is the share of clusters that may still differ.
    """
    known = [line for line in lines if line.value is not None]
    intervals = iter(_intervals(known, counts, share))
    rows = [_row(line, next(intervals) if line.value is not None else None, decimals, scale) for line in lines]
    labels = dict.fromkeys((label for line in lines for label in line.labels), pl.String)
    return _with_wilson(pl.DataFrame(rows, schema={**labels, **MEASURES}), scale)


def printed(value: Fraction | None, decimals: int = 1, scale: int = 100, *, signed: bool = False) -> str:
    """A number as tables print it: scaled, rounded once half to even on the exact value; ``n/a`` for None."""
    if value is None:
        return "n/a"
    return f"{float(round(value * scale, decimals)):{'+' if signed else ''}.{decimals}f}"


def _row(line: Line, interval: Interval | None, decimals: int, scale: int) -> dict[str, object]:
    low, high = line.bounds or (None, None)
    return {
        **line.labels,
        "printed": printed(line.value, decimals if line.decimals is None else line.decimals, scale, signed=line.signed),
        "value": _stored(line.value, scale),
        "low": _stored(interval.low if interval else None, scale),
        "high": _stored(interval.high if interval else None, scale),
        "k": line.k,
        "n": line.n,
        "unscored": line.unscored,
        "if_all_pass": _stored(low, scale),
        "if_all_fail": _stored(high, scale),
        "clusters": interval.clusters if interval else 0,
        "at_most": _stored(interval.at_most if interval else None, 100),
    }


def _intervals(lines: Sequence[Line], counts: Counts, share: bool) -> tuple[Interval, ...]:
    estimands = []
    for line in lines:
        placed = [(counts.column(cell), float(weight)) for weight, cell in line.parts]
        found = [(column, weight) for column, weight in placed if column is not None]
        estimands.append(Estimand(tuple(column for column, _ in found), tuple(weight for _, weight in found)))
    k, n = counts.flat()
    return clustered_estimates(k, n, estimands, share=share)


def _stored(value: Fraction | float | None, scale: int) -> float | None:
    """A float for files and charts; None where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return round(float(value * scale), _STORED_DECIMALS) + 0.0  # no negative zero


def _with_wilson(frame: pl.DataFrame, scale: int) -> pl.DataFrame:
    single = frame["k"].is_not_null()
    low, high = wilson_bounds(frame["k"].fill_null(0).to_numpy(), frame["n"].to_numpy())
    bounds = {
        name: pl.Series(values * scale).round(_STORED_DECIMALS).fill_nan(None)
        for name, values in (("wilson_low", low), ("wilson_high", high))
    }
    return frame.with_columns(pl.when(single).then(series).otherwise(None).alias(n) for n, series in bounds.items())
