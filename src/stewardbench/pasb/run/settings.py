"""What a PASB run declares: everything that its numbers depend on, kept in its manifest and checked on every resume."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from stewardbench.agents.interface import Agent, AgentSettings
from stewardbench.agents.presets import settings_for
from stewardbench.errors import UsageError
from stewardbench.models.naming import told_name
from stewardbench.models.retrying import PATIENCE_S
from stewardbench.pasb.commits.matcher import MATCHER
from stewardbench.pasb.episode.quiescence import FlushPolicy
from stewardbench.pasb.judging.judge import judge_sha256
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.load import load_tasks
from stewardbench.pasb.tasks.sample import sample_tasks
from stewardbench.records import Misfit, Record, canonical_json, fit, sha256_text
from stewardbench.runs.jobs import Job


class PasbSettings(Record):
    """The choices of one run. ``judge`` may be empty: episodes are then stored and judged later.

    ``preset`` is the agent's policy; ``review``, ``tools`` and ``max_model_calls_per_turn`` are left to it unless they
    are given. The agent is told its model's real name, or ``model_name``, or nothing of it with ``masked_name``.
    ``version`` pins the agent where it has several. ``temperature`` is set on the model under test (greedy as in the
    paper; None leaves it to the provider).
    ``trials`` is how often each task is run, each time in a new episode.
    ``max_attempts`` bounds how often a task is tried whose episodes are invalid, and ``patience_s`` for how long a call
    is repeated whose endpoint fails; both may change when a run is resumed.
    """

    agent: str
    model: str
    version: str = ""
    judge: str = ""
    tasks: str = "open"
    sample: int | None = None
    limit: int | None = None
    trials: int = Field(1, ge=1)
    seed: int = 0
    preset: str = "released"
    review: str | None = None
    tools: str | None = None
    model_name: str = ""
    masked_name: bool = False
    flush: FlushPolicy = "quiescence"
    confine: Literal["auto", "required", "off"] = "auto"
    session_search: bool = False
    temperature: float | None = 0.0
    turn_timeout_s: float = Field(600.0, gt=0)
    max_model_calls_per_turn: int | None = Field(None, ge=1)
    max_attempts: int = Field(3, ge=1)
    patience_s: float = Field(PATIENCE_S, ge=0)
    same_family: bool = False
    options: dict[str, Any] = Field(default_factory=dict)

    def patience(self) -> float:
        """Seconds of pauses that a model call may take: an agent must not run into its turn's limit because of them."""
        return min(self.patience_s, self.turn_timeout_s / 3)

    def agent_settings(self, agent: Agent) -> AgentSettings:
        """The part that the agent is given: its preset, and what the run chose over it. Raises UsageError."""
        names = (
            "version",
            "review",
            "tools",
            "max_model_calls_per_turn",
            "turn_timeout_s",
            "session_search",
            "confine",
        )
        chosen = {name: getattr(self, name) for name in names}
        return settings_for(agent, self.preset, {**chosen, "options": self.options})

    @property
    def told_model(self) -> str:
        """What the agent is told that its model is called. Raises UsageError."""
        return told_name(self.model, override=self.model_name, masked=self.masked_name)


@dataclass(frozen=True, slots=True)
class TaskJob:
    """One episode to run: a task in one of its trials, which count from 1."""

    task: Task
    trial: int = 1

    @property
    def key(self) -> Job:
        """What identifies the episode within a run."""
        return Job(task=self.task.task_id, arm=self.task.arm, trial=self.trial)


def jobs(tasks: Sequence[Task], trials: int) -> tuple[TaskJob, ...]:
    """Every episode of a run: the first trial of each task, then the second of each, and so on."""
    return tuple(TaskJob(task, number) for number in range(1, trials + 1) for task in tasks)


SEE_OPTIONS = "See `stewardbench run pasb --help`; under `inspect eval` an option is written -T name=value."


def pasb_settings(**choices: Any) -> PasbSettings:
    """Settings from loose values, as a command line or Inspect gives them. Raises UsageError naming the bad one."""
    try:
        return fit(PasbSettings, choices)
    except Misfit as misfit:
        raise UsageError(f"{misfit.field}: {misfit.sentence}", hint=SEE_OPTIONS) from None


def select_tasks(settings: PasbSettings) -> tuple[Task, ...]:
    """The tasks of a run: all of the set, a stratified sample, or the first few. Raises UsageError or DataError."""
    if settings.sample is not None and settings.limit is not None:
        raise UsageError("sample and limit exclude each other.", hint="Use sample for a stratified choice.")
    tasks = load_tasks(settings.tasks)
    if settings.sample is not None:
        return sample_tasks(tasks, settings.sample, settings.seed)
    if settings.limit is None:
        return tasks
    if not 1 <= settings.limit <= len(tasks):
        hint = f"Choose 1 to {len(tasks)} tasks, or leave limit out for all."
        raise UsageError(f"limit {settings.limit}: {settings.tasks} has {len(tasks)} tasks.", hint=hint)
    return tasks[: settings.limit]


def manifest_settings(settings: PasbSettings, agent: Agent, tasks: tuple[Task, ...], workers: int) -> dict[str, Any]:
    """The settings as a manifest holds them, with what they resolve to."""
    resolved = settings.agent_settings(agent)
    chosen = {"review", "tools", "max_model_calls_per_turn", "options", "overrides"}
    return {
        **settings.model_dump(mode="json"),
        **resolved.model_dump(mode="json", include=chosen),
        "agent_version": agent.version(resolved),
        "told_model": settings.told_model,
        "tasks_sha256": tasks_sha256(tasks),
        "matcher": MATCHER,
        "judge_prompts_sha256": judge_sha256() if settings.judge else "",
        "workers": workers,
    }


def tasks_sha256(tasks: tuple[Task, ...]) -> str:
    """One hash over the tasks, in order."""
    return sha256_text("\n".join(canonical_json(task.model_dump(mode="json")) for task in tasks))
