"""Folders that an experiment restores and wipes: the rule for what outlives a cut, emptying, and removing in place.

All reading and removing goes through the one walk for hostile trees (``inodes``, ``removal``).
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from stewardbench.records import Record
from stewardbench.workspace import removal
from stewardbench.workspace.inodes import BOUNDS, FOLDER, Bounds, close, open_closed, walk


class PreservationPolicy(Record):
    """What outlives the cut, as an allow-list: all else is history and goes (PASB table 8).

    ``keep`` names files or folders relative to the slot; ``drop`` are patterns over whole paths, where ``*`` matches
    slashes too, of what is noise (locks, backups) even inside a kept folder.
    """

    keep: tuple[str, ...]
    drop: tuple[str, ...] = ()

    def keeps(self, path: str) -> bool:
        """Whether a path (relative, with forward slashes) outlives the cut."""
        parts = PurePosixPath(path).parts
        inside = any(parts[: len(kept)] == kept for kept in (PurePosixPath(each).parts for each in self.keep))
        return inside and not any(fnmatch.fnmatchcase(path, pattern) for pattern in self.drop)


def list_files(root: Path, bounds: Bounds = BOUNDS) -> Iterator[str]:
    """Relative paths of everything below a folder that is not itself a folder: files, links, sockets, pipes.

    Bytes of a name that are not UTF-8 are surrogate escapes. Raises StateBounds.
    """
    return (os.fsdecode(inode.raw) for inode in walk(root, bounds) if inode.kind != "folder")


def empty_folder(folder: Path) -> None:
    """Remove everything in a folder but the folder itself, whose inode a mount may hold. Creates it if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    handle, closed = open_closed(None, os.fsencode(folder), FOLDER)
    try:
        removal.empty(handle)
    finally:
        close(handle, closed)


def wipe_folder(root: Path, policy: PreservationPolicy, bounds: Bounds = BOUNDS) -> tuple[str, ...]:
    """Delete all files below ``root`` that the policy does not keep, and every folder that is then empty, in place.

    Folders that the policy names, those above them, and the first level below ``root`` stay. Returns the deleted
    paths, sorted. Raises StateBounds before anything is deleted.
    """
    names = [PurePosixPath(name) for name in policy.keep]
    standing = {str(place) for name in names for place in (name, *name.parents)}
    removed, occupied, folders, files = [], set(standing), [], []
    for inode in walk(root, bounds):
        path = os.fsdecode(inode.raw)
        if inode.kind == "folder":
            folders.append(path)
            if inode.depth == 0:
                occupied.add(path)
        elif policy.keeps(path):
            occupied |= set(map(str, PurePosixPath(path).parents))
        else:
            removed.append(path)
            files.append(path)
    for path in files:
        _remove_below(root, path)
    for path in reversed(folders):
        if path not in occupied:
            _remove_below(root, path)
    return tuple(sorted(removed))


def _remove_below(root: Path, path: str) -> None:
    """Remove one entry by going down folder by folder, so that no link on the way is followed."""
    *above, name = os.fsencode(path).split(b"/")
    handle, closed = open_closed(None, os.fsencode(root), FOLDER)
    try:
        for folder in above:
            inner = open_closed(handle, folder, FOLDER)
            close(handle, closed)
            handle, closed = inner
        removal.remove_at(handle, name)
    except (FileNotFoundError, NotADirectoryError):  # it went with a folder, or a live owner replaced it
        return
    finally:
        close(handle, closed)
