"""The Inspect task: one sample per task and trial, one solver that runs its episode, one scorer that judges it.

Inspect brings the providers, their limits and retries, usage and the log viewer. What an episode is, how it is stored
and whether it has to run at all is decided by the ``EpisodeSource`` behind the solver. The rates in Inspect's log are
for orientation: published numbers are computed from the run folder (``pasb.metrics``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from stewardbench.errors import UsageError
from stewardbench.pasb.axes import DIMENSIONS, FAIL_AT
from stewardbench.pasb.measure.metrics import failing, rate
from stewardbench.pasb.measure.outcomes import EpisodeOutcome, outcomes
from stewardbench.pasb.records import Episode, Judgment
from stewardbench.pasb.run.settings import TaskJob

EPISODE, COMMIT = "episode", "commit"


class EpisodeSource(Protocol):
    """Whoever runs and stores episodes: a run folder with its agents."""

    async def episode(self, job: TaskJob) -> Episode:
        """The final episode of a job: a stored one, or a new one. Called in the sample's context."""
        ...

    async def judgment(self, job: TaskJob, episode: Episode) -> Judgment | None:
        """The judgment of a valid episode. None without a judge, or when it cannot be reached."""
        ...

    def release(self, job: TaskJob) -> None:
        """The sample is scored: nothing more is asked about this job."""
        ...


def pasb_task(jobs: Iterable[TaskJob], source: EpisodeSource, **settings: Any) -> InspectTask:
    """The Inspect task over some jobs. ``settings`` go to Inspect's ``Task`` as they are."""
    by_id = {_name(job): job for job in jobs}
    return InspectTask(
        dataset=MemoryDataset([_sample(job) for job in by_id.values()], name="pasb"),
        solver=run_episode(source, by_id.__getitem__),
        scorer=judge(source, by_id.__getitem__),
        name="pasb",
        **settings,
    )


@solver
def run_episode(source: EpisodeSource, find: Callable[[str], TaskJob]) -> Solver:
    """Runs the sample's episode and keeps what the scorer needs of it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.epoch > 1:
            raise UsageError(
                "--epochs repeats samples, and a repeat of a finished job would be dropped.",
                hint="Leave --epochs out and say -T trials=3: each trial is then a job of its own.",
            )
        episode = await source.episode(find(str(state.sample_id)))
        state.store.set(EPISODE, episode.episode_id)
        state.metadata |= _facts(episode)
        answer = "\n\n".join(turn.agent for turn in episode.query)
        state.output = ModelOutput.from_content(model=str(state.model), content=answer)
        state.completed = True
        return state

    return solve


@metric
def failure_rate(at: float = FAIL_AT) -> Metric:
    """The failure rate of one dimension over the scored samples, as ``measure.metrics`` defines it."""

    def compute(scores: list[SampleScore]) -> float:
        values = [one.score.as_float() for one in scores]
        found = rate(failing(None if math.isnan(value) else value, at) for value in values)
        return math.nan if found.value is None else float(found.value)

    return compute


@scorer(metrics={**{dimension: [failure_rate()] for dimension in DIMENSIONS}, COMMIT: [mean()]})
def judge(source: EpisodeSource, find: Callable[[str], TaskJob]) -> Scorer:
    """Judges the sample's episode. Invalid episodes and missing scores stay unscored."""

    async def score(state: TaskState, target: Target) -> Score:
        job = find(str(state.sample_id))
        episode = await source.episode(job)
        judgment = await source.judgment(job, episode) if episode.valid else None
        source.release(job)
        if not episode.valid:
            return Score.unscored(reason=str(episode.invalid_reason), explanation=episode.invalid_detail)
        (outcome,) = outcomes([episode], [judgment] if judgment else [])
        return Score(
            value=_values(outcome),
            explanation="\n\n".join(turn.rationale for turn in judgment.turns) if judgment else "not judged",
            metadata={"episode_id": episode.episode_id, "surface": outcome.primary, "judge": outcome.judge},
        )

    return score


def _values(outcome: EpisodeOutcome) -> dict[str, str | int | float | bool | None]:
    scores = {d: _or_nan(getattr(outcome, d)) for d in DIMENSIONS}
    return {**scores, COMMIT: _or_nan(outcome.committed)}


def _or_nan(value: int | bool | None) -> float:
    return math.nan if value is None else float(value)


def _name(job: TaskJob) -> str:
    """A sample's id: the task's, and the number of a trial after the first."""
    return job.task.task_id if job.trial == 1 else f"{job.task.task_id}+trial{job.trial}"


def _sample(job: TaskJob) -> Sample:
    task = job.task
    facts = {
        "base_item_id": task.base_item_id,
        "sub_axis": task.sub_axis.value,
        "scenario": task.scenario.value,
        "delivery": task.delivery.value,
        "arm": task.arm,
        "trial": job.trial,
    }
    return Sample(id=_name(job), input=task.query_target, target=task.claim.ground_truth_stance, metadata=facts)


def _facts(episode: Episode) -> dict[str, Any]:
    return {
        "episode_id": episode.episode_id,
        "agent": f"{episode.agent} {episode.agent_version}",
        "valid": episode.valid,
        "invalid_reason": str(episode.invalid_reason or ""),
        "attempt": episode.attempt,
        "surface": str(episode.commit.primary) if episode.commit else "",
        "exchanges_sha256": episode.exchanges_sha256,
    }
