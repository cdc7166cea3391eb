"""Ways in which a program of an agent could leave a mark, and finding each mark again. Runs inside the agent's walls.

Only the standard library is used, all of it loaded before the walls are entered, where no file of ours can be read. A
mark names its channel, so that whatever is found anywhere says how it came there.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import re
import resource
import select
import signal
import socket
import sqlite3
import stat
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

KEY_CALLS = {"x86_64": (248, 250), "aarch64": (217, 219), "riscv64": (217, 219)}  # add_key, keyctl
KEYCTL_SEARCH, RINGS = 10, {"session": -3, "user": -4, "user-session": -5}
FS_IOC_SETFLAGS, IMMUTABLE, NO_DUMP = 0x40086602, 0x10, 0x40
IPC_CREATE, PR_SET_NAME, F_SETLEASE = 0o1000, 15, 1024
MOMENT, FEW, HOLE, MOST = 471_100_000, 711, 8 << 20, 8 << 20
CAPABILITY = struct.pack("<IIIII", 1 << 25, 1, 0, 0, 0)  # the second version of the form, one capability
_libc = ctypes.CDLL(None, use_errno=True)


class Place(NamedTuple):
    """Where a mark can be left: the agent's home, every writable folder, and a file that outlives the cut, if any."""

    mark: str
    home: Path
    folders: tuple[Path, ...]
    kept: Path | None

    @property
    def number(self) -> int:
        """The mark as a key of the kernel's objects."""
        return zlib.crc32(self.mark.encode()) & 0x7FFFFFFF

    def of(self, channel: str) -> str:
        """The mark that names a channel."""
        return f"{self.mark}-{channel}"


class Missing(Exception):
    """What a channel needs is not on this machine or not with this agent; the message says what."""


class Channel(NamedTuple):
    """``program`` says that leaving this mark takes a program of the agent's; a file tool can leave the others."""

    plant: Callable[[Place, str], None]
    program: bool = True


def plant(place: Place) -> dict[str, str]:
    """Leave a mark in every channel: for each, ``planted``, ``refused: ...`` by the walls or ``missing: ...``."""
    done = {}
    for name, channel in CHANNELS.items():
        try:
            channel.plant(place, name)
            done[name] = "planted"
        except Missing as reason:
            done[name] = f"missing: {reason}"
        except OSError as error:
            unknown = error.errno in {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTTY}
            done[name] = f"{'missing' if unknown else 'refused'}: {error.strerror or error}"
    return done


def look(place: Place) -> list[str]:
    """The channels whose mark is there."""
    found = {*_in_files(place), *_in_kernel(place)}
    for process in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):
            name = process.read_text().strip()
            found |= {each for each in CHANNELS if name == place.of(each)[:15]}
    return sorted(found)


def _in_files(place: Place) -> Iterator[str]:
    pattern = re.compile(re.escape(place.mark).encode() + rb"-([a-z0-9-]*[a-z0-9])")
    for top in place.folders:
        for folder, folders, files in os.walk(os.fsencode(top)):
            for path in [folder, *(folder + b"/" + name for name in (*folders, *files))]:
                with contextlib.suppress(OSError):
                    yield from _of_inode(path, os.lstat(path), pattern)


def _of_inode(path: bytes, status: os.stat_result, pattern: re.Pattern[bytes]) -> Iterator[str]:
    texts = [path.rpartition(b"/")[2]]
    with contextlib.suppress(OSError):
        texts += [os.getxattr(path, name, follow_symlinks=False) for name in os.listxattr(path, follow_symlinks=False)]
    with contextlib.suppress(OSError):
        if "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False):
            yield "access-list"
    if stat.S_ISLNK(status.st_mode):
        texts.append(os.readlink(path))  # noqa: PTH115 - names are bytes here
    if stat.S_ISREG(status.st_mode):
        if status.st_size >= HOLE and status.st_blocks * 512 < status.st_size:
            yield "sparse-hole"
        with open(path, "rb") as file:  # noqa: PTH123 - names are bytes here
            texts.append(file.read(MOST))
            flags = struct.unpack("l", fcntl.ioctl(file, 0x80086601, struct.pack("l", 0)))[0]
            if flags & NO_DUMP:
                yield "no-dump-flag"
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                yield "file-lock"
    if status.st_mtime_ns % 1_000_000_000 == MOMENT:
        yield "file-time"
    for text in texts:
        for match in pattern.finditer(text):
            yield match[1].decode()


