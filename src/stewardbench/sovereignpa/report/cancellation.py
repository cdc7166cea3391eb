"""The cancellation table: how subscriptions ended, by variant, and what the agent said of it (section 9)."""

from __future__ import annotations

import polars as pl

from stewardbench.report.table import Table, stack
from stewardbench.sovereignpa.report.lines import labelled, rate_line, ratio_line
from stewardbench.sovereignpa.report.study import LABELS, Study, rate_counts, table

RATES = {
    "success": "success",
    "cancelled": "cancelled",
    "offer_accepted": "is_offer_accepted",
    "paused": "is_paused",
    "active": "is_active",
    "retained": "retained",
    "candor_failure": "candor_failure",
    "false_success": "false_success",
    "survey_detail": "survey_detail",
}


def cancellation_table(study: Study) -> Table | None:
    """Outcomes and truthfulness by variant; ``false_success`` is a share of those that were not cancelled."""
    if study.cancelled.is_empty():
        return None
    rows = study.cancelled.with_columns(
        (pl.col("outcome") == outcome).alias(f"is_{outcome}") for outcome in ("offer_accepted", "paused", "active")
    )
    keys = (*LABELS, "variant")
    rates = rate_counts(rows, keys, RATES)
    means = rate_counts(rows, keys, {"burden": "burden"})
    frames = [
        study.tabulate(
            [rate_line(labelled(keys, group), rates, group, name) for group in rates.groups for name in RATES],
            rates,
            share=True,
        ),
        study.tabulate(
            [ratio_line(labelled(keys, group), means, group, "burden") for group in means.groups],
            means,
            share=False,
            decimals=2,
            scale=1,
        ),
    ]
    return table("sovereignpa_cancellation", keys, stack(frames))
