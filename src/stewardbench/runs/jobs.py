"""Jobs and attempts: the unit of work of every benchmark, and the one rule for which attempt at a job counts.

    Job        one task or scenario in one arm, trial and seed
    attempt    one stored try at a job, valid or not
    counting   **the first valid attempt counts; where there is none, the last one stands for the job**

The first valid attempt counts, because a later one would let a rerun replace a result that somebody has seen. A job is
finished when it has a valid attempt, or as many invalid ones as it may have; an attempt that never reached its subject,
because the endpoint failed, uses none of them up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from stewardbench.errors import UsageError
from stewardbench.records import Record

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Job(Record):
    """What is to be done once. ``task`` is a task's or scenario's id; ``trial`` counts from 1."""

    task: str
    arm: str = "natural"
    trial: int = 1
    seed: int = 0

    @property
    def id(self) -> str:
        """A name for people and files: the task, and what differs from the defaults."""
        parts = [self.task]
        parts += [self.arm] if self.arm != "natural" else []
        parts += [f"trial{self.trial}"] if self.trial != 1 else []
        parts += [f"seed{self.seed}"] if self.seed else []
        return "+".join(parts)


class Attempts(Generic[K, T]):
    """The attempts at jobs as they come, and which one counts. Holds two items per job, not all of them.

    Within a run the key is the ``Job``; where several runs are read together, it is the run's id with the job.
    """

    def __init__(self) -> None:
        self._tried: dict[K, int] = {}
        self._spent: dict[K, int] = {}
        self._valid: dict[K, T] = {}
        self._last: dict[K, T] = {}

    def add(self, job: K, item: T, *, valid: bool, spent: bool = True) -> None:
        """Take note of one attempt. ``item`` is whatever the caller wants back of the one that counts.

        ``spent`` is False for an attempt that uses up none of those that the job may have.
        """
        self._tried[job] = self.tried(job) + 1
        self._spent[job] = self._spent.get(job, 0) + spent
        self._last[job] = item
        if valid:
            self._valid.setdefault(job, item)

    def tried(self, job: K) -> int:
        """How many attempts at a job there are."""
        return self._tried.get(job, 0)

    def is_valid(self, job: K) -> bool:
        """Whether a job has a valid attempt."""
        return job in self._valid

    def is_finished(self, job: K, most: int) -> bool:
        """Whether a job needs no further attempt, when it may have ``most``."""
        return self.is_valid(job) or self._spent.get(job, 0) >= most

    def counting(self, job: K) -> T | None:
        """The attempt that counts, None where there is none at all."""
        return self._valid.get(job, self._last.get(job))

    def items(self) -> Iterator[tuple[K, T]]:
        """Every job with the attempt that counts, in the order in which the jobs were first tried."""
        for job in self._tried:
            yield job, self._valid.get(job, self._last[job])


def counting(attempts: Iterable[T], job: Callable[[T], K], valid: Callable[[T], bool]) -> list[T]:
    """Of some attempts, the one that counts for each job, in the order in which the jobs were first tried."""
    found: Attempts[K, T] = Attempts()
    for attempt in attempts:
        found.add(job(attempt), attempt, valid=valid(attempt))
    return [item for _, item in found.items()]


class Shard(Record):
    """Part ``number`` of ``of`` equal parts of a run's jobs; counts from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def pick(self, jobs: Sequence[T]) -> tuple[T, ...]:
        """Every ``of``-th job, so that each part holds jobs from all over the run. All parts together are the run."""
        return tuple(jobs[self.number - 1 :: self.of])


def part_of(jobs: Sequence[T], mine: Shard | None) -> tuple[T, ...]:
    """The jobs of one part of a run, or of the whole."""
    return tuple(jobs) if mine is None else mine.pick(jobs)


def shard(text: str) -> Shard | None:
    """``3/10`` as a shard; nothing as the whole run. Raises UsageError for anything else."""
    if not text:
        return None
    number, mark, of = text.partition("/")
    if not mark or not number.isdecimal() or not of.isdecimal() or not 1 <= int(number) <= int(of):
        raise UsageError(f"--shard {text}: not a part of a run.", hint="Write for example 3/10: the third of ten.")
    return Shard(number=int(number), of=int(of))
