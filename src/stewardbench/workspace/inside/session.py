"""One session behind walls of its own, forked from a warm process that never runs an agent.

    warm process     one per slot; in the slot's sandbox, with capabilities that count inside that sandbox alone
     └─ keeper       one per session; in a process, IPC and network namespace of the session; forwards the one port
         └─ agent    process 1 of its namespace; own mounts, own /proc, empty keyring, no capability, a call filter

When the agent ends, the kernel ends all that it started, and every namespace goes with it. The keeper is outside the
agent's process namespace, so the agent can neither see nor stop the forwarder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import signal
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import kernel

READ_ONLY = ("sys", "irq", "bus", "fs", "acpi", "scsi", "sysrq-trigger")
PRIVATE = ("kcore", "keys", "key-users", "timer_list", "sched_debug")
CHUNK = 1 << 16
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def run(spec: dict[str, Any], agent: Callable[[], None]) -> int:
    """Fork a keeper that forks the agent; the agent's exit code, once all of it is gone.

    ``spec`` names the session's ``mounts`` (pairs of a folder and where the agent finds it, writable), what is
    ``hidden`` from it, the ``port`` and ``socket`` of the way out, and resource ``limits`` by name.
    """
    keeper = os.fork()
    if keeper == 0:
        code = 1
        try:
            code = keep(spec, agent)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(keeper, 0)[1])


def keep(spec: dict[str, Any], agent: Callable[[], None]) -> int:
    """The keeper's life."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, kernel.unsigned(signal.SIGKILL))
    kernel.unshare(kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWNET)
    raise_loopback()
    listener = socket.create_server(("127.0.0.1", spec["port"]))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            listener.close()
            enclose(spec)
            agent()
            code = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)
    return forward(listener, spec["socket"], child)


def enclose(spec: dict[str, Any]) -> None:
    """Put up the agent's own walls; from here on nothing can be taken down."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, kernel.unsigned(signal.SIGKILL))
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.new_session_keyring()
    plain = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("proc", "/proc", "proc", plain | kernel.MS_NOEXEC)
    for name in READ_ONLY:
        if Path("/proc", name).exists():
            kernel.mount(f"/proc/{name}", f"/proc/{name}", None, kernel.MS_BIND | kernel.MS_REC)
            flags = kernel.MS_BIND | kernel.MS_REMOUNT | kernel.MS_RDONLY | plain | kernel.MS_NOEXEC
            kernel.mount(None, f"/proc/{name}", None, flags)
    for name in PRIVATE:
        if Path("/proc", name).exists():
            kernel.mount("/dev/null", f"/proc/{name}", None, kernel.MS_BIND)
    for source, target in spec["mounts"]:
        kernel.mount(source, target, None, kernel.MS_BIND)
        kernel.mount(None, target, None, kernel.MS_BIND | kernel.MS_REMOUNT | plain)
    for place in spec["hidden"]:
        if Path(place).is_dir():
            kernel.mount("none", place, "tmpfs", plain | kernel.MS_RDONLY, "mode=0555,size=4k")
        else:
            kernel.mount("/dev/null", place, None, kernel.MS_BIND)
    for name, value in spec["limits"].items():
        kernel.lower(name, value)
    kernel.drop_capabilities()
    kernel.refuse_calls()


def raise_loopback() -> None:
    """A new network namespace has a loopback interface that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(control, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


class Pipe:
    """One direction of one connection: bytes that were read from one end and not yet written to the other."""

    def __init__(self, source: socket.socket, target: socket.socket) -> None:
        self.source, self.target = source, target
        self.waiting, self.ended = b"", False

    def read(self) -> None:
        """Take what there is; the end is passed on once everything before it was."""
        self.waiting = self.source.recv(CHUNK)
        self.ended = not self.waiting

    def write(self) -> None:
        """Give on what the other end takes."""
        if self.waiting:
            self.waiting = self.waiting[self.target.send(self.waiting) :]
        if self.ended and not self.waiting:
            self.target.shutdown(socket.SHUT_WR)


class Forwarder:
    """Joins connections of the session's one port to the gateway's socket, in one thread, until the agent ends."""

    def __init__(self, listener: socket.socket, path: str) -> None:
        self._listener, self._path = listener, path
        self._selector = selectors.DefaultSelector()
        self._pairs: dict[socket.socket, tuple[Pipe, Pipe]] = {}
        listener.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ)

    def serve(self, process: int) -> None:
        """Forward until the process behind a descriptor has ended."""
        self._selector.register(process, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj == process:
                    return
                if key.fileobj is self._listener:
                    self._accept()
                elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._pairs:
                    self._move(key.fileobj)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            client, _ = self._listener.accept()
            far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                far.connect(self._path)
            except OSError:
                client.close()
                far.close()
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = Pipe(client, far), Pipe(far, client)
            for end in (client, far):
                end.setblocking(False)
                self._pairs[end] = pair
                self._selector.register(end, selectors.EVENT_READ)

    def _move(self, ready: socket.socket) -> None:
        pair = self._pairs[ready]
        try:
            for pipe in pair:
                if pipe.source is ready and not pipe.waiting and not pipe.ended:
                    with contextlib.suppress(BlockingIOError):
                        pipe.read()
                        pipe.write()
                elif pipe.target is ready and pipe.waiting:
                    with contextlib.suppress(BlockingIOError):
                        pipe.write()
        except OSError:
            self._drop(pair)
            return
        if all(pipe.ended and not pipe.waiting for pipe in pair):
            self._drop(pair)
            return
        for end in (pair[0].source, pair[1].source):
            self._watch(end, pair)

    def _watch(self, end: socket.socket, pair: tuple[Pipe, Pipe]) -> None:
        """Wait for what an end has still to do: to be read when nothing waits behind it, to be written to."""
        wanted = 0
        for pipe in pair:
            if pipe.source is end and not pipe.waiting and not pipe.ended:
                wanted |= selectors.EVENT_READ
            if pipe.target is end and pipe.waiting:
                wanted |= selectors.EVENT_WRITE
        known = end in self._selector.get_map()
        if wanted and known:
            self._selector.modify(end, wanted)
        elif wanted:
            self._selector.register(end, wanted)
        elif known:
            self._selector.unregister(end)

    def _drop(self, pair: tuple[Pipe, Pipe]) -> None:
        for end in (pair[0].source, pair[1].source):
            self._pairs.pop(end, None)
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(end)
            end.close()


def forward(listener: socket.socket, path: str, child: int) -> int:
    """Forward until the child ends; its exit code."""
    process = os.pidfd_open(child)
    Forwarder(listener, path).serve(process)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
