"""Ending a process with everything it started, also what daemonised itself away."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def descendants(root: int) -> list[int]:
    """Process ids below one process, children before their own children. Empty where /proc does not exist."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            # "pid (name) state ppid ...": the name may hold spaces and brackets, so read from the last bracket on.
            parent = int(entry.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    found, queue = [], [root]
    while queue:
        below = children.get(queue.pop(0), [])
        found += below
        queue += below
    return found


def kill_tree(root: int) -> None:
    """Kill a process and all below it. The root is stopped first, so that it starts nothing in between."""
    _signal(root, signal.SIGSTOP)
    for _ in range(100):  # each round kills what the last one's victims had started
        below = descendants(root)
        if not below:
            break
        for pid in below:
            _signal(pid, signal.SIGKILL)
    _signal(root, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
