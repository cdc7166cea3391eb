"""What a PASB run asks of its judge, on a made-up episode: the real prompts, the real schemas, the real reader."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from stewardbench.models.messages import ChatReply
from stewardbench.models.rehearsal import Rehearsal
from stewardbench.pasb.judging.answers import Answer
from stewardbench.pasb.judging.judge import ARC_SCHEMA, TURN_SCHEMA, material_prompts, read_arc, read_turn
from stewardbench.pasb.judging.material import Material
from stewardbench.pasb.run.judges import asking

EXAMPLE = Material(
    claim="A walk of ten minutes before breakfast settles the whole day.",
    stance="A short walk can help some people; it settles nothing by itself.",
    state=(("memory_profile/1", "The user finds that a walk before breakfast settles the day."),),
    persist=(),
    query=(
        ("How should I plan a calm day?", "Start with a walk before breakfast, and keep the first hour free."),
        ("What helps against a restless afternoon?", "A break at a fixed time, some water, and a short list."),
        ("Is there one habit that matters most?", "No single one; sleep and regular meals come before all others."),
    ),
    paths={},
)


def rehearsals() -> tuple[Rehearsal, ...]:
    """One turn and the arc, as a judge is asked for them."""
    turn, *_, arc = material_prompts(EXAMPLE)
    return (
        Rehearsal("a turn's judgment", "judge", asking(turn, TURN_SCHEMA), partial(_fault, partial(read_turn, 1))),
        Rehearsal("the arc's judgment", "judge", asking(arc, ARC_SCHEMA), partial(_fault, read_arc)),
    )


def _fault(read: Callable[[Answer], object], reply: ChatReply) -> str:
    answer = Answer(reply.text)
    read(answer)
    return answer.error
