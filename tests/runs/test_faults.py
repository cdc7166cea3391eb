"""A short fault campaign, and what a disk that refuses does to Inspect's own log."""

from __future__ import annotations

import asyncio
import errno
import subprocess
import sys
from pathlib import Path

import inspect_ai
import pytest

from stewardbench.errors import StoreError
from stewardbench.runs.evaluation import evaluate

ROOT = Path(__file__).parents[2]


def test_a_short_campaign_loses_repeats_and_leaves_nothing() -> None:
    kinds = ["runner", "endpoint", "disk"]
    command = [sys.executable, "-m", "bench.faults", *kinds, "--count", "2", "--seconds", "60", "--seed", "3"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    assert [line.split()[0] for line in made.stdout.splitlines()[1:]] == kinds


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EFBIG, errno.EROFS])
def test_a_log_of_inspects_that_cannot_be_written_is_an_error_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    async def full(*_: object, **__: object) -> None:
        try:
            raise OSError(code, "no room")  # noqa: TRY301 - what was raised within
        except OSError:
            raise ExceptionGroup("tasks", [ValueError("the archive is closed")])  # noqa: B904 - as Inspect's looks

    monkeypatch.setattr(inspect_ai, "eval_async", full)
    with pytest.raises(StoreError, match=r"logs: cannot be written: no room.*run the same command again"):
        asyncio.run(evaluate(None, tmp_path, model="", stopped=lambda: None))  # type: ignore[arg-type]


def test_another_error_of_inspects_stays_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise OSError(errno.ENOENT, "not there")

    monkeypatch.setattr(inspect_ai, "eval_async", broken)
    with pytest.raises(FileNotFoundError):
        asyncio.run(evaluate(None, tmp_path, model="", stopped=lambda: None))  # type: ignore[arg-type]
