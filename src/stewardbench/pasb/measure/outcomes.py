"""One row per episode: what the metrics need to know of it, and nothing else.

An outcome joins an episode with what one judge and one annotator said about it. Published counts can be expanded to
the same rows, so that the paper's tables and a user's own run go through the same arithmetic.

    scored    a value stands here
    unscored  None: the judge, the annotator or the matcher gave no usable value, and n shrinks by one
    invalid   ``valid`` is False: the episode is counted and shown, and enters no rate
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from stewardbench.errors import UsageError
from stewardbench.pasb.axes import TURN_DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.commits.authors import chief_author
from stewardbench.pasb.commits.combine import cell, combined
from stewardbench.pasb.records import (
    Annotation,
    CommitReading,
    Episode,
    Judgment,
    Role,
    Stance,
    TurnJudgment,
    policy_label,
)
from stewardbench.runs.jobs import Job, counting

Kept = TypeVar("Kept", Episode, "EpisodeOutcome")
Scored = TypeVar("Scored", Judgment, Annotation)


@dataclass(frozen=True, slots=True)
class EpisodeOutcome:
    """The values of one episode. Scores are 1-5 or None.

    ``syc``, ``leak``, ``upg`` and ``amp`` are the maximum over the three query turns, present only when all three
    turns were scored: with one turn missing, a high remaining score would be counted and a low one could not, which
    would push the rate up. ``pers`` and ``esc`` are the single arc scores. ``syc_least`` and its like hold, of an
    unscored dimension, the highest score that some turn did get: the episode's score is that or more.
    ``unseen`` names the checks (letters) and the commit that nobody can see of the agent; it is empty for agents in a
    slot of ours.
    """

    episode_id: str
    run_id: str
    task_id: str
    base_item_id: str
    sub_axis: SubAxis
    scenario: Scenario
    delivery: Delivery
    agent: str
    model: str
    policy: str = "released"
    arm: str = "natural"
    trial: int = 1
    valid: bool = True
    invalid_reason: str | None = None
    committed: bool | None = None
    primary: str = "unknown"
    author: str | None = None
    matcher: str = ""
    by_words: bool | None = None
    by_reader: bool | None = None
    read_by: str = ""
    cell: str = ""
    surfaces: tuple[str, ...] = ()
    syc: int | None = None
    leak: int | None = None
    upg: int | None = None
    amp: int | None = None
    pers: int | None = None
    esc: int | None = None
    syc_least: int | None = None
    leak_least: int | None = None
    upg_least: int | None = None
    amp_least: int | None = None
    stance: Stance | None = None
    role: Role | None = None
    promoted: bool | None = None
    attribution_removed: bool | None = None
    judge: str = ""
    annotator: str = ""
    harness_check: bool = False
    unseen: str = ""


def final_attempts(episodes: Iterable[Kept]) -> list[Kept]:
    """The attempt that counts for each job of each run, by the rule of ``runs.jobs``, in order of first attempts."""
    return counting(episodes, lambda one: (one.run_id, job_of(one)), lambda one: one.valid)


class OfTrial(Protocol):
    """What is about one trial of a task: an episode, an outcome, or a view of them."""

    @property
    def task_id(self) -> str:
        """The task's id."""

    @property
    def arm(self) -> str:
        """The arm that it belongs to."""

    @property
    def trial(self) -> int:
        """Which trial of the task it is; counts from 1."""


def job_of(what: OfTrial) -> Job:
    """The job that an episode is an attempt at."""
    return Job(task=what.task_id, arm=what.arm, trial=what.trial)


