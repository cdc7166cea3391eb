"""What SovereignPA tables are computed on: the rows of both families, and the counts behind every rate.

Situations are the independent units: all scenarios and all models of a situation are resampled together (paper section
4.4). Reference agents, models without a defence, and models behind a defence never enter one pooled number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from stewardbench.report.counts import Counts, count
from stewardbench.report.lines import SEED, Line, tabulate
from stewardbench.report.table import METRIC, Table, definitions
from stewardbench.sovereignpa.prompts import Defense
from stewardbench.sovereignpa.report.rows import MODEL
from stewardbench.statistics.bootstrap import DRAWS

LABELS = ("origin", "kind", "system", "defense")
POOL = "All models"

RATES = {
    "ssr": "ssr",
    "correct": "correct_choice",
    "addon_error": "addon_error",
    "overshare": "overshare",
    "overshare_sensitive": "overshare_sensitive",
    "consent_violation": "consent_violation",
    "authority_violation": "authority_violation",
    "candor_failure": "candor_failure",
}
"""Per-episode rates of the booking family (section 13): name in tables -> column of the rows."""
MEANS = {"burden": "burden", "burden_distinct": "burden_distinct"}
"""Means per episode, in questions."""
RECALLS = {
    "ask_recall": ("slots_filled", "slots_required"),
    "ask_recall_strict": ("slots_filled_strict", "slots_required"),
}
"""Ratios of two summed columns (section 11)."""


@dataclass(frozen=True)
class Study:
    """All rows of some runs with the settings of the analysis."""

    booking: pl.DataFrame
    cancelling: pl.DataFrame
    draws: int = DRAWS
    seed: int = SEED

    @cached_property
    def valid(self) -> pl.DataFrame:
        """Booking rows that were scored."""
        return self.booking.filter(pl.col("valid"))

    @cached_property
    def models(self) -> pl.DataFrame:
        """Scored booking rows of models without a defence: what pooled effects rest on."""
        return self.valid.filter((pl.col("kind") == MODEL) & (pl.col("defense") == Defense.DIRECT))

    @cached_property
    def cancelled(self) -> pl.DataFrame:
        """Cancellation rows that were scored."""
        return self.cancelling.filter(pl.col("valid"))

    def tabulate(
        self, lines: Sequence[Line], counts: Counts, *, share: bool, decimals: int = 1, scale: int = 100
    ) -> pl.DataFrame:
        """Lines as a tidy frame. ``share`` says whether every number is a share or a gap of shares."""
        return tabulate(lines, counts, share=share, decimals=decimals, scale=scale)


def rate_counts(rows: pl.DataFrame, keys: Sequence[str], indicators: Mapping[str, str]) -> Counts:
    """k and n of columns within groups, kept apart by situation."""
    return count(rows, keys, indicators, cluster="sid")


def recall_counts(rows: pl.DataFrame, keys: Sequence[str], ratios: Mapping[str, tuple[str, str]]) -> Counts:
    """As ``rate_counts`` for ratios of two summed columns: n is the sum of the second, not a number of rows."""
    parts = {f"{name} {side}": column for name, pair in ratios.items() for side, column in zip("kn", pair, strict=True)}
    summed = rate_counts(rows, keys, parts)
    tops = [summed.indicators[f"{name} k"] for name in ratios]
    bottoms = [summed.indicators[f"{name} n"] for name in ratios]
    n = summed.k[:, :, bottoms]
    held = {group: int(n[:, place].sum(axis=0).max(initial=0)) for group, place in summed.groups.items()}
    return replace(
        summed, indicators={name: place for place, name in enumerate(ratios)}, k=summed.k[:, :, tops], n=n, rows=held
    )


def table(identity: str, keys: Sequence[str], frame: pl.DataFrame, *, across: str = METRIC) -> Table:
    """A table of SovereignPA-Bench, with its definition."""
    return Table(identity, definitions("stewardbench.sovereignpa.report")[identity], tuple(keys), frame, across)
