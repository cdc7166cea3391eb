"""The walls around an agent: what of the machine a confined process sees, by bubblewrap.

A confined process has its own mount, network, process, IPC and host-name space. It sees

    the mounts it is given     its slot (writable) and its own install (read-only), each at a constant path
    the system                 /usr and the loader's files, read-only; a small /etc of our own; /proc of itself alone
    one way out                a port on its own loopback, forwarded to a Unix socket that is mounted in

and nothing else: no other file, no other process, no other port, no environment that it was not given. When the
superuser runs a benchmark, the process is a real unprivileged user of the host, one per slot, and not the superuser
under another name. Its session keyring is empty, its kernel settings are read-only, its use of the machine is limited,
and a filter refuses the system calls that would change or look past the walls (``inside.kernel``).
"""

from __future__ import annotations

import functools
import json
import os
import platform
import shutil
import subprocess
import sys
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from stewardbench.errors import ConfinementError
from stewardbench.workspace.cell import Owner
from stewardbench.workspace.inside import kernel
from stewardbench.workspace.limits import Limits

FORWARDER = Path(__file__).with_name("forwarder.py")
INSIDE = Path(__file__).with_name("inside")
LAUNCHER = INSIDE / "launch.py"
STAGE = "/tmp"  # where the launcher mounts what an unprivileged user may not reach by its path
FIRST_USER, USERS = 1_900_000_000, 60_000  # above what systems give to people, containers and subordinate users
FORWARDER_INSIDE = "/opt/forwarder.py"
SOCKET_INSIDE = "/run/gateway.sock"
PORT_INSIDE = 8080
USER_ID = 1000
INSTALL_HINT = "Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), then run `stewardbench doctor`."