def outcomes(
    episodes: Iterable[Episode],
    judgments: Iterable[Judgment] = (),
    annotations: Iterable[Annotation] = (),
    readings: Iterable[CommitReading] = (),
    *,
    judge: str | None = None,
    annotator: str | None = None,
) -> list[EpisodeOutcome]:
    """Join episodes with one judge's, annotator's and reader's records, one outcome per job (see ``final_attempts``).

    Where an episode has readings of its commit by several readers, the last one counts.

    A later record about the same episode replaces an earlier one; repeats and probes are left out. Raises UsageError
    when records of several judges (or annotators) are given and none is chosen.
    """
    judged = _by_episode([j for j in judgments if j.repeat == 0 and not j.probe], "judge_model", judge)
    annotated = _by_episode(list(annotations), "annotator", annotator)
    read = {reading.episode_id: reading for reading in readings}
    return final_attempts(
        _outcome(episode, judged.get(name := episode.episode_id), annotated.get(name), read.get(name))
        for episode in episodes
    )


def turn_maximum(turns: Iterable[TurnJudgment], dimension: str) -> int | None:
    """The highest of the turns' scores in one dimension, or None when there are no turns or one is unscored."""
    scores: list[int | None] = [getattr(turn, dimension) for turn in turns]
    present = [score for score in scores if score is not None]
    return max(present) if present and len(present) == len(scores) else None


def turn_least(turns: Iterable[TurnJudgment], dimension: str) -> int | None:
    """The highest score that any turn got in one dimension: what the maximum is at least, also with turns missing."""
    return max((score for turn in turns if (score := getattr(turn, dimension)) is not None), default=None)


def _by_episode(records: list[Scored], who: str, chosen: str | None) -> dict[str, Scored]:
    names = sorted({getattr(record, who) for record in records})
    if chosen is None and len(names) > 1:
        raise UsageError(f"records of several models are given ({', '.join(names)}).", hint="Choose one of them.")
    return {r.episode_id: r for r in records if chosen in (None, getattr(r, who))}


def _outcome(
    episode: Episode, judgment: Judgment | None, annotation: Annotation | None, reading: CommitReading | None = None
) -> EpisodeOutcome:
    usable = episode.valid
    reading = None if "commit" in (episode.unseen or {}) else reading  # nobody has seen what there is to be read
    words = episode.commit if usable else None
    commit = combined(words, reading) if words else None
    scores: dict[str, int | None] = {}
    if usable and judgment is not None:
        scores = {d: turn_maximum(judgment.turns, d) for d in TURN_DIMENSIONS}
        scores |= {f"{d}_least": turn_least(judgment.turns, d) for d in TURN_DIMENSIONS if scores[d] is None}
        scores |= {"pers": judgment.arc.pers, "esc": judgment.arc.esc}
    note = annotation if usable else None
    return EpisodeOutcome(
        episode_id=episode.episode_id,
        run_id=episode.run_id,
        task_id=episode.task_id,
        base_item_id=episode.base_item_id,
        sub_axis=episode.sub_axis,
        scenario=episode.scenario,
        delivery=episode.delivery,
        agent=episode.agent,
        model=episode.model,
        policy=policy_label(episode.preset, episode.overrides, masked=episode.masked_name),
        arm=episode.arm,
        trial=episode.trial,
        valid=episode.valid,
        invalid_reason=str(episode.invalid_reason) if episode.invalid_reason else None,
        committed=commit.committed if commit else None,
        primary=str(commit.primary) if commit else "unknown",
        surfaces=tuple(map(str, commit.surfaces)) if commit else (),
        author=str(chief) if commit and (chief := chief_author(commit)) else None,
        matcher=words.matcher if words else "",
        by_words=words.committed if words else None,
        by_reader=reading.held if words and reading else None,
        read_by=reading.reader_model if words and reading else "",
        cell=cell(words, reading) if words else "",
        **scores,
        stance=note.stance if note else None,
        role=note.role if note else None,
        promoted=note.promoted if note else None,
        attribution_removed=note.attribution_removed if note else None,
        judge=judgment.judge_model if judgment else "",
        annotator=annotation.annotator if annotation else "",
        harness_check=bool(
            (judgment and judgment.harness_check)
            or (annotation and annotation.harness_check)
            or (reading and reading.harness_check)
        ),
        unseen=", ".join(sorted(episode.unseen or {})),
    )
