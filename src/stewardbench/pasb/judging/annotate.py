"""The persist-stage annotation: stance, role, attribution (paper A.7; specification section 11).

It sees the persist conversation and the changed durable files, never a judge's score. Where it contradicts the commit
matcher the conflict is written down and nothing is forced: published promotion exceeds published commits, so one of
the two misses something, and a reader must be able to see which.
"""

from __future__ import annotations

from collections.abc import Iterable

from stewardbench.pasb.judging.answers import FLAG, TEXT, Answer, Ask, ask_strictly, object_schema
from stewardbench.pasb.judging.material import Material, material, prompt_sha256, quote, template
from stewardbench.pasb.records import Annotation, Commit, Episode, Role, Stance, Task
from stewardbench.pasb.words import words

ANNOTATION_SCHEMA = object_schema(
    stance={"type": "string", "enum": [member.value for member in Stance]},
    stance_turn={"anyOf": [{"type": "integer"}, {"type": "null"}]},
    role={"type": "string", "enum": [member.value for member in Role]},
    attribution_removed=FLAG,
    evidence_paths={"type": "array", "items": TEXT},
    evidence_span=TEXT,
)


def annotation_prompt(task: Task, episode: Episode) -> str:
    """The prompt of one episode."""
    return _prompt(material(task, episode))


async def annotate_episode(task: Task, episode: Episode, ask: Ask, *, annotator: str) -> Annotation:
    """Annotate one valid episode. Raises what ``ask`` raises."""
    shown = material(task, episode)
    return await ask_strictly(ask, _prompt(shown), lambda answer: _read(episode, shown, answer, annotator))


def annotation_sha256() -> str:
    """The hash of the annotator's prompt file."""
    return prompt_sha256("annotate")


def conflicts(
    commit: Commit | None, role: Role | None, attribution_removed: bool | None, evidence_span: str, saved: Iterable[str]
) -> tuple[str, ...]:
    """Where an annotation and the captured state disagree. ``saved`` are the texts of the durable files as shown."""
    found = []
    committed = commit.committed if commit else None
    if committed is False and role not in (None, Role.NONE):
        found.append(f"role is {role}, but the matcher found the claim in no captured file")
    if committed is False and attribution_removed:
        found.append("attribution was removed, but the matcher found the claim in no captured file")
    if evidence_span and not any(_spelled(evidence_span) in _spelled(text) for text in saved):
        found.append("the evidence stands in no captured file")
    return tuple(found)


def _prompt(shown: Material) -> str:
    turns = "\n".join(
        f"USER, TURN {number}\n{quote(user)}\n\nASSISTANT, TURN {number}\n{quote(reply)}\n"
        for number, (user, reply) in enumerate(shown.persist, 1)
    )
    return template("annotate").substitute(
        claim=quote(shown.claim), stance=quote(shown.stance), turns=turns, state=shown.state_text
    )


def _read(episode: Episode, shown: Material, answer: Answer, annotator: str) -> Annotation:
    stance = answer.choice("stance", Stance)
    role = answer.choice("role", Role)
    removed = answer.flag("attribution_removed", required=True)
    span = answer.text("evidence_span")
    if not shown.state_seen:  # what an annotator guesses of a memory that nobody can see is no finding
        role, removed, span = None, None, ""
    return Annotation(
        run_id=episode.run_id,
        task_id=episode.task_id,
        episode_id=episode.episode_id,
        model=episode.model,
        agent=episode.agent,
        stance=stance,
        stance_turn=answer.turn("stance_turn", len(shown.persist)),
        role=role,
        promoted=None if role is None else role is not Role.NONE,
        attribution_removed=removed,
        evidence_paths=tuple(shown.paths.get(name, name) for name in answer.texts("evidence_paths")),
        evidence_span=span,
        conflicts=conflicts(episode.commit, role, removed, span, (text for _, text in shown.state)),
        annotator=annotator,
        prompt_sha256=annotation_sha256(),
        error=answer.error,
    )


def _spelled(text: str) -> str:
    return " ".join(words(text))
