"""Go behind the walls of a running agent and do there what a program of its own could do.

    python enter.py KERNEL PID SPEC

A process is entered as a program that it had started would be: with its namespaces, user, resource limits, capabilities
and, where it has one, the filter of system calls (KERNEL is the module that makes it). SPEC is JSON: ``act`` (plant or
look), ``mark``, ``home``, ``kept`` (the name of a file below the home that outlives the cut, or nothing). One line of
JSON comes back: what became of each mark, and which are seen now.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import importlib
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

NAMESPACES = ("uts", "ipc", "net", "pid", "mnt")
SETTLE_S = 0.5
GET_OWNER, NEW_USER = 0xB701, 0x10000000
NO_PLACE = ("proc", "sysfs", "devpts", "mqueue", "cgroup2")
LIMITS = {  # as the kernel's own list of a process names them
    "Max file size": resource.RLIMIT_FSIZE,
    "Max data size": resource.RLIMIT_DATA,
    "Max core file size": resource.RLIMIT_CORE,
    "Max processes": resource.RLIMIT_NPROC,
    "Max locked memory": resource.RLIMIT_MEMLOCK,
    "Max msgqueue size": resource.RLIMIT_MSGQUEUE,
}
_libc = ctypes.CDLL(None, use_errno=True)


def join(handle: int, kind: int = 0) -> None:
    """Join one namespace; one that this process is in already is no error."""
    if _libc.setns(handle, kind) < 0 and ctypes.get_errno() != errno.EINVAL:
        raise OSError(ctypes.get_errno(), "a namespace of the agent cannot be joined")


def limits_of(text: str) -> dict[int, tuple[int, int]]:
    """The resource limits in the kernel's list of a process, soft and hard, by number."""
    found = {}
    for line in text.splitlines():
        number = LIMITS.get(line[:26].strip())
        if number is not None:
            soft, hard = (
                resource.RLIM_INFINITY if each == "unlimited" else int(each) for each in line[26:].split()[:2]
            )
            found[number] = soft, hard
    return found


def _number(text: str) -> int:
    return resource.RLIM_INFINITY if text == "unlimited" else int(text)


def enter(process: Path, kernel: Any) -> None:
    """Become as a program of that process. Forks: the rest runs in its process namespace."""
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    limits = limits_of((process / "limits").read_text())
    inside = [int((process / f"{kind}_map").read_text().split()[0]) for kind in ("gid", "uid")]
    handles = [os.open(process / "ns" / name, os.O_RDONLY) for name in NAMESPACES]
    user = os.open(process / "ns" / "user", os.O_RDONLY)
    if os.geteuid() != 0:
        with contextlib.suppress(OSError):
            join(fcntl.ioctl(handles[-1], GET_OWNER), NEW_USER)
    for handle in handles:
        join(handle)
    join(user, NEW_USER)
    with contextlib.suppress(OSError):
        os.setgroups([])
    os.setresgid(*[inside[0]] * 3)
    os.setresuid(*[inside[1]] * 3)
    for number, limit in limits.items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(number, limit)
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if int(status["CapEff"], 16) == 0:
        kernel.drop_capabilities()
    if status["Seccomp"].strip() == "2":
        kernel.refuse_calls()


def writable() -> tuple[Path, ...]:
    """Every mounted folder that can be written to."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        place, options = before.split()[4:6]
        if options.startswith("rw") and after.split()[0] not in NO_PLACE and os.access(place, os.W_OK):
            found += [Path(place)] if Path(place).is_dir() else []
    return tuple(dict.fromkeys(found))


def main() -> None:
    """Enter, act, and say what came of it."""
    folder, pid, text = sys.argv[1:]
    sys.path[:0] = [folder, str(Path(__file__).parent)]
    kernel: Any = importlib.import_module("kernel")
    channels: Any = importlib.import_module("channels")
    spec = json.loads(text)
    enter(Path("/proc", pid), kernel)
    os.chdir("/")
    home, folders = Path(spec["home"]), writable()
    kept = next(iter(sorted(home.rglob(spec["kept"]))), None) if spec["kept"] else None
    place = channels.Place(spec["mark"], home, folders, kept)
    planted = channels.plant(place) if spec["act"] == "plant" else {}
    time.sleep(SETTLE_S if planted else 0)  # until the processes that stay have their names
    print(json.dumps({"planted": planted, "seen": channels.look(place)}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
