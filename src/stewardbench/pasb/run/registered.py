"""The tasks that ``inspect eval`` finds: the same runs as the command line's, into the same run folders.

inspect eval stewardbench/pasb -T agent=hermes --model M --model-role grader=J
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.solver import TaskState

from stewardbench.agents.registry import load_agent
from stewardbench.errors import UsageError
from stewardbench.models.inspect_upstream import InspectUpstream
from stewardbench.models.messages import Upstream
from stewardbench.models.retrying import Retrying
from stewardbench.models.scripted.scripts import PREFIX
from stewardbench.models.upstreams import open_upstream
from stewardbench.pasb.run.closing import run_closing
from stewardbench.pasb.run.evaluation import open_folder
from stewardbench.pasb.run.inspect_task import pasb_task
from stewardbench.pasb.run.judges import REFERENCE, ModelJudge, ReferenceJudge, open_judge
from stewardbench.pasb.run.runner import PasbRun
from stewardbench.pasb.run.settings import PasbSettings, jobs, pasb_settings, select_tasks
from stewardbench.runs.evaluation import account_at_end
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.jobs import Shard, part_of
from stewardbench.runs.jobs import shard as shard_of
from stewardbench.runs.slots import SlotPool, slot_folder


@task
def pasb(*, out: str = "", workers: int = 1, shard: str = "", **choices: Any) -> InspectTask:
    """PASB on a real agent, resumable: the model under test is Inspect's model, the judge its role ``grader``.

    ``out`` is the run folder (default: runs/pasb-AGENT-MODEL), ``judge=reference`` the keyless judge of the scripted
    models, ``shard`` a part such as 2/5; the choices are the fields of ``PasbSettings``. The temperature is Inspect's.
    Raises UsageError for a choice that there is not.
    """
    model, grader = get_model(), _grader()
    fixed = {
        "model": str(model),
        "judge": choices.get("judge") or (str(grader) if grader else ""),
        "temperature": model.config.temperature,
    }
    settings = pasb_settings(**{"agent": "hermes", **choices, **fixed})
    folder = Path(out or f"runs/pasb-{settings.agent}-{str(model).rsplit('/', 1)[-1]}")
    return _task(settings, folder, workers, shard_of(shard), model, grader)


def _task(
    settings: PasbSettings, folder: Path, workers: int, shard: Shard | None, model: Model, grader: Model | None
) -> InspectTask:
    agent, tasks = load_agent(settings.agent), select_tasks(settings)
    stack = ExitStack()
    store = stack.enter_context(open_folder(settings, folder, agent, tasks, workers, shard))
    mine = part_of(jobs(tasks, settings.trials), shard)
    pool = SlotPool(agent, settings.agent_settings(agent), workers, slot_folder(folder), model=settings.told_model)
    run = PasbRun(settings, store, agent, mine, pool, upstream=_upstream(model), judge=_judge(settings, grader))
    if not run.pending:
        stack.close()
        raise UsageError(f"{folder}: every task has its final episode.", hint="Nothing is left to run.")
    account_at_end(lambda: run_closing(RunFolder.read(folder)))
    left = len(run.pending)

    async def close_after_last(state: TaskState) -> None:
        nonlocal left
        left -= 1
        if not left:
            await pool.close()
            stack.close()

    return pasb_task(run.pending, run, cleanup=close_after_last, metadata={"run_id": run.run_id, "folder": str(folder)})


def _grader() -> Model | None:
    found = model_roles().get("grader")
    return found[0] if isinstance(found, list) else found


def _upstream(model: Model) -> Upstream:
    return open_upstream(str(model)) if str(model).startswith(PREFIX) else Retrying(InspectUpstream(model))


def _judge(settings: PasbSettings, grader: Model | None) -> ModelJudge | ReferenceJudge | None:
    if not settings.judge:
        return None
    upstream = Retrying(InspectUpstream(grader)) if grader is not None and settings.judge != REFERENCE else None
    return open_judge(settings.judge, settings.model, allow_same_family=settings.same_family, upstream=upstream)
