"""What a SovereignPA run folder already holds, and how it grows: one line per finished attempt, never rewritten."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from stewardbench.errors import StoreError
from stewardbench.models.failures import is_infrastructure
from stewardbench.runs.folder import RunFolder, write_atomically
from stewardbench.sovereignpa.axes import EndReason
from stewardbench.sovereignpa.conversation import failure_of
from stewardbench.sovereignpa.records import EpisodeLog
from stewardbench.sovereignpa.run.settings import ScenarioJob

Key = tuple[str, int]


class SovereignpaStore:
    """The episodes of an open run folder.

    ``max_attempts`` says when an invalid episode is final; attempts whose endpoint failed do not count towards it.
    """

    def __init__(self, folder: RunFolder, max_attempts: int) -> None:
        self.folder, self._max_attempts = folder, max_attempts
        self._attempts: dict[Key, int] = {}
        self._used: dict[Key, int] = {}
        self._valid: set[Key] = set()
        self._error: dict[Key, str] = {}
        for seen in folder.log("episodes").records(_Seen):
            self._count((seen.scenario_id, seen.source.seed), seen.end_reason is not EndReason.ERROR, seen.error)

    def attempts(self, key: Key) -> int:
        """How many attempts at an episode are stored."""
        return self._attempts.get(key, 0)

    def is_final(self, key: Key) -> bool:
        """Whether an episode is valid, or was spoilt by its model as often as it may be."""
        return key in self._valid or self._used.get(key, 0) >= self._max_attempts

    @property
    def valid_count(self) -> int:
        """How many episodes have a valid attempt."""
        return len(self._valid)

    def invalid(self) -> dict[Key, str]:
        """Episodes without a valid attempt, with the kind of failure that the last one ended in."""
        return {key: failure_of(error) for key, error in self._error.items() if key not in self._valid}

    def add(self, logs: Iterable[EpisodeLog]) -> None:
        """Store finished attempts durably. Raises StoreError when the disk refuses; they then count as not done."""
        stored = tuple(logs)
        self.folder.log("episodes").extend([log.to_json() for log in stored])
        for log in stored:
            self._count((log.scenario_id, log.source.seed), log.valid, log.error)

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

    def _count(self, key: Key, valid: bool, error: str) -> None:
        self._attempts[key] = self.attempts(key) + 1
        self._error[key] = error
        if not valid and not is_infrastructure(failure_of(error)):
            self._used[key] = self._used.get(key, 0) + 1
        if valid:
            self._valid.add(key)


class _SeenSource(BaseModel):
    seed: int


class _Seen(BaseModel):
    """The few fields of a log that say what is done; reading whole logs would make a resume slow."""

    scenario_id: str
    source: _SeenSource
    end_reason: EndReason
    error: str = ""
