"""Running SovereignPA-Bench: the run folder, the scenarios and Inspect's evaluation, brought together.

Rule-based agents go straight through the pure engine. Models play inside Inspect samples, one Inspect log per family
and start, under ``logs`` in the run folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from stewardbench.models.messages import Upstream
from stewardbench.models.upstreams import open_upstream
from stewardbench.runs.closing import Closing
from stewardbench.runs.evaluation import evaluate, known_to_inspect
from stewardbench.runs.folder import SHARD, RunFolder
from stewardbench.runs.jobs import Shard, part_of
from stewardbench.runs.progress import Progress, Watch, ignore
from stewardbench.sovereignpa.axes import Family
from stewardbench.sovereignpa.records import EpisodeLog
from stewardbench.sovereignpa.run.runner import SovereignpaRun
from stewardbench.sovereignpa.run.settings import ScenarioJob, SovereignpaSettings, families, jobs, manifest_settings
from stewardbench.sovereignpa.run.store import SovereignpaStore

if TYPE_CHECKING:
    from inspect_ai import Task as InspectTask


async def run_sovereignpa(
    settings: SovereignpaSettings,
    out: Path,
    *,
    max_connections: int = 8,
    shard: Shard | None = None,
    watch: Watch = ignore,
    close: Callable[[Closing], None] = lambda closing: None,
) -> Progress:
    """Run or resume a SovereignPA run until every episode is valid or this start's attempts are used up.

    ``close`` is given the account of what the folder holds, also when the run ends by an error. Raises EndpointDown,
    StoreError (locked, other settings, other situations, full disk) or UsageError (no such model); what was finished
    until then is kept, and the same call goes on from there.
    """
    upstream = open_upstream(settings.model, patience_s=settings.patience_s) if settings.model else None
    with open_run(settings, out, watch, shard) as run:
        watch(run.progress)
        try:
            await _play(run, settings, upstream, out, max_connections)
        finally:
            close(run.closing())
    return run.progress


async def _play(
    run: SovereignpaRun, settings: SovereignpaSettings, upstream: Upstream | None, out: Path, max_connections: int
) -> None:
    if upstream is None:
        run.play_rules()
        return
    for family in families(settings):
        waiting = [job for job in run.pending if job.scenario.family is family]
        if waiting:
            await _evaluate(run, settings, family, waiting, upstream, out, max_connections)


@contextmanager
def open_run(
    settings: SovereignpaSettings, out: Path, watch: Watch = ignore, shard: Shard | None = None
) -> Iterator[SovereignpaRun]:
    """A run, or one part of it, on its folder, created or resumed and locked. Raises StoreError."""
    found = jobs(settings)
    declared = manifest_settings(settings, found) | ({SHARD: str(shard)} if shard else {})
    with RunFolder.open(out, "sovereignpa", declared, {"inspect_ai": version("inspect_ai")}) as folder:
        store = SovereignpaStore(folder, settings.max_attempts)
        store.keep_situations(found)
        yield SovereignpaRun(settings, store, part_of(found, shard), watch)


def family_task(
    run: SovereignpaRun, family: Family, waiting: Sequence[ScenarioJob], upstream: Upstream | None = None
) -> InspectTask:
    """The Inspect task over some of a run's episodes. ``upstream`` is for models that Inspect cannot name."""
    from stewardbench.sovereignpa.run.inspect_task import sovereignpa_task

    by_name = {sample_id(job): job for job in waiting}

    async def play(name: str, model: Upstream) -> EpisodeLog:
        return await run.episode(by_name[name], model)

    scenarios = {name: job.scenario for name, job in by_name.items()}
    return sovereignpa_task(scenarios, play, family, upstream=upstream, patience_s=run.patience_s)


def sample_id(job: ScenarioJob) -> str:
    """The name of an episode in Inspect's log: the scenario, and the seed where it is not 0."""
    return f"{job.scenario.scenario_id}+{job.seed}" if job.seed else job.scenario.scenario_id


async def _evaluate(
    run: SovereignpaRun,
    settings: SovereignpaSettings,
    family: Family,
    waiting: Sequence[ScenarioJob],
    upstream: Upstream,
    out: Path,
    max_connections: int,
) -> None:
    direct = not known_to_inspect(settings.model)
    await evaluate(
        family_task(run, family, waiting, upstream if direct else None),
        out,
        model=settings.model,
        stopped=lambda: run.stopped,
        metadata={"run_id": run.run_id, "model": settings.model, "defense": settings.defense.value},
        max_samples=max_connections,
        max_connections=max_connections,
    )
