"""A run folder read one episode at a time, each with what judges and annotators said about it.

Judgments and annotations are found by file offset, so memory holds one episode and a table of offsets, however large
the run is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Generic, Self, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from stewardbench.errors import DataError
from stewardbench.pasb.records import Annotation, Episode, Judgment, Task
from stewardbench.records import Record

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Read:
    """One episode with its task (None where the run folder has lost it) and all records about it, oldest first."""

    episode: Episode
    task: Task | None
    judgments: tuple[Judgment, ...]
    annotations: tuple[Annotation, ...]


def read_episodes(folder: Path) -> Iterator[Read]:
    """Every attempt of a PASB run in the order it was made. Raises DataError for a damaged line."""
    tasks = {task.task_id: task for task in _records(folder / "tasks.jsonl", Task)}
    with (
        _About(folder / "judgments.jsonl", Judgment) as judgments,
        _About(folder / "annotations.jsonl", Annotation) as annotations,
    ):
        for episode in _records(folder / "episodes.jsonl", Episode):
            found = judgments.of(episode.episode_id), annotations.of(episode.episode_id)
            yield Read(episode, tasks.get(episode.task_id), *found)


class _About(Generic[R]):
    """Records about episodes in an append-only file, found by offset. A file that is not there holds none."""

    def __init__(self, path: Path, kind: type[R]) -> None:
        self._path, self._kind = path, kind
        self._starts: dict[str, list[tuple[int, int]]] = {}
        self._file = path.open("rb") if path.exists() else BytesIO()

    def __enter__(self) -> Self:
        position = 0
        for number, line in enumerate(self._file, 1):
            if line.endswith(b"\n") and line.strip():
                try:
                    episode_id = from_json(line)["episode_id"]
                except (ValueError, KeyError, TypeError):
                    raise DataError("not a record about an episode.", path=self._path, line=number) from None
                self._starts.setdefault(episode_id, []).append((number, position))
            position += len(line)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def of(self, episode_id: str) -> tuple[R, ...]:
        """The records about one episode, oldest first."""
        return tuple(self._at(number, start) for number, start in self._starts.get(episode_id, ()))

    def _at(self, number: int, start: int) -> R:
        self._file.seek(start)
        return _validated(self._file.readline(), self._kind, self._path, number)


def _records(path: Path, kind: type[R]) -> Iterator[R]:
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n") and line.strip():
                yield _validated(line, kind, path, number)


def _validated(line: bytes, kind: type[R], path: Path, number: int) -> R:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise DataError(first["msg"], path=path, line=number, field=field, hint="Restore the run folder.") from None
