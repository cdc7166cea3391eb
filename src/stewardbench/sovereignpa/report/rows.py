"""From run folders to two frames, one per family, with a row per episode: the attempt that counts, and who acted.

Logs carry whole dialogues; a report needs their metric rows, so logs are read through a view of a few fields. What a
metric is was decided when the log was written (``sovereignpa.metrics``); ``sovereignpa rescore`` proves it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl
from pydantic import BaseModel, ConfigDict

from stewardbench.runs.folder import RunFolder
from stewardbench.runs.jobs import Job, counting
from stewardbench.sovereignpa.axes import CancelVariant, Variant
from stewardbench.sovereignpa.conversation import failure_of
from stewardbench.sovereignpa.prompts import Defense
from stewardbench.sovereignpa.records import job_of
from stewardbench.sovereignpa.rows import BookingRow, CancelRow

MODEL, RULES = "model", "reference agent"
SOURCE: dict[str, pl.DataType | type[pl.DataType]] = {
    "origin": pl.String,
    "run_id": pl.String,
    "kind": pl.String,
    "system": pl.String,
    "model": pl.String,
    "defense": pl.Enum(Defense),
    "protocol": pl.String,
    "seed": pl.Int64,
    "failure": pl.String,
}


class _Source(BaseModel):
    agent: str
    model: str = ""
    defense: Defense = Defense.DIRECT
    protocol: str = "json"
    seed: int = 0


class _View(BaseModel):
    """The fields of an episode log that a report reads."""

    model_config = ConfigDict(extra="ignore")

    source: _Source
    metrics: dict[str, Any]
    error: str = ""

    def job(self) -> Job:
        """The job that the log is an attempt at."""
        return job_of(self.metrics["scenario_id"], self.source.seed)

    def valid(self) -> bool:
        """Whether the attempt can be scored."""
        return bool(self.metrics["valid"])


def read_episodes(folders: Sequence[Path]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(booking, cancellation) rows of SovereignPA run folders. Raises StoreError for a damaged one.

    Columns are ``SOURCE``, then the fields of ``BookingRow`` or ``CancelRow``. ``runs.jobs`` says which
    attempt counts. ``system`` names who acted: the model or reference agent, with the protocol where it is
    not the default; the defence has a column of its own.
    """
    kept: list[dict[str, Any]] = []
    for folder in folders:
        run = RunFolder.read(folder)
        views = counting(run.log("episodes").records(_View), _View.job, _View.valid)
        kept += [
            {**_labels(run.manifest.run_id, view.source), "failure": failure_of(view.error), **view.metrics}
            for view in views
        ]
    booking = [row for row in kept if "ssr" in row]
    cancelling = [row for row in kept if "ssr" not in row]
    return _frame(booking, BookingRow, Variant), _frame(cancelling, CancelRow, CancelVariant)


def _labels(run_id: str, source: _Source) -> dict[str, Any]:
    name = source.model or source.agent
    return {
        "origin": "own",
        "run_id": run_id,
        "kind": MODEL if source.model else RULES,
        "system": name if source.protocol == "json" else f"{name} ({source.protocol})",
        "model": source.model,
        "defense": source.defense,
        "protocol": source.protocol,
        "seed": source.seed,
    }


def _frame(
    rows: list[dict[str, Any]], kind: type[BookingRow | CancelRow], variant: type[Variant | CancelVariant]
) -> pl.DataFrame:
    hints = get_type_hints(kind)
    columns = {field.name: _polars(hints[field.name]) for field in fields(kind)}
    frame = pl.DataFrame(rows, schema={**SOURCE, **columns}, orient="row")
    return frame.with_columns(pl.col("variant").cast(pl.Enum(variant)))


def _polars(hint: Any) -> type[pl.DataType]:
    names = str(hint)
    if "bool" in names:
        return pl.Boolean
    return pl.Int64 if "int" in names else pl.String
