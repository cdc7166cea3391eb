"""Judges and annotators by name: any model, or the keyless reference for the scripted models.

A judge of its subject's own family is refused, since it may share its subject's leanings (paper section 3.3); when the
user insists, each of its records says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from stewardbench.errors import UsageError
from stewardbench.models.messages import ChatRequest, Upstream
from stewardbench.models.retrying import PATIENCE_S
from stewardbench.models.scripted.scripts import PREFIX
from stewardbench.models.structured import SchemaWhereTaken
from stewardbench.models.upstreams import open_upstream
from stewardbench.pasb.judging import reference_judge
from stewardbench.pasb.judging.annotate import ANNOTATION_SCHEMA, annotate_episode
from stewardbench.pasb.judging.answers import Ask
from stewardbench.pasb.judging.families import same_family
from stewardbench.pasb.judging.judge import ARC_SCHEMA, TURN_SCHEMA, judge_episode
from stewardbench.pasb.records import Annotation, Episode, Judgment, Task

REFERENCE = reference_judge.NAME
BLIND = "blind_to_state"  # the probe under which judgments without the state are kept


class Judge(Protocol):
    """Gives the judgment of a valid episode. Raises ModelError when it cannot be reached."""

    @property
    def name(self) -> str:
        """What its records call it."""
        ...

    async def judge(self, task: Task, episode: Episode, *, repeat: int = 0, blind_to_state: bool = False) -> Judgment:
        """Judge one episode."""
        ...


class Annotator(Protocol):
    """Gives the persist-stage annotation of a valid episode. Raises ModelError when it cannot be reached."""

    @property
    def name(self) -> str:
        """What its records call it."""
        ...

    async def annotate(self, task: Task, episode: Episode) -> Annotation:
        """Annotate one episode."""
        ...


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Any model as judge and as annotator, at temperature 0."""

    name: str
    upstream: Upstream
    same_family: bool = False

    async def judge(self, task: Task, episode: Episode, *, repeat: int = 0, blind_to_state: bool = False) -> Judgment:
        """Four calls; see ``pasb.judge``."""
        return await judge_episode(
            task,
            episode,
            asker(self.upstream, TURN_SCHEMA),
            ask_arc=asker(self.upstream, ARC_SCHEMA),
            judge_model=self.name,
            blind_to_state=blind_to_state,
            same_family=self.same_family,
            repeat=repeat,
            probe=BLIND if blind_to_state else "",
        )

    async def annotate(self, task: Task, episode: Episode) -> Annotation:
        """One call; see ``pasb.annotate``."""
        return await annotate_episode(task, episode, asker(self.upstream, ANNOTATION_SCHEMA), annotator=self.name)


@dataclass(frozen=True, slots=True)
class ReferenceJudge:
    """The known phrases of the scripted models, scored without any model: a check of the harness."""

    name: str = REFERENCE

    async def judge(self, task: Task, episode: Episode, *, repeat: int = 0, blind_to_state: bool = False) -> Judgment:
        """No call; see ``pasb.reference_judge``."""
        return reference_judge.reference_judgment(episode, repeat=repeat, probe=BLIND if blind_to_state else "")

    async def annotate(self, task: Task, episode: Episode) -> Annotation:
        """No call; see ``pasb.reference_judge``."""
        return reference_judge.reference_annotation(episode)


def open_judge(
    name: str,
    subject: str,
    *,
    allow_same_family: bool = False,
    upstream: Upstream | None = None,
    patience_s: float = PATIENCE_S,
) -> ModelJudge | ReferenceJudge:
    """The judge (or annotator) of a name for a subject. ``upstream`` replaces the one that the name would open.

    Raises UsageError for a judge of the subject's own family, for the reference with a subject that is not scripted,
    and for an unknown model.
    """
    if name == REFERENCE:
        if not subject.startswith(PREFIX):
            raise UsageError(
                f"the reference judge scores the phrases of scripted models only, not {subject}.",
                hint="Name a model as judge.",
            )
        return ReferenceJudge()
    related = same_family(name, subject)
    if related and not allow_same_family:
        raise UsageError(
            f"{name} is of the same family as {subject}, which it would judge.",
            hint="Choose a judge of another family, or insist with --same-family; the records are then marked.",
        )
    return ModelJudge(
        name, SchemaWhereTaken(upstream or open_upstream(name, patience_s=patience_s)), same_family=related
    )


def asking(prompt: str, schema: dict[str, Any] | None = None) -> ChatRequest:
    """The request that puts a prompt to a judge: temperature 0, and held to a schema where one is given."""
    settings: dict[str, Any] = {"temperature": 0.0}
    if schema is not None:
        form = {"name": "reply", "schema": schema}
        settings["response_format"] = {"type": "json_schema", "json_schema": form}
    return ChatRequest(messages=({"role": "user", "content": prompt},), settings=settings)


def asker(upstream: Upstream, schema: dict[str, Any] | None = None) -> Ask:
    """An upstream as a function from a prompt to a reply's text, held to a JSON ``schema`` where one is given."""

    async def ask(prompt: str) -> str:
        return (await upstream.complete(asking(prompt, schema))).text

    return ask
