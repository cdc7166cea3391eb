"""A program in a pseudo-terminal, driven by what it prints and by nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from stewardbench.errors import AgentCrashed, AgentHung

ROWS, COLUMNS = 50, 200
ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_=>])")
ANSWERS = {"\x1b[6n": b"\x1b[1;1R"}  # a program that asks where its cursor is waits for an answer


class Terminal:
    """A running program. ``said`` is what it printed since the last turn, without colours and movements."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self._pid, self._file = pty.fork()
        if self._pid == 0:
            os.chdir(cwd)
            os.execve(command[0], list(command), {**env, "TERM": "xterm-256color"})
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.set_blocking(self._file, False)
        self._raw = ""

    @property
    def said(self) -> str:
        """What was printed since ``forget``."""
        return ESCAPES.sub("", self._raw)

    def forget(self) -> None:
        """Begin to listen anew."""
        self._raw = ""

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._file, keys.encode())

    async def until(self, pattern: str, timeout_s: float) -> None:
        """Wait until a pattern was printed. Raises AgentHung or AgentCrashed with the last words."""
        deadline = time.monotonic() + timeout_s
        while not re.search(pattern, self.said):
            if time.monotonic() > deadline:
                raise AgentHung(f"{pattern!r} was not printed within {timeout_s:g} s:\n{self.said[-2000:]}")
            await self.listen()

    async def listen(self) -> None:
        """Take in what was printed, or wait a moment."""
        try:
            data = os.read(self._file, 1 << 16)
        except BlockingIOError:
            await asyncio.sleep(0.05)
            return
        except OSError:
            data = b""
        if not data:
            raise AgentCrashed(f"the program ended. Its last words:\n{self.said[-2000:]}")
        heard = data.decode("utf-8", "replace")
        self._raw += heard
        for question, reply in ANSWERS.items():
            if question in heard:
                os.write(self._file, reply)

    async def close(self) -> None:
        """End it and everything in its session."""
        for way in (signal.SIGHUP, signal.SIGKILL):
            try:
                os.killpg(self._pid, way)
            except ProcessLookupError:
                break
            await asyncio.sleep(0.5)
        with contextlib.suppress(ChildProcessError):
            await asyncio.to_thread(os.waitpid, self._pid, 0)
        os.close(self._file)