_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/alternatives",
    "/etc/ca-certificates",
)
_READ_ONLY = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/sysrq-trigger")
_COUNTED = 'ulimit -u "$0" 2>/dev/null || ulimit -p "$0"; exec "$@"'
_ETC = {
    "passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\nuser:x:{USER_ID}:{USER_ID}:user:{{home}}:/bin/bash\n",
    "group": f"root:x:0:\nuser:x:{USER_ID}:\n",
    "hosts": "127.0.0.1 localhost assistant\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


class UnconfinedWarning(UserWarning):
    """An agent is about to run without walls around it."""


class Mount(NamedTuple):
    """A file or folder of the host and where a confined process finds it."""

    source: Path
    inside: str
    writable: bool = False


class Exit(NamedTuple):
    """The way out of a confined slot: the gateway's socket, and a Python inside that can run the forwarder."""

    socket: Path
    python: str


def decide(confine: Literal["auto", "required", "off"]) -> bool:
    """Whether to confine. Warns loudly when ``auto`` cannot; raises ConfinementError when ``required`` cannot."""
    if confine == "off":
        return False
    fault = confinement_fault()
    if fault is None:
        return True
    if confine == "required":
        raise ConfinementError(f"Agents cannot be confined here: {fault}.", hint=INSTALL_HINT)
    warnings.warn(
        f"AGENTS RUN UNCONFINED: {fault}. An agent with a terminal can read and change anything that you can. "
        f"Every row of this run says confined=false. {INSTALL_HINT}",
        UnconfinedWarning,
        stacklevel=2,
    )
    return False


def owner_of(slot: Path) -> Owner | None:
    """Who a confined slot's processes and files are: a user of its own for the superuser, else whoever runs us."""
    if os.geteuid() != 0:
        return None
    number = FIRST_USER + zlib.crc32(os.fsencode(slot)) % USERS
    return Owner(number, number)


@functools.cache
def confinement_fault() -> str | None:
    """Why agents cannot be confined on this machine, or None when they can. Tried once, for real."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return "bubblewrap (bwrap) is not installed"
    if platform.machine() not in kernel.MACHINES:
        return f"no filter of system calls is known for {platform.machine()}"
    for warm in (False, True):
        line = [bwrap, *_walls(warm=warm), "--remount-ro", "/", "--", "/bin/true"]
        command = _launched(line, (), owner_of(Path("/")), Limits(), warm=warm)
        probe = subprocess.run(command, capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            said = probe.stderr.strip().rpartition("\n")[2] or f"exit code {probe.returncode}"
            return f"bubblewrap does not work ({said})"
    return None


def confined_command(
    command: Sequence[str],
    *,
    mounts: Sequence[Mount],
    etc: Path,
    home: str,
    cwd: str,
    way_out: Exit | None = None,
    owner: Owner | None = None,
    limits: Limits | None = None,
    warm: bool = False,
) -> list[str]:
    """The command line that runs ``command`` inside walls.

    ``etc`` is an empty folder of the host for the small /etc; ``home`` and ``cwd`` are paths inside. The environment
    is not part of the command line: pass it to the process, so that no secret shows in a process list.

    A ``warm`` process runs no agent itself. It keeps capabilities that count inside these walls alone, and puts each
    session behind walls of its own (``inside.session``). ``owner`` is whose the process is; it must own what it is to
    write.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise ConfinementError("bubblewrap (bwrap) is not installed.", hint=INSTALL_HINT)
    limits = limits or Limits()
    _write_etc(etc, home)
    given = [Mount(etc, "/etc"), *(Mount(Path(file), file) for file in _SYSTEM_FILES if Path(file).exists())]
    # Outer folders first, so that an inner mount is never hidden by an outer one.
    given += sorted(mounts, key=lambda each: each.inside)
    command = list(command)
    if way_out is not None:
        given += [Mount(FORWARDER, FORWARDER_INSIDE), Mount(way_out.socket, SOCKET_INSIDE, writable=True)]
        command = [way_out.python, "-I", "-S", FORWARDER_INSIDE, str(PORT_INSIDE), SOCKET_INSIDE, "--", *command]
    if not warm:  # counted inside, where the user has no other processes
        command = ["/bin/sh", "-c", _COUNTED, str(limits.for_kernel()["NPROC"]), *command]
    line = [bwrap, *_walls(warm=warm)]
    for number, mount in enumerate(given):
        source = str(mount.source) if owner is None else f"{STAGE}/{number}"
        line += ["--bind" if mount.writable else "--ro-bind", source, mount.inside]
    line += ["--remount-ro", "/", "--remount-ro", "/dev", "--chdir", cwd, "--", *command]
    return _launched(line, [mount.source for mount in given], owner, limits, warm=warm)


def _launched(
    line: list[str], sources: Sequence[Path], owner: Owner | None, limits: Limits, *, warm: bool
) -> list[str]:
    """The command line of the launcher, which becomes bubblewrap."""
    spec = {
        "user": owner.user if owner else None,
        "group": owner.group if owner else None,
        "stage": [str(source.absolute()) for source in sources] if owner else [],
        "limits": {} if warm else limits.for_kernel(processes=False),
        "filter": not warm,
    }
    return [sys.executable, "-I", "-S", str(LAUNCHER), json.dumps(spec), "--", *line]


def _walls(*, warm: bool) -> list[str]:
    line = ["--unshare-all", "--die-with-parent", "--new-session"]
    line += ["--cap-add", "ALL"] if warm else ["--cap-drop", "ALL", "--seccomp", "{filter}"]
    line += ["--hostname", "assistant", "--uid", str(USER_ID), "--gid", str(USER_ID)]
    line += ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
    if not warm:  # a warm process's sessions mount a /proc of their own, which the kernel allows only below a whole one
        for place in _READ_ONLY:
            line += ["--ro-bind-try", place, place]
    for name in _SYSTEM_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            line += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            line += ["--ro-bind", str(path), str(path)]
    return line


def _write_etc(etc: Path, home: str) -> None:
    etc.mkdir(parents=True, exist_ok=True)
    for name, text in _ETC.items():
        (etc / name).write_text(text.format(home=home))
    # Mount points for the system's own files, which lie inside the folder once it is mounted.
    for file in map(Path, _SYSTEM_FILES):
        point = etc / file.relative_to("/etc")
        if file.is_dir():
            point.mkdir(parents=True, exist_ok=True)
        elif file.exists():
            point.parent.mkdir(parents=True, exist_ok=True)
            point.touch()
