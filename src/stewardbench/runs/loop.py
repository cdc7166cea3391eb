"""Running the jobs of a benchmark whose attempts are records of its own: store, resume, retries and progress.

A benchmark of one's own gives its jobs and one function that makes an attempt at a job. What was finished is on disk
before the next job begins, so a run that is killed at any moment loses no finished attempt and repeats none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ConfigDict

from stewardbench.records import Record
from stewardbench.runs.folder import SHARD, RunFolder
from stewardbench.runs.jobs import Job, Shard, part_of
from stewardbench.runs.progress import Progress, Watch, ignore
from stewardbench.runs.store import EPISODES, AttemptStore, Tried


class JobRecord(Record):
    """The base of a stored attempt. ``invalid_reason`` says why an attempt that is not valid cannot be scored."""

    job: Job
    attempt: int
    valid: bool = True
    invalid_reason: str = ""


R = TypeVar("R", bound=JobRecord)


def attempts_in(folder: RunFolder, kind: type[R]) -> Iterator[R]:
    """Every stored attempt in the order in which it was finished. Raises StoreError with the line of a damaged one."""
    return folder.log(EPISODES).records(kind)


def stored(folder: RunFolder) -> Iterator[Tried]:
    """What a merge has to know of the stored attempts, line by line. Raises StoreError for a damaged one."""
    return map(_about, folder.log(EPISODES).records(_Seen))


class _Seen(JobRecord):
    """The fields that every stored attempt has."""

    model_config = ConfigDict(extra="ignore")


def _about(record: JobRecord) -> Tried:
    return Tried(record.job, f"{record.job.id}:{record.attempt}", record.valid)


async def run_jobs(
    benchmark: str,
    out: Path,
    settings: Mapping[str, Any],
    jobs: Sequence[Job],
    kind: type[R],
    attempt: Callable[[Job, int], Awaitable[R]],
    *,
    max_attempts: int = 3,
    workers: int = 1,
    shard: Shard | None = None,
    watch: Watch = ignore,
) -> Progress:
    """Run or resume a run until every job has a valid attempt or no attempts left.

    ``attempt(job, number)`` makes one; ``settings`` go into the manifest. Raises StoreError (locked, other settings,
    full disk) and whatever ``attempt`` raises; what was finished until then is kept.
    """
    declared = {**settings, SHARD: str(shard)} if shard else settings
    jobs = part_of(jobs, shard)
    with RunFolder.open(out, benchmark, declared) as folder:
        done: AttemptStore[R] = AttemptStore(folder, map(_about, attempts_in(folder, kind)), _about, max_attempts)
        waiting = [job for job in jobs if not done.is_final(job)]
        progress = Progress(total=len(jobs), earlier=len(jobs) - len(waiting))
        watch(progress)
        queue = iter(waiting)

        async def work() -> None:
            for job in queue:
                while not done.is_final(job):
                    record = await attempt(job, done.attempts(job) + 1)
                    done.add([record])
                progress.done += done.is_valid(job)
                progress.invalid += not done.is_valid(job)
                watch(progress)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(work())
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None  # the first one ended the others
    return progress
