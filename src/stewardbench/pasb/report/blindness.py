"""The commit boundary under both readings: by a judge who saw what the agent saved, and by one who did not.

A judge who sees the saved claim may score an answer higher because of it, and committed episodes are just those where
it sees one. Only episodes that were read both ways are counted, so that nothing else differs between the two gaps.
"""

from __future__ import annotations

import polars as pl

from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.report.boundary import COMMITTED, POOLED, SESSION_ONLY
from stewardbench.pasb.report.cells import FAILURES, count_rates, gap_line, mean_line
from stewardbench.pasb.report.indicators import LEAST, with_indicators
from stewardbench.pasb.report.study import Study, table
from stewardbench.report.lines import Line
from stewardbench.report.table import Table

SIGHTED, BLIND = "sighted", "blind"


def blindness_table(study: Study) -> Table | None:
    """Session-only, committed and gap of the pooled runs, sighted and blind; None without episodes read both ways."""
    own = BLIND if study.blind else SIGHTED
    other = BLIND if own is SIGHTED else SIGHTED
    decided = study.pooled(study.natural).filter(pl.col("committed").is_not_null())
    again = study.readings.filter((pl.col("blind") != study.blind) & (pl.col("reading") == 0))
    both = decided.join(again.select("episode_id"), on="episode_id", how="semi")
    if both.is_empty():
        return None
    indicators = [name for name in both.columns if name.startswith(("is_", "sure_"))]
    swapped = (
        both.drop(*DIMENSIONS, *indicators)
        .join(again.select("episode_id", *DIMENSIONS), on="episode_id")
        .with_columns(pl.lit(None, pl.Int8).alias(name) for name in LEAST)
    )
    reread = with_indicators(swapped, study.at).select(both.columns)
    rows = pl.concat([both.with_columns(read=pl.lit(own)), reread.with_columns(read=pl.lit(other))])
    counts = count_rates(rows, ["read", "committed"])
    lines: list[Line] = []
    for failure, names in FAILURES.items():
        for read in (SIGHTED, BLIND):
            labels = study.pool_labels(POOLED, failure=failure, reading=read)
            low, high = (read, SESSION_ONLY), (read, COMMITTED)
            lines += [
                mean_line(labels | {"metric": "session_only"}, counts, low, names),
                mean_line(labels | {"metric": "committed"}, counts, high, names),
                gap_line(labels | {"metric": "gap"}, counts, high, low, names),
            ]
    frame = study.tabulate(lines, counts, share=True)
    return table("blindness", ("model", "agent", "failure", "reading"), frame)
