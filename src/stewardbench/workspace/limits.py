"""How much of the machine one slot may use, and what it uses.

The kernel holds each process to a limit of its own; what all processes of a slot use together is looked at from
outside once a second. Whoever goes beyond is ended, and the attempt is invalid by that name.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from stewardbench.errors import StateBounds
from stewardbench.records import Record
from stewardbench.workspace.inodes import Bounds, walk

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
BLOCK = 512
HARDER = (
    2  # the kernel's limit for one process, as a multiple of the slot's: the slot's own, which has a name, is first
)


class Limits(Record):
    """What all processes of a slot may use together.

    ``memory`` and ``disk`` in bytes (memory that is resident and no file's, blocks that are allocated), ``cpu_s`` in
    seconds of processor time of the processes that are alive, ``processes`` counts threads too.
    """

    memory: int = Field(6 << 30, ge=1 << 26)
    processes: int = Field(512, ge=16)
    disk: int = Field(2 << 30, ge=1 << 20)
    cpu_s: float = Field(3600.0, gt=0)

    @property
    def bounds(self) -> Bounds:
        """How much of the slot is read."""
        return Bounds(size=self.disk)

    def for_kernel(self, *, processes: bool = True) -> dict[str, int]:
        """The resource limits of each process, by name without RLIMIT_."""
        limits = {"DATA": HARDER * self.memory, "FSIZE": self.disk, "CORE": 0, "MSGQUEUE": 0, "MEMLOCK": 1 << 16}
        return limits | ({"NPROC": HARDER * self.processes} if processes else {})


class MachineUse(NamedTuple):
    """What the processes below one use now: threads, resident bytes, seconds of processor time."""

    processes: int
    memory: int
    cpu_s: float


def usage(root: int) -> MachineUse:
    """The use of all processes below one, not counting itself."""
    threads = memory = ticks = 0
    for pid in _below(root):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            resident, shared = Path(f"/proc/{pid}/statm").read_text().split()[1:3]
            threads, memory = threads + int(fields[17]), memory + (int(resident) - int(shared)) * PAGE
            ticks += int(fields[11]) + int(fields[12])
    return MachineUse(threads, memory, ticks / TICKS)


def allocated(folders: Sequence[Path]) -> int:
    """Bytes of disk that some folders take up. Raises StateBounds for a tree that is too large or deep to be read."""
    return sum(inode.status.st_blocks * BLOCK for folder in folders for inode in walk(folder, Bounds(size=1 << 62)))


def excess(limits: Limits, root: int, folders: Sequence[Path]) -> str:
    """Which limit the processes below one and their folders exceed, in words; empty when none."""
    used = usage(root)
    if used.memory > limits.memory:
        return f"memory: {used.memory} bytes, {limits.memory} allowed"
    if used.processes > limits.processes:
        return f"processes: {used.processes}, {limits.processes} allowed"
    if used.cpu_s > limits.cpu_s:
        return f"processor time: {used.cpu_s:.0f} s, {limits.cpu_s:g} s allowed"
    try:
        disk = allocated(folders)
    except StateBounds as error:
        return f"files: {error.message}"
    except OSError:  # a folder that is being replaced
        return ""
    return f"disk: {disk} bytes, {limits.disk} allowed" if disk > limits.disk else ""


def _below(root: int) -> Iterator[int]:
    queue = [root]
    while queue:
        pid = queue.pop()
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                below = [int(each) for each in (task / "children").read_text().split()]
                queue += below
                yield from below
