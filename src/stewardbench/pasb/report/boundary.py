"""The commit boundary (paper section 5.2, Figure 3b), and what is left of it after controls and adjustments.

Pooled over episodes first, as the paper's 45.0, 71.9 and +27.0 are; then the unweighted mean of the runs' own gaps;
then every run. A gap between episodes that an agent chose to commit and those it did not is no causal effect, so the
table net of control arms stands beside it, and ``selection`` compares alike episodes.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from stewardbench.pasb.axes import TURN_DIMENSIONS
from stewardbench.pasb.report.cells import DF4, FAILURES, count_rates, gap_line, mean_line, over_runs, rate_line
from stewardbench.pasb.report.indicators import COMMIT
from stewardbench.pasb.report.study import CONTROL_ARMS, RUN_KEYS, Study, table
from stewardbench.report.counts import Counts, Group
from stewardbench.report.lines import Line
from stewardbench.report.table import Table, stack

COMMITTED, SESSION_ONLY = "true", "false"  # values of the column ``committed``, as a counted key
POOLED, MACRO = "All runs, pooled", "All runs, mean of gaps"
BOUNDARY = "boundary"
_SIDES = ("control", "session_only", "committed")


def boundary_table(study: Study) -> Table:
    """Session-only, committed and gap, in df4 and each dimension: pooled, macro, per run."""
    decided = study.natural.filter(pl.col("committed").is_not_null())
    pooled = count_rates(study.pooled(decided), ["committed"])
    lines = [
        line
        for failure, names in FAILURES.items()
        for line in _sides(study.pool_labels(POOLED, failure=failure), pooled, (), names)
    ]
    frames = [study.tabulate(lines, pooled, share=True)]
    counts = count_rates(decided, ["run_id", "committed"])
    per_run: list[Line] = []
    for run in study.runs:
        for failure, names in FAILURES.items():
            per_run += _sides(run.labels(failure=failure), counts, (run.run_id,), names)
    frames.append(study.tabulate([*_macro(study, per_run), *per_run], counts, share=True))
    return table(BOUNDARY, (*RUN_KEYS, "failure"), stack(frames), notes=_left_out(study, per_run))


def gap_against_commit(study: Study) -> Table:
    """Figure 3b: each run's commit rate beside its gap in df4 and in the four per-turn dimensions."""
    decided = study.natural.filter(pl.col("committed").is_not_null())
    counts = count_rates(decided, ["run_id", "committed"])
    lines = [
        gap_line(run.labels(metric=f"{name} gap"), counts, (run.run_id, COMMITTED), (run.run_id, SESSION_ONLY), parts)
        for run in study.runs
        for name, parts in FAILURES.items()
        if name == DF4 or name in TURN_DIMENSIONS
    ]
    whole = count_rates(decided, ["run_id"])
    commits = [rate_line(run.labels(metric=COMMIT), whole, (run.run_id,), COMMIT) for run in study.runs]
    frames = [study.tabulate(commits, whole, share=True), study.tabulate(lines, counts, share=True)]
    return table("figure03b", RUN_KEYS, stack(frames))


def control_table(study: Study) -> Table | None:
    """The boundary less the failure of each control arm, on the runs and base items that have it; None without one."""
    frames = []
    for arm in CONTROL_ARMS:
        floor = study.pooled(study.controls).filter(pl.col("arm").cast(pl.String) == arm)
        if not floor.is_empty():
            frames.append(_net(study, floor, arm))
    return table("control", ("model", "agent", "arm", "failure"), stack(frames)) if frames else None


def _net(study: Study, floor: pl.DataFrame, arm: str) -> pl.DataFrame:
    """Floor, both sides of the boundary, and both sides less the floor, pooled over the runs that have the arm."""
    matched = floor.select("run_id", "base_item_id").unique()
    natural = study.natural.filter(pl.col("committed").is_not_null()).join(matched, on=["run_id", "base_item_id"])
    sides = stack(
        [
            floor.with_columns(side=pl.lit("control")),
            natural.with_columns(side=pl.when("committed").then(pl.lit("committed")).otherwise(pl.lit("session_only"))),
        ]
    )
    counts = count_rates(sides, ["side"])
    lines = []
    for failure, names in FAILURES.items():
        labels = study.pool_labels(POOLED, arm=arm, failure=failure)
        lines += [mean_line(labels | {"metric": side}, counts, (side,), names) for side in _SIDES]
        lines += [
            gap_line(labels | {"metric": f"{side} net"}, counts, (side,), ("control",), names) for side in _SIDES[1:]
        ]
    return study.tabulate(lines, counts, share=True)


def _sides(labels: dict[str, str], counts: Counts, group: Group, names: Sequence[str]) -> list[Line]:
    low, high = (*group, SESSION_ONLY), (*group, COMMITTED)
    return [
        mean_line(labels | {"metric": "session_only"}, counts, low, names),
        mean_line(labels | {"metric": "committed"}, counts, high, names),
        gap_line(labels | {"metric": "gap"}, counts, high, low, names),
    ]


def _macro(study: Study, lines: Sequence[Line]) -> list[Line]:
    """The unweighted mean over pooled runs that have both sides, of each number."""
    if len(study.pool) < 2:
        return []
    pooled = {run.run_id for run in study.pool}
    both = {
        (line.labels["run_id"], line.labels["failure"])
        for line in lines
        if line.labels["metric"] == "gap" and line.value is not None and line.labels["run_id"] in pooled
    }
    macro = []
    for failure in FAILURES:
        for metric in ("session_only", "committed", "gap"):
            used = [
                line
                for line in lines
                if line.labels["metric"] == metric and (line.labels["run_id"], line.labels["failure"]) in both
                if line.labels["failure"] == failure
            ]
            macro.append(over_runs(study.pool_labels(MACRO, failure=failure, metric=metric), used))
    return macro


def _left_out(study: Study, lines: Sequence[Line]) -> tuple[str, ...]:
    """Which runs have nothing on one side of the boundary and are in no mean of gaps."""
    empty = [
        f"{line.labels['model']} on {line.labels['agent']}"
        for line in lines
        if line.labels["failure"] == DF4 and line.labels["metric"] == "gap" and line.value is None
    ]
    return (f"No episodes on one side of the boundary: {', '.join(empty)}.",) if empty else ()
