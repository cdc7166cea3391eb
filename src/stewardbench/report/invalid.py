"""What could not be scored: the reasons by how often they occur, and how invalid tasks differ from valid ones.

Leaving out invalid tasks is harmless only where they are like the others. If an agent crashes more often on long tasks,
every rate is one of short tasks. So each axis of the tasks is laid out: how many of each level are invalid, how many
would be if invalid tasks were a random choice, and how often a random choice differs as much (a permutation test on
the chi-squared distance; Good 2005, chapter 7).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stewardbench.seeding import array_generator

SHUFFLES = 1999
MANY = 12  # levels; of an axis with more, only those with an invalid task are listed
UNKNOWN = "not recorded"


def reasons(rows: pl.DataFrame, group: Sequence[str], reason: str) -> pl.DataFrame:
    """One row per run and reason, the most frequent first: tasks, and their percentage of all tasks of the run.

    ``rows`` has one row per task with ``valid`` and the column ``reason``. Empty where every task is valid.
    """
    totals = rows.group_by(group).len("of")
    return (
        rows.filter(~pl.col("valid"))
        .with_columns(pl.col(reason).cast(pl.String).replace("", None).fill_null(UNKNOWN).alias("reason"))
        .group_by(*group, "reason")
        .len("tasks")
        .join(totals, on=group)
        .with_columns((100 * pl.col("tasks") / pl.col("of")).round(1).alias("percent"), pl.col(group).cast(pl.String))
        .sort([*group, "tasks", "reason"], descending=[*[False] * len(group), True, False])
    )


def differences(rows: pl.DataFrame, group: Sequence[str], axes: Sequence[str]) -> pl.DataFrame:
    """One row per run, axis and level: tasks, invalid ones, how many a random choice would give, and p of the axis.

    Runs without an invalid task, or without a valid one, have nothing to compare and are left out.
    """
    found = []
    for key, run in rows.group_by(group, maintain_order=True):
        lost = int((~run["valid"]).sum())
        if not 0 < lost < len(run):
            continue
        for axis in axes:
            levels = (
                run.group_by(pl.col(axis).cast(pl.String).alias("level"))
                .agg(pl.len().alias("tasks"), (~pl.col("valid")).sum().alias("invalid"))
                .sort("level")
            )
            if len(levels) < 2:
                continue
            p = _permuted(levels["tasks"].to_numpy(), levels["invalid"].to_numpy(), axis)
            shown = levels if len(levels) <= MANY else levels.filter(pl.col("invalid") > 0)
            named = [pl.lit(str(value)).alias(name) for name, value in zip(group, key, strict=True)]
            expected = (pl.col("tasks") * lost / len(run)).round(1)
            found.append(
                shown.select(
                    *named, pl.lit(axis).alias("axis"), "level", "tasks", "invalid", expected.alias("expected"),
                    pl.lit(round(p, 4)).alias("p"),
                )
            )  # fmt: skip
    return pl.concat(found) if found else pl.DataFrame()


def _permuted(tasks: NDArray[np.int64], invalid: NDArray[np.int64], axis: str) -> float:
    """How often a random choice of as many tasks is spread over the levels at least as unevenly as this one."""
    lost = int(invalid.sum())
    expected = tasks * lost / tasks.sum()
    drawn = array_generator(0, "invalid", axis).multivariate_hypergeometric(tasks, lost, size=SHUFFLES)
    distance = ((invalid - expected) ** 2 / expected).sum()
    distances = ((drawn - expected) ** 2 / expected).sum(axis=1)
    return float((1 + np.count_nonzero(distances >= distance - 1e-9)) / (1 + SHUFFLES))
