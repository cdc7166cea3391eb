"""Whether the memory search index says the same as the memory files.

OpenClaw searches its notes through an index that a file watcher keeps up to date. A search does not wait for the
watcher, so right after a change it may miss a note, or find one of an earlier episode. The index names every file it
holds with the SHA-256 of its content: comparing these with the files proves, for every note of every episode and
without touching the agent's memory, that a search can find what is there and nothing else. Being derived from captured
files, the index itself is not captured.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import NamedTuple

from stewardbench.agents.openclaw.databases import copy_of

REBUILD = "(rebuild)"


def memory_files(workspace: Path) -> dict[str, str]:
    """SHA-256 by path of every note that OpenClaw indexes; links are not followed, as there."""
    notes = [path for path in (workspace / "MEMORY.md",) if path.is_file() and not path.is_symlink()]
    notes += [path for path in (workspace / "memory").rglob("*.md") if path.is_file() and not path.is_symlink()]
    return {
        path.relative_to(workspace).as_posix(): hashlib.sha256(
            path.read_bytes().decode("utf-8", "replace").encode()
        ).hexdigest()
        for path in notes
    }


def disagreement(workspace: Path, database: Path) -> tuple[str, ...]:
    """Paths where index and files differ. An index that was never made agrees: the first search makes it.

    An index that is being built, or that must be built anew at the next search, disagrees as ``(rebuild)``: a search
    at that moment would fail.
    """
    if not database.exists():
        return ()
    files, snapshot = memory_files(workspace), _read(database)
    if snapshot is None or (files and not snapshot.complete) or any(database.parent.glob(f"{database.name}.*")):
        return (REBUILD,)
    return tuple(sorted(path for path in {*files, *snapshot.files} if files.get(path) != snapshot.files.get(path)))


class _Snapshot(NamedTuple):
    files: dict[str, str]
    complete: bool  # its description is there, so that the next search will not rebuild it


def _read(database: Path) -> _Snapshot | None:
    """The index as it is now, or None while it cannot be read."""
    try:
        with copy_of(database) as connection:
            files = connection.execute("SELECT path, hash FROM files WHERE source = 'memory'").fetchall()
            meta = connection.execute("SELECT value FROM meta").fetchone()
    except (FileNotFoundError, sqlite3.DatabaseError):
        return None
    return _Snapshot(dict(files), bool(meta) and "vectorDims" in json.loads(meta[0]))
