"""The walls around an agent: what of the machine a confined process sees, by bubblewrap.

A confined process has its own mount, network, process, IPC and host-name space. It sees

    the mounts it is given     its slot (writable) and its own install (read-only), each at a constant path
    the system                 /usr and the loader's files, read-only; a small /etc of our own; /proc of itself alone
    one way out                a port on its own loopback, forwarded to a Unix socket that is mounted in

and nothing else: no other file, no other process, no other port, no environment that it was not given. The identity
is a plain user without capabilities, whoever runs the benchmark.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from stewardbench.errors import ConfinementError

FORWARDER = Path(__file__).with_name("forwarder.py")
FORWARDER_INSIDE = "/opt/forwarder.py"
SOCKET_INSIDE = "/run/gateway.sock"
PORT_INSIDE = 8080
USER_ID = 1000
INSTALL_HINT = "Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), then run `stewardbench doctor`."

_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ssl", "/etc/alternatives", "/etc/ca-certificates")
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


@functools.cache
def confinement_fault() -> str | None:
    """Why agents cannot be confined on this machine, or None when they can. Tried once, for real."""
    if shutil.which("bwrap") is None:
        return "bubblewrap (bwrap) is not installed"
    probe = subprocess.run(
        [*_walls("bwrap"), "--remount-ro", "/", "--", "/bin/true"], capture_output=True, text=True, check=False
    )
    if probe.returncode != 0:
        return f"bubblewrap does not work ({probe.stderr.strip() or f'exit code {probe.returncode}'})"
    return None


def confined_command(
    command: Sequence[str], *, mounts: Sequence[Mount], etc: Path, home: str, cwd: str, way_out: Exit | None = None
) -> list[str]:
    """The command line that runs ``command`` inside walls.

    ``etc`` is an empty folder of the host for the small /etc; ``home`` and ``cwd`` are paths inside. The environment
    is not part of the command line: pass it to the process, so that no secret shows in a process list.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise ConfinementError("bubblewrap (bwrap) is not installed.", hint=INSTALL_HINT)
    _write_etc(etc, home)
    line = [*_walls(bwrap), "--ro-bind", str(etc), "/etc"]
    for file in _SYSTEM_FILES:
        if Path(file).exists():
            line += ["--ro-bind", file, file]
    # Outer folders first, so that an inner mount is never hidden by an outer one.
    for mount in sorted(mounts, key=lambda each: each.inside):
        line += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.inside]
    if way_out is not None:
        line += ["--ro-bind", str(FORWARDER), FORWARDER_INSIDE, "--bind", str(way_out.socket), SOCKET_INSIDE]
        command = [way_out.python, "-I", "-S", FORWARDER_INSIDE, str(PORT_INSIDE), SOCKET_INSIDE, "--", *command]
    return [*line, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", cwd, "--", *command]


def _walls(bwrap: str) -> list[str]:
    line = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    line += ["--hostname", "assistant", "--uid", str(USER_ID), "--gid", str(USER_ID)]
    line += ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
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
            point.mkdir(exist_ok=True)
        elif file.exists():
            point.touch()
