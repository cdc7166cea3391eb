"""SovereignPA-Bench as ``inspect eval`` finds it: the same runs as the command line's, into the same run folders.

inspect eval stewardbench/sovereignpa_booking --model M -T defense=checklist -T out=runs/a
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.model import get_model
from inspect_ai.solver import TaskState

from stewardbench.errors import UsageError
from stewardbench.runs.evaluation import account_at_end
from stewardbench.runs.jobs import Shard
from stewardbench.runs.jobs import shard as shard_of
from stewardbench.sovereignpa.axes import Family
from stewardbench.sovereignpa.run.evaluation import family_task, open_run
from stewardbench.sovereignpa.run.settings import sovereignpa_settings


@task
def sovereignpa_booking(*, out: str = "", shard: str = "", **choices: Any) -> InspectTask:
    """The booking family. ``out`` is the run folder; the choices are the fields of ``SovereignpaSettings``."""
    return _task(Family.BOOKING, out, shard_of(shard), choices)


@task
def sovereignpa_cancellation(*, out: str = "", shard: str = "", **choices: Any) -> InspectTask:
    """The cancellation family. ``out`` is the run folder; the choices are the fields of ``SovereignpaSettings``."""
    return _task(Family.CANCELLATION, out, shard_of(shard), choices)


def _task(family: Family, out: str, shard: Shard | None, choices: dict[str, Any]) -> InspectTask:
    model = str(get_model())
    settings = sovereignpa_settings(**{**choices, "model": model, "family": family.value})
    folder = Path(out or f"runs/sovereignpa-{family.value}-{model.rsplit('/', 1)[-1]}")
    stack = ExitStack()
    run = stack.enter_context(open_run(settings, folder, shard=shard))
    if not run.pending:
        stack.close()
        raise UsageError(f"{folder}: every episode is done.", hint="Nothing is left to run.")
    account_at_end(run.closing)
    left = len(run.pending)

    async def close_after_last(state: TaskState) -> None:
        nonlocal left
        left -= 1
        if not left:
            stack.close()

    built = family_task(run, family, run.pending)
    built.cleanup = close_after_last
    built.metadata = {"run_id": run.run_id, "folder": str(folder)}
    return built
