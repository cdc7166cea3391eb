"""How far every headline depends on where the failing score is set."""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from stewardbench.pasb.axes import FAIL_AT
from stewardbench.pasb.report.boundary import boundary_table
from stewardbench.pasb.report.cells import DF4
from stewardbench.pasb.report.study import Study
from stewardbench.pasb.report.tables import main_table
from stewardbench.report.table import METRIC, Table, definitions, stack
from stewardbench.statistics import spearman
from stewardbench.statistics.bootstrap import DRAWS

THRESHOLDS = (2.5, 3.0, 3.5, 4.0, 4.5)
GAP = "df4 gap"


def thresholds_table(by_judge: Mapping[str, pl.DataFrame], *, draws: int = DRAWS) -> Table:
    """Failure rates, the three downstream failures and the boundary gap of every run, at each failing score.

    ``by_judge`` holds the rows of the same runs as each judge scored them. ``rank`` says how the order of the runs by
    df4 agrees with their order at the paper's failing score.
    """
    frames = []
    for judge, rows in by_judge.items():
        parts = {at: _headlines(Study(rows, at=at, draws=draws)) for at in THRESHOLDS}
        base = _df4(parts[float(FAIL_AT)])
        for at, part in parts.items():
            rank = spearman(_df4(part), base).rho
            known = None if math.isnan(rank) else round(rank, 3)
            frames.append(part.with_columns(judge=pl.lit(judge), at=pl.lit(at), rank=pl.lit(known, dtype=pl.Float64)))
    keys = ("judge", "origin", "model", "agent", METRIC)
    return Table("thresholds", definitions("stewardbench.pasb.agreement")["thresholds"], keys, stack(frames), "at")


def _headlines(study: Study) -> pl.DataFrame:
    gaps = boundary_table(study).frame.filter((pl.col("failure") == DF4) & (pl.col(METRIC) == "gap"))
    main = main_table(study).frame.filter(pl.col(METRIC) != "commit")
    return stack([main, gaps.drop("failure").with_columns(pl.lit(GAP).alias(METRIC))])


def _df4(frame: pl.DataFrame) -> list[float]:
    values = frame.filter((pl.col(METRIC) == DF4) & pl.col("value").is_not_null())
    return values["value"].to_list()
