"""PASB's printed numbers made of counted cells: rates, means of rates, gaps, and means over runs.

The arithmetic of each is that of ``stewardbench.pasb.measure.metrics``; here its parts are remembered as cells, so
that the same number can be resampled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import polars as pl

from stewardbench.pasb.axes import DIMENSIONS, TURN_DIMENSIONS
from stewardbench.pasb.measure.metrics import Rate, RateMean, mean_over_runs
from stewardbench.pasb.report.indicators import ANY, COMMIT, RATES, SURE, SURFACES
from stewardbench.report.counts import Cell, Counts, Group, count
from stewardbench.report.lines import Line

ONE = Fraction(1)
DF4, DF6, DF_ANY = "df4", "df6", "df_any"
FAILURES: dict[str, tuple[str, ...]] = {DF4: TURN_DIMENSIONS, DF6: DIMENSIONS, **{d: (d,) for d in DIMENSIONS}}
SINGLE = {DF_ANY: ANY, COMMIT: COMMIT}  # headlines that are one rate, by the name of its indicator
HEADLINES: dict[str, tuple[str, ...]] = {**FAILURES, **{name: (rate,) for name, rate in SINGLE.items()}}

Parts = tuple[tuple[Fraction, Cell], ...]
Labels = dict[str, str]


def count_rates(rows: pl.DataFrame, keys: Sequence[str]) -> Counts:
    """Every rate and every surface share in every group of rows that carry indicators."""
    sure = {name: f"sure_{name}" for name in SURE}
    return count(rows, keys, {name: f"is_{name}" for name in (*RATES, *SURFACES)}, certain=sure)


def rate(counts: Counts, cell: Cell) -> Rate:
    """The rate in one cell."""
    return Rate(*counts.cell(*cell), counts.certain(*cell))


def mean(counts: Counts, group: Group, indicators: Sequence[str]) -> RateMean:
    """The mean of several rates of one group, for example DF4."""
    return RateMean(tuple(rate(counts, (group, name)) for name in indicators))


def rate_line(labels: Labels, counts: Counts, group: Group, indicator: str) -> Line:
    """A single rate with its k."""
    found = rate(counts, (group, indicator))
    return Line(labels, found.value, found.n, found.unscored, ((ONE, (group, indicator)),), found.k, found.bounds)


def mean_line(labels: Labels, counts: Counts, group: Group, indicators: Sequence[str]) -> Line:
    """A mean of rates; one indicator gives a plain rate."""
    if len(indicators) == 1:
        return rate_line(labels, counts, group, indicators[0])
    found = mean(counts, group, indicators)
    return Line(labels, found.value, found.n, found.unscored, _parts(group, indicators), None, _bounds(found))


def gap_line(labels: Labels, counts: Counts, high: Group, low: Group, indicators: Sequence[str]) -> Line:
    """A mean of rates in one group less the same mean in another."""
    above, below = mean(counts, high, indicators), mean(counts, low, indicators)
    value = above.value - below.value if above.value is not None and below.value is not None else None
    parts = _parts(high, indicators) + _parts(low, indicators, -ONE)
    ends = _bounds(above), _bounds(below)
    bounds = (ends[0][0] - ends[1][1], ends[0][1] - ends[1][0]) if ends[0] and ends[1] else None
    return Line(labels, value, above.n + below.n, above.unscored + below.unscored, parts, None, bounds)


def over_runs(labels: Labels, lines: Sequence[Line], *, skip_missing: bool = False) -> Line:
    """The unweighted mean of one number over runs (the Avg rows). n and unscored are sums over the runs.

    With ``skip_missing`` runs without a value are left out of the mean, as in the macro boundary.
    """
    used = [line for line in lines if line.value is not None] if skip_missing else list(lines)
    share = Fraction(1, len(used)) if used else ONE
    ends = [line.bounds for line in used if line.bounds is not None]
    bounds = None
    if ends and len(ends) == len(used):
        bounds = _total(low for low, _ in ends) * share, _total(high for _, high in ends) * share
    return Line(
        labels,
        mean_over_runs(line.value for line in used),
        sum(line.n for line in used),
        sum(line.unscored for line in used),
        tuple((weight * share, cell) for line in used for weight, cell in line.parts),
        None,
        bounds,
    )


def _parts(group: Group, indicators: Sequence[str], sign: Fraction = ONE) -> Parts:
    return tuple((sign / len(indicators), (group, name)) for name in indicators)


def _bounds(found: RateMean) -> tuple[Fraction, Fraction] | None:
    ends = [part.bounds for part in found.parts]
    present = [end for end in ends if end is not None]
    if not present or len(present) < len(ends):
        return None
    return _total(low for low, _ in present) / len(present), _total(high for _, high in present) / len(present)


def _total(values: Iterable[Fraction]) -> Fraction:
    return sum(values, Fraction(0))
