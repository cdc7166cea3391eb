"""The paper's main table beside one's own, marked as published.

The published runs used the authors' own scenarios, which are not released; ours are regenerated from the same design.
Rows are comparable in pattern, not digit for digit.
"""

from __future__ import annotations

import polars as pl

from stewardbench.published import ORIGIN, sovereignpa_table
from stewardbench.report.table import METRIC, Table
from stewardbench.sovereignpa.report.rows import MODEL, RULES

PATTERN_NOTE = (
    "Scores are on regenerated scenarios of the paper's design: published rows are comparable in pattern, "
    "not digit for digit."
)


def beside(table: Table) -> Table:
    """The main table with the published rows added."""
    wide = sovereignpa_table("table2")
    metrics = [name for name in wide.columns if name in _PRINTED]
    rows = wide.unpivot(metrics, index=["agent", "kind"], variable_name="column", value_name="printed").filter(
        pl.col("printed").is_not_null() & (pl.col("printed").cast(pl.String) != "")
    )
    tidy = rows.select(
        origin=pl.lit(ORIGIN),
        kind=pl.when(pl.col("kind") == "model").then(pl.lit(MODEL)).otherwise(pl.lit(RULES)),
        system=pl.col("agent"),
        defense=pl.lit("direct"),
        **{METRIC: pl.col("column").replace_strict(_PRINTED)},
        printed=pl.col("printed").cast(pl.String),
        value=pl.col("printed").cast(pl.Float64),
    )
    return table.with_rows(tidy)


_PRINTED = {
    "ssr_pct": "ssr",
    "correct_choice_pct": "correct",
    "addon_error_pct": "addon_error",
    "overshare_pct": "overshare",
    "consent_violation_pct": "consent_violation",
    "authority_violation_pct": "authority_violation",
    "candor_failure_pct": "candor_failure",
    "burden_unnecessary_asks_per_episode": "burden",
    "ask_recall_pct": "ask_recall",
}
