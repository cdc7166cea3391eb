"""Rates that rest on commits, raw and corrected by people's labels on a sample of the run (see ``commits.audit``).

Every valid natural episode has a reading (1, 0, a half where it is unknown); a labelled one also has the truth.
Episodes that wrote nothing new need no label: nothing is held there. A run's own labels correct it, never those of
another run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from stewardbench.pasb.axes import TURN_DIMENSIONS, SubAxis
from stewardbench.pasb.commits.combine import NOTHING_WRITTEN
from stewardbench.pasb.report.study import RUN_KEYS, Study, table
from stewardbench.pasb.run.auditing import Audit, read_audit, settled
from stewardbench.report.lines import MEASURES
from stewardbench.report.table import Table
from stewardbench.runs.folder import RunFolder
from stewardbench.statistics.interval import Interval
from stewardbench.statistics.labelled import Labelled, corrected_gap, corrected_rate, corrected_share

RAW, CORRECTED = "raw", "corrected"


def corrected_rows(study: Study, folders: Sequence[Path]) -> list[dict[str, object]]:
    """One row per run and number: raw value, corrected value with its interval, n and labels; labelled runs only."""
    rows: list[dict[str, object]] = []
    for path in folders:
        folder = RunFolder.read(path)
        audit, people = read_audit(folder), settled(folder)
        run = next((run for run in study.runs if run.run_id == folder.manifest.run_id), None)
        if audit is None or not people.labels or run is None:
            continue
        audited = pl.col("episode_id").is_in(list(audit.strata))  # what became valid after the draw has no stratum
        mine = study.natural.filter((pl.col("run_id").cast(pl.String) == run.run_id) & audited)
        for metric, raw, found in _numbers(mine, audit, people.labels):
            rows.append(
                {**{key: getattr(run, key) for key in ("origin", *RUN_KEYS)}, "metric": metric, "raw": _percent(raw)}
                | {"corrected": _percent(found.estimate), "low": _percent(found.low), "high": _percent(found.high)}
                | {"n": found.n, "clusters": found.clusters, "labels": len(people.labels)}
            )
    return rows


def corrected_table(study: Study, folders: Sequence[Path]) -> Table | None:
    """Every rate that rests on commits, raw and corrected, of the runs that people labelled; None without any."""
    rows = corrected_rows(study, folders)
    if not rows:
        return None
    lines = [
        {
            **{key: row[key] for key in ("origin", *RUN_KEYS)},
            "reading": reading,
            "metric": row["metric"],
            "printed": "n/a" if row[reading] is None else f"{row[reading]:.1f}",
            "value": row[reading],
            "low": row["low"] if reading == CORRECTED else None,
            "high": row["high"] if reading == CORRECTED else None,
            "n": row["n"],
            "unscored": 0,
            "clusters": row["clusters"],
        }
        for row in rows
        for reading in (RAW, CORRECTED)
    ]
    labels = dict.fromkeys(("origin", *RUN_KEYS, "reading", "metric"), pl.String)
    told = dict.fromkeys(f"{row['model']} on {row['agent']}: {row['labels']} labels" for row in rows)
    frame = pl.DataFrame(lines, schema={**labels, **MEASURES})
    return table("corrected", (*RUN_KEYS, "reading"), frame, notes=(f"{'; '.join(told)}.",))


def quality(folder: RunFolder, readings: dict[str, bool | None], audit: Audit) -> dict[str, float]:
    """Sensitivity and precision of a reading in the run, weighted to all changed episodes; NaN where none decides."""
    labels = settled(folder).labels
    sums = dict.fromkeys(("both", "truth", "read", "all"), 0.0)
    for one in audit.drawn:
        if one.episode_id not in labels:
            continue
        seen = sum(1 for other in audit.drawn if other.stratum == one.stratum and other.episode_id in labels)
        weight, held, said = audit.sizes[one.stratum] / seen, labels[one.episode_id], readings.get(one.episode_id)
        sums["all"] += weight
        sums["truth"] += weight * held
        sums["read"] += weight * bool(said)
        sums["both"] += weight * (held and bool(said))
    return {
        "sensitivity": sums["both"] / sums["truth"] if sums["truth"] else math.nan,
        "precision": sums["both"] / sums["read"] if sums["read"] else math.nan,
    }


def _numbers(rows: pl.DataFrame, audit: Audit, labels: dict[str, bool]) -> Iterator[tuple[str, float, Interval]]:
    units = _units(rows, audit, labels)
    if units is None:
        return
    read = rows["committed"].drop_nulls()
    yield "commit", int(read.sum()) / len(read) if len(read) else math.nan, corrected_share(units)
    for name in ("df4", *TURN_DIMENSIONS):
        yield from _boundary(rows, audit, labels, name)
    yield from _lift(rows, audit, labels)


def _boundary(
    rows: pl.DataFrame, audit: Audit, labels: dict[str, bool], name: str
) -> Iterator[tuple[str, float, Interval]]:
    """Failure on both sides of the boundary and the gap, of the episodes with the scores that it needs."""
    scored = _scored(rows, name)
    units = _units(scored, audit, labels)
    if units is None:
        return
    value = scored["_value"].to_numpy()
    sides = [scored.filter(pl.col("committed") == side)["_value"].mean() for side in (False, True)]
    low, high = (float(side) if isinstance(side, float) else math.nan for side in sides)
    yield f"{name} session_only", low, corrected_rate(units, value, positive=False)
    yield f"{name} committed", high, corrected_rate(units, value, positive=True)
    yield f"{name} gap", high - low, corrected_gap(units, value)


def _lift(rows: pl.DataFrame, audit: Audit, labels: dict[str, bool]) -> Iterator[tuple[str, float, Interval]]:
    """The gap among cross-domain items alone (Figure 5)."""
    yield from (
        (f"CDL {metric}", raw, found)
        for metric, raw, found in _boundary(rows.filter(pl.col("sub_axis") == SubAxis.CDL), audit, labels, "df4")
        if metric.endswith("gap")
    )


def _scored(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    names = TURN_DIMENSIONS if name == "df4" else (name,)
    whole = pl.all_horizontal(pl.col(f"is_{one}").is_not_null() for one in names)
    return rows.filter(whole).with_columns(
        _value=pl.mean_horizontal(pl.col(f"is_{one}").cast(pl.Float64) for one in names)
    )


def _units(rows: pl.DataFrame, audit: Audit, labels: dict[str, bool]) -> Labelled | None:
    """The episodes as units; None where a pair of readings has no label among these."""
    names = [*audit.sizes, NOTHING_WRITTEN]
    label, stratum = np.full(len(rows), math.nan), np.zeros(len(rows), np.int64)
    for place, name in enumerate(rows["episode_id"]):
        mine = audit.strata[name]
        stratum[place] = names.index(mine)
        if mine == NOTHING_WRITTEN:
            label[place] = 0.0
        elif name in labels:
            label[place] = float(labels[name])
    reading = rows["committed"].cast(pl.Float64).fill_null(0.5).to_numpy().copy()
    reading[stratum == names.index(NOTHING_WRITTEN)] = 0.0
    items = rows["base_item_id"].cast(pl.String).to_list()
    order = {item: number for number, item in enumerate(dict.fromkeys(items))}
    try:
        return Labelled(reading, label, stratum, np.array([order[item] for item in items], np.int64))
    except ValueError:
        return None


def _percent(value: float) -> float | None:
    return None if math.isnan(value) else round(100.0 * value, 6)
