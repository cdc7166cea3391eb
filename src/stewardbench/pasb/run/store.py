"""What a PASB run folder already holds, and how it grows: the folder alone decides what is left to do.

An episode is written before anything else is done with it: its model calls as a blob first, then one line. So a run
that is killed at any moment loses no finished episode, and a resumed run repeats none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from stewardbench.models.messages import Exchange
from stewardbench.pasb.records import Annotation, Episode, InvalidReason, Judgment, Task
from stewardbench.records import Record
from stewardbench.runs.exchanges import pack
from stewardbench.runs.folder import RunFolder, write_atomically

RecordType = TypeVar("RecordType", bound=Record)

EPISODES, JUDGMENTS, ANNOTATIONS, TASKS = "episodes", "judgments", "annotations", "tasks"


class PasbStore:
    """The episodes and judgments of an open run folder.

    ``max_attempts`` says when an invalid task is final; attempts whose endpoint failed do not count towards it.
    """

    def __init__(self, folder: RunFolder, max_attempts: int) -> None:
        self.folder, self._max_attempts = folder, max_attempts
        self._attempts: dict[str, int] = {}
        self._used: dict[str, int] = {}
        self._valid: dict[str, str] = {}
        for episode in self.episodes():
            self._count(episode)

    def episodes(self) -> Iterator[Episode]:
        """Every stored attempt, in the order in which they were finished."""
        return read_records(self.folder, EPISODES, Episode)

    def judgments(self) -> Iterator[Judgment]:
        """Every stored judgment."""
        return read_records(self.folder, JUDGMENTS, Judgment)

    def attempts(self, task_id: str) -> int:
        """How many attempts at a task are stored."""
        return self._attempts.get(task_id, 0)

    def is_final(self, task_id: str) -> bool:
        """Whether a task has a valid episode, or as many invalid ones as it may have."""
        return task_id in self._valid or self._used.get(task_id, 0) >= self._max_attempts

    def finals(self) -> dict[str, str | None]:
        """Every task that is final, with the id of its valid episode, or None when all its attempts were invalid."""
        return {task_id: self._valid.get(task_id) for task_id in self._attempts if self.is_final(task_id)}

    def final_episodes(self, task_ids: Iterable[str]) -> dict[str, Episode]:
        """The episode that counts for each of these tasks, where it is final: the valid one, else the last."""
        wanted = {task_id for task_id in task_ids if self.is_final(task_id)}
        found = {}
        for episode in self.episodes():
            task_id = episode.task_id
            if task_id in wanted and (episode.valid or task_id not in self._valid):
                found[task_id] = episode
        return found

    def judged(self, judge: str) -> set[str]:
        """The ids of the episodes that a judge has judged (first readings; repeats and probes do not count)."""
        return {j.episode_id for j in self.judgments() if j.judge_model == judge and not j.repeat and not j.probe}

    def put_exchanges(self, exchanges: Iterable[Exchange]) -> str:
        """Store model calls and return their hash."""
        return self.folder.blobs.put(pack(exchanges))

    def add_episode(self, episode: Episode) -> None:
        """Store a finished attempt. Raises StoreError when the disk refuses; the task then counts as not done."""
        self.folder.log(EPISODES).append(episode.to_json())
        self._count(episode)

    def add_judgment(self, judgment: Judgment) -> None:
        """Store a judgment."""
        self.folder.log(JUDGMENTS).append(judgment.to_json())

    def add_annotation(self, annotation: Annotation) -> None:
        """Store an annotation."""
        self.folder.log(ANNOTATIONS).append(annotation.to_json())

    def keep_tasks(self, tasks: Iterable[Task]) -> None:
        """Write the tasks beside the episodes, once; the manifest's hash guards that they stay the same."""
        path = self.folder.path / f"{TASKS}.jsonl"
        if not path.exists():
            write_atomically(path, "".join(task.to_json() + "\n" for task in tasks))

    def _count(self, episode: Episode) -> None:
        self._attempts[episode.task_id] = max(self.attempts(episode.task_id), episode.attempt)
        if not is_endpoints(episode):
            self._used[episode.task_id] = self._used.get(episode.task_id, 0) + 1
        if episode.valid:
            self._valid.setdefault(episode.task_id, episode.episode_id)


def is_endpoints(episode: Episode) -> bool:
    """Whether an episode is invalid because its endpoint failed, which says nothing about agent or model."""
    return episode.invalid_reason is InvalidReason.MODEL_ERROR


def read_records(folder: RunFolder, name: str, kind: type[RecordType]) -> Iterator[RecordType]:
    """The records of one file of a run folder. Raises StoreError with the line of a damaged one."""
    return folder.log(name).records(kind)


def read_tasks(folder: RunFolder) -> dict[str, Task]:
    """The tasks of a run as they were when it began, by id."""
    return {task.task_id: task for task in read_records(folder, TASKS, Task)}
