"""Tables 2, 9, 10, 11, 12 and 13 of the paper, and the count of episodes behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import polars as pl

from stewardbench.pasb.axes import DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.measure.metrics import Likert
from stewardbench.pasb.report.cells import DF4, DF6, DF_ANY, FAILURES, mean_line, over_runs, rate_line
from stewardbench.pasb.report.indicators import ANY, COMMIT
from stewardbench.pasb.report.study import RUN_KEYS, Study, table
from stewardbench.report import invalid
from stewardbench.report.counts import Group, count
from stewardbench.report.lines import Line
from stewardbench.report.table import Table, stack

AVERAGE = "Average over runs"
ALL = "all"


def main_table(study: Study) -> Table:
    """Table 2: six failure rates and Commit% per run, and the three meanings of downstream failure."""
    counts = study.rates(["run_id"])
    lines = []
    for run in study.runs:
        group = (run.run_id,)
        lines += [rate_line(run.labels(metric=name), counts, group, name) for name in DIMENSIONS]
        lines.append(replace(rate_line(run.labels(metric=COMMIT), counts, group, COMMIT), decimals=1))
        lines += [mean_line(run.labels(metric=name), counts, group, FAILURES[name]) for name in (DF4, DF6)]
        lines.append(rate_line(run.labels(metric=DF_ANY), counts, group, ANY))
    return table("table02", RUN_KEYS, study.tabulate(lines, counts, share=True, decimals=2))


def model_averages(study: Study) -> Table:
    """The Avg column of Table 2: per model, the mean over six dimensions of every agent it was run on; best first."""
    counts = study.rates(["run_id"])
    lines = []
    for model in dict.fromkeys((run.origin, run.model) for run in study.pool):
        runs = [run for run in study.pool if (run.origin, run.model) == model]
        labels = {"origin": model[0], "model": model[1], "agents": " + ".join(run.agent for run in runs)}
        per_run = [mean_line({}, counts, (run.run_id,), DIMENSIONS) for run in runs]
        lines.append(over_runs(labels | {"metric": "average"}, per_run))
    lines.sort(key=lambda line: (line.value is None, line.value or Fraction(0)))
    return table("table02_avg", ("model", "agents"), study.tabulate(lines, counts, share=True, decimals=2))


def likert_table(study: Study) -> Table:
    """Table 9: mean scores on the 1-5 scale."""
    counts = count(study.natural, ["run_id"], {name: name for name in DIMENSIONS})
    lines = []
    for run in study.runs:
        for name in DIMENSIONS:
            cell = ((run.run_id,), name)
            found = Likert(*counts.cell(*cell))
            lines.append(Line(run.labels(metric=name), found.value, found.n, found.unscored, ((Fraction(1), cell),)))
    return table("table09", RUN_KEYS, study.tabulate(lines, counts, share=False, decimals=2, scale=1))


def scenario_table(study: Study) -> Table:
    """Table 10: six failure rates per run and scenario."""
    return _split_table(study, "table10", "scenario", [*Scenario], DIMENSIONS)


def delivery_table(study: Study) -> Table:
    """Table 11: six failure rates per run and delivery."""
    return _split_table(study, "table11", "delivery", [*Delivery], DIMENSIONS)


def cross_domain_table(study: Study) -> Table:
    """Table 12: six failure rates per run on the cross-domain items only."""
    counts = study.rates(["run_id"], SubAxis.CDL)
    lines = [
        rate_line(run.labels(metric=name), counts, (run.run_id,), name) for run in study.runs for name in DIMENSIONS
    ]
    lines += _averages(study, lines, {"metric": list(DIMENSIONS)})
    return table("table12", RUN_KEYS, study.tabulate(lines, counts, share=True))


def commit_table(study: Study) -> Table:
    """Table 13: Commit% per run and scenario, and over all scenarios."""
    split = _split_table(study, "table13", "scenario", [*Scenario], [COMMIT])
    counts = study.rates(["run_id"])
    lines = [rate_line(run.labels(scenario=ALL, metric=COMMIT), counts, (run.run_id,), COMMIT) for run in study.runs]
    lines += _averages(study, lines, {"scenario": [ALL], "metric": [COMMIT]})
    frame = stack([split.frame, study.tabulate(lines, counts, share=True)])
    return table("table13", RUN_KEYS, frame, across="scenario")


def accounting_table(study: Study) -> Table:
    """How many tasks each run holds, and what became of them: scored, unscored, invalid, with the reasons."""
    judged = pl.all_horizontal(pl.col(name).is_not_null() for name in DIMENSIONS)
    valid, group = pl.col("valid"), ["origin", *RUN_KEYS, "arm"]
    frame = study.rows.group_by(group, maintain_order=True).agg(
        tasks=pl.len(),
        valid=valid.sum(),
        invalid=(~valid).sum(),
        all_six_scored=(valid & judged).sum(),
        commit_unknown=(valid & pl.col("committed").is_null()).sum(),
        annotated=(valid & pl.col("stance").is_not_null()).sum(),
        judge=_names("judge"),
        annotator=_names("annotator"),
    )
    reasons = (
        study.rows.filter(~valid)
        .group_by(*group, pl.col("invalid_reason").cast(pl.String).fill_null("not recorded"))
        .len()
        .sort("invalid_reason")
        .group_by(group)
        .agg(invalid_reasons=pl.format("{} {}", "invalid_reason", "len").str.join(", "))
    )
    joined = frame.join(reasons, on=group, how="left", maintain_order="left").with_columns(
        pl.col(group).cast(pl.String), pl.col("invalid_reasons").fill_null("")
    )
    return table("accounting", (*RUN_KEYS, "arm"), joined, across="", notes=unseen_notes(study.rows))


def unseen_notes(rows: pl.DataFrame) -> tuple[str, ...]:
    """What is not proven of agents that are seen from outside only: one sentence for each kind of sight."""
    seen_from_outside = rows.filter(pl.col("unseen").cast(pl.String).fill_null("") != "")
    counted = seen_from_outside.group_by(pl.col("unseen").cast(pl.String)).len().sort("unseen")
    return tuple(
        f"{tasks:,} tasks of an assistant that is seen from outside only: its server declares the cut, and not seen "
        f"are {names}{' (only behaviour is reported)' if 'commit' in names else ''}."
        for names, tasks in counted.rows()
    )


def invalid_tables(study: Study) -> tuple[Table, ...]:
    """Why tasks could not be scored, by frequency, and how they differ from the others; none where all are valid."""
    rows = study.rows.with_columns(pl.col([*RUN_KEYS, "arm"]).cast(pl.String))
    group = ["origin", *RUN_KEYS, "arm"]
    found = {
        "invalid_reasons": invalid.reasons(rows, group, "invalid_reason"),
        "invalid_tasks": invalid.differences(rows, group, ("scenario", "delivery", "sub_axis", "base_item_id")),
    }
    return tuple(table(name, (), frame, across="") for name, frame in found.items() if not frame.is_empty())


def _split_table(study: Study, identity: str, axis: str, levels: Sequence[str], metrics: Sequence[str]) -> Table:
    """A table with one grid row per run and level of an axis, and averages over runs below."""
    counts = study.rates(["run_id", axis])
    lines = [
        rate_line(run.labels(**{axis: str(level)}, metric=name), counts, (run.run_id, str(level)), name)
        for run in study.runs
        for level in levels
        for name in metrics
    ]
    lines += _averages(study, lines, {axis: [str(level) for level in levels], "metric": list(metrics)})
    return table(identity, (*RUN_KEYS, axis), study.tabulate(lines, counts, share=True))


def _averages(study: Study, lines: Sequence[Line], axes: dict[str, list[str]]) -> list[Line]:
    """Unweighted means over the pooled runs, for every combination of the axes' values; none for a single run."""
    if len(study.pool) < 2:
        return []
    pooled = {run.run_id for run in study.pool}
    groups: dict[Group, list[Line]] = {}
    for line in lines:
        if line.labels["run_id"] in pooled:
            groups.setdefault(tuple(line.labels[axis] for axis in axes), []).append(line)
    return [
        over_runs(study.pool_labels(AVERAGE, **dict(zip(axes, values, strict=True))), found)
        for values, found in groups.items()
    ]


def _names(column: str) -> pl.Expr:
    """The distinct names in a column, joined."""
    text = pl.col(column).cast(pl.String)
    return text.filter(text != "").unique().sort().str.join(", ")
