"""What repeated trials of one task say together: does it fail at least once, does it fail every time?

A task's mean over trials is what every other table counts. Two systems with the same mean differ where one fails the
same tasks every time and the other fails each task now and then; these two shares tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

ONCE, ALWAYS = "at_least_once", "every_time"


def over_trials(rows: pl.DataFrame, keys: Sequence[str], columns: Sequence[str], trials: int) -> pl.DataFrame:
    """One row per value of ``keys``: for every Boolean column, ``COLUMN at_least_once`` and ``COLUMN every_time``.

    Both are null unless all ``trials`` of a task were scored: a missing trial could have been the one that fails.
    """
    complete = {name: pl.col(name).count() == trials for name in columns}
    return rows.group_by(keys, maintain_order=True).agg(
        expression
        for name in columns
        for expression in (
            pl.when(complete[name]).then(pl.col(name).any()).alias(f"{name} {ONCE}"),
            pl.when(complete[name]).then(pl.col(name).all()).alias(f"{name} {ALWAYS}"),
        )
    )
