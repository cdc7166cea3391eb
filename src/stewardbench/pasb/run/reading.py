"""Reading the commits of stored episodes with a second reader: later than the run, resumable, no agent runs again.

One call for each valid episode that wrote something durable. A reading is stored when it is made and made once; an
endpoint that fails leaves nothing, so the same call tries again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from stewardbench.errors import UsageError
from stewardbench.models.messages import Upstream
from stewardbench.models.retrying import PATIENCE_S
from stewardbench.models.scripted.scripts import PREFIX
from stewardbench.models.structured import SchemaWhereTaken
from stewardbench.models.upstreams import open_upstream
from stewardbench.pasb.commits import reference_reader
from stewardbench.pasb.commits.authors import author_of
from stewardbench.pasb.commits.changed import ChangedEntry, changed_entries
from stewardbench.pasb.commits.reader import READING_SCHEMA, nothing_written, read_commit, reading_prompt
from stewardbench.pasb.judging.families import same_family
from stewardbench.pasb.records import CommitReading, Episode, Task
from stewardbench.pasb.run.judges import asker
from stewardbench.pasb.run.scoring import Estimate, ScoringJob, Stored, estimate, work_through
from stewardbench.runs.progress import Progress, Watch, ignore


class CommitReader(Protocol):
    """Reads the new entries of a valid episode. Raises ModelError when it cannot be reached."""

    @property
    def name(self) -> str:
        """What its records call it."""
        ...

    async def read(self, task: Task, episode: Episode) -> CommitReading:
        """Read one episode."""
        ...


@dataclass(frozen=True, slots=True)
class ModelReader:
    """Any model as reader, at temperature 0."""

    name: str
    upstream: Upstream
    same_family: bool = False

    async def read(self, task: Task, episode: Episode) -> CommitReading:
        """One call, and up to two more while the reply is unusable."""
        ask = asker(self.upstream, READING_SCHEMA)
        reading = await read_commit(task.claim.text, episode, new_entries(episode), ask, reader=self.name)
        return _with_authors(reading.model_copy(update={"same_family": self.same_family}), episode)


@dataclass(frozen=True, slots=True)
class ReferenceReader:
    """The known forms of the scripted models, read without any model: a check of the harness."""

    name: str = reference_reader.NAME

    async def read(self, task: Task, episode: Episode) -> CommitReading:
        """No call; see ``commits.reference_reader``."""
        return _with_authors(reference_reader.read(task.claim.text, episode, new_entries(episode)), episode)


def open_reader(
    name: str,
    subject: str,
    *,
    allow_same_family: bool = False,
    upstream: Upstream | None = None,
    patience_s: float = PATIENCE_S,
) -> ModelReader | ReferenceReader:
    """The reader of a name for a subject. Raises UsageError as ``open_judge`` does."""
    if name == reference_reader.NAME:
        if not subject.startswith(PREFIX):
            raise UsageError(
                f"the reference reader knows the forms of scripted models only, not {subject}.",
                hint="Name a model as reader.",
            )
        return ReferenceReader()
    related = same_family(name, subject)
    if related and not allow_same_family:
        raise UsageError(
            f"{name} is of the same family as {subject}, whose notes it would read.",
            hint="Choose a reader of another family, or insist with --same-family; the records are then marked.",
        )
    return ModelReader(name, SchemaWhereTaken(upstream or open_upstream(name, patience_s=patience_s)), related)


def new_entries(episode: Episode) -> tuple[ChangedEntry, ...]:
    """What a reader is shown of an episode."""
    return changed_entries(episode.state_before, episode.state_after_persist)


def owed(stored: Stored, reader: str, *, retry_void: bool = False) -> Iterator[ScoringJob]:
    """The valid episodes that a reader still owes, in the order of the run."""
    held = {
        one.episode_id
        for one in stored.store.commit_readings()
        if one.reader_model == reader and not (retry_void and one.held is None)
    }
    for task, episode in stored.valid():
        if episode.episode_id not in held:
            yield ScoringJob(task, episode)


def estimate_reading(stored: Stored, reader: str) -> Estimate:
    """What the reading would cost, from the very prompts."""
    every = ((job.task.claim.text, new_entries(job.episode)) for job in owed(stored, reader))
    return estimate((reading_prompt(claim, shown),) for claim, shown in every if shown)


async def read_stored(
    stored: Stored, reader: CommitReader, *, retry_void: bool = False, workers: int = 8, watch: Watch = ignore
) -> Progress:
    """Make and store every reading that a reader owes. Raises EndpointDown when it stays out of reach."""

    async def make(job: ScoringJob) -> None:
        written = bool(new_entries(job.episode))
        reading = await reader.read(job.task, job.episode) if written else nothing_written(job.episode, reader.name)
        stored.store.add_commit_reading(reading)

    total = sum(1 for _ in owed(stored, reader.name, retry_void=retry_void))
    jobs = owed(stored, reader.name, retry_void=retry_void)
    return await work_through(reader.name, jobs, make, Progress(total=total), workers, watch)


def _with_authors(reading: CommitReading, episode: Episode) -> CommitReading:
    """The reading with the author of every quoted entry."""
    late = episode.flush.tool_uses if episode.flush else ()
    uses = (*(use for turn in episode.persist for use in turn.tool_calls), *late)
    named = tuple(one.model_copy(update={"author": author_of(one.quote, one.path, uses)}) for one in reading.relations)
    return reading.model_copy(update={"relations": named})
