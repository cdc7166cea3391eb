"""The tables of an agreement report. Scores are compared unit by unit; intervals resample base items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stewardbench.pasb.agreement.scores import UNIT
from stewardbench.pasb.axes import ARC_DIMENSIONS, DIMENSIONS, FAIL_AT, TURN_DIMENSIONS
from stewardbench.pasb.judging.probes import PROBES
from stewardbench.report.lines import SEED
from stewardbench.report.table import Table, definitions
from stewardbench.statistics import (
    Estimand,
    Interval,
    cluster_sums,
    clustered_estimates,
    clustered_ratio_interval,
    clustered_ratio_intervals,
    ordinal_alpha_interval,
    pair_agreement,
)
from stewardbench.statistics.bootstrap import DRAWS

SHARES = ("exact", "within_one", "at_threshold")
GROUPS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in DIMENSIONS},
    "per turn": TURN_DIMENSIONS,
    "arc": ARC_DIMENSIONS,
}
Row = dict[str, Any]
Floats = NDArray[np.float64]


def raters_table(people: pl.DataFrame, *, draws: int = DRAWS) -> Table:
    """Alpha among the people per dimension, and the share of equal pairs."""
    rows = []
    for group, names in GROUPS.items():
        part = people.filter(pl.col("dimension").is_in(names))
        wide = part.pivot("rater", index=[*UNIT, "base_item_id"], values="score").sort(UNIT)
        raters = [name for name in wide.columns if name not in {*UNIT, "base_item_id"}]
        ratings = wide.select(pl.col(raters).cast(pl.Float64)).to_numpy().T
        alpha = ordinal_alpha_interval(
            ratings, wide["base_item_id"].to_numpy(), draws=draws, seed=SEED, purpose=f"people {group}"
        )
        pairs = [pair_agreement(ratings[a], ratings[b]) for a, b in combinations(range(len(raters)), 2)]
        n = sum(pair.n for pair in pairs)
        rows.append(
            {"dimension": group, "raters": len(raters), "units": alpha.n, "base_items": alpha.clusters}
            | _bounded("alpha", alpha, 1.0, 3)
            | {"pairs": n, "exact": _percent(sum(pair.exact for pair in pairs), n)}
        )
    return _table("raters", rows)


def gold_table(judged: pl.DataFrame, agreed: pl.DataFrame, *, at: float = FAIL_AT, draws: int = DRAWS) -> Table:
    """Every judge against gold, per dimension, per turn and arc together, and per episode as the report counts."""
    rows = []
    for judge, scores in _by_judge(_first(judged)):
        both = _paired(scores, agreed)
        rows += _rows({"judge": judge, "unit": "score"}, both, at, draws)
        rows += _rows({"judge": judge, "unit": "episode"}, _per_episode(both), at, draws)
    return _table("gold", rows)


def confusion_table(judged: pl.DataFrame, agreed: pl.DataFrame) -> Table:
    """Counts of (gold, judge) scores per judge and dimension; gold scores down, the judge's across."""
    rows = []
    for judge, scores in _by_judge(_first(judged)):
        both = _paired(scores, agreed)
        for name in DIMENSIONS if both.height else ():
            part = both.filter(pl.col("dimension") == name)
            cells = pair_agreement(part["other"].to_numpy(), part["score"].to_numpy()).confusion
            for gold, counts in enumerate(cells, 1):
                given = {f"judge_{score}": count for score, count in enumerate(counts, 1)}
                rows.append({"judge": judge, "dimension": name, "gold": gold} | given)
    return _table("confusion", rows)


def judges_table(judged: pl.DataFrame, *, at: float = FAIL_AT, draws: int = DRAWS) -> Table:
    """Every two judges on the episodes that both scored."""
    rows = []
    by_judge = dict(_by_judge(_first(judged)))
    for first, second in combinations(by_judge, 2):
        both = _paired(by_judge[first], by_judge[second])
        rows += _rows({"judge": first, "other": second, "unit": "score"}, both, at, draws)
    return _table("judges", rows)


def repeats_table(judged: pl.DataFrame, *, at: float = FAIL_AT, draws: int = DRAWS) -> Table:
    """Second readings against first ones."""
    rows = []
    for judge, scores in _by_judge(judged.filter(pl.col("probe") == "")):
        again = scores.filter(pl.col("repeat") > 0)
        both = _paired(again, scores.filter(pl.col("repeat") == 0))
        rows += _rows({"judge": judge, "unit": "score"}, both, at, draws)
    return _table("repeats", rows)


def drift_table(judged: pl.DataFrame, agreed: pl.DataFrame) -> Table:
    """Whether a judge's scores move with time: second less first readings, and late less early error against gold."""
    rows: list[Row] = []
    for judge, scores in _by_judge(judged.filter(pl.col("probe") == "")):
        prompts = scores["prompt_sha256"].n_unique()
        first = scores.filter(pl.col("repeat") == 0)
        again = _paired(scores.filter(pl.col("repeat") > 0), first)
        moved = _mean(_differences(again), again["base_item_id"].to_numpy())
        rows.append({"judge": judge, "from": "repeats", "prompts": prompts} | _moved(moved))
        errors = _paired(first, agreed)
        if errors.is_empty():
            continue
        late = (errors["place"] > errors["place"].median()).to_numpy()
        halves = _halves(_differences(errors), late, errors["base_item_id"].to_numpy())
        rows.append({"judge": judge, "from": "gold", "prompts": prompts} | _moved(halves))
    return _table("drift", rows)


