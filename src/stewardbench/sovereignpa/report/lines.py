"""Lines of SovereignPA tables: rates, means and ratios of the groups in some counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from stewardbench.report.counts import Counts, Group
from stewardbench.report.lines import Line
from stewardbench.report.table import METRIC

ONE = Fraction(1)


def rate_line(labels: Mapping[str, str], counts: Counts, group: Group, name: str) -> Line:
    """A share of episodes, with its k, n and what unscored episodes could make of it."""
    k, n, unscored = counts.cell(group, name)
    total = n + unscored
    bounds = (Fraction(k, total), Fraction(k + unscored, total)) if total else None
    value = Fraction(k, n) if n else None
    return Line({**labels, METRIC: name}, value, n, unscored, ((ONE, (group, name)),), k=k, bounds=bounds)


def ratio_line(labels: Mapping[str, str], counts: Counts, group: Group, name: str) -> Line:
    """A ratio of two sums that is no share of episodes: a mean per episode, or a recall. It has no Wilson bounds."""
    k, n, unscored = counts.cell(group, name)
    return Line({**labels, METRIC: name}, Fraction(k, n) if n else None, n, unscored, ((ONE, (group, name)),))


def gap_line(labels: Mapping[str, str], counts: Counts, name: str, after: Group, before: Group) -> Line:
    """One group's rate less another's."""
    k1, n1, u1 = counts.cell(after, name)
    k0, n0, u0 = counts.cell(before, name)
    value = Fraction(k1, n1) - Fraction(k0, n0) if n1 and n0 else None
    parts = ((ONE, (after, name)), (-ONE, (before, name)))
    return Line({**labels, METRIC: name}, value, min(n1, n0), u1 + u0, parts)


def labelled(keys: Iterable[str], group: Group) -> dict[str, str]:
    """The labels of a group."""
    return dict(zip(keys, group, strict=False))
