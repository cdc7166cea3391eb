"""The folder an agent lives in: made anew at every reset and every cut, never emptied and used again.

A folder that is emptied keeps its own attributes, times and flags, and an agent can write there. So nothing of an old
folder is used: the harness writes the files that outlive it into a new one, from what it read of the old. What crosses
is a list of names, bytes and permission bits, all of it in the capture.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from stewardbench.errors import SlotUnhealthy
from stewardbench.workspace import removal
from stewardbench.workspace.inodes import BOUNDS, ZEROS, Bounds, Inode, opened, pieces, walk
from stewardbench.workspace.tree import printable

FOLDER_MODE, FILE_MODE, MODES = 0o755, 0o644, 0o777
NOTHING = bytes(ZEROS)


class Owner(NamedTuple):
    """Who an agent's files belong to: numeric user and group."""

    user: int
    group: int


class Content(NamedTuple):
    """A file, or a link where ``link`` is set (``data`` is then its target)."""

    data: bytes
    mode: int = FILE_MODE
    link: bool = False


class AgentFolder:
    """One folder at a constant path of the host, ``place``. ``standing`` are folders that every cell has."""

    def __init__(
        self, place: Path, standing: Iterable[str], owner: Owner | None = None, bounds: Bounds = BOUNDS
    ) -> None:
        self.place, self._owner, self._bounds = place, owner, bounds
        self._standing = tuple(standing)

    def renew(self, files: Mapping[str, Content]) -> None:
        """A new folder with exactly these files. Raises SlotUnhealthy when the old one cannot be removed."""
        fresh = self._begin()
        for path, content in files.items():
            self._write(fresh, path, content)
        self._swap(fresh)

    def cut(self, keeps: Callable[[str], bool]) -> tuple[str, ...]:
        """A new folder with the files and links that are kept; the paths of all that went. Raises StateBounds.

        A kept entry that is neither file nor link, or whose name is not text, goes too, and so do attributes: the
        capture names them.
        """
        fresh, removed = self._begin(), []
        for inode in walk(self.place, self._bounds):
            if inode.kind == "folder":
                continue
            path = os.fsdecode(inode.raw)
            plain = inode.kind in {"file", "link"} and path == printable(path)
            if not (plain and keeps(path) and self._carry(inode, fresh, path)):
                removed.append(printable(path))
        self._swap(fresh)
        return tuple(sorted(removed))

    def files(self, keeps: Callable[[str], bool]) -> dict[str, Content]:
        """The kept files of this cell by path; for cells that no agent has lived in yet."""
        found = {}
        for inode in walk(self.place, self._bounds):
            path = os.fsdecode(inode.raw)
            if inode.kind == "file" and keeps(path):
                with opened(inode) as handle:
                    if handle is not None:
                        with os.fdopen(os.dup(handle), "rb") as file:
                            found[path] = Content(file.read(), stat.S_IMODE(inode.status.st_mode) & MODES)
        return found

    def _begin(self) -> Path:
        fresh = self.place.with_name(f"{self.place.name}.next")
        self.place.parent.mkdir(parents=True, exist_ok=True)
        removal.remove(fresh)
        self._folder(fresh)
        for name in self._standing:
            self._folders(fresh, PurePosixPath(name))
        return fresh

    def _swap(self, fresh: Path) -> None:
        gone = self.place.with_name(f"{self.place.name}.gone")
        try:
            removal.remove(gone)
            with contextlib.suppress(FileNotFoundError):
                self.place.rename(gone)
            fresh.rename(self.place)
            removal.remove(gone)
        except OSError as error:
            raise SlotUnhealthy(f"What the agent left cannot be removed: {error}.") from error

    def _carry(self, inode: Inode, fresh: Path, path: str) -> bool:
        mode = stat.S_IMODE(inode.status.st_mode) & MODES
        if inode.kind == "link":
            self._write(fresh, path, Content(os.readlink(inode.name, dir_fd=inode.parent), mode, link=True))
            return True
        with opened(inode) as source:
            if source is None:
                return False
            self._folders(fresh, PurePosixPath(path).parent)
            target = os.open(fresh / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                _copy(source, target)
                self._own(target)
                os.fchmod(target, mode)
            finally:
                os.close(target)
        return True

    def _write(self, fresh: Path, path: str, content: Content) -> None:
        self._folders(fresh, PurePosixPath(path).parent)
        if content.link:
            os.symlink(content.data, os.fsencode(fresh / path))  # noqa: PTH211 - a target need not be text
            if self._owner is not None:
                os.chown(fresh / path, *self._owner, follow_symlinks=False)
            return
        target = os.open(fresh / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(target, "wb") as file:
            file.write(content.data)
            self._own(target)
            os.fchmod(target, content.mode)

    def _folders(self, fresh: Path, relative: PurePosixPath) -> None:
        for place in (*reversed(relative.parents), relative):
            if place.parts and not (fresh / place).exists():
                self._folder(fresh / place)

    def _folder(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        if self._owner is not None:
            os.chown(folder, *self._owner)
        folder.chmod(FOLDER_MODE)

    def _own(self, handle: int) -> None:
        if self._owner is not None:
            os.fchown(handle, *self._owner)


def _copy(source: int, target: int) -> None:
    """Copy a file's content; stretches of zeros become holes, whatever they were."""
    size = 0
    for block in pieces(source):
        if bytes(block) == NOTHING[: len(block)]:
            os.lseek(target, len(block), os.SEEK_CUR)
        else:
            view = block
            while view:
                view = view[os.write(target, view) :]
        size += len(block)
    os.ftruncate(target, size)
