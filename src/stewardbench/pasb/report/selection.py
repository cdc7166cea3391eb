"""What is left of the boundary gap between alike episodes: matched by stance, and weighted with overlap shown.

The outcome is each episode's own df4, the share of the four per-turn dimensions that it fails. The unadjusted gap is
shown on the same episodes first, so that an adjustment is never compared with a number from other data.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stewardbench.pasb.axes import TURN_DIMENSIONS
from stewardbench.pasb.report.study import Study, table
from stewardbench.report.table import Table
from stewardbench.statistics import Interval, Overlap, comparable, matched_gap, weighted_gap, within_gap

STRATA = ("run_id", "scenario", "stance")
WITHIN = ("run_id", "scenario", "delivery", "stance")  # held equal within items
COVARIATES = ("run_id", "scenario", "delivery", "sub_axis", "stance")
QUANTILES = ("5 %", "25 %", "50 %", "75 %", "95 %")


def selection_tables(study: Study) -> tuple[Table, Table] | None:
    """The adjusted gaps, and the overlap they rest on. None without annotated, decided and scored episodes."""
    outcome = pl.mean_horizontal(pl.col(f"is_{name}").cast(pl.Float64) for name in TURN_DIMENSIONS)
    scored = pl.all_horizontal(pl.col(f"is_{name}").is_not_null() for name in TURN_DIMENSIONS)
    rows = (
        study.pooled(study.natural)
        .filter(scored & pl.col("committed").is_not_null() & pl.col("stance").is_not_null())
        .with_columns(outcome.alias("failure"))
    )
    if rows["committed"].n_unique() < 2:
        return None
    y, treated = rows["failure"].to_numpy(), rows["committed"].to_numpy()
    items = _codes(rows, ["base_item_id"])[:, 0]
    covariates = _codes(rows, COVARIATES)
    everyone, strata, draws, seed = np.zeros(len(rows), np.int64), _strata(rows), study.draws, study.seed
    raw = matched_gap(y, treated, everyone, items, draws=draws, seed=seed, purpose="selection raw")
    alike = comparable(treated, strata)
    same = matched_gap(
        y[alike], treated[alike], everyone[alike], items[alike], draws=draws, seed=seed, purpose="selection alike"
    )
    matched = matched_gap(y, treated, strata, items, draws=draws, seed=seed, purpose="selection matched")
    weighted = weighted_gap(y, treated, covariates, items, draws=draws, seed=seed, purpose="selection weighted")
    inside = within_gap(y, treated, items, _codes(rows, WITHIN))
    origin = study.pool_origin
    gaps = [
        _gap(origin, "unadjusted", "all", raw.interval),
        _gap(origin, "within items", "items in which commits vary", inside),
        _gap(origin, "unadjusted, matched episodes only", "committed", same.interval)
        | {"dropped": int((~alike).sum())},
        _gap(origin, "matched by stance, items ignored", "committed", matched.interval)
        | {"strata": matched.strata, "dropped": matched.dropped},
        _gap(origin, "inverse-probability weighted, items ignored", "all", weighted.interval)
        | _weights(weighted.overlap),
    ]
    return (
        table("selection", ["method"], pl.DataFrame(gaps, infer_schema_length=None), across=""),
        table("overlap", ["side"], _overlap(origin, weighted.overlap), across=""),
    )


def _codes(rows: pl.DataFrame, columns: tuple[str, ...] | list[str]) -> NDArray[np.int64]:
    """Dense integer codes of categorical columns, in the order of their text, as (rows, columns)."""
    texts = [rows[name].cast(pl.String) for name in columns]
    return np.stack([(text.rank("dense") - 1).cast(pl.Int64).to_numpy() for text in texts], axis=1)


def _strata(rows: pl.DataFrame) -> NDArray[np.int64]:
    return _codes(
        rows.select(pl.concat_str([pl.col(n).cast(pl.String) for n in STRATA], separator="|").alias("s")), ["s"]
    )[:, 0]


def _gap(origin: str, method: str, averaged_over: str, interval: Interval) -> dict[str, object]:
    """One adjusted gap. ``averaged_over`` is whose effect it is: gaps over other episodes are other quantities."""
    return {
        "origin": origin,
        "method": method,
        "averaged_over": averaged_over,
        "gap": _points(interval.estimate),
        "low": _points(interval.low),
        "high": _points(interval.high),
        "n": interval.n,
        "clusters": interval.clusters,
    }


def _weights(overlap: Overlap) -> dict[str, object]:
    return {
        "trimmed": overlap.trimmed,
        "effective_committed": round(overlap.effective_treated, 1),
        "effective_session_only": round(overlap.effective_untreated, 1),
        "imbalance_before": _rounded(overlap.imbalance_before),
        "imbalance_after": _rounded(overlap.imbalance_after),
    }


def _overlap(origin: str, overlap: Overlap) -> pl.DataFrame:
    sides = (
        ("committed", overlap.treated, overlap.quantiles_treated),
        ("session_only", overlap.untreated, overlap.quantiles_untreated),
    )
    return pl.DataFrame(
        [
            {"origin": origin, "side": side, "n": n} | dict(zip(QUANTILES, map(_rounded, points), strict=True))
            for side, n, points in sides
        ]
    )


def _points(share: float) -> float | None:
    return None if math.isnan(share) else round(100.0 * share, 1) + 0.0


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 3) + 0.0
