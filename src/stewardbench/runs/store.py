"""The attempts of an open run folder by job: what is done, what is left, and how the folder grows.

Every benchmark keeps its attempts through this store, so that "done", "left" and "counts" mean the same everywhere
(``runs.jobs`` holds the rule). An attempt is on disk before it is counted: a run that is killed at any moment loses no
finished attempt, and a resumed run repeats none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from stewardbench.records import Record
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.jobs import Attempts, Job

EPISODES = "episodes"
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Tried:
    """One stored attempt: the job, the attempt's own name, and whether it can be scored.

    ``spent`` is False where the endpoint failed, which uses up none of the job's attempts; ``failure`` says in a word
    why an attempt is invalid.
    """

    job: Job
    name: str
    valid: bool
    spent: bool = True
    failure: str = ""


class AttemptStore(Generic[R]):
    """The stored attempts of an open run folder. ``stored`` are those that it holds, ``about`` reads a new one.

    ``max_attempts`` says when an invalid job is final; attempts whose endpoint failed do not count towards it.
    """

    def __init__(
        self, folder: RunFolder, stored: Iterable[Tried], about: Callable[[R], Tried], max_attempts: int
    ) -> None:
        self.folder, self._about, self._max_attempts = folder, about, max_attempts
        self._attempts: Attempts[Job, Tried] = Attempts()
        for tried in stored:
            self._note(tried)

    def add(self, records: Sequence[R]) -> None:
        """Store finished attempts durably. Raises StoreError when the disk refuses; they then count as not done."""
        self.folder.log(EPISODES).extend([record.to_json() for record in records])
        for record in records:
            self._note(self._about(record))

    def attempts(self, job: Job) -> int:
        """How many attempts at a job are stored."""
        return self._attempts.tried(job)

    def is_valid(self, job: Job) -> bool:
        """Whether a job has a valid attempt."""
        return self._attempts.is_valid(job)

    def is_final(self, job: Job) -> bool:
        """Whether a job needs no further attempt: it has a valid one, or as many invalid ones as it may have."""
        return self._attempts.is_finished(job, self._max_attempts)

    def all_counting(self) -> list[Tried]:
        """The attempt that counts of every job that was tried, in the order of first attempts."""
        return [tried for _, tried in self._attempts.items()]

    def scorable(self) -> set[str]:
        """The names of the valid attempts that count."""
        return {tried.name for tried in self.all_counting() if tried.valid}

    def counting(self, job: Job) -> Tried | None:
        """The attempt that counts for a job, None where none is stored."""
        return self._attempts.counting(job)

    def _note(self, tried: Tried) -> None:
        self._attempts.add(tried.job, tried, valid=tried.valid, spent=tried.spent)
