"""A worker that ends, hangs or babbles is killed and named, and its secrets stay secret."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from stewardbench.agents.worker import Worker
from stewardbench.errors import AgentCrashed, AgentHung
from stewardbench.workspace.processes import descendants

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


def ask(program: str, *, timeout_s: float = 30.0, secrets: tuple[str, ...] = ()) -> dict[str, object]:
    async def once() -> dict[str, object]:
        worker = await Worker.start(
            [sys.executable, "-c", program], name="Agent", env={"A": "b"}, cwd=Path.cwd(), secrets=secrets
        )
        try:
            return await worker.request({"hello": "wörld"}, timeout_s=timeout_s)
        finally:
            await worker.stop()
            assert not worker.alive

    answer = asyncio.run(once())
    assert descendants(os.getpid()) == []
    return answer


def test_it_answers_and_stops() -> None:
    assert ask(ECHO) == {"hello": "wörld"}


def test_it_has_the_given_environment_alone() -> None:
    program = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
    assert set(ask(program)) <= {"A", "LC_CTYPE"}


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys; sys.stderr.write('the cause'); sys.exit(3)", r"(?s)exit code 3.*the cause"),
        ("print('not json', flush=True); input(); input()", "not JSON"),
        ("print('[1]', flush=True); input(); input()", "not an object"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "exit code -11"),
    ],
)
def test_a_broken_worker_is_a_crash(program: str, message: str) -> None:
    with pytest.raises(AgentCrashed, match=message):
        ask(program)


def test_a_silent_worker_hangs_and_is_killed() -> None:
    with pytest.raises(AgentHung, match="no answer within 0"):
        ask("import time; time.sleep(1000)", timeout_s=0.3)


def test_a_program_that_is_not_there_is_a_crash() -> None:
    async def start() -> None:
        await Worker.start(["/nowhere/agent"], name="Agent", env={}, cwd=Path.cwd())

    with pytest.raises(AgentCrashed, match="cannot be started"):
        asyncio.run(start())


def test_secrets_are_blanked_in_last_words() -> None:
    program = "import sys; sys.stderr.write('x' * 20000 + '\\nkey sk-12345 refused\\n'); sys.exit(1)"
    with pytest.raises(AgentCrashed) as caught:
        ask(program, secrets=("sk-12345",))
    assert "key [secret] refused" in str(caught.value)
    assert len(str(caught.value)) < 10_000


def test_a_cancelled_request_leaves_no_process() -> None:
    async def cancelled() -> None:
        worker = await Worker.start([sys.executable, "-c", "input(); input()"], name="Agent", env={}, cwd=Path.cwd())
        task = asyncio.create_task(worker.request({}, timeout_s=30))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not worker.alive

    asyncio.run(cancelled())
