"""Running PASB: the run folder, the pool of agents and Inspect's evaluation, brought together.

    run_pasb    what ``stewardbench run pasb`` does: open or resume the folder, run what is missing, give it back
    pasb        the same as an Inspect task, for ``inspect eval stewardbench/pasb``

Scripted models and plain endpoints are called directly; Inspect models are called through Inspect, inside the sample
they belong to. Either way the Inspect log lies in the run folder under ``logs``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from stewardbench.agents.install import ensure_installed
from stewardbench.agents.interface import Agent
from stewardbench.agents.registry import load_agent
from stewardbench.errors import UsageError
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream, control
from stewardbench.models.scripted.scripts import PREFIX
from stewardbench.models.upstreams import open_upstream
from stewardbench.pasb.records import Task
from stewardbench.pasb.run.closing import run_closing
from stewardbench.pasb.run.judges import REFERENCE, ModelJudge, ReferenceJudge, open_judge
from stewardbench.pasb.run.reading import (
    ModelReader,
    ReferenceReader,
    estimate_reading,
    open_reader,
    read_stored,
)
from stewardbench.pasb.run.runner import PasbRun
from stewardbench.pasb.run.scoring import Stored
from stewardbench.pasb.run.settings import PasbSettings, jobs, manifest_settings, select_tasks
from stewardbench.pasb.run.store import PasbStore
from stewardbench.runs.closing import Closing
from stewardbench.runs.evaluation import evaluate, known_to_inspect
from stewardbench.runs.folder import SHARD, RunFolder
from stewardbench.runs.jobs import Shard, part_of
from stewardbench.runs.progress import Progress, Watch, ignore
from stewardbench.runs.slots import SlotPool, slot_folder

JUDGING = 2  # samples per worker: one on the slot while another is judged


class WithSettings:
    """An upstream with generation settings that a run has fixed; they replace what the agent asks for."""

    def __init__(self, upstream: Upstream, settings: dict[str, Any]) -> None:
        self.name = upstream.name
        self._upstream, self._settings = upstream, settings

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request under the fixed settings."""
        fixed = {**request.settings, **self._settings}
        return await self._upstream.complete(request.model_copy(update={"settings": fixed}))

    async def control(self, action: str, body: dict[str, Any]) -> dict[str, Any]:
        """Hand an action on as it is."""
        return await control(self._upstream, action, body)


async def run_pasb(
    settings: PasbSettings,
    out: Path,
    *,
    workers: int = 1,
    shard: Shard | None = None,
    reader: str = "",
    watch: Watch = ignore,
    tell: Callable[[str], object] = lambda line: None,
    close: Callable[[Closing], None] = lambda closing: None,
) -> Progress:
    """Run or resume a PASB run until every task has its final episode, judged if a judge is declared.

    An agent that is not installed is installed first; ``tell`` is given a line that says so. ``close`` is given the
    account of what the folder holds, also when the run ends by an error. ``reader`` names a second reader of commits,
    which reads what the finished episodes wrote.

    Raises EndpointDown, StoreError (locked, other settings, full disk), UsageError, DataError, InstallError or
    ConfinementError; what was finished until then is kept, and the same call goes on from there.
    """
    if workers < 1:
        raise UsageError(f"--workers {workers}: at least one is needed.", hint="Leave it out for one.")
    agent, tasks = load_agent(settings.agent), select_tasks(settings)
    upstream = _subject(open_upstream(settings.model, patience_s=settings.patience()), settings)
    judge, second = _judge(settings), _reader(settings, reader)
    with open_folder(settings, out, agent, tasks, workers, shard) as store:
        mine = part_of(jobs(tasks, settings.trials), shard)
        pool = SlotPool(agent, settings.agent_settings(agent), workers, slot_folder(out), model=settings.told_model)
        run = PasbRun(settings, store, agent, mine, pool, upstream=upstream, judge=judge, watch=watch)
        watch(run.progress)
        try:
            if run.pending:
                await asyncio.to_thread(ensure_installed, agent, settings.agent_settings(agent), tell)
                async with pool:
                    await _evaluate(run, settings, out, workers)
        finally:
            close(run_closing(store.folder))
    if second is not None:
        with Stored(out, locked=True) as stored:
            cost = estimate_reading(stored, second.name)
            tell(f"{second.name} reads {cost.records} episodes that wrote something: {cost.calls} calls or a few more")
            await read_stored(stored, second, watch=watch)
    return run.progress


@contextmanager
def open_folder(
    settings: PasbSettings,
    out: Path,
    agent: Agent,
    tasks: tuple[Task, ...],
    workers: int,
    shard: Shard | None = None,
) -> Iterator[PasbStore]:
    """The store of a run folder, created or resumed and locked. ``tasks`` are the whole run's. Raises StoreError."""
    declared = manifest_settings(settings, agent, tasks, workers) | ({SHARD: str(shard)} if shard else {})
    versions = {"inspect_ai": version("inspect_ai")}
    with RunFolder.open(out, "pasb", declared, versions) as folder:
        store = PasbStore(folder, settings.max_attempts)
        store.keep_tasks(tasks)
        yield store


async def _evaluate(run: PasbRun, settings: PasbSettings, out: Path, workers: int) -> None:
    from stewardbench.pasb.run.inspect_task import pasb_task

    grader = settings.judge if settings.judge != REFERENCE and known_to_inspect(settings.judge) else None
    await evaluate(
        pasb_task(run.pending, run),
        out,
        model=settings.model,
        stopped=lambda: run.stopped,
        model_roles={"grader": grader} if grader else None,
        metadata={"run_id": run.run_id, "model": settings.model, "agent": settings.agent, "judge": settings.judge},
        max_samples=workers * JUDGING,
    )


def _subject(upstream: Upstream, settings: PasbSettings) -> Upstream:
    if settings.temperature is None or settings.model.startswith(PREFIX):
        return upstream
    return WithSettings(upstream, {"temperature": settings.temperature})


def _reader(settings: PasbSettings, reader: str) -> ModelReader | ReferenceReader | None:
    if not reader:
        return None
    return open_reader(reader, settings.model, allow_same_family=settings.same_family, patience_s=settings.patience_s)


def _judge(settings: PasbSettings) -> ModelJudge | ReferenceJudge | None:
    if not settings.judge:
        return None
    return open_judge(
        settings.judge, settings.model, allow_same_family=settings.same_family, patience_s=settings.patience_s
    )
