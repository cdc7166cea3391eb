"""A folder as a value: every file's bytes by relative path, and the difference of two such values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from stewardbench.records import Record


class FileState(Record):
    """One captured file, or one exported entry of a store that is not a file.

    ``text`` is the content decoded as UTF-8 with undecodable bytes replaced; ``sha256`` is of the raw bytes.
    """

    path: str
    sha256: str
    size: int
    text: str


class FileChange(Record):
    """One path that differs between two trees. ``before`` or ``after`` is None where the file did not exist."""

    path: str
    kind: Literal["added", "modified", "deleted"]
    before: FileState | None = None
    after: FileState | None = None


Tree = Mapping[str, FileState]


def file_state(path: str, data: bytes) -> FileState:
    """The captured form of some bytes under a relative path."""
    return FileState(
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        text=data.decode("utf-8", "replace"),
    )


def read_tree(root: Path, prefix: str = "", skip: Sequence[str] = ()) -> dict[str, FileState]:
    """Every regular file below a folder, by path relative to it, with ``prefix`` put in front.

    Folders named in ``skip`` (relative to the root) are not read: a caller exports what they hold in another way.

    Links are recorded as their target's name and never followed, so an agent cannot make us read outside its slot.
    """
    tree: dict[str, FileState] = {}
    for path in sorted(root.rglob("*")):
        if any(path.is_relative_to(root / folder) for folder in skip):
            continue
        relative = prefix + printable(path.relative_to(root).as_posix())
        if path.is_symlink():
            tree[relative] = file_state(relative, f"link to {path.readlink()}".encode())
        elif path.is_file():
            try:
                tree[relative] = file_state(relative, path.read_bytes())
            except FileNotFoundError:  # it vanished between the listing and the read
                continue
    return tree


def printable(path: str) -> str:
    """A path as text that can be stored: bytes of a file name that are not UTF-8 become replacement characters."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def diff(before: Tree, after: Tree) -> tuple[FileChange, ...]:
    """Paths that were added, modified or deleted, in path order."""
    changes: list[FileChange] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old is None and new is not None:
            changes.append(FileChange(path=path, kind="added", after=new))
        elif new is None and old is not None:
            changes.append(FileChange(path=path, kind="deleted", before=old))
        elif old is not None and new is not None and old.sha256 != new.sha256:
            changes.append(FileChange(path=path, kind="modified", before=old, after=new))
    return tuple(changes)


def tree_sha256(tree: Tree) -> str:
    """One hash over all paths and contents."""
    lines = "\n".join(f"{path}\0{tree[path].sha256}" for path in sorted(tree))
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()
