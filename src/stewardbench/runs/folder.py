"""A run folder: one manifest, append-only records, content-addressed blobs, one lock.

    run.json          what was asked for (the manifest); written once, checked on every resume
    tasks.jsonl       the tasks or scenarios as they were when the run began
    episodes.jsonl    one line per finished attempt; later steps only read it
    judgments.jsonl   one line per judged episode
    annotations.jsonl one line per annotated episode
    blobs/            captured files and model exchanges by SHA-256
    logs/             Inspect logs

Running the same command on the same folder resumes it. A folder that was started with other settings is refused,
with the name of the setting that differs.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import tempfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

from pydantic import Field

from stewardbench import __version__
from stewardbench.errors import StoreError
from stewardbench.records import BlobStore, JsonlLog, Misfit, Record, canonical_json, fit_json, sha256_text
from stewardbench.records.bounds import TooMuch, regular, whole

# May change between resumes.
FREE_SETTINGS = frozenset({"workers", "max_connections", "display", "max_attempts", "patience_s"})
# Earlier folders hashed all settings but these.
EARLIER_FREE_SETTINGS = frozenset({"workers", "max_connections", "display"})
SHARD = "shard"  # which part of the run a folder holds; fixed, but no setting that results depend on


class Manifest(Record):
    """What a run is: its settings, the versions it ran on, and a hash of its settings that every row carries."""

    schema_: Literal["run/1"] = Field("run/1", alias="schema")
    run_id: str
    benchmark: str
    created_at: str
    settings: dict[str, Any]
    settings_sha256: str
    versions: dict[str, str]


class RunFolder:
    """An open, locked run folder. Use as a context manager.

    ``version_changes`` says, one text each, which versions differ from those that the run began with.
    """

    def __init__(self, path: Path, manifest: Manifest, lock: IO[bytes] | None) -> None:
        self.path, self.manifest, self._lock = path, manifest, lock
        self.version_changes: tuple[str, ...] = ()

    @classmethod
    def open(
        cls,
        path: Path,
        benchmark: str,
        settings: Mapping[str, Any],
        versions: Mapping[str, str] | None = None,
    ) -> RunFolder:
        """Create or resume a run and take its lock.

        Raises StoreError when another process holds the folder, or when it was started with other settings.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = _lock(path)
        except OSError as error:
            fault = f"{path}: cannot be used as a run folder: {error.strerror}."
            raise StoreError(fault, hint="Choose another --out folder, or change its permissions.") from error
        try:
            manifest = _manifest(path, benchmark, settings, versions or {})
        except BaseException:
            lock.close()
            raise
        folder = cls(path, manifest, lock)
        folder.version_changes = _version_changes(manifest.versions, _versions(versions or {}))
        return folder

    @classmethod
    def reopen(cls, path: Path) -> RunFolder:
        """An existing run, locked, to add records. Raises StoreError when it is none or another process has it."""
        manifest = read_manifest(path)
        return cls(path, manifest, _lock(path))

    @classmethod
    def read(cls, path: Path) -> RunFolder:
        """An existing run, for reading only: no lock is taken. Raises StoreError when it is not a run folder."""
        return cls(path, read_manifest(path), None)

    def log(self, name: str) -> JsonlLog:
        """The append-only record file of that name, for example ``episodes``."""
        return JsonlLog(self.path / f"{name}.jsonl")

    @property
    def blobs(self) -> BlobStore:
        """The content-addressed files of the run."""
        return BlobStore(self.path / "blobs")

    def close(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def run_folders(paths: Iterable[Path]) -> list[Path]:
    """The run folders that paths stand for: a run itself, or the runs in a folder that holds several, by name.

    So the runs of several agents or models can lie in one folder and be read as one.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(entry.parent for entry in path.glob("*/run.json")) if path.is_dir() else []
        found += [path] if (path / "run.json").exists() or not inside else inside
    return found


def read_manifest(path: Path) -> Manifest:
    """The manifest of a run folder. Raises StoreError when there is none or it cannot be read."""
    file = path / "run.json"
    try:
        with regular(file) as manifest:
            return fit_json(Manifest, whole(manifest))
    except TooMuch as much:
        raise StoreError(f"{file}: is no manifest: {much}.", hint="Restore it, or start a new run folder.") from None
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(f"{path}: not a run folder (no run.json).", hint="Name the --out folder of a run.") from None
    except OSError as error:
        raise StoreError(
            f"{file}: cannot be read: {error.strerror}.", hint="Restore it, or name another run."
        ) from None
    except Misfit as misfit:
        where = f"{file}:{misfit.field}" if misfit.field else str(file)
        fault = f"{where}: damaged: {misfit.sentence}"
        raise StoreError(fault, hint="Restore it, or start a new run folder.") from None


def settings_sha256(settings: Mapping[str, Any]) -> str:
    """Hash of the settings that define the results; those that only change speed or place are left out."""
    left_out = {*FREE_SETTINGS, SHARD}
    return sha256_text(canonical_json({key: value for key, value in settings.items() if key not in left_out}))


def has_its_hash(manifest: Manifest) -> bool:
    """Whether the settings of a manifest are those that its hash was made of."""
    earlier = {key: value for key, value in manifest.settings.items() if key not in EARLIER_FREE_SETTINGS}
    possible = settings_sha256(manifest.settings), sha256_text(canonical_json(earlier))
    return manifest.settings_sha256 in possible


def _lock(path: Path) -> IO[bytes]:
    handle = (path / ".lock").open("ab")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise StoreError(
            f"{path}: another run is using this folder.",
            hint="Wait for it to end, or choose another --out folder.",
        ) from None
    return handle


def _manifest(
    path: Path,
    benchmark: str,
    settings: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Manifest:
    plain = json.loads(canonical_json(dict(settings)))
    if (path / "run.json").exists():
        found = read_manifest(path)
        _same(path, found, benchmark, plain)
        return found
    now = datetime.now(UTC)
    digest = settings_sha256(plain)
    manifest = Manifest(
        # Shards start apart and are one run, so their name comes from what they share.
        run_id=f"{benchmark}-{digest[:16]}" if SHARD in plain else f"{benchmark}-{now:%Y%m%dT%H%M%S}-{digest[:8]}",
        benchmark=benchmark,
        created_at=now.isoformat(timespec="seconds"),
        settings=plain,
        settings_sha256=digest,
        versions=_versions(versions),
    )
    write_atomically(path / "run.json", json.dumps(manifest.model_dump(mode="json"), indent=2, sort_keys=True) + "\n")
    return manifest


def _versions(others: Mapping[str, str]) -> dict[str, str]:
    return {"stewardbench": __version__, "python": platform.python_version(), **others}


def _version_changes(then: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """What a run began with and what it goes on with, where that differs."""
    return tuple(f"{name} {then[name]}, now {now[name]}" for name in now if name in then and then[name] != now[name])


def _same(path: Path, found: Manifest, benchmark: str, settings: Mapping[str, Any]) -> None:
    if found.benchmark != benchmark:
        raise StoreError(
            f"{path}: holds a {found.benchmark} run, not {benchmark}.", hint="Choose another --out folder."
        )
    changed = [
        key
        for key in sorted({*found.settings, *settings})
        if key not in FREE_SETTINGS and found.settings.get(key) != settings.get(key)
    ]
    if changed:
        listed = "; ".join(f"{key}: was {found.settings.get(key)!r}, now {settings.get(key)!r}" for key in changed)
        raise StoreError(
            f"{path}: was started with other settings ({listed}).",
            hint="Use the settings of the first call to resume, or choose another --out folder.",
        )


def write_atomically(path: Path, text: str) -> None:
    """Replace a file in one step: the old content or the new, never a part. Raises StoreError.

    What is no file, such as a pipe or a device, is written into and stays what it is.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}.", hint="Free space, then run again.") from error