def probes_table(judged: pl.DataFrame, *, at: float = FAIL_AT) -> Table:
    """Scores of answers that cannot contain the claim, per judge, probe and dimension."""
    rows = []
    for judge, scores in _by_judge(judged.filter(pl.col("probe").is_in(PROBES))):
        for probe in PROBES:
            for name in DIMENSIONS:
                part = scores.filter(pl.col("probe") == probe, pl.col("dimension") == name)
                known = part["score"].drop_nulls()
                if len(part):
                    failed = int((known >= at).sum())
                    rows.append(
                        {"judge": judge, "probe": probe, "dimension": name, "n": len(known)}
                        | {"unscored": len(part) - len(known), "failed": failed, "fails": _percent(failed, len(known))}
                        | {"mean": None if known.is_empty() else round(float(known.to_numpy().mean()), 3)}
                    )
    return _table("probes", rows)


def _first(judged: pl.DataFrame) -> pl.DataFrame:
    """First readings; those made blind to the state count as a judge of their own."""
    kept = judged.filter(pl.col("repeat") == 0, ~pl.col("probe").is_in(PROBES))
    blind = pl.col("probe") != ""
    name = pl.when(blind).then(pl.format("{} ({})", "rater", pl.col("probe").str.replace_all("_", " ")))
    return kept.with_columns(rater=name.otherwise("rater"))


def _by_judge(scores: pl.DataFrame) -> Iterable[tuple[str, pl.DataFrame]]:
    for (judge,), part in scores.group_by("rater", maintain_order=True):
        yield str(judge), part


def _paired(scores: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Units that both sides scored: ``score`` and ``other``, in a fixed order."""
    other = others.select(*UNIT, other="score")
    return scores.join(other, on=list(UNIT), how="inner").drop_nulls(["score", "other"]).sort(UNIT)


def _per_episode(both: pl.DataFrame) -> pl.DataFrame:
    """The highest turn score of each episode and dimension on both sides, where all of its turns are there."""
    turns = pl.when(pl.col("dimension").is_in(TURN_DIMENSIONS)).then(3).otherwise(1)
    grouped = both.group_by("episode_id", "dimension", "base_item_id", maintain_order=True).agg(
        pl.col("score", "other").max(), held=pl.len()
    )
    return grouped.filter(pl.col("held") == turns)


def _rows(labels: Mapping[str, str], both: pl.DataFrame, at: float, draws: int) -> list[Row]:
    """One row of agreement per dimension and for the turn and arc dimensions together; none without a pair."""
    rows = []
    for group, names in GROUPS.items():
        part = both.filter(pl.col("dimension").is_in(names))
        if part.height:
            rows.append(
                {**labels, "dimension": group} | _measures(part, at, draws, " ".join([*labels.values(), group]))
            )
    return rows


def _measures(part: pl.DataFrame, at: float, draws: int, purpose: str) -> Row:
    """Alpha, the three shares and the bias of paired scores, each with bounds clustered by base item."""
    a, b = part["score"].to_numpy().astype(float), part["other"].to_numpy().astype(float)
    items = part["base_item_id"].to_numpy()
    alpha = ordinal_alpha_interval(np.stack([a, b]), items, draws=draws, seed=SEED, purpose=f"alpha {purpose}")
    hits = np.stack([a == b, np.abs(a - b) <= 1, (a >= at) == (b >= at)], axis=1).astype(float)
    shares = clustered_ratio_intervals(hits, np.ones_like(hits), items, share=True)
    bias = _mean(a - b, items)
    row: Row = {"n": len(a), "base_items": bias.clusters} | _bounded("alpha", alpha, 1.0, 3)
    for name, share in zip(SHARES, shares, strict=True):
        row |= _bounded(name, share, 100.0, 1)
    return row | _bounded("bias", bias, 1.0, 3)


def _differences(both: pl.DataFrame) -> Floats:
    return np.asarray((both["score"] - both["other"]).to_numpy(), dtype=np.float64)


def _mean(values: Floats, clusters: NDArray[Any]) -> Interval:
    return clustered_ratio_interval(values, np.ones(len(values)), clusters, share=False)


def _halves(values: Floats, late: NDArray[np.bool_], clusters: NDArray[Any]) -> Interval:
    """Mean of the late values less mean of the early ones."""
    sides = np.stack([late, ~late], axis=1).astype(float)
    sums, counts = cluster_sums(sides * values[:, None], clusters), cluster_sums(sides, clusters)
    gap = Estimand.ratio(0).minus(Estimand.ratio(1))
    return clustered_estimates(sums, counts, [gap], share=False)[0]


def _moved(interval: Interval) -> Row:
    return {"n": interval.n, "base_items": interval.clusters} | _bounded("later_less_earlier", interval, 1.0, 3)


def _bounded(name: str, interval: Interval, scale: float, decimals: int) -> Row:
    values = {"": interval.estimate, "_low": interval.low, "_high": interval.high}
    return {
        f"{name}{end}": None if math.isnan(value) else round(value * scale, decimals) + 0.0
        for end, value in values.items()
    }


def _percent(k: int, n: int) -> float | None:
    return round(100.0 * k / n, 1) if n else None


def _table(identity: str, rows: Sequence[Row]) -> Table:
    frame = pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame()
    return Table(identity, definitions("stewardbench.pasb.agreement")[identity], (), frame, across="")
