"""Run folders made for tests from outcomes, with every record valid and complete."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stewardbench.models.messages import ChatReply, ChatRequest, Exchange
from stewardbench.pasb.axes import ARC_DIMENSIONS, TURN_DIMENSIONS, Attribution, Domain
from stewardbench.pasb.measure.outcomes import EpisodeOutcome
from stewardbench.pasb.records import (
    Annotation,
    ArcJudgment,
    Claim,
    Commit,
    Cut,
    Episode,
    Judgment,
    PersistTurn,
    QueryTurn,
    Role,
    Task,
    Turn,
    TurnJudgment,
)
from stewardbench.runs.exchanges import pack
from stewardbench.runs.folder import RunFolder

CUT = Cut(
    ids_differ=True,
    canary_ok=True,
    stores_cleared=True,
    durable_hash_equal=True,
    claim_in_query_input=False,
    whole_tree_captured=True,
    turn_counts_ok=True,
)


def write_run(folder: Path, outcomes: Iterable[EpisodeOutcome], *, judge: str = "judge/one", **settings: Any) -> Path:
    """A PASB run folder whose records lead to exactly these outcomes."""
    listed = list(outcomes)
    with RunFolder.open(folder, "pasb", {"model": listed[0].model, "agent": listed[0].agent, **settings}) as run:
        run.log("tasks").extend([task(made).to_json() for made in {one.task_id: one for one in listed}.values()])
        for made in listed:
            add_episode(run, made)
            if made.valid:
                add_judgment(run, made, judge)
                if made.stance is not None:
                    run.log("annotations").append(annotation(made).to_json())
    return folder


def task(made: EpisodeOutcome) -> Task:
    """The task that an outcome is of; its texts say nothing."""
    kinds = ("trigger", "filler", "filler", "filler", "filler")
    return Task(
        task_id=made.task_id,
        base_item_id=made.base_item_id,
        sub_axis=made.sub_axis,
        source_dataset="made",
        source_id=0,
        source_sha256="0" * 64,
        scenario=made.scenario,
        delivery=made.delivery,
        attribution=next(iter(Attribution)),
        claim=Claim(text="Kites fly best at noon.", domain=next(iter(Domain)), ground_truth_stance="They do not."),
        query_domain=next(iter(Domain)),
        context_facts=(),
        query_target="kites",
        persist_turns=tuple(PersistTurn(turn=t, text="note", kind=kind) for t, kind in enumerate(kinds, 1)),
        query_turns=tuple(QueryTurn(turn=t, text="question") for t in (1, 2, 3)),
        position="none",
        arm=made.arm,  # type: ignore[arg-type]
    )


def add_episode(run: RunFolder, made: EpisodeOutcome, **changes: Any) -> None:
    turns = tuple(Turn(turn=t, user="question", agent="answer", session_id="s", model_calls=1) for t in (1, 2, 3))
    asked = ChatRequest(messages=({"role": "user", "content": "question"},))
    calls = [
        Exchange(index=t - 1, stage="query", turn=t, request=asked, reply=ChatReply(text="answer")) for t in (1, 2, 3)
    ]
    record = Episode(
        episode_id=made.episode_id,
        run_id=made.run_id,
        task_id=made.task_id,
        base_item_id=made.base_item_id,
        sub_axis=made.sub_axis,
        scenario=made.scenario,
        delivery=made.delivery,
        model=made.model,
        agent=made.agent,
        agent_version="1",
        review="released",
        tools="released",
        arm=made.arm,
        trial=made.trial,
        config_sha256="0" * 64,
        baseline_sha256="0" * 64,
        worker=0,
        attempt=1,
        started_at="2026-01-01T00:00:00+00:00",
        completed_at="2026-01-01T00:00:01+00:00",
        confined=True,
        canary="canary",
        persist=(),
        query=turns,
        flush=None,
        state_before=(),
        state_after_persist=(),
        state_after_query=(),
        commit=Commit(committed=made.committed, primary=made.primary, matcher="test"),  # type: ignore[arg-type]
        cut=CUT,
        exchanges_sha256=run.blobs.put(pack(calls)),
        valid=made.valid,
        invalid_reason=made.invalid_reason,  # type: ignore[arg-type]
    )
    run.log("episodes").append(record.model_copy(update=changes).to_json())


def add_judgment(run: RunFolder, made: EpisodeOutcome, judge: str, **changes: Any) -> None:
    """All three turns carry the episode's scores, so that their maximum is the score."""
    turn = {name: getattr(made, name) for name in TURN_DIMENSIONS}
    record = Judgment(
        episode_id=made.episode_id,
        task_id=made.task_id,
        judge_model=judge,
        prompt_sha256="0" * 64,
        rubric_version="1",
        turns=tuple(TurnJudgment(turn=t, **turn) for t in (1, 2, 3)),
        arc=ArcJudgment(**{name: getattr(made, name) for name in ARC_DIMENSIONS}),
        harness_check=made.harness_check,
    )
    run.log("judgments").append(record.model_copy(update=changes).to_json())


def annotation(made: EpisodeOutcome) -> Annotation:
    return Annotation(
        run_id=made.run_id,
        task_id=made.task_id,
        episode_id=made.episode_id,
        model=made.model,
        agent=made.agent,
        stance=made.stance,
        role=made.role or Role.NONE,
        promoted=made.promoted,
        attribution_removed=made.attribution_removed,
        annotator="annotator/one",
        prompt_sha256="0" * 64,
    )
