"""Running the jobs of a benchmark whose attempts are records of its own: store, resume, retries and progress.

A benchmark of one's own gives its jobs and one function that makes an attempt at a job. What was finished is on disk
before the next job begins, so a run that is killed at any moment loses no finished attempt and repeats none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stewardbench.records import Record
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.jobs import Attempts, Job
from stewardbench.runs.progress import Progress, Watch, ignore

EPISODES = "episodes"


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
    watch: Watch = ignore,
) -> Progress:
    """Run or resume a run until every job has a valid attempt or no attempts left.

    ``attempt(job, number)`` makes one; ``settings`` go into the manifest. Raises StoreError (locked, other settings,
    full disk) and whatever ``attempt`` raises; what was finished until then is kept.
    """
    with RunFolder.open(out, benchmark, settings) as folder:
        done: Attempts[None] = Attempts()
        for record in attempts_in(folder, kind):
            done.add(record.job, None, valid=record.valid)
        waiting = [job for job in jobs if not done.is_finished(job, max_attempts)]
        progress = Progress(total=len(jobs), earlier=len(jobs) - len(waiting))
        watch(progress)
        queue = iter(waiting)

        async def work() -> None:
            for job in queue:
                while not done.is_finished(job, max_attempts):
                    record = await attempt(job, done.tried(job) + 1)
                    folder.log(EPISODES).append(record.to_json())
                    done.add(job, None, valid=record.valid)
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
