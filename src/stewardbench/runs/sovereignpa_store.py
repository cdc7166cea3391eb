"""What a SovereignPA run folder already holds, and how it grows: one line per finished attempt, never rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stewardbench.errors import StoreError
from stewardbench.runs.folder import RunFolder, write_atomically
from stewardbench.runs.sovereignpa_settings import Job
from stewardbench.sovereignpa.records import EpisodeLog, read_log

Key = tuple[str, int]


class SovereignpaStore:
    """The episodes of an open run folder. ``max_attempts`` says when an invalid episode is final."""

    def __init__(self, folder: RunFolder, max_attempts: int) -> None:
        self.folder, self._max_attempts = folder, max_attempts
        self._attempts: dict[Key, int] = {}
        self._valid: set[Key] = set()
        for log in self.episodes():
            self._count(log)

    def episodes(self) -> Iterator[EpisodeLog]:
        """Every stored attempt, in the order in which they were finished. Raises DataError for a damaged line."""
        file = self.folder.log("episodes")
        for number, line in file.lines():
            yield read_log(line, path=str(file.path), number=number)

    def attempts(self, key: Key) -> int:
        """How many attempts at an episode are stored."""
        return self._attempts.get(key, 0)

    def is_final(self, key: Key) -> bool:
        """Whether a valid attempt is stored, or as many invalid ones as there may be."""
        return key in self._valid or self.attempts(key) >= self._max_attempts

    def is_valid(self, key: Key) -> bool:
        """Whether a valid attempt is stored."""
        return key in self._valid

    def add(self, logs: Iterable[EpisodeLog]) -> None:
        """Store finished attempts durably. Raises StoreError when the disk refuses; they then count as not done."""
        stored = tuple(logs)
        self.folder.log("episodes").extend([log.to_json() for log in stored])
        for log in stored:
            self._count(log)

    def keep_situations(self, jobs: Iterable[Job]) -> None:
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

    def _count(self, log: EpisodeLog) -> None:
        key = log.scenario_id, log.source.seed
        self._attempts[key] = self.attempts(key) + 1
        if log.valid:
            self._valid.add(key)
