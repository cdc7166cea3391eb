"""Walking a tree that an agent made, whatever it made of it.

An agent with a terminal can leave any inode, name and attribute behind, and go on changing them while they are read.
One walk serves every reader. It is iterative and goes from folder descriptor to name, so neither depth nor the length
of a path is a limit of ours and no link is ever followed; it is bounded, because what has no end must become a named
invalid attempt and not an endless read; and it sees every inode, with every attribute that could carry a message.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from stewardbench.errors import StateBounds
from stewardbench.records import Record

Kind = Literal["file", "link", "folder", "fifo", "socket", "device"]
KINDS: dict[int, Kind] = {
    stat.S_IFREG: "file",
    stat.S_IFLNK: "link",
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE)  # changed between the listing and the look
LABELS = frozenset({"security.selinux", "security.SMACK64"})  # put on every file by the kernel, by its own policy
FS_IOC_GETFLAGS, FS_IOC_SETFLAGS = 0x80086601, 0x40086602
# What an owner can switch by hand: secure deletion, undelete, compression, synchronous, immutable, append only, no
# dump, no access time, no tail, synchronous folder, top folder, direct access, inherited project, case folding.
SETTABLE_FLAGS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80 | 0x8000 | 0x10000 | 0x20000 | 0x2000000 | 0x20000000
PIECE = 1 << 20
ZEROS = memoryview(bytes(PIECE))
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Bounds(Record):
    """How much of an agent's state is read: inodes, folders inside folders, and bytes (of content, holes included).

    An agent that goes beyond makes its attempt invalid.
    """

    entries: int = Field(100_000, ge=1)
    depth: int = Field(64, ge=1, le=500)  # one descriptor is open per level
    size: int = Field(2 << 30, ge=1)


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Inode:
    """One thing that was found. ``parent`` is the descriptor of its folder, open until the walk goes on.

    ``raw`` is the path below the root as bytes. ``attributes`` are extended attributes by name (labels of the kernel
    left out), ``flags`` the inode flags that an owner can set.
    """

    raw: bytes
    parent: int
    kind: Kind
    status: os.stat_result
    attributes: tuple[tuple[str, bytes], ...] = ()
    flags: int = 0

    @property
    def name(self) -> bytes:
        """The last part of the path."""
        return self.raw.rpartition(b"/")[2]

    @property
    def depth(self) -> int:
        """How many folders lie between the root and this."""
        return self.raw.count(b"/")


def walk(root: Path, bounds: Bounds = BOUNDS, *, with_root: bool = False) -> Iterator[Inode]:
    """Every inode below a folder, folders before their content, names in byte order.

    A folder that does not exist has no content. With ``with_root`` the folder itself comes first, under an empty path.
    Folders that their owner closed are opened for the look and closed again. Raises StateBounds.
    """
    try:
        top, closed_top = open_closed(None, os.fsencode(root), FOLDER)
    except OSError as error:
        if error.errno in GONE:
            return
        raise
    stack: list[tuple[int, bytes, Iterator[bytes], int | None]] = []
    count = size = 0
    try:
        if with_root:
            yield Inode(b"", top, "folder", _as_left(os.fstat(top), closed_top), _attributes(top), _flags(top))
        stack.append((top, b"", _names(top, bounds), closed_top))
        while stack:
            parent, prefix, names, closed = stack[-1]
            name = next(names, None)
            if name is None:
                stack.pop()
                close(parent, closed)
                continue
            found = _look(parent, prefix + name, name)
            if found is None:
                continue
            count, size = count + 1, size + (found.status.st_size if found.kind == "file" else 0)
            _check(count, size, found, bounds)
            yield found
            if found.kind == "folder":
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    inner, mode = open_closed(parent, name, FOLDER)
                    stack.append((inner, found.raw + b"/", _names(inner, bounds), mode))
    finally:
        for parent, _, _, closed in stack:
            close(parent, closed)


def open_closed(parent: int | None, name: bytes, how: int) -> tuple[int, int | None]:
    """Open a file or folder that its owner may have closed; also the mode to give back, or None when it was open.

    A folder that may be listed and not searched counts as closed: its names can be had, and nothing of what they name.
    """
    try:
        handle = os.open(name, how, dir_fd=parent)
        if not how & os.O_DIRECTORY or os.access(b".", os.X_OK, dir_fd=handle, effective_ids=True):
            return handle, None
        os.close(handle)
    except PermissionError:
        pass
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        mode = stat.S_IMODE(os.fstat(handle).st_mode)
        os.chmod(f"/proc/self/fd/{handle}", mode | stat.S_IRWXU)  # noqa: PTH101 - no path leads here
        return os.open(name, how, dir_fd=parent), mode
    finally:
        os.close(handle)


@contextlib.contextmanager
def opened(inode: Inode) -> Iterator[int | None]:
    """A descriptor of a regular file's content, or None when it is no longer the file that was seen."""
    try:
        handle, mode = open_closed(inode.parent, inode.name, FILE)
    except OSError as error:
        if error.errno in (*GONE, errno.ENXIO):
            handle, mode = -1, None
        else:
            raise
    if handle < 0:
        yield None
        return
    try:
        yield handle if stat.S_ISREG(os.fstat(handle).st_mode) else None
    finally:
        close(handle, mode)


