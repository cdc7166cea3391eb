"""A run folder read one episode at a time, each with what judges and annotators said about it.

Judgments and annotations are found by file offset, so memory holds one episode and a table of offsets, however large
the run is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stewardbench.pasb.records import Annotation, CommitReading, Episode, Judgment, Task
from stewardbench.records import JsonlLog


@dataclass(frozen=True, slots=True)
class Read:
    """One episode with its task (None where the run folder has lost it) and all records about it, oldest first."""

    episode: Episode
    task: Task | None
    judgments: tuple[Judgment, ...]
    annotations: tuple[Annotation, ...]
    commit_readings: tuple[CommitReading, ...] = ()


def read_episodes(folder: Path) -> Iterator[Read]:
    """Every attempt of a PASB run in the order it was made. Raises StoreError for a damaged line."""
    tasks = {task.task_id: task for task in JsonlLog(folder / "tasks.jsonl").records(Task)}
    judgments = JsonlLog(folder / "judgments.jsonl").index(Judgment, "episode_id")
    annotations = JsonlLog(folder / "annotations.jsonl").index(Annotation, "episode_id")
    readings = JsonlLog(folder / "commit_readings.jsonl").index(CommitReading, "episode_id")
    for episode in JsonlLog(folder / "episodes.jsonl").records(Episode):
        found = judgments.of(episode.episode_id), annotations.of(episode.episode_id)
        read = readings.of(episode.episode_id)
        yield Read(episode, tasks.get(episode.task_id), *found, read)
