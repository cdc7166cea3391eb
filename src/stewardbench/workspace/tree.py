"""A folder as a value: every inode that an agent left, by relative path, and the difference of two such values.

An ordinary entry is a regular file or a link: its bytes, its name and its permission bits are all that it says, and all
that a cut carries over. Anything else about it (another kind of inode, attributes, flags, a second name, a name that
is not text) is named in ``odd``, because it could carry a message that no one reads here.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from stewardbench.errors import StateBounds
from stewardbench.records import Record
from stewardbench.workspace.decoding import text_of
from stewardbench.workspace.inodes import BOUNDS, Bounds, Inode, Kind, opened, pieces, walk

TEXT_LIMIT = 4 << 20  # bytes of one file that are kept as text
TREE_TEXT_LIMIT = 64 << 20  # bytes of one tree
NAMES = {"fifo": "a named pipe", "socket": "a socket", "device": "a device", "folder": "a folder"}


class FileState(Record):
    """One captured inode, or one exported entry of a store that is not a file.

    ``text`` is the content decoded as UTF-8 (or UTF-16 or UTF-32 where it is that, see ``decoding``) with undecodable
    bytes replaced, empty where it was too much to keep
    (``text_whole`` is then False); ``sha256`` is of the raw bytes, ``size`` in bytes. ``odd`` names, one by one, what
    an ordinary file does not have. ``raw`` is the path in hexadecimal where its bytes are no UTF-8. ``mode`` holds
    the permission bits; None in records of before they were kept, and for entries that are no files.
    """

    path: str
    sha256: str
    size: int
    text: str
    kind: Kind = "file"
    mode: int | None = None
    odd: tuple[str, ...] = ()
    raw: str = ""
    text_whole: bool = True


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
        text=text_of(data),
    )


def read_tree(root: Path, prefix: str = "", skip: Sequence[str] = (), bounds: Bounds = BOUNDS) -> dict[str, FileState]:
    """Every inode below a folder, by path relative to it, with ``prefix`` put in front. Raises StateBounds.

    Ordinary folders are not entries of their own; odd ones are, the root among them (as ``prefix`` without its slash,
    or ``.``). What is in the folders named in ``skip`` (relative to the root) is left out: a caller exports it in
    another way. Links are recorded as their target's name and never followed, so an agent cannot make us read outside
    its slot.
    """
    tree: dict[str, FileState] = {}
    skipped = [PurePosixPath(folder) for folder in skip]
    budget = TREE_TEXT_LIMIT
    for inode in walk(root, bounds, with_root=True):
        relative = printable(os.fsdecode(inode.raw))
        if any(PurePosixPath(relative).is_relative_to(folder) for folder in skipped):
            continue
        path = f"{prefix}{relative}" if inode.raw else prefix.rstrip("/") or "."
        odd = tuple(oddities(inode))
        if inode.kind == "folder" and not odd:
            continue
        while path in tree:  # two names that print alike must not hide each other
            path += "~"
        state = _state(path, inode, odd, min(budget, TEXT_LIMIT), bounds.size)
        if state is not None:
            tree[path] = state
            budget -= len(state.text)
    return tree


def oddities(inode: Inode) -> Iterator[str]:
    """What an inode has that an ordinary file, link or folder does not."""
    if inode.kind in {"fifo", "socket", "device"}:
        yield NAMES[inode.kind]
    for name, value in inode.attributes:
        match name:
            case "system.posix_acl_access" | "system.posix_acl_default":
                yield f"an access control list ({name})"
            case "security.capability":
                yield "file capabilities"
            case _:
                yield f"the extended attribute {printable(name)} of {len(value)} bytes"
    if inode.flags:
        yield f"the inode flags {inode.flags:#x}"
    if special := stat.S_IMODE(inode.status.st_mode) & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX):
        yield f"the mode bits {special:#o}"
    if inode.kind != "folder" and inode.status.st_nlink > 1:
        yield f"{inode.status.st_nlink} names (hard links)"
    try:
        inode.raw.decode()
    except UnicodeDecodeError:
        yield "a name that is not UTF-8"


def printable(path: str) -> str:
    r"""A path as text that can be stored: bytes of a file name that are not UTF-8 become ``\xNN``."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def diff(before: Tree, after: Tree) -> tuple[FileChange, ...]:
    """Paths that were added, modified or deleted, in path order."""
    changes: list[FileChange] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old is None and new is not None:
            changes.append(FileChange(path=path, kind="added", after=new))
        elif new is None and old is not None:
            changes.append(FileChange(path=path, kind="deleted", before=old))
        elif old is not None and new is not None and signature(old) != signature(new):
            changes.append(FileChange(path=path, kind="modified", before=old, after=new))
    return tuple(changes)


def signature(state: FileState) -> tuple[object, ...]:
    """All that an entry says: equal for two captures that hold the same."""
    return state.sha256, state.kind, state.odd, state.raw, state.mode


def tree_sha256(tree: Tree) -> str:
    """One hash over all paths and contents."""
    lines = "\n".join(f"{path}\0{tree[path].sha256}" for path in sorted(tree))
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()


def _state(path: str, inode: Inode, odd: tuple[str, ...], limit: int, most: int) -> FileState | None:
    """The captured form of an inode, or None when it is gone by now."""
    raw = "" if "a name that is not UTF-8" not in odd else inode.raw.hex()
    mode = stat.S_IMODE(inode.status.st_mode) & 0o777
    if inode.kind == "link":
        try:
            target = os.readlink(inode.name, dir_fd=inode.parent)
        except OSError:
            return None
        found = file_state(path, b"link to " + target)
    elif inode.kind == "file":
        with opened(inode) as handle:
            if handle is None:
                return None
            found = _content(path, handle, limit, most)
    else:
        found = file_state(path, b"")
    return found.model_copy(update={"kind": inode.kind, "mode": mode, "odd": odd, "raw": raw})


def _content(path: str, handle: int, limit: int, most: int) -> FileState:
    """A file's hash, read piece by piece; its text only where it fits. Raises StateBounds for one that grows on."""
    digest, size, kept = hashlib.sha256(), 0, bytearray()
    for block in pieces(handle):
        digest.update(block)
        size += len(block)
        if size > most:
            raise StateBounds(f"{path} has more than {most} bytes.")
        if size <= limit:
            kept += block
    whole = size <= limit
    text = text_of(bytes(kept)) if whole else ""
    return FileState(path=path, sha256=digest.hexdigest(), size=size, text=text, text_whole=whole)