def pieces(handle: int) -> Iterator[memoryview]:
    """The content of an open file, a piece at a time; each is valid until the next. Holes are not read."""
    buffer = memoryview(bytearray(PIECE))
    at = 0
    while True:
        size = os.fstat(handle).st_size
        try:
            data = os.lseek(handle, at, os.SEEK_DATA) if at < size else at
        except OSError:  # nothing but a hole is left, or a file system that cannot tell
            data = size if os.lseek(handle, 0, os.SEEK_END) else at
        while at < data:
            step = min(PIECE, data - at)
            yield ZEROS[:step]
            at += step
        got = os.preadv(handle, [buffer], at)
        if not got:
            return
        yield buffer[:got]
        at += got


def close(handle: int, mode: int | None) -> None:
    """Close what ``open_closed`` opened, and give it its mode back."""
    with contextlib.suppress(OSError):
        if mode is not None:
            os.fchmod(handle, mode)
    os.close(handle)


def _names(folder: int, bounds: Bounds) -> Iterator[bytes]:
    names = []
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            names.append(os.fsencode(entry.name))
            if len(names) > bounds.entries:
                raise StateBounds(f"The agent left more than {bounds.entries} files and folders.")
    return iter(sorted(names))


def _look(parent: int, raw: bytes, name: bytes) -> Inode | None:
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except OSError as error:
        if error.errno in GONE:
            return None
        raise
    kind = KINDS.get(stat.S_IFMT(status.st_mode), "device")
    if kind in {"file", "folder"}:
        with contextlib.suppress(OSError):  # gone, or somebody else's
            handle, closed = open_closed(parent, name, FILE)
            try:
                return Inode(raw, parent, kind, status, _attributes(handle), _flags(handle))
            finally:
                close(handle, closed)
    return Inode(raw, parent, kind, status, _attributes(b"/proc/self/fd/%d/%s" % (parent, name)))


def _as_left(status: os.stat_result, closed: int | None) -> os.stat_result:
    """What a folder said of itself before it was opened for the look."""
    if closed is None:
        return status
    return os.stat_result((stat.S_IFMT(status.st_mode) | closed, *status[1:]))


def _attributes(place: bytes | int) -> tuple[tuple[str, bytes], ...]:
    found = []
    with contextlib.suppress(OSError):  # a file system without them, or an inode that is gone
        for name in sorted(os.listxattr(place, follow_symlinks=isinstance(place, int))):
            if name not in LABELS:
                found.append((name, _attribute(place, name)))
    return tuple(found)


def _attribute(place: bytes | int, name: str) -> bytes:
    try:
        return os.getxattr(place, name, follow_symlinks=isinstance(place, int))
    except OSError:  # listed, but not to be read; that it is there says enough
        return b""


def _flags(handle: int) -> int:
    try:
        answer = fcntl.ioctl(handle, FS_IOC_GETFLAGS, struct.pack("l", 0))
    except OSError:  # a file system without flags
        return 0
    return int(struct.unpack("l", answer)[0]) & SETTABLE_FLAGS


def _check(count: int, size: int, found: Inode, bounds: Bounds) -> None:
    if count > bounds.entries:
        raise StateBounds(f"The agent left more than {bounds.entries} files and folders.")
    if size > bounds.size:
        raise StateBounds(f"The agent left files of more than {bounds.size} bytes in all.")
    if found.depth >= bounds.depth:
        raise StateBounds(f"The agent left more than {bounds.depth} folders inside each other.")
