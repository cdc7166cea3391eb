"""The numbers behind Figures 3a, 3c, 3d, 4, 5, 7, 9 and 10."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from stewardbench.pasb.axes import DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.records import Stance
from stewardbench.pasb.report.cells import DF4, FAILURES, count_rates, gap_line, mean_line, over_runs, rate_line
from stewardbench.pasb.report.indicators import ANY, ATTRIBUTION_REMOVED, COMMIT, PROMOTED, SURFACES
from stewardbench.pasb.report.study import RUN_KEYS, Study, table
from stewardbench.report.counts import Counts, Group
from stewardbench.report.lines import Line
from stewardbench.report.table import Table, stack

STANCE_RATES = {"write": COMMIT, "promoted": PROMOTED, "attribution_removed": ATTRIBUTION_REMOVED, "failure": ANY}
INSTRUCTIONS = "instructions"
POOLED = "All runs, pooled"
AVERAGE = "Average over runs"
ALL_STANCES = "all"


def stance_table(study: Study) -> Table:
    """Figure 3a: four rates by stance, pooled over episodes, with all annotated episodes as a last row."""
    rows = study.pooled(_annotated(study))
    counts = count_rates(rows, ["stance"])
    lines = [
        rate_line(study.pool_labels(POOLED, stance=str(stance), metric=name), counts, (str(stance),), indicator)
        for stance in Stance
        for name, indicator in STANCE_RATES.items()
    ]
    whole = count_rates(rows, [])
    totals = [
        rate_line(study.pool_labels(POOLED, stance=ALL_STANCES, metric=name), whole, (), indicator)
        for name, indicator in STANCE_RATES.items()
    ]
    frames = [study.tabulate(lines, counts, share=True), study.tabulate(totals, whole, share=True)]
    return table("figure03a", ("model", "agent", "stance"), stack(frames))


def stance_per_run(study: Study) -> Table:
    """Figure 7: the four rates by stance inside every run."""
    counts = count_rates(_annotated(study), ["run_id", "stance"])
    lines = [
        rate_line(run.labels(stance=str(stance), metric=name), counts, (run.run_id, str(stance)), indicator)
        for run in study.runs
        for stance in Stance
        for name, indicator in STANCE_RATES.items()
    ]
    return table("figure07", (*RUN_KEYS, "stance"), study.tabulate(lines, counts, share=True))


def surface_table(study: Study) -> Table:
    """Figures 3c, 9 and 10: shares of the paper's four commit labels per run.

    Below them, for runs that wrote there, the share in the agent's own instructions: durable, and none of the paper's.
    """
    counts = study.rates(["run_id"])
    instructed = set(study.natural.filter(pl.col("primary").cast(pl.String) == INSTRUCTIONS)["run_id"])
    lines = [
        rate_line(run.labels(metric=label), counts, (run.run_id,), label)
        for run in study.runs
        for label in SURFACES
        if label != INSTRUCTIONS or run.run_id in instructed
    ]
    return table("surfaces", RUN_KEYS, study.tabulate(lines, counts, share=True))


def scenario_heatmap(study: Study) -> Table:
    """Figure 3d: mean over the pooled runs of the six failure rates in each scenario."""
    counts = study.rates(["run_id", "scenario"])
    lines = [
        over_runs(
            study.pool_labels(AVERAGE, scenario=str(scenario), metric=name),
            [rate_line({}, counts, (run.run_id, str(scenario)), name) for run in study.pool],
        )
        for scenario in Scenario
        for name in DIMENSIONS
    ]
    return table("figure03d", ("scenario",), study.tabulate(lines, counts, share=True))


def scenario_by_agent(study: Study) -> Table:
    """Figure 4a: commit and df4 by scenario, unweighted mean over the runs of one agent."""
    return _by_agent(study, "figure04a", "scenario", [str(level) for level in Scenario])


def delivery_by_agent(study: Study) -> Table:
    """Figure 4b: commit and df4 by delivery, unweighted mean over the runs of one agent."""
    return _by_agent(study, "figure04b", "delivery", [str(level) for level in Delivery])


def cross_domain_lift(study: Study) -> Table:
    """Figure 5: per dimension the three anchors, the lift and the reference; pooled, mean over runs, per run."""
    decided = study.natural.filter(pl.col("committed").is_not_null()).with_columns(
        anchor=pl.when((pl.col("sub_axis") == SubAxis.CDL) & pl.col("committed"))
        .then(pl.lit("committed"))
        .when(pl.col("sub_axis") == SubAxis.CDL)
        .then(pl.lit("session_only"))
        .when("committed")
        .then(pl.lit("same_domain"))
    )
    anchored = decided.filter(pl.col("anchor").is_not_null())
    pooled = count_rates(study.pooled(anchored), ["anchor"])
    lines = [line for name in DIMENSIONS for line in _anchors(study.pool_labels(POOLED, dimension=name), pooled, ())]
    frames = [study.tabulate(lines, pooled, share=True)]
    counts = count_rates(anchored, ["run_id", "anchor"])
    per_run = {
        run.run_id: [
            line for name in DIMENSIONS for line in _anchors(run.labels(dimension=name), counts, (run.run_id,))
        ]
        for run in study.runs
    }
    means: list[Line] = []
    if len(study.pool) > 1:
        for same in zip(*(per_run[run.run_id] for run in study.pool), strict=True):
            more = {key: same[0].labels[key] for key in ("dimension", "metric")}
            means.append(over_runs(study.pool_labels(AVERAGE, **more), same, skip_missing=True))
    every = [line for found in per_run.values() for line in found]
    frames.append(study.tabulate([*means, *every], counts, share=True))
    return table("figure05", (*RUN_KEYS, "dimension"), stack(frames))


def _anchors(labels: dict[str, str], counts: Counts, group: Group) -> list[Line]:
    indicator = labels["dimension"]
    session, committed, same = ((*group, anchor) for anchor in ("session_only", "committed", "same_domain"))
    return [
        rate_line(labels | {"metric": "session_only"}, counts, session, indicator),
        rate_line(labels | {"metric": "committed"}, counts, committed, indicator),
        rate_line(labels | {"metric": "same_domain"}, counts, same, indicator),
        gap_line(labels | {"metric": "lift"}, counts, committed, session, [indicator]),
        gap_line(labels | {"metric": "reference"}, counts, same, session, [indicator]),
    ]


def _by_agent(study: Study, identity: str, axis: str, levels: Sequence[str]) -> Table:
    counts = study.rates(["run_id", axis])
    lines = []
    for agent in dict.fromkeys(run.agent for run in study.pool):
        runs = [run for run in study.pool if run.agent == agent]
        labels = {"origin": study.pool_origin, "agent": agent, "runs": str(len(runs))}
        for level in levels:
            for metric, names in ((COMMIT, (COMMIT,)), (DF4, FAILURES[DF4])):
                per_run = [mean_line({}, counts, (run.run_id, level), names) for run in runs]
                lines.append(over_runs(labels | {axis: level, "metric": metric}, per_run))
    return table(identity, ("agent", "runs", axis), study.tabulate(lines, counts, share=True))


def _annotated(study: Study) -> pl.DataFrame:
    return study.natural.filter(pl.col("stance").is_not_null())
