"""Judging and annotating stored episodes: later than the run, by several models, without running any agent again.

Every record is stored when it is made and made once: a run of it that is stopped goes on where it was. An endpoint that
fails leaves nothing, so the same call tries again; many failures in a row end the call, since the endpoint is down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from stewardbench.errors import ModelError, UsageError
from stewardbench.pasb.judging.annotate import annotation_prompt
from stewardbench.pasb.judging.judge import judge_prompts
from stewardbench.pasb.records import Annotation, Episode, Judgment, Task
from stewardbench.pasb.run.judges import BLIND, Annotator, Judge
from stewardbench.pasb.run.store import ANNOTATIONS, PasbStore, read_records, read_tasks
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.outage import Outage
from stewardbench.runs.progress import Progress, Watch, ignore
from stewardbench.seeding import derive

CHARACTERS_PER_TOKEN = 4  # a usual figure for English; the estimate says that it is one
REPLY_TOKENS = 220


@dataclass(frozen=True, slots=True)
class Reading:
    """How a judge reads: ``repeats`` is the share of episodes read a second time, ``blind`` hides the state."""

    blind: bool = False
    repeats: float = 0.0
    retry_unscored: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a call would cost: model calls, and tokens by rule of thumb."""

    records: int
    calls: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class ScoringJob:
    """One record to make."""

    task: Task
    episode: Episode
    repeat: int = 0


class Stored:
    """A PASB run folder opened for scoring, as a context manager; ``locked`` to add records."""

    def __init__(self, path: Path, *, locked: bool) -> None:
        self.folder = RunFolder.reopen(path) if locked else RunFolder.read(path)
        if self.folder.manifest.benchmark != "pasb":
            self.folder.close()
            held = self.folder.manifest.benchmark
            raise UsageError(f"{path}: holds a {held} run, which no model judges.", hint="Name a PASB run folder.")
        self.store = PasbStore(self.folder, int(self.folder.manifest.settings["max_attempts"]))
        self.subject = str(self.folder.manifest.settings["model"])
        self._tasks = read_tasks(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.folder.close()

    def judging(self, judge: str, reading: Reading) -> Iterator[ScoringJob]:
        """The judgments that a judge still owes, in the order of the episodes."""
        probe = BLIND if reading.blind else ""
        held = {
            (j.episode_id, j.repeat)
            for j in self.store.judgments()
            if j.judge_model == judge and j.probe == probe and not (reading.retry_unscored and is_unscored(j))
        }
        for task, episode in self.valid():
            for repeat in (0, 1) if is_repeated(episode, reading.repeats) else (0,):
                if (episode.episode_id, repeat) not in held:
                    yield ScoringJob(task, episode, repeat)

    def annotating(self, annotator: str, *, retry_unscored: bool = False) -> Iterator[ScoringJob]:
        """The annotations that an annotator still owes."""
        held = {
            a.episode_id
            for a in read_records(self.folder, ANNOTATIONS, Annotation)
            if a.annotator == annotator and not (retry_unscored and a.error)
        }
        for task, episode in self.valid():
            if episode.episode_id not in held:
                yield ScoringJob(task, episode)

    def valid(self) -> Iterator[tuple[Task, Episode]]:
        """The valid episodes that count, with their tasks, in the order of the run."""
        counted = self.store.scorable()
        for episode in self.store.episodes():
            if episode.episode_id in counted:
                yield self._tasks[episode.task_id], episode


def is_unscored(judgment: Judgment) -> bool:
    """Whether a judgment lacks any of its scores."""
    return bool(judgment.arc.error) or any(turn.error for turn in judgment.turns)


def is_repeated(episode: Episode, share: float) -> bool:
    """Whether an episode is among those that are judged twice: a fixed choice by task, the same for every judge."""
    return derive(0, "repeat", episode.task_id) < share * 2**64


def estimate_judging(jobs: Iterator[ScoringJob], reading: Reading) -> Estimate:
    """What the judging would cost, from the very prompts."""
    return estimate(judge_prompts(job.task, job.episode, blind_to_state=reading.blind) for job in jobs)


def estimate_annotating(jobs: Iterator[ScoringJob]) -> Estimate:
    """What the annotating would cost, from the very prompts."""
    return estimate((annotation_prompt(job.task, job.episode),) for job in jobs)


async def judge_stored(
    stored: Stored, judge: Judge, reading: Reading, *, workers: int = 8, watch: Watch = ignore
) -> Progress:
    """Make and store every judgment that a judge owes. Raises EndpointDown when the judge stays out of reach."""

    async def make(job: ScoringJob) -> None:
        stored.store.add_judgment(
            await judge.judge(job.task, job.episode, repeat=job.repeat, blind_to_state=reading.blind)
        )

    total = sum(1 for _ in stored.judging(judge.name, reading))
    return await work_through(
        judge.name, stored.judging(judge.name, reading), make, Progress(total=total), workers, watch
    )


async def annotate_stored(
    stored: Stored, annotator: Annotator, *, retry_unscored: bool = False, workers: int = 8, watch: Watch = ignore
) -> Progress:
    """Make and store every annotation that an annotator owes. Raises EndpointDown when it stays out of reach."""

    async def make(job: ScoringJob) -> None:
        stored.store.add_annotation(await annotator.annotate(job.task, job.episode))

    def owed() -> Iterator[ScoringJob]:
        return stored.annotating(annotator.name, retry_unscored=retry_unscored)

    return await work_through(annotator.name, owed(), make, Progress(total=sum(1 for _ in owed())), workers, watch)


async def work_through(
    reader: str,
    jobs: Iterator[ScoringJob],
    make: Callable[[ScoringJob], Awaitable[None]],
    progress: Progress,
    workers: int,
    watch: Watch,
) -> Progress:
    """Let so many workers take jobs from one line until it is empty."""
    watch(progress)
    outage = Outage()

    async def worker() -> None:
        for job in jobs:
            try:
                await make(job)
            except ModelError as error:
                progress.unjudged += 1
                progress.unjudged_for[error.kind] += 1
                progress.message = f"{job.task.task_id}: {error.message}"
                if (down := outage.failed(reader, error)) is not None:
                    raise down from error
            else:
                outage.answered()
                progress.done += 1
            watch(progress)

    tasks = [asyncio.create_task(worker()) for _ in range(workers)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return progress


def estimate(prompts: Iterable[Sequence[str]]) -> Estimate:
    """What some records would cost, from the prompts of each."""
    records = calls = characters = 0
    for one in prompts:
        records += 1
        calls += len(one)
        characters += sum(map(len, one))
    return Estimate(records, calls, characters // CHARACTERS_PER_TOKEN, calls * REPLY_TOKENS)
