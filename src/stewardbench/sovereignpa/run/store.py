"""What a SovereignPA run folder already holds, and how it grows: one line per finished attempt, never rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from stewardbench.errors import StoreError
from stewardbench.models.failures import is_infrastructure
from stewardbench.runs.folder import RunFolder, write_atomically
from stewardbench.runs.store import EPISODES, AttemptStore, Tried
from stewardbench.sovereignpa.axes import EndReason
from stewardbench.sovereignpa.conversation import failure_of
from stewardbench.sovereignpa.records import EpisodeLog, job_of
from stewardbench.sovereignpa.run.settings import ScenarioJob


class SovereignpaStore(AttemptStore[EpisodeLog]):
    """The episodes of an open run folder."""

    def __init__(self, folder: RunFolder, max_attempts: int) -> None:
        super().__init__(folder, stored(folder), _about, max_attempts)

    def keep_situations(self, jobs: Iterable[ScenarioJob]) -> None:
        """Write the situations beside the episodes, once. Raises StoreError when another set lies there."""
        found = {job.scenario.situation.sid: job.scenario.situation.to_json() for job in jobs}
        path, text = self.folder.path / "tasks.jsonl", "".join(line + "\n" for line in found.values())
        if not path.exists():
            write_atomically(path, text)
        elif path.read_text(encoding="utf-8") != text:
            raise StoreError(
                f"{path}: the situations differ from those of this run's settings.",
                hint="Restore the file, or choose another --out folder.",
            )


class _SeenSource(BaseModel):
    seed: int


class SeenLog(BaseModel):
    """The few fields of a log that say what is done; reading whole logs would make a resume slow."""

    scenario_id: str
    source: _SeenSource
    end_reason: EndReason
    error: str = ""
    attempt: int = 0

    @property
    def valid(self) -> bool:
        """Whether the log can be scored: the provider did not break it."""
        return self.end_reason is not EndReason.ERROR


def stored(folder: RunFolder) -> Iterator[Tried]:
    """What is stored, line by line. Raises StoreError for a damaged line."""
    return map(_about, folder.log(EPISODES).records(SeenLog))


def _about(log: EpisodeLog | SeenLog) -> Tried:
    job, failure = job_of(log.scenario_id, log.source.seed), failure_of(log.error)
    spent = log.valid or not is_infrastructure(failure)
    return Tried(job, f"{job.id}:{log.attempt}", log.valid, spent=spent, failure=failure)
