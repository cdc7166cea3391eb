"""Become a plain user of the machine who can reach what the tests need, then run a command: for tests started as root.

    python plain_user.py PATH:PATH ... -- COMMAND ...

In a mount namespace of its own, a folder on the way to a needed path that only the superuser may enter is covered by an
empty one, in which the needed paths alone are put back at their old names. Nothing of this outlives the command.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

USER = 54_321  # of no account


def closed(path: Path) -> Path | None:
    """The outermost folder on the way to a path that not everybody may enter."""
    return next((each for each in [*reversed(path.parents), path] if not each.stat().st_mode & 0o001), None)


def open_the_way(kernel, needed: list[Path]) -> None:
    """Put the needed paths where everybody reaches them, under the same names."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    below: dict[Path, list[Path]] = {}
    for path in needed:
        if (wall := closed(path)) is not None:
            below.setdefault(wall, []).append(path)
    for wall, paths in below.items():
        handles = [os.open(path, os.O_PATH) for path in paths]
        kernel.mount("tmpfs", str(wall), "tmpfs", 0, "mode=0755")
        for handle, path in zip(handles, paths, strict=True):
            path.mkdir(parents=True, exist_ok=True)
            kernel.mount(f"/proc/self/fd/{handle}", str(path), None, kernel.MS_BIND | kernel.MS_REC)


def main() -> None:
    """Open the way, change the user, become the command."""
    needed, dashes, *command = sys.argv[1:]
    assert dashes == "--"
    paths = sorted({Path(each).absolute() for each in needed.split(":")})
    checkout = Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(checkout / "src/stewardbench/workspace/inside"))
    open_the_way(importlib.import_module("kernel"), paths)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
