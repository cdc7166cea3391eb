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
from stewardbench.pasb.axes import ARC_DIMENSIONS, DIMENSIONS, TURN_DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, outcomes, turn_maximum
from stewardbench.pasb.records import Annotation, CommitReading, Episode, Judgment, Role, Stance
from stewardbench.pasb.run.store import ANNOTATIONS, COMMIT_READINGS, EPISODES, JUDGMENTS, read_records
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
    "author": pl.Categorical,
    "matcher": pl.Categorical,
    "by_words": pl.Boolean,
    "by_reader": pl.Boolean,
    "read_by": pl.Categorical,
    "cell": pl.Categorical,
    **dict.fromkeys(DIMENSIONS, pl.Int8),
    **dict.fromkeys((f"{dimension}_least" for dimension in TURN_DIMENSIONS), pl.Int8),
    "stance": pl.Enum(Stance),
    "role": pl.Enum(Role),
    "promoted": pl.Boolean,
    "attribution_removed": pl.Boolean,
    "judge": pl.Categorical,
    "annotator": pl.Categorical,
    "unseen": pl.Categorical,
}
READINGS: dict[str, pl.DataType | type[pl.DataType]] = {
    "episode_id": pl.String,
    "blind": pl.Boolean,
    "reading": pl.Int32,
    **dict.fromkeys(DIMENSIONS, pl.Int8),
}
BLIND = "blind to state"  # said of a judge that was not shown the saved state
_EPISODE_FIELDS = (
    "episode_id", "run_id", "task_id", "base_item_id", "sub_axis", "scenario", "delivery", "model", "agent", "arm",
    "trial", "preset", "overrides", "masked_name", "commit", "valid", "invalid_reason", "unseen",
)  # fmt: skip


def read_rows(
    folders: Sequence[Path], *, judge: str | None = None, annotator: str | None = None, blind: bool = False
) -> pl.DataFrame:
    """One row per task and trial of every run folder, with the columns of ``SCHEMA``. See ``read_judged``."""
    return read_judged(folders, judge=judge, annotator=annotator, blind=blind)[0]


def read_judged(
    folders: Sequence[Path], *, judge: str | None = None, annotator: str | None = None, blind: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of some runs (``SCHEMA``), and the judge's other readings of their episodes (``READINGS``).

    ``judge`` and ``annotator`` choose whose records count where a folder holds several. ``blind`` takes the scores from
    the readings that were not shown the saved state. Other readings are second ones and those of the other kind. Raises
    StoreError for a folder that is not a PASB run or holds a damaged record, and UsageError when a choice is needed,
    when an episode is given twice, when no episode is finished yet, and when nobody judged blind.
    """
    aside: list[dict[str, Any]] = []
    parts = [_read_run(folder, judge, annotator, blind, aside) for folder in folders]
    rows = pl.concat(parts) if parts else pl.DataFrame(schema=SCHEMA)
    if folders and rows.is_empty():
        raise UsageError(
            f"{', '.join(map(str, folders))}: no finished episode yet.",
            hint="Run the same run command again to resume.",
        )
    for role, wanted in (("judge", judge), ("annotator", annotator)):
        known = sorted({name for folder in folders for name in _readers(folder, role)}) if wanted else []
        if wanted and wanted not in known:
            there = (
                f"They were read by: {', '.join(known)}." if known else f"Run `stewardbench {_VERBS[role]} DIR` first."
            )
            raise UsageError(f"no {role} {wanted!r} has read these runs.", hint=there)
    if blind and folders and not rows["judge"].cast(pl.String).str.contains(BLIND, literal=True).any():
        raise UsageError(
            f"{', '.join(map(str, folders))}: no judge has read these episodes blind to the state.",
            hint="Make such readings first: stewardbench judge RUN --judge MODEL --blind-to-state.",
        )
    twice = rows.filter(pl.struct("run_id", "task_id", "arm", "trial").is_duplicated())
    if not twice.is_empty():
        raise UsageError(
            f"the same episodes are given twice (run {twice['run_id'][0]}, {len(twice) // 2} episodes).",
            hint="Name each run folder once.",
        )
    return rows, pl.DataFrame(aside, schema=READINGS)


def read_episodes(folders: Sequence[Path]) -> pl.DataFrame:
    """The rows of some runs without any judge or annotator: commits, arms, and which attempt counts."""
    parts = [rows_of(outcomes(read_records(_pasb_folder(path), EPISODES, _EpisodeView))) for path in folders]
    return pl.concat(parts) if parts else pl.DataFrame(schema=SCHEMA)


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


def _read_run(
    path: Path, judge: str | None, annotator: str | None, blind: bool, aside: list[dict[str, Any]]
) -> pl.DataFrame:
    folder = _pasb_folder(path)
    own_family: set[str] = set()
    found = outcomes(
        read_records(folder, EPISODES, _EpisodeView),
        _chosen(read_records(folder, JUDGMENTS, Judgment), judge, blind, own_family, aside),
        read_records(folder, ANNOTATIONS, Annotation),
        read_records(folder, COMMIT_READINGS, CommitReading),
        annotator=annotator,
    )
    marked = [replace(o, judge=f"{o.judge} ({OWN_FAMILY})") if o.episode_id in own_family else o for o in found]
    return rows_of(marked, mitigation=str(folder.manifest.settings.get("mitigation") or "none"))


_VERBS = {"judge": "judge", "annotator": "annotate"}


def _readers(path: Path, role: str) -> set[str]:
    """Who judged or annotated a run."""
    folder = _pasb_folder(path)
    if role == "judge":
        return {one.judge_model for one in read_records(folder, JUDGMENTS, Judgment)}
    return {one.annotator for one in read_records(folder, ANNOTATIONS, Annotation)}


def _pasb_folder(path: Path) -> RunFolder:
    folder = RunFolder.read(path)
    if folder.manifest.benchmark != "pasb":
        raise StoreError(f"{path}: holds a {folder.manifest.benchmark} run, not pasb.", hint="Name a PASB run folder.")
    return folder


def _chosen(
    judgments: Iterable[Judgment], judge: str | None, blind: bool, own_family: set[str], aside: list[dict[str, Any]]
) -> Iterator[Judgment]:
    """The first readings of the wanted kind; what was judged blind to the state answers another question.

    All others but probes go to ``aside``. Notes which episodes were judged by a model of the subject's own family, so
    that the report can say so.
    """
    for judgment in judgments:
        if judge not in (None, judgment.judge_model):
            continue
        if judgment.blind_to_state != blind or judgment.repeat:
            if judgment.blind_to_state or not judgment.probe:
                aside.append(_reading(judgment))
            continue
        if judgment.same_family:
            own_family.add(judgment.episode_id)
        if blind:  # such readings are stored under a probe of their own
            named = {"probe": "", "judge_model": f"{judgment.judge_model} ({BLIND})"}
            judgment = judgment.model_copy(update=named)  # noqa: PLW2901
        yield judgment


def _reading(judgment: Judgment) -> dict[str, Any]:
    return {
        "episode_id": judgment.episode_id,
        "blind": judgment.blind_to_state,
        "reading": judgment.repeat,
        **{name: turn_maximum(judgment.turns, name) for name in TURN_DIMENSIONS},
        **{name: getattr(judgment.arc, name) for name in ARC_DIMENSIONS},
    }
