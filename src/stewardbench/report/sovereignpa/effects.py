"""Paired effects: variants against their control, update against reminder, defences against none, and correlations.

An effect is taken per situation first: the mean over models of its paired differences. The interval resamples
situations, and the exact sign test counts situations that rose and fell (paper section 4.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap

import numpy as np
import polars as pl

from stewardbench.report.sovereignpa.rows import MODEL
from stewardbench.report.sovereignpa.study import LABELS, POOL, Study, table
from stewardbench.report.table import METRIC, Table
from stewardbench.sovereignpa.axes import Variant
from stewardbench.sovereignpa.prompts import Defense
from stewardbench.statistics import holm, paired_effect, spearman

EFFECTS = {"ssr": 100.0, "overshare": 100.0, "consent_violation": 100.0, "burden": 1.0}
"""Metrics whose change is tested, with the scale they are printed at (points, or questions)."""
CONTRASTS = (*((variant, Variant.CONTROL) for variant in Variant if variant is not Variant.CONTROL), (Variant.UPDATE, Variant.REMINDER))
SMALLEST = ("qwen3.5-0.8b", "qwen3.5-2b")  # the paper's robustness check leaves these two out


def effect_table(study: Study) -> Table:
    """The effect of every variant on success and burden: pooled over models, and for each system by itself."""
    groups = _systems(study.valid)
    if len(_systems(study.models)) > 1:
        groups = [({"origin": "own", "kind": MODEL, "system": POOL, "defense": "direct"}, study.models), *groups]
    rows = [
        row
        for labels, frame in groups
        for metric in EFFECTS
        for row in _tested(labels, metric, [_contrast(frame, metric, *pair) for pair in CONTRASTS], study)
    ]
    return table("sovereignpa_effects", (*LABELS, "variant", "against"), pl.DataFrame(rows, schema=_SCHEMA))


def defense_table(study: Study) -> Table | None:
    """Every defence against no defence of the same model, paired by scenario; None where none was run."""
    rows = []
    for labels, direct in _systems(study.models):
        same = study.valid.filter((pl.col("system") == labels["system"]) & (pl.col("kind") == MODEL))
        chosen = [d for d in Defense if d is not Defense.DIRECT and not same.filter(pl.col("defense") == d).is_empty()]
        for metric in EFFECTS:
            found = [_paired(same.filter(pl.col("defense") == d), direct, metric, ("sid", "variant", "seed")) for d in chosen]
            named = [("direct", defense.value, pairs) for defense, pairs in zip(chosen, found, strict=True)]
            rows += _tested(labels, metric, [(after, before, pairs) for before, after, pairs in named], study)
    if not rows:
        return None
    return table("sovereignpa_defenses", (*LABELS, "variant", "against"), pl.DataFrame(rows, schema=_SCHEMA))


def correlation_table(study: Study, main: pl.DataFrame) -> Table | None:
    """Spearman's rho of success with burden and ask recall over models, with the paper's robustness checks.

    None with fewer than three models. ``main`` is the frame of the main table; published rows in it are taken apart.
    """
    rows = []
    for origin, frame in main.filter((pl.col("kind") == MODEL) & (pl.col("defense") == "direct")).group_by("origin", maintain_order=True):
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
                    rows.append({"origin": str(origin[0]), "pair": name, "rho": round(found.rho, 2), "p": round(found.p_value, 4), "models": found.n})
    return table("sovereignpa_correlations", (), pl.DataFrame(rows), across="") if rows else None


_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((*LABELS, "variant", "against", METRIC, "printed"), pl.String),
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    **dict.fromkeys(("n", "clusters", "n_plus", "n_minus", "ties"), pl.Int64),
    **dict.fromkeys(("p", "p_holm"), pl.Float64),
}


def _systems(rows: pl.DataFrame) -> list[tuple[dict[str, str], pl.DataFrame]]:
    """(labels, rows) of every system, in the order in which it appears."""
    return [
        (dict(zip(LABELS, map(str, key), strict=True)), frame)
        for key, frame in rows.group_by(LABELS, maintain_order=True)
    ]


def _contrast(rows: pl.DataFrame, metric: str, variant: Variant, against: Variant) -> tuple[str, str, pl.DataFrame]:
    """(variant, against, paired differences) within situation, system and seed."""
    after, before = (rows.filter(pl.col("variant") == side) for side in (variant, against))
    return variant.value, against.value, _paired(after, before, metric, ("sid", "system", "seed"))


def _paired(after: pl.DataFrame, before: pl.DataFrame, metric: str, keys: Sequence[str]) -> pl.DataFrame:
    """sid, system and difference of every pair that was scored on both sides."""
    value = pl.col(metric).cast(pl.Float64)
    columns = list(dict.fromkeys((*keys, "system")))
    joined = after.select(*columns, value.alias("after")).join(before.select(*keys, value.alias("before")), on=list(keys))
    return joined.select("sid", "system", difference=pl.col("after") - pl.col("before")).drop_nulls()


def _tested(
    labels: dict[str, str], metric: str, contrasts: Sequence[tuple[str, str, pl.DataFrame]], study: Study
) -> list[dict[str, object]]:
    """One row per contrast that has pairs; p-values adjusted over the contrasts of one system and metric."""
    kept = [(after, before, pairs) for after, before, pairs in contrasts if not pairs.is_empty()]
    rows = list(starmap(lambda after, before, pairs: _effect(labels, metric, after, before, pairs, study), kept))
    adjusted = holm([float(str(row["p"])) for row in rows])
    return [{**row, "p_holm": value} for row, value in zip(rows, adjusted, strict=True)]


def _effect(
    labels: dict[str, str], metric: str, after: str, before: str, pairs: pl.DataFrame, study: Study
) -> dict[str, object]:
    scale = EFFECTS[metric]
    found = paired_effect(
        pairs["difference"].to_numpy() * scale,
        pairs["sid"].to_numpy(),
        draws=study.draws,
        seed=study.seed,
        purpose=f"{metric} {after} {before}",
    )
    value = found.effect + 0.0
    return {
        **labels,
        "variant": after,
        "against": before,
        METRIC: metric,
        "printed": f"{value:+.2f}" if scale == 1.0 else f"{value:+.1f}",
        "value": value,
        "low": found.interval.low,
        "high": found.interval.high,
        "n": len(pairs),
        "clusters": found.interval.clusters,
        "n_plus": found.sign.positive,
        "n_minus": found.sign.negative,
        "ties": found.sign.ties,
        "p": found.sign.p_value,
    }
