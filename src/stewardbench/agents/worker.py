"""A child process that answers JSON lines: how every agent driver in another interpreter is spoken to.

One request is in flight at a time. The child's standard error is kept as a short tail for error messages, with
secrets blanked. A child that ends, breaks the protocol, answers too late or uses more of the machine than its limits
allow is killed with all its descendants.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stewardbench.errors import AgentCrashed, AgentError, AgentHung, LimitExceeded
from stewardbench.workspace.limits import Limits, excess
from stewardbench.workspace.processes import kill_tree

LINE_LIMIT = 1 << 27  # bytes; one answer carries every tool result of its turn
TAIL_CHARS = 8000
GRACE_S = 10.0
LOOK_S = 1.0


class Worker:
    """A running child. Make one with ``start``."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        name: str,
        secrets: Sequence[str],
        limits: Limits | None = None,
        folders: Sequence[Path] = (),
    ) -> None:
        self.name, self.excess = name, ""
        self._process, self._secrets = process, tuple(filter(None, secrets))
        self._tail = ""
        self._tail_task = asyncio.create_task(self._collect_tail())
        self._watch_task = asyncio.create_task(self._watch(limits, folders)) if limits else None

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        name: str,
        env: Mapping[str, str],
        cwd: Path,
        secrets: Sequence[str] = (),
        limits: Limits | None = None,
        folders: Sequence[Path] = (),
    ) -> Worker:
        """Start a child with exactly this environment. Raises AgentCrashed when it cannot be executed.

        With ``limits`` it is looked at once a second: its processes, and what ``folders`` take up.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=dict(env),
                cwd=cwd,
                start_new_session=True,
                limit=LINE_LIMIT,
            )
        except OSError as error:
            raise AgentCrashed(f"{name}: cannot be started: {error}.") from error
        return cls(process, name, secrets, limits, folders)

    @property
    def alive(self) -> bool:
        """Whether the child is still running."""
        return self._process.returncode is None

    async def request(self, message: Mapping[str, Any], *, timeout_s: float) -> dict[str, Any]:
        """Send one message and return the child's next line. Raises AgentCrashed, AgentHung or LimitExceeded."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._crash("its pipe is broken") from None
        return await self.receive(timeout_s=timeout_s)

    async def receive(self, *, timeout_s: float) -> dict[str, Any]:
        """The child's next line, without asking for it. Raises AgentCrashed, AgentHung or LimitExceeded."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(timeout_s):
                line = await self._process.stdout.readline()
        except TimeoutError:
            await self.kill()
            raise AgentHung(f"{self.name}: no answer within {timeout_s:g} s; it was killed.{self._said()}") from None
        except ValueError:
            raise await self._crash(f"it sent a line of more than {LINE_LIMIT} bytes") from None
        except asyncio.CancelledError:
            await self.kill()
            raise
        if not line.endswith(b"\n"):
            raise await self._crash("it ended")
        try:
            answer = json.loads(line)
        except ValueError:
            raise await self._crash("it sent something that is not JSON") from None
        if not isinstance(answer, dict):
            raise await self._crash("it sent JSON that is not an object")
        return answer

    async def stop(self) -> None:
        """Close the child's input and wait for its end; kill it if it lingers."""
        if self.alive and self._process.stdin is not None:
            self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE_S):
                    await self._process.wait()
        await self.kill()

    async def kill(self) -> None:
        """End the child and all it started, now. Does nothing when it has ended."""
        if self._watch_task is not None and self._watch_task is not asyncio.current_task():
            self._watch_task.cancel()
        if self.alive:
            kill_tree(self._process.pid)
        await self._process.wait()
        await asyncio.wait({self._tail_task}, timeout=1.0)  # a process that escaped may still hold the pipe
        self._tail_task.cancel()

    def tail(self) -> str:
        """The last lines of the child's standard error, secrets blanked."""
        return self.redact(self._tail).strip()

    def redact(self, text: str) -> str:
        """A text without the secrets that the child was given."""
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text

    async def _watch(self, limits: Limits, folders: Sequence[Path]) -> None:
        """End the child when it uses too much; whoever waits for it then meets LimitExceeded."""
        while self.alive and not self.excess:
            await asyncio.sleep(LOOK_S)
            self.excess = excess(limits, self._process.pid, folders)
        if self.excess:
            kill_tree(self._process.pid)

    async def _crash(self, what: str) -> AgentError:
        with contextlib.suppress(TimeoutError):  # let an ending child finish its last words and its exit code
            async with asyncio.timeout(1.0):
                await self._process.wait()
        code = self._process.returncode
        await self.kill()
        if self.excess:
            return LimitExceeded(f"{self.name} went over its limit of {self.excess}.")
        ending = "" if code is None else f" (exit code {code})"
        return AgentCrashed(f"{self.name}: {what}{ending}.{self._said()}")

    def _said(self) -> str:
        return f" Its last words:\n{self.tail()}" if self._tail else ""

    async def _collect_tail(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(1 << 16):
            self._tail += chunk.decode("utf-8", "replace")
            if len(self._tail) > 2 * TAIL_CHARS:  # cut at a line, so that no half of a secret is left
                self._tail = self._tail[-TAIL_CHARS:].partition("\n")[2]
