"""The Inspect task: one sample per scenario, one solver that plays it, one scorer that reads the log's verdicts.

Inspect brings the providers, retries, usage and the log viewer. Published numbers are computed from our own episode
logs; the rates in Inspect's log are for orientation. An episode that the provider broke stays unscored.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from stewardbench.models.inspect_upstream import InspectUpstream
from stewardbench.models.messages import Upstream
from stewardbench.models.retrying import PATIENCE_S, Retrying
from stewardbench.sovereignpa.axes import Family
from stewardbench.sovereignpa.records import EpisodeLog, read_log
from stewardbench.sovereignpa.sets import AnyScenario

Player = Callable[[str, Upstream], Awaitable[EpisodeLog]]
"""From a sample id and the sample's model to the finished episode's log."""

LOG = "episode_log"
METRICS = {
    Family.BOOKING: (
        "ssr",
        "correct_choice",
        "addon_error",
        "overshare",
        "consent_violation",
        "authority_violation",
        "candor_failure",
        "burden",
    ),
    Family.CANCELLATION: ("success", "cancelled", "retained", "survey_detail", "candor_failure", "burden"),
}
"""Fields of the metric rows that Inspect's log shows."""


def sovereignpa_task(
    samples: Mapping[str, AnyScenario],
    play: Player,
    family: Family,
    *,
    upstream: Upstream | None = None,
    patience_s: float = PATIENCE_S,
    **settings: Any,
) -> InspectTask:
    """The Inspect task over scenarios by sample id. ``upstream`` replaces Inspect's model where Inspect has none."""
    return InspectTask(
        dataset=MemoryDataset(
            [_sample(name, scenario) for name, scenario in samples.items()], name=f"sovereignpa-{family}"
        ),
        solver=play_episode(play, upstream, patience_s),
        scorer=read_verdicts(family),
        name=f"sovereignpa_{family.value}",
        **settings,
    )


@solver
def play_episode(play: Player, upstream: Upstream | None = None, patience_s: float = PATIENCE_S) -> Solver:
    """Plays the sample's episode with the sample's model and keeps its log."""
    opened: list[Upstream] = [upstream] if upstream else []  # one for all samples: it knows when the endpoint is down

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if not opened:
            opened.append(Retrying(InspectUpstream(get_model()), patience_s))
        log = await play(str(state.sample_id), opened[0])
        state.store.set(LOG, log.to_json())
        for turn in log.turns:
            state.messages.append(ChatMessageAssistant(content=turn.raw))
            if turn.reply:
                state.messages.append(ChatMessageUser(content=turn.reply))
        state.output = ModelOutput.from_content(model=str(state.model), content=log.report or "")
        state.completed = True
        return state

    return solve


def read_verdicts(family: Family) -> Scorer:
    """The scorer of a family: its metrics as they stand in the log."""
    return (booking_verdicts if family is Family.BOOKING else cancellation_verdicts)()


@scorer(metrics={name: [mean()] for name in METRICS[Family.BOOKING]})
def booking_verdicts() -> Scorer:
    """The booking metrics of an episode."""
    return _reader(Family.BOOKING)


@scorer(metrics={name: [mean()] for name in METRICS[Family.CANCELLATION]})
def cancellation_verdicts() -> Scorer:
    """The cancellation metrics of an episode."""
    return _reader(Family.CANCELLATION)


def _reader(family: Family) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        log = read_log(str(state.store.get(LOG)))
        row = log.metrics.as_dict()
        if not log.valid:
            return Score.unscored(reason="provider_error", explanation=log.error)
        values = {name: math.nan if row[name] is None else float(row[name]) for name in METRICS[family]}
        return Score(
            value=values, explanation=log.report or log.end_reason.value, metadata={"end": log.end_reason.value}
        )

    return score


def _sample(name: str, scenario: AnyScenario) -> Sample:
    situation = scenario.situation
    facts = {"sid": situation.sid, "variant": scenario.variant.value, "split": situation.split.value}
    return Sample(id=name, input=_first_page(scenario), metadata=facts)


def _first_page(scenario: AnyScenario) -> str:
    from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
    from stewardbench.sovereignpa.variants import Scenario

    return scenario.pages.first if isinstance(scenario, Scenario) else CancelEpisode(scenario).first_page
