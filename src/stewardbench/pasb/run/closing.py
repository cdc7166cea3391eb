"""What a PASB run folder really measured: episodes by validity, and of the valid those that somebody read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from stewardbench.models.scripted.scripts import PREFIX
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, job_of, outcomes
from stewardbench.pasb.records import Annotation, CommitReading, Episode, InvalidReason, Judgment
from stewardbench.pasb.run.known import unexpected
from stewardbench.pasb.run.store import (
    ANNOTATIONS,
    COMMIT_READINGS,
    EPISODES,
    JUDGMENTS,
    TASKS,
    base_items,
    read_records,
)
from stewardbench.runs.closing import Closing
from stewardbench.runs.folder import SHARD, RunFolder
from stewardbench.runs.jobs import part_of, shard

FAILED_CALL = re.compile(r"HTTP \d+: (\w+): ")  # as episode.validity writes it
NOT_JUDGED = "not judged"


def run_closing(folder: RunFolder) -> Closing:
    """The account of a run: its tasks, their episodes, and the scores of the run's own judge if it has one."""
    settings = folder.manifest.settings
    judge, model = str(settings.get("judge", "")), str(settings["model"])
    spent, kinds = [0, 0], dict[str, str]()

    def counted() -> Iterable[Episode]:
        for episode in read_records(folder, EPISODES, Episode):
            spent[0] += episode.input_tokens
            spent[1] += episode.output_tokens
            if failed := FAILED_CALL.search(episode.invalid_detail):
                kinds[episode.episode_id] = failed[1]
            yield episode

    judgments = _first_readings(folder, judge)
    found = outcomes(counted(), judgments)
    readings = {j.episode_id: fault(j) for j in judgments}
    odd = unexpected(model, found, base_items(folder)) if model.startswith(PREFIX) else {}
    return _closing(
        found,
        asked=_asked(folder),
        readings=readings if judge else None,
        kinds=kinds,
        faults=sum(1 for one in found if one.valid and job_of(one).id in odd),
        tokens=(spent[0], spent[1]),
    )


def judging_closing(
    folder: RunFolder, judge: str, *, probe: str = "", unreached: Counter[str] | None = None
) -> Closing:
    """The account of one judge's reading: the valid episodes, and those of them with every score.

    ``unreached`` counts by kind how the judge failed where it could not be reached now.
    """
    readings = {j.episode_id: fault(j) for j in _first_readings(folder, judge, probe)}
    return _reading_closing(folder, readings, unreached)


def annotating_closing(folder: RunFolder, annotator: str, *, unreached: Counter[str] | None = None) -> Closing:
    """The account of one annotator's reading."""
    notes = read_records(folder, ANNOTATIONS, Annotation)
    readings = {note.episode_id: note.error for note in notes if note.annotator == annotator}
    return _reading_closing(folder, readings, unreached)


def reading_closing(folder: RunFolder, reader: str) -> Closing:
    """The account of one reader's reading: the valid episodes, and those read."""
    kept = {
        one.episode_id: one
        for one in read_records(folder, COMMIT_READINGS, CommitReading)
        if one.reader_model == reader
    }
    readings = {name: one.error or "void" if one.held is None else "" for name, one in kept.items()}
    return _reading_closing(folder, readings)


def fault(judgment: Judgment) -> str:
    """Why a judgment lacks a score; empty when it has them all."""
    return next((turn.error for turn in judgment.turns if turn.error), judgment.arc.error)


def _asked(folder: RunFolder) -> int:
    """How many episodes the run or its shard is to have: its tasks, as often as each is tried."""
    settings = folder.manifest.settings
    whole = range(sum(1 for _ in folder.log(TASKS).lines()) * int(settings.get("trials", 1)))
    return len(part_of(whole, shard(str(settings.get(SHARD, "")))))


def _first_readings(folder: RunFolder, judge: str, probe: str = "") -> list[Judgment]:
    every = read_records(folder, JUDGMENTS, Judgment)
    return [j for j in every if j.judge_model == judge and not j.repeat and j.probe == probe]


def _reading_closing(folder: RunFolder, readings: dict[str, str], unreached: Counter[str] | None = None) -> Closing:
    found = [one for one in outcomes(read_records(folder, EPISODES, Episode)) if one.valid]
    closing = _closing(found, asked=len(found), readings=readings)
    if not unreached or NOT_JUDGED not in closing.unscored:
        return closing
    kinds = ", ".join(kind for kind, _ in unreached.most_common())
    unread = {
        f"{reason}: {kinds}" if reason == NOT_JUDGED else reason: count for reason, count in closing.unscored.items()
    }
    return replace(closing, unscored=unread)


def _reason(one: EpisodeOutcome, kinds: Mapping[str, str]) -> str:
    """Why an episode is invalid; of a failed endpoint also how it failed."""
    reason = one.invalid_reason or "no reason recorded"
    kind = kinds.get(one.episode_id, "") if reason == InvalidReason.MODEL_ERROR else ""
    return f"{reason}: {kind}" if kind else reason


def _closing(
    found: list[EpisodeOutcome],
    *,
    asked: int,
    readings: dict[str, str] | None,
    kinds: Mapping[str, str] | None = None,
    faults: int = 0,
    tokens: tuple[int, int] = (0, 0),
) -> Closing:
    valid = [one for one in found if one.valid]
    unread = Counter(
        reason for one in valid if (reason := (readings or {}).get(one.episode_id, NOT_JUDGED)) and readings is not None
    )
    return Closing(
        asked=asked,
        valid=len(valid),
        scored=None if readings is None else len(valid) - unread.total(),
        unscored=unread,
        invalid=Counter(_reason(one, kinds or {}) for one in found if not one.valid),
        faults=faults,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
    )
