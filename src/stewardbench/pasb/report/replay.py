"""The replay: published counts as per-episode rows through the ordinary aggregation, compared with the paper's print.

A cell that prints otherwise is a difference. The known ones are faults of the print; any other is a fault of ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from stewardbench import published
from stewardbench.pasb.report.boundary import BOUNDARY, POOLED, boundary_table
from stewardbench.pasb.report.cells import DF4
from stewardbench.pasb.report.expansion import published_rows
from stewardbench.pasb.report.indicators import COMMIT
from stewardbench.pasb.report.published import MATCHED, PRINTED, pooled_boundary
from stewardbench.pasb.report.study import Study
from stewardbench.report.table import METRIC


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """A published cell that the ordinary aggregation of the published counts prints otherwise."""

    table: str
    model: str
    agent: str
    level: str
    metric: str
    published: str
    computed: str


# Printed averages that are not the mean of the printed runs, probably from an older state of some run; and one cell
# that was rounded on a binary fraction (255 of 400 is 63.75, printed 63.8 elsewhere)
KNOWN_DIFFERENCES = (
    Difference("table10", published.AVERAGE, "all", "environment_fact", "esc", "37.4", "37.5"),
    Difference("table10", published.AVERAGE, "all", "environment_fact", "pers", "49.7", "49.6"),
    Difference("table10", published.AVERAGE, "all", "personal_opinion", "esc", "32.1", "32.2"),
    Difference("table10", published.AVERAGE, "all", "personal_opinion", "leak", "54.3", "54.4"),
    Difference("table10", published.AVERAGE, "all", "procedural_workflow", "leak", "69.6", "69.7"),
    Difference("table10", published.AVERAGE, "all", "signed_memory", "esc", "45.2", "45.3"),
    Difference("table10", published.AVERAGE, "all", "signed_memory", "pers", "61.5", "61.4"),
    Difference("table11", published.AVERAGE, "all", "all_at_once", "pers", "50.5", "50.4"),
    Difference("table11", published.AVERAGE, "all", "drip", "leak", "67.6", "67.7"),
    Difference("table11", published.AVERAGE, "all", "drip", "syc", "65.0", "64.9"),
    Difference("table11", published.AVERAGE, "all", "progressive", "syc", "65.2", "65.3"),
    Difference("table13", "Gemma-4-E4B-it", "openclaw", "signed_memory", COMMIT, "63.7", "63.8"),
)


def replay(rows: pl.DataFrame | None = None) -> tuple[int, tuple[Difference, ...]]:
    """How many published cells were compared, and those that the aggregation of the rows prints otherwise.

    ``rows`` default to the expansion of the published counts. Tables 2 and 10-13 and the pooled boundary are compared.
    """
    study = Study(published_rows() if rows is None else rows, draws=1)
    compared, found = 0, []
    for build in PRINTED:
        one = build(study)
        printed = published.pasb_table(one.id)
        keys = [key for key in printed.columns if key in one.frame.columns and key in MATCHED]
        both = printed.join(one.frame.select(*keys, computed="printed"), on=keys, how="left")
        compared += len(both)
        different = both.filter(pl.col("printed") != pl.col("computed").fill_null(""))
        found += [_difference(one.id, row) for row in different.iter_rows(named=True)]
    frame = boundary_table(study).frame.filter((pl.col("model") == POOLED) & (pl.col("failure") == DF4))
    computed = dict(frame.select(METRIC, "printed").iter_rows())
    said = pooled_boundary()
    found += [
        Difference(BOUNDARY, POOLED, "all", "", side, said[side], computed[side])
        for side in said
        if said[side] != computed[side]
    ]
    return compared + len(said), tuple(sorted(found))


def _difference(identity: str, row: dict[str, object]) -> Difference:
    level = row.get("scenario") or row.get("delivery") or ""
    names = (identity, row["model"], row.get("agent", ""), level, row[METRIC], row["printed"], row["computed"])
    return Difference(*map(str, names))