def _in_kernel(place: Place) -> Iterator[str]:
    for name, ring in RINGS.items():
        found = _libc.syscall(_key_calls()[1], KEYCTL_SEARCH, ring, b"user", place.mark.encode(), 0)
        if found >= 0:
            yield f"keyring-{name}"
    for name, call in (("shm", "shmget"), ("sem", "semget"), ("msg", "msgget")):
        arguments = (0, 0) if call != "msgget" else (0,)
        if getattr(_libc, call)(place.number, *arguments) >= 0:
            yield f"system-v-{name}"
    with contextlib.suppress(AttributeError):
        if _libc.mq_open(f"/{place.mark}".encode(), os.O_RDONLY) >= 0:
            yield "posix-queue"
    if resource.prlimit(1, resource.RLIMIT_NOFILE)[0] == FEW:
        yield "limits-of-process-1"
    with contextlib.suppress(OSError):
        if f"@{place.mark}" in Path("/proc/net/unix").read_text():
            yield "abstract-socket"
    if place.mark in socket.gethostname():
        yield "host-name"


def _key_calls() -> tuple[int, int]:
    return KEY_CALLS[platform.machine()]


def _call(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _file(*parts: str, text: str = "{mark}\n") -> Channel:
    """A file below the home that holds the mark."""

    def leave(place: Place, name: str) -> None:
        path = place.home.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(mark=place.of(name)))

    return Channel(leave, program=False)


def _named(folder: str) -> Channel:
    def leave(place: Place, name: str) -> None:
        top = Path(folder)
        if top not in place.folders:
            raise Missing(f"no writable {folder}")
        (top / place.of(name)).write_text("x")

    return Channel(leave, program=False)


def _keeping(act: Callable[[Path], None]) -> Channel:
    """Something about a file that outlives the cut."""

    def leave(place: Place, name: str) -> None:
        if place.kept is None:
            raise Missing("the agent keeps no file over the cut")
        act(place.kept)

    return Channel(leave)


def _staying(prepare: Callable[[Place], object]) -> Channel:
    """A process that goes on when its parent ends, named after its channel."""

    def leave(place: Place, name: str) -> None:
        held = prepare(place)
        if os.fork():
            return
        os.setsid()
        _libc.prctl(PR_SET_NAME, place.of(name)[:15].encode(), 0, 0, 0)
        for handle in (0, 1, 2):
            with contextlib.suppress(OSError):
                os.close(handle)
        while held is not None:
            time.sleep(3600)

    return Channel(leave)


def _key(ring: int) -> Channel:
    def leave(place: Place, name: str) -> None:
        _call(_libc.syscall(_key_calls()[0], b"user", place.mark.encode(), place.of(name).encode(), 1, ring))

    return Channel(leave)


def _flag(path: Path, flags: int) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CREAT)
    try:
        fcntl.ioctl(handle, FS_IOC_SETFLAGS, struct.pack("l", flags))
    finally:
        os.close(handle)


def _attribute(folder: Callable[[Place], Path | None]) -> Channel:
    def leave(place: Place, name: str) -> None:
        path = folder(place)
        if path is None:
            raise Missing("the agent has no such file or folder")
        os.setxattr(path, "user.note", place.of(name).encode())

    return Channel(leave)


def _access_list(path: Path) -> None:
    entries = ((1, 6, -1), (2, 4, os.getuid()), (4, 4, -1), (16, 4, -1), (32, 4, -1))
    text = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    os.setxattr(path, "system.posix_acl_access", text)


def _hole(place: Place, name: str) -> None:
    with (place.home / "holes").open("wb") as file:
        file.truncate(HOLE)


def _write_ahead(place: Place, name: str) -> None:
    connection = sqlite3.connect(place.home / "left.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE note (text)")
    connection.execute("INSERT INTO note VALUES (?)", (place.of(name),))
    _HELD.append(connection)  # never closed, so that the log is never written back


def _git_object(place: Place, name: str) -> None:
    folder = place.home / ".git" / "objects" / "47"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / place.of(name)).write_bytes(zlib.compress(f"blob {len(name)}\0{name}".encode()))


def _socket_name(place: Place, name: str) -> None:
    end = socket.socket(socket.AF_UNIX)
    end.bind(str(place.home / place.of(name)))
    end.close()


def _abstract(place: Place) -> object:
    end = socket.socket(socket.AF_UNIX)
    end.bind(f"\0{place.mark}")
    end.listen()
    return end


def _locked(place: Place) -> object:
    if place.kept is None:
        raise Missing("the agent keeps no file over the cut")
    file = place.kept.open("rb")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def _leased(place: Place) -> object:
    path = place.home / "leased"
    path.write_text("x")
    file = path.open("rb")
    fcntl.fcntl(file, F_SETLEASE, fcntl.F_RDLCK)
    return file


def _watching(place: Place) -> object:
    handle = _libc.inotify_init1(os.O_NONBLOCK)
    _call(handle)
    _call(_libc.inotify_add_watch(handle, os.fsencode(place.home), 0xFFF))
    return select.poll(), handle


