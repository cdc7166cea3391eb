"""Repeated trials: failure at least once and every time, and where the spread between episodes comes from.

Both tables exist only where there are repeats to read: trials of a task, or second readings of an episode by its judge.
"""

from __future__ import annotations

import polars as pl

from stewardbench.pasb.axes import TURN_DIMENSIONS
from stewardbench.pasb.report.cells import HEADLINES, mean_line
from stewardbench.pasb.report.study import RUN_KEYS, Study, table
from stewardbench.report.counts import count
from stewardbench.report.lines import Line
from stewardbench.report.table import Table, stack
from stewardbench.report.trials import ALWAYS, ONCE, over_trials
from stewardbench.statistics.nested import nested_variance

EACH = "each_trial"
TASK_KEYS = ("run_id", "base_item_id", "task_id")


def trials_table(study: Study) -> Table | None:
    """Per run with several trials: each number over all trials, and the shares of tasks that fail once and always."""
    most = dict(study.natural.group_by(pl.col("run_id").cast(pl.String)).agg(pl.col("trial").max()).iter_rows())
    frames = [_of_run(study, run.run_id, most[run.run_id]) for run in study.runs if most.get(run.run_id, 1) > 1]
    return table("trials", (*RUN_KEYS, "failure"), stack(frames)) if frames else None


def _of_run(study: Study, run_id: str, trials: int) -> pl.DataFrame:
    run = next(run for run in study.runs if run.run_id == run_id)
    single = sorted({name for parts in HEADLINES.values() for name in parts})
    rows = study.natural.filter(pl.col("run_id").cast(pl.String) == run_id)
    tasks = over_trials(rows, TASK_KEYS, [f"is_{name}" for name in single], trials)
    frames = []
    for metric, source, ending in ((EACH, rows, ""), (ONCE, tasks, f" {ONCE}"), (ALWAYS, tasks, f" {ALWAYS}")):
        counts = count(source, ["run_id"], {name: f"is_{name}{ending}" for name in single})
        lines: list[Line] = [
            mean_line(run.labels(trials=str(trials), failure=failure, metric=metric), counts, (run_id,), parts)
            for failure, parts in HEADLINES.items()
        ]
        frames.append(study.tabulate(lines, counts, share=True))
    return stack(frames)


def variance_table(study: Study) -> Table | None:
    """The spread of the episodes' own df4 by base item, task, trial and the judge's second readings, in points squared.

    Negative estimates are kept: they say that a level adds nothing beyond the one within it.
    """
    readings, found = _readings(study), []
    more = pl.any_horizontal(pl.col("reading").max() > 0, pl.col("trial").n_unique() > 1)
    repeated = set(readings.group_by("run_id").agg(more.alias("more")).filter("more")["run_id"])
    for run in (run for run in study.runs if run.run_id in repeated):
        rows = readings.filter(pl.col("run_id") == run.run_id)
        levels = [
            ("base item", rows["base_item_id"].to_list()),
            ("task", rows["task_id"].to_list()),
            ("trial", rows["trial"].to_list()),
            ("reading", rows["reading"].to_list()),
        ]
        parts = nested_variance(rows["df4"].to_numpy() * 100, levels)
        whole = sum(max(part.variance, 0.0) for part in parts)
        found += [
            run.labels(level=part.name)
            | {
                "units": part.groups,
                "variance": round(part.variance, 4),
                "share_percent": round(100 * max(part.variance, 0.0) / whole, 1) if whole else None,
            }
            for part in parts
        ]
    return table("variance", (*RUN_KEYS, "level"), pl.DataFrame(found), across="") if found else None


def _readings(study: Study) -> pl.DataFrame:
    """One row per reading of an episode that has all four per-turn scores: the first one, then those that repeat it."""
    names = ["run_id", "base_item_id", "task_id", "trial", "episode_id", "reading"]
    first = study.natural.with_columns(reading=pl.lit(0, pl.Int32))
    same = study.readings.filter(pl.col("blind") == study.blind).drop("blind")
    again = first.drop(same.columns[1:]).join(same, on="episode_id").select(first.columns)
    both = pl.concat([first, again])
    fails = [pl.col(name) >= study.at for name in TURN_DIMENSIONS]
    scored = pl.all_horizontal(pl.col(name).is_not_null() for name in TURN_DIMENSIONS)
    return both.filter(scored).select(
        *(pl.col(name).cast(pl.String) if name not in ("trial", "reading") else name for name in names),
        df4=pl.mean_horizontal(fail.cast(pl.Float64) for fail in fails),
    )
