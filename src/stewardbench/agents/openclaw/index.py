"""Whether the memory search index says the same as the memory files.

OpenClaw searches its notes through an index that a file watcher keeps up to date. A search does not wait for the
watcher, so right after a change it may miss a note, or find one of an earlier episode. The index names every file it
holds with the SHA-256 of its content: comparing these with the files proves, for every note of every episode and
without touching the agent's memory, that a search can find what is there and nothing else.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from stewardbench.workspace.tree import FileState, file_state


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


def indexed_files(database: Path) -> dict[str, str]:
    """SHA-256 by path of what the index holds; empty before the first search has made one."""
    return dict(_rows(database, "SELECT path, hash FROM files WHERE source = 'memory'"))


def disagreement(workspace: Path, database: Path) -> tuple[str, ...]:
    """Paths where index and files differ. An index that was never made agrees: the first search makes it."""
    if not database.exists():
        return ()
    files, indexed = memory_files(workspace), indexed_files(database)
    return tuple(sorted(path for path in {*files, *indexed} if files.get(path) != indexed.get(path)))


def export(database: Path) -> Iterator[FileState]:
    """The index as captured entries, one per indexed file, holding the text that a search can return."""
    chunks: dict[str, list[str]] = {}
    for path, text in _rows(database, "SELECT path, text FROM chunks ORDER BY path, start_line"):
        chunks.setdefault(path, []).append(text)
    for path, texts in chunks.items():
        yield file_state(f"index/{path}", "\n".join(texts).encode("utf-8", "replace"))


def _rows(database: Path, query: str) -> list[tuple[str, str]]:
    if not database.exists():
        return []
    connection = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return []
        raise
    finally:
        connection.close()
