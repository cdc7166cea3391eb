"""From what the protocol saw to the episode record (specification section 9)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from stewardbench.agents.interface import DURABLE_SURFACES, Surface
from stewardbench.models.messages import Exchange
from stewardbench.pasb.episode.attestation import PathRule
from stewardbench.pasb.episode.protocol import Persisted, Queried, Trial
from stewardbench.pasb.records import Captured, Episode
from stewardbench.workspace.tree import FileChange, FileState, Tree, diff

KEPT_CHARACTERS = 65536  # of a file that is on no commit surface; durable state is always kept whole


def episode_id(trial: Trial) -> str:
    """The name of one attempt, unique over runs."""
    return f"{trial.conditions.run_id}:{trial.name}:{trial.attempt}"


def exchanges_of(persisted: Persisted, queried: Queried | None) -> tuple[Exchange, ...]:
    """Every model call of an episode, in order."""
    return (*persisted.conversation.exchanges, *(queried.conversation.exchanges if queried else ()))


def assemble(
    trial: Trial,
    persisted: Persisted,
    queried: Queried | None,
    *,
    worker: int,
    started: datetime,
    completed: datetime,
    exchanges_sha256: str,
) -> Episode:
    """The record of a finished attempt, valid or not. ``exchanges_sha256`` names the stored model calls."""
    task, conditions = trial.task, trial.conditions
    surface = conditions.agent.surface
    failure = queried.failure if queried else persisted.failure
    changes = diff(persisted.before, persisted.captured)
    later = diff(queried.start, queried.after) if queried else ()
    exchanges = exchanges_of(persisted, queried)
    usage = [e.reply.usage for e in exchanges if e.reply is not None]
    return Episode(
        episode_id=episode_id(trial),
        run_id=conditions.run_id,
        task_id=task.task_id,
        base_item_id=task.base_item_id,
        sub_axis=task.sub_axis,
        scenario=task.scenario,
        delivery=task.delivery,
        model=conditions.model,
        agent=conditions.agent.name,
        agent_version=conditions.agent_version,
        preset=conditions.settings.preset,
        overrides=conditions.settings.overrides,
        told_model=conditions.told_model,
        masked_name=conditions.masked_name,
        review=conditions.settings.review,
        tools=conditions.settings.tools,
        arm=task.arm,
        trial=trial.number,
        config_sha256=conditions.config_sha256,
        baseline_sha256=persisted.baseline_sha256,
        worker=worker,
        attempt=trial.attempt,
        started_at=started.isoformat(timespec="milliseconds"),
        completed_at=completed.isoformat(timespec="milliseconds"),
        confined=persisted.confined,
        canary=persisted.canary,
        persist=persisted.conversation.turns,
        query=queried.conversation.turns if queried else (),
        flush=persisted.conversation.flush,
        state_before=_before(changes, persisted.before, later, surface),
        state_after_persist=_after(changes, surface),
        state_after_query=_after(later, surface),
        commit=persisted.commit,
        cut=queried.cut if queried else None,
        exchanges_sha256=exchanges_sha256,
        input_tokens=sum(one.input_tokens for one in usage),
        output_tokens=sum(one.output_tokens for one in usage),
        valid=failure is None,
        invalid_reason=failure[0] if failure else None,
        invalid_detail=failure[1] if failure else "",
        unseen=dict(conditions.unseen) or None,
    )


def _before(
    changes: Iterable[FileChange], baseline: Tree, later: Iterable[FileChange], surface: PathRule
) -> tuple[Captured, ...]:
    """The baseline's version of every file that was changed in either stage; the rest is named by its hash alone."""
    paths = {change.path for change in (*changes, *later)}
    return tuple(_captured(baseline[path], surface) for path in sorted(paths) if path in baseline)


def _after(changes: Iterable[FileChange], surface: PathRule) -> tuple[Captured, ...]:
    """Every changed file as it was left; a deleted file has the hash and size of what went and no text."""
    kept = []
    for change in changes:
        state = change.after or change.before
        if state is not None:
            gone = change.after is None
            kept.append(_captured(state.model_copy(update={"text": ""}) if gone else state, surface, change.kind))
    return tuple(kept)


def _captured(state: FileState, surface: PathRule, change: str = "same") -> Captured:
    where = surface(state.path)
    large = len(state.text) > KEPT_CHARACTERS and where not in DURABLE_SURFACES
    drop = where is Surface.HISTORY or large
    fields = state.model_dump() | ({"text": ""} if drop else {})
    return Captured.model_validate(fields | {"surface": where, "change": change, "text_kept": not drop})