def _timed(place: Place) -> object:
    def again(number: int, frame: object) -> None:
        with contextlib.suppress(OSError):
            (place.home / place.of("timer")).write_text("x")

    signal.signal(signal.SIGVTALRM, again)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.5, 0.5)
    return again


def _limits(place: Place, name: str) -> None:
    hard = resource.prlimit(1, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(1, resource.RLIMIT_NOFILE, (FEW, hard))


def _odd_name(place: Place, name: str) -> None:
    path = os.fsencode(place.home) + b"/\xff-" + place.of(name).encode() + b"-\n"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def _crontab(place: Place, name: str) -> None:
    Path("/var/spool/cron/crontabs").mkdir(parents=True, exist_ok=True)
    Path("/var/spool/cron/crontabs/user").write_text(f"* * * * * echo {place.of(name)}\n")


def _setting(place: Place, name: str) -> None:
    with Path("/proc/sys/kernel/domainname").open("w") as file:
        file.write(place.of(name))


def _host_name(place: Place, name: str) -> None:
    _call(_libc.sethostname(place.mark.encode(), len(place.mark)))


def _queue(place: Place, name: str) -> None:
    _call(_libc.mq_open(f"/{place.mark}".encode(), os.O_CREAT | os.O_RDWR, 0o600, None))


_HELD: list[object] = []
CHANNELS: dict[str, Channel] = {
    **{f"keyring-{name}": _key(ring) for name, ring in RINGS.items()},
    "system-v-shm": Channel(lambda place, name: _call(_libc.shmget(place.number, 4096, IPC_CREATE | 0o600))),
    "system-v-sem": Channel(lambda place, name: _call(_libc.semget(place.number, 1, IPC_CREATE | 0o600))),
    "system-v-msg": Channel(lambda place, name: _call(_libc.msgget(place.number, IPC_CREATE | 0o600))),
    "posix-queue": Channel(_queue),
    "posix-shm": _named("/dev/shm"),
    "temporary-file": _named("/tmp"),
    "limits-of-process-1": Channel(_limits),
    "kernel-setting": Channel(_setting),
    "host-name": Channel(_host_name),
    "process": _staying(lambda place: place),
    "abstract-socket": _staying(_abstract),
    "timer": _staying(_timed),
    "inotify": _staying(_watching),
    "file-lock": _staying(_locked),
    "file-lease": _staying(_leased),
    "crontab": Channel(_crontab),
    "cron-file": _file(".config", "cron", "tab", text="* * * * * echo {mark}\n"),
    "user-service": _file(".config", "systemd", "user", "left.service", text="[Service]\nExecStart=/bin/echo {mark}\n"),
    "user-timer": _file(".config", "systemd", "user", "left.timer", text="[Timer]\nOnBootSec=1\n# {mark}\n"),
    "attribute-of-home": _attribute(lambda place: place.home),
    "attribute-of-tmp": _attribute(lambda place: next((each for each in place.folders if each == Path("/tmp")), None)),
    "attribute-of-kept": _attribute(lambda place: place.kept),
    "access-list": _keeping(_access_list),
    "file-capability": _keeping(lambda path: os.setxattr(path, "security.capability", CAPABILITY)),
    "immutable-flag": _keeping(lambda path: _flag(path, IMMUTABLE)),
    "no-dump-flag": _keeping(lambda path: _flag(path, NO_DUMP)),
    "file-time": _keeping(lambda path: os.utime(path, ns=(MOMENT, 1_700_000_000 * 1_000_000_000 + MOMENT))),
    "hard-link": Channel(lambda place, name: os.link(_some(place), place.home / place.of(name))),
    "sparse-hole": Channel(_hole),
    "odd-name": Channel(_odd_name),
    "pipe-name": Channel(lambda place, name: os.mkfifo(place.home / place.of(name))),
    "socket-name": Channel(_socket_name),
    "empty-folder": Channel(lambda place, name: (place.home / place.of(name)).mkdir()),
    "link-target": Channel(lambda place, name: (place.home / "link").symlink_to(place.of(name))),
    "git-object": Channel(_git_object),
    "sqlite-wal": Channel(_write_ahead),
    "shell-history": _file(".bash_history", text="echo {mark}\n"),
    "site-packages": _file(".local", "lib", "python3", "site-packages", "left.pth", text="# {mark}\n"),
    "npm-cache": _file(".npm", "_cacache", "content-v2", "left"),
}


def _some(place: Place) -> Path:
    """A file to give a second name to."""
    if place.kept is not None:
        return place.kept
    path = place.home / "first"
    path.write_text("x")
    return path
