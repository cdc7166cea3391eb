"""Removing what an agent left, of any shape, so that no leftover stops a reset, a resume or a start.

A tree is taken apart from its top: every folder found inside another is moved up to the top first. So two descriptors
and one short name at a time are enough for folders of any depth, and nothing is recursive.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import stat
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from stewardbench.workspace.inodes import FILE, FOLDER, FS_IOC_SETFLAGS, open_closed

AT_ONCE = 1000  # names held in memory


def remove(path: Path) -> None:
    """Remove whatever is at a path; nothing there is no error. Raises OSError for what even its owner cannot remove."""
    try:
        parent = os.open(path.parent, FOLDER & ~os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        remove_at(parent, os.fsencode(path.name))
    finally:
        os.close(parent)


def remove_at(parent: int, name: bytes) -> None:
    """Remove one entry of an open folder, with all its content."""
    try:
        folder = _is_folder(parent, name)
    except FileNotFoundError:
        return
    if not folder:
        _insist(lambda: os.unlink(name, dir_fd=parent), parent, name)
        return
    with _open(parent, name) as inner:
        empty(inner)
    _insist(lambda: os.rmdir(name, dir_fd=parent), parent, name)


def empty(top: int) -> None:
    """Remove everything in an open folder."""
    numbers = itertools.count()
    while names := _some(top):
        for name in names:
            if not _is_folder(top, name):
                _insist(lambda name=name: os.unlink(name, dir_fd=top), top, name)  # type: ignore[misc]
                continue
            with _open(top, name) as inner:
                _unpack(inner, top, numbers)
            _insist(lambda name=name: os.rmdir(name, dir_fd=top), top, name)  # type: ignore[misc]


def _unpack(inner: int, top: int, numbers: Iterator[int]) -> None:
    """Remove the files of a folder, and move the folders in it to the top."""
    while names := _some(inner):
        for name in names:
            if _is_folder(inner, name):
                target = _unused(top, numbers)
                _insist(lambda name=name, to=target: os.rename(name, to, src_dir_fd=inner, dst_dir_fd=top), inner, name)  # type: ignore[misc]
            else:
                _insist(lambda name=name: os.unlink(name, dir_fd=inner), inner, name)  # type: ignore[misc]


def _unused(top: int, numbers: Iterator[int]) -> bytes:
    """A name that the top folder does not hold; an agent may have used any."""
    for number in numbers:
        name = b".%d" % number
        try:
            os.stat(name, dir_fd=top, follow_symlinks=False)
        except FileNotFoundError:
            return name
    raise AssertionError("unreachable")


def _some(folder: int) -> list[bytes]:
    with os.scandir(folder) as entries:
        return [os.fsencode(entry.name) for entry in itertools.islice(entries, AT_ONCE)]


def _is_folder(parent: int, name: bytes) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


@contextlib.contextmanager
def _open(parent: int, name: bytes) -> Iterator[int]:
    handle, _ = open_closed(parent, name, FOLDER)
    try:
        yield handle
    finally:
        os.close(handle)


def _insist(act: Callable[[], None], parent: int, name: bytes) -> None:
    """Do it; where it is refused, open the folders to their owner, take off immutable flags, and try once more."""
    with contextlib.suppress(FileNotFoundError):
        try:
            act()
        except PermissionError:
            _loosen(parent, b".")
            _loosen(parent, name)
            act()


def _loosen(parent: int, name: bytes) -> None:
    with contextlib.suppress(OSError):
        handle, mode = open_closed(parent, name, FILE)
        try:
            fcntl.ioctl(handle, FS_IOC_SETFLAGS, struct.pack("l", 0))
        except OSError:  # not allowed, or a file system without flags
            pass
        finally:
            if mode is None and stat.S_ISDIR(os.fstat(handle).st_mode):
                os.fchmod(handle, stat.S_IRWXU)
            os.close(handle)
