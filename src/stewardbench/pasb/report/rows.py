"""From run folders to one frame with a row per job: the attempt that counts, joined with one judge and annotator.

Episodes carry whole dialogues and captured files; a report needs none of that. Records are therefore read through a
view that keeps the few fields an outcome is made of, and a run of 1,600 tasks loads in a fraction of a second. What an
outcome is, and which attempt counts, is decided by ``stewardbench.pasb.measure.outcomes``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import polars as pl
from pydantic import ConfigDict, create_model

from stewardbench.errors import StoreError, UsageError
from stewardbench.pasb.axes import DIMENSIONS, TURN_DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, outcomes, turn_maximum
from stewardbench.pasb.records import Annotation, Episode, Judgment, Role, Stance
from stewardbench.pasb.run.store import ANNOTATIONS, EPISODES, JUDGMENTS, read_records
from stewardbench.records import Record
from stewardbench.runs.folder import RunFolder

R = TypeVar("R", bound=Record)

ROWS_FILE = "rows.parquet"
OWN, PUBLISHED, HARNESS_CHECK = ORIGINS = ("own", "published", "harness check")
OWN_FAMILY = "of the model's own family"  # said of a judge that the user insisted on
SCRIPTED = "scripted/"  # models of this family have known answers: their results check the harness, not a model

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "origin": pl.Enum(ORIGINS),
    "run_id": pl.Categorical,
    "model": pl.Categorical,
    "agent": pl.Categorical,
    "policy": pl.Categorical,
    "mitigation": pl.Categorical,
    "arm": pl.Categorical,
    "trial": pl.Int32,
    "task_id": pl.Categorical,
    "base_item_id": pl.Categorical,
    "sub_axis": pl.Enum(SubAxis),
    "scenario": pl.Enum(Scenario),
    "delivery": pl.Enum(Delivery),
    "episode_id": pl.String,
    "valid": pl.Boolean,
    "invalid_reason": pl.Categorical,
    "committed": pl.Boolean,
    "primary": pl.Categorical,
    **dict.fromkeys(DIMENSIONS, pl.Int8),
    "stance": pl.Enum(Stance),
    "role": pl.Enum(Role),
    "promoted": pl.Boolean,
    "attribution_removed": pl.Boolean,
    "judge": pl.Categorical,
    "annotator": pl.Categorical,
}
REPEATS: dict[str, pl.DataType | type[pl.DataType]] = {
    "episode_id": pl.String,
    "reading": pl.Int32,
    **dict.fromkeys(TURN_DIMENSIONS, pl.Int8),
}
_EPISODE_FIELDS = (
    "episode_id", "run_id", "task_id", "base_item_id", "sub_axis", "scenario", "delivery", "model", "agent", "arm",
    "trial", "preset", "overrides", "masked_name", "commit", "valid", "invalid_reason",
)  # fmt: skip


def read_rows(folders: Sequence[Path], *, judge: str | None = None, annotator: str | None = None) -> pl.DataFrame:
    """One row per task and trial of every run folder, with the columns of ``SCHEMA``.

    ``judge`` and ``annotator`` choose whose records count where a folder holds several. Raises StoreError for a folder
    that is not a PASB run or holds a damaged record, and UsageError when a choice is needed, when an episode is given
    twice, and when no episode is finished yet.
    """
    parts = [_read_run(folder, judge, annotator) for folder in folders]
    rows = pl.concat(parts) if parts else pl.DataFrame(schema=SCHEMA)
    if folders and rows.is_empty():
        raise UsageError(
            f"{', '.join(map(str, folders))}: no finished episode yet.",
            hint="Run the same run command again to resume.",
        )
    twice = rows.filter(pl.struct("run_id", "task_id", "arm", "trial").is_duplicated())
    if not twice.is_empty():
        raise UsageError(
            f"the same episodes are given twice (run {twice['run_id'][0]}, {len(twice) // 2} episodes).",
            hint="Name each run folder once.",
        )
    return rows


def read_episodes(folders: Sequence[Path]) -> pl.DataFrame:
    """The rows of some runs without any judge or annotator: commits, arms, and which attempt counts."""
    parts = [rows_of(outcomes(read_records(_pasb_folder(path), EPISODES, _EpisodeView))) for path in folders]
    return pl.concat(parts) if parts else pl.DataFrame(schema=SCHEMA)


def read_repeats(folders: Sequence[Path], *, judge: str | None = None) -> pl.DataFrame:
    """Second and later readings of episodes by the judge (all judges when None), with the columns of ``REPEATS``."""
    found = [
        {"episode_id": one.episode_id, "reading": one.repeat}
        | {name: turn_maximum(one.turns, name) for name in TURN_DIMENSIONS}
        for path in folders
        for one in read_records(_pasb_folder(path), JUDGMENTS, Judgment)
        if one.repeat and not one.probe and not one.blind_to_state and judge in (None, one.judge_model)
    ]
    return pl.DataFrame(found, schema=REPEATS)


def rows_of(found: Iterable[EpisodeOutcome], *, origin: str = OWN, mitigation: str = "none") -> pl.DataFrame:
    """Outcomes as a frame with the columns of ``SCHEMA``. A run with one harness-check record is one as a whole."""
    listed = list(found)
    marked = {outcome.run_id for outcome in listed if outcome.harness_check or outcome.model.startswith(SCRIPTED)}
    fixed: dict[str, list[Any]] = {
        "origin": [HARNESS_CHECK if o.run_id in marked and origin == OWN else origin for o in listed],
        "mitigation": [mitigation] * len(listed),
    }
    columns = {
        name: fixed[name] if name in fixed else [getattr(outcome, name) for outcome in listed] for name in SCHEMA
    }
    return pl.DataFrame(columns, schema=SCHEMA)


def view(record: type[R], fields: Sequence[str]) -> type[R]:
    """A model that checks only some fields of a record and leaves the rest unread.

    Its instances stand in for the record wherever only those fields are read.
    """
    declared = record.model_fields
    chosen: dict[str, Any] = {name: (declared[name].annotation, declared[name]) for name in fields}
    config = ConfigDict(extra="ignore", frozen=True)
    return cast(type[R], create_model(f"{record.__name__}View", __config__=config, **chosen))


_EpisodeView = view(Episode, _EPISODE_FIELDS)


def _read_run(path: Path, judge: str | None, annotator: str | None) -> pl.DataFrame:
    folder = _pasb_folder(path)
    own_family: set[str] = set()
    found = outcomes(
        read_records(folder, EPISODES, _EpisodeView),
        _sighted(read_records(folder, JUDGMENTS, Judgment), own_family),
        read_records(folder, ANNOTATIONS, Annotation),
        judge=judge,
        annotator=annotator,
    )
    marked = [replace(o, judge=f"{o.judge} ({OWN_FAMILY})") if o.episode_id in own_family else o for o in found]
    return rows_of(marked, mitigation=str(folder.manifest.settings.get("mitigation") or "none"))


def _pasb_folder(path: Path) -> RunFolder:
    folder = RunFolder.read(path)
    if folder.manifest.benchmark != "pasb":
        raise StoreError(f"{path}: holds a {folder.manifest.benchmark} run, not pasb.", hint="Name a PASB run folder.")
    return folder


def _sighted(judgments: Iterable[Judgment], own_family: set[str]) -> Iterator[Judgment]:
    """Judgments made with the durable state in sight; those made blind to it answer another question.

    Notes which episodes were judged by a model of the subject's own family, so that the report can say so.
    """
    for judgment in judgments:
        if judgment.blind_to_state:
            continue
        if judgment.same_family:
            own_family.add(judgment.episode_id)
        yield judgment
