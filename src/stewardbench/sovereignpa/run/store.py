"""What a SovereignPA run folder already holds, and how it grows: one line per finished attempt, never rewritten."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from stewardbench.errors import StoreError
from stewardbench.runs.folder import RunFolder, write_atomically
from stewardbench.sovereignpa.axes import EndReason
from stewardbench.sovereignpa.records import EpisodeLog
from stewardbench.sovereignpa.run.settings import ScenarioJob

Key = tuple[str, int]


class SovereignpaStore:
    """The episodes of an open run folder."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._attempts: dict[Key, int] = {}
        self._valid: set[Key] = set()
        for seen in folder.log("episodes").records(_Seen):
            self._count((seen.scenario_id, seen.source.seed), seen.end_reason is not EndReason.ERROR)

    def attempts(self, key: Key) -> int:
        """How many attempts at an episode are stored."""
        return self._attempts.get(key, 0)

    def is_valid(self, key: Key) -> bool:
        """Whether a valid attempt is stored."""
        return key in self._valid

    def add(self, logs: Iterable[EpisodeLog]) -> None:
        """Store finished attempts durably. Raises StoreError when the disk refuses; they then count as not done."""
        stored = tuple(logs)
        self.folder.log("episodes").extend([log.to_json() for log in stored])
        for log in stored:
            self._count((log.scenario_id, log.source.seed), log.valid)

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

    def _count(self, key: Key, valid: bool) -> None:
        self._attempts[key] = self.attempts(key) + 1
        if valid:
            self._valid.add(key)


class _SeenSource(BaseModel):
    seed: int


class _Seen(BaseModel):
    """The few fields of a log that say what is done; reading whole logs would make a resume slow."""

    scenario_id: str
    source: _SeenSource
    end_reason: EndReason
