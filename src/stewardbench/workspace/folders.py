"""Folders that an experiment restores and wipes: emptying, copying, and the rule for what outlives a cut."""

from __future__ import annotations

import fnmatch
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from stewardbench.records import Record


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


def list_files(root: Path) -> Iterator[str]:
    """Relative paths of everything below a folder that is not itself a folder: files, links, sockets, pipes.

    Folders and files that their owner made unreadable are made readable first, so that nothing hides from a capture.
    """
    for folder, folders, files in os.walk(root):
        for name in folders:
            path = Path(folder, name)
            if path.is_symlink():
                yield path.relative_to(root).as_posix()
            else:
                _grant(path, stat.S_IRWXU)
        for name in files:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                _grant(path, stat.S_IRUSR)
            yield path.relative_to(root).as_posix()


def empty_folder(folder: Path) -> None:
    """Remove everything in a folder but the folder itself, whose inode a mount may hold. Creates it if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for _ in list_files(folder):  # makes every folder below accessible
        pass
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def restore_folder(source: Path, target: Path) -> None:
    """Make the content of ``target`` equal to that of ``source``; links are copied as links."""
    empty_folder(target)
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def wipe_folder(root: Path, policy: PreservationPolicy) -> tuple[str, ...]:
    """Delete all files below ``root`` that the policy does not keep, and every folder that is then empty.

    Folders that the policy names, those above them, and the first level below ``root`` stay. Returns the deleted
    paths, sorted.
    """
    removed = sorted(path for path in list_files(root) if not policy.keeps(path))
    for path in removed:
        (root / path).unlink()
    standing = {root / name for name in policy.keep} | set(root.iterdir()) | {root}
    standing |= {parent for kept in standing for parent in kept.parents}
    for place, _, _ in os.walk(root, topdown=False):
        folder = Path(place)
        if folder not in standing and not any(folder.iterdir()):
            folder.rmdir()
    return tuple(removed)


def _grant(path: Path, mode: int) -> None:
    current = stat.S_IMODE(path.stat().st_mode)
    if current & mode != mode:
        path.chmod(current | mode)
