"""Paired effects: variants against their control, update against reminder, defences against none, and correlations.

An effect is taken per situation first: the mean over models of its paired differences. The interval resamples
situations, and the exact sign test counts situations that rose and fell (paper section 4.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from stewardbench.report.table import METRIC, Table
from stewardbench.sovereignpa.axes import Variant
from stewardbench.sovereignpa.prompts import Defense
from stewardbench.sovereignpa.report.rows import MODEL
from stewardbench.sovereignpa.report.study import LABELS, POOL, Study, table
from stewardbench.statistics import Interval, SignTest, change_interval, holm, sign_test, spearman

EFFECTS = {"ssr": 100.0, "overshare": 100.0, "consent_violation": 100.0, "burden": 1.0}
"""Metrics whose change is tested, with the scale they are printed at (points, or questions)."""
CONTRASTS = (
    *((variant, Variant.CONTROL) for variant in Variant if variant is not Variant.CONTROL),
    (Variant.UPDATE, Variant.REMINDER),
)
SMALLEST = ("qwen3.5-0.8b", "qwen3.5-2b")  # the paper's robustness check leaves these two out


def effect_table(study: Study) -> Table:
    """The effect of every variant on success and burden: pooled over models, and for each system by itself."""
    groups = _systems(study.valid)
    if len(_systems(study.models)) > 1:
        groups = [({"origin": "own", "kind": MODEL, "system": POOL, "defense": "direct"}, study.models), *groups]
    found = [
        _contrast(labels, frame, metric, *pair) for labels, frame in groups for metric in EFFECTS for pair in CONTRASTS
    ]
    return table("sovereignpa_effects", (*LABELS, "variant", "against"), _rows(found))


def defense_table(study: Study) -> Table | None:
    """Every defence against no defence of the same model, paired by scenario; None where none was run."""
    found = []
    for labels, direct in _systems(study.models):
        same = study.valid.filter((pl.col("system") == labels["system"]) & (pl.col("kind") == MODEL))
        for defense in Defense:
            behind = same.filter(pl.col("defense") == defense)
            if defense is not Defense.DIRECT and not behind.is_empty():
                found += [
                    Contrast(
                        labels,
                        metric,
                        defense.value,
                        "direct",
                        _paired(behind, direct, metric, ("sid", "variant", "seed")),
                    )
                    for metric in EFFECTS
                ]
    if not found:
        return None
    return table("sovereignpa_defenses", (*LABELS, "variant", "against"), _rows(found))


def correlation_table(study: Study, main: pl.DataFrame) -> Table | None:
    """Spearman's rho of success with burden and ask recall over models, with the paper's robustness checks.

    None with fewer than three models. ``main`` is the frame of the main table; published rows in it are taken apart.
    """
    rows = []
    for origin, frame in main.filter((pl.col("kind") == MODEL) & (pl.col("defense") == "direct")).group_by(
        "origin", maintain_order=True
    ):
        wide = frame.pivot(METRIC, index="system", values="value")
        small = ~pl.col("system").str.to_lowercase().str.split("/").list.last().is_in(SMALLEST)
        for name, first, second, kept in (
            ("ssr and burden", "ssr", "burden", wide),
            ("ssr and ask recall", "ssr", "ask_recall", wide),
            ("ssr and burden, distinct questions", "ssr", "burden_distinct", wide),
            ("ssr and burden, without the two smallest Qwen3.5 models", "ssr", "burden", wide.filter(small)),
        ):
            if {first, second} <= set(kept.columns) and len(kept) > 2:
                found = spearman(kept[first].to_numpy(), kept[second].to_numpy())
                if not np.isnan(found.rho):
                    rows.append(
                        {
                            "origin": str(origin[0]),
                            "pair": name,
                            "rho": round(found.rho, 2),
                            "p": round(found.p_value, 4),
                            "models": found.n,
                        }
                    )
    return table("sovereignpa_correlations", (), pl.DataFrame(rows), across="") if rows else None


@dataclass(frozen=True)
class Contrast:
    """One paired comparison: whose, of what, between which sides, and the difference of every scored pair."""

    labels: dict[str, str]
    metric: str
    variant: str
    against: str
    pairs: pl.DataFrame


_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((*LABELS, "variant", "against", METRIC, "printed"), pl.String),
    **dict.fromkeys(("value", "low", "high", "at_most"), pl.Float64),
    **dict.fromkeys(("n", "clusters", "n_plus", "n_minus", "ties"), pl.Int64),
    **dict.fromkeys(("p", "p_holm"), pl.Float64),
}


def _systems(rows: pl.DataFrame) -> list[tuple[dict[str, str], pl.DataFrame]]:
    """(labels, rows) of every system, in the order in which it appears."""
    return [
        (dict(zip(LABELS, map(str, key), strict=True)), frame)
        for key, frame in rows.group_by(LABELS, maintain_order=True)
    ]


def _contrast(labels: dict[str, str], rows: pl.DataFrame, metric: str, variant: Variant, against: Variant) -> Contrast:
    """A variant against another within situation, system and seed."""
    after, before = (rows.filter(pl.col("variant") == side) for side in (variant, against))
    return Contrast(
        labels, metric, variant.value, against.value, _paired(after, before, metric, ("sid", "system", "seed"))
    )


def _paired(after: pl.DataFrame, before: pl.DataFrame, metric: str, keys: Sequence[str]) -> pl.DataFrame:
    """sid, system and difference of every pair that was scored on both sides."""
    value = pl.col(metric).cast(pl.Float64)
    columns = list(dict.fromkeys((*keys, "system")))
    joined = after.select(*columns, value.alias("after")).join(
        before.select(*keys, value.alias("before")), on=list(keys)
    )
    return joined.select("sid", "system", difference=pl.col("after") - pl.col("before")).drop_nulls()


def _rows(found: Sequence[Contrast]) -> pl.DataFrame:
    """One row per contrast that has pairs: all intervals in one pass, p-values adjusted per system and metric."""
    kept = [contrast for contrast in found if not contrast.pairs.is_empty()]
    sids = sorted({sid for contrast in kept for sid in contrast.pairs["sid"].unique()})
    means = np.full((len(sids), len(kept)), np.nan)
    for column, contrast in enumerate(kept):
        by_sid = contrast.pairs.group_by("sid").agg(pl.col("difference").mean())
        places = np.searchsorted(sids, by_sid["sid"].to_numpy())
        means[places, column] = by_sid["difference"].to_numpy() * EFFECTS[contrast.metric]
    there = ~np.isnan(means)
    intervals = [
        change_interval(means[:, column], sids, bounded=_largest(contrast.metric))
        for column, contrast in enumerate(kept)
    ]
    rows = [
        _row(contrast, interval, sign_test(means[there[:, column], column]), int(there[:, column].sum()))
        for column, (contrast, interval) in enumerate(zip(kept, intervals, strict=True))
    ]
    frame = pl.DataFrame(rows, schema=_SCHEMA)
    family = [*LABELS, METRIC]
    return frame.with_columns(
        pl.col("p")
        .map_batches(lambda p: pl.Series(holm(p.to_list())), return_dtype=pl.Float64)
        .over(family)
        .alias("p_holm")
    )


def _largest(metric: str) -> float | None:
    """The largest change that one situation can make in the printed unit; none for a number of questions."""
    return EFFECTS[metric] if EFFECTS[metric] != 1.0 else None


def _row(contrast: Contrast, interval: Interval, sign: SignTest, clusters: int) -> dict[str, object]:
    value = interval.estimate + 0.0  # no negative zero
    return {
        **contrast.labels,
        "variant": contrast.variant,
        "against": contrast.against,
        METRIC: contrast.metric,
        "printed": f"{value:+.2f}" if EFFECTS[contrast.metric] == 1.0 else f"{value:+.1f}",
        "value": value,
        "low": interval.low if interval.known else None,
        "high": interval.high if interval.known else None,
        "at_most": None if math.isnan(interval.at_most) else 100.0 * interval.at_most,
        "n": len(contrast.pairs),
        "clusters": clusters,
        "n_plus": sign.positive,
        "n_minus": sign.negative,
        "ties": sign.ties,
        "p": sign.p_value,
    }
