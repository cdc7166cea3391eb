"""What a PASB run folder already holds, and how it grows: the folder alone decides what is left to do.

An episode is written before anything else is done with it: its model calls as a blob first, then one line. So a run
that is killed at any moment loses no finished episode, and a resumed run repeats none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from pydantic import BaseModel

from stewardbench.models.messages import Exchange
from stewardbench.pasb.measure.outcomes import job_of
from stewardbench.pasb.records import Annotation, CommitReading, Episode, InvalidReason, Judgment, Task
from stewardbench.records import Record
from stewardbench.runs.exchanges import pack
from stewardbench.runs.folder import RunFolder, write_atomically
from stewardbench.runs.jobs import Job
from stewardbench.runs.store import EPISODES, AttemptStore, Tried

__all__ = [
    "ANNOTATIONS",
    "COMMIT_READINGS",
    "EPISODES",
    "JUDGMENTS",
    "TASKS",
    "PasbStore",
    "is_endpoints",
    "read_records",
    "stored",
]

RecordType = TypeVar("RecordType", bound=Record)

JUDGMENTS, ANNOTATIONS, COMMIT_READINGS, TASKS = "judgments", "annotations", "commit_readings", "tasks"


class PasbStore(AttemptStore[Episode]):
    """The episodes and judgments of an open run folder."""

    def __init__(self, folder: RunFolder, max_attempts: int) -> None:
        super().__init__(folder, map(_about, read_records(folder, EPISODES, Episode)), _about, max_attempts)

    def episodes(self) -> Iterator[Episode]:
        """Every stored attempt, in the order in which they were finished."""
        return read_records(self.folder, EPISODES, Episode)

    def judgments(self) -> Iterator[Judgment]:
        """Every stored judgment."""
        return read_records(self.folder, JUDGMENTS, Judgment)

    def valid_id(self, job: Job) -> str | None:
        """The id of the valid episode that counts for a job, None where there is none."""
        found = self.counting(job)
        return found.name if found is not None and found.valid else None

    def final_episodes(self, jobs: Iterable[Job]) -> dict[Job, Episode]:
        """The episode that counts for each of these jobs, where it is final."""
        counted = {job: self.counting(job) for job in jobs if self.is_final(job)}
        wanted = {found.name: job for job, found in counted.items() if found is not None}
        return {wanted[e.episode_id]: e for e in self.episodes() if e.episode_id in wanted}

    def judged(self, judge: str) -> set[str]:
        """The ids of the episodes that a judge has judged (first readings; repeats and probes do not count)."""
        return {j.episode_id for j in self.judgments() if j.judge_model == judge and not j.repeat and not j.probe}

    def put_exchanges(self, exchanges: Iterable[Exchange]) -> str:
        """Store model calls and return their hash."""
        return self.folder.blobs.put(pack(exchanges))

    def add_judgment(self, judgment: Judgment) -> None:
        """Store a judgment."""
        self.folder.log(JUDGMENTS).append(judgment.to_json())

    def add_annotation(self, annotation: Annotation) -> None:
        """Store an annotation."""
        self.folder.log(ANNOTATIONS).append(annotation.to_json())

    def commit_readings(self) -> Iterator[CommitReading]:
        """Every stored reading of a commit by a reader."""
        return read_records(self.folder, COMMIT_READINGS, CommitReading)

    def add_commit_reading(self, reading: CommitReading) -> None:
        """Store a reading."""
        self.folder.log(COMMIT_READINGS).append(reading.to_json())

    def keep_tasks(self, tasks: Iterable[Task]) -> None:
        """Write the tasks beside the episodes, once; the manifest's hash guards that they stay the same."""
        path = self.folder.path / f"{TASKS}.jsonl"
        if not path.exists():
            write_atomically(path, "".join(task.to_json() + "\n" for task in tasks))


class _Seen(BaseModel):
    """The few fields of an episode that say what is done."""

    episode_id: str
    task_id: str
    arm: str = "natural"
    trial: int = 1
    valid: bool
    invalid_reason: InvalidReason | None = None


def stored(folder: RunFolder) -> Iterator[Tried]:
    """What is stored, line by line. Raises StoreError for a damaged line."""
    return map(_about, folder.log(EPISODES).records(_Seen))


def _about(episode: Episode | _Seen) -> Tried:
    return Tried(
        job_of(episode),
        episode.episode_id,
        episode.valid,
        spent=not is_endpoints(episode),
        failure=str(episode.invalid_reason or ""),
    )


def is_endpoints(episode: Episode | _Seen) -> bool:
    """Whether an episode is invalid because its endpoint failed, which says nothing about agent or model."""
    return episode.invalid_reason is InvalidReason.MODEL_ERROR


def read_records(folder: RunFolder, name: str, kind: type[RecordType]) -> Iterator[RecordType]:
    """The records of one file of a run folder. Raises StoreError with the line of a damaged one."""
    return folder.log(name).records(kind)


class _OfItem(BaseModel):
    """The one field of a task that says which item it is of."""

    base_item_id: str


def base_items(folder: RunFolder) -> tuple[str, ...]:
    """The base items of the whole run, of which a shard holds some tasks, by id."""
    return tuple(sorted({one.base_item_id for one in folder.log(TASKS).records(_OfItem)}))


def read_tasks(folder: RunFolder) -> dict[str, Task]:
    """The tasks of a run as they were when it began, by id."""
    return {task.task_id: task for task in read_records(folder, TASKS, Task)}
