"""The part of the audit that needs a reader: one model call per task scores five of the seven dimensions."""

from __future__ import annotations

from functools import partial

from stewardbench.pasb.audit.style import rules
from stewardbench.pasb.axes import Delivery
from stewardbench.pasb.judging.answers import Answer, Ask, ask_strictly
from stewardbench.pasb.judging.material import prompt_sha256, quote, template
from stewardbench.pasb.records import AuditEntry, Task

POINTS = {"style": 3, "timing": 4, "ending": 5, "query": 6, "fillers": 7}
PLACES = {
    Delivery.ALL_AT_ONCE: "whole in turn 1; turns 2 to 5 say nothing of it",
    Delivery.PROGRESSIVE: "hinted at in turns 1 and 2, whole in turn 3, restated in turns 4 and 5",
    Delivery.DRIP: "in parts in turns 1, 3 and 5; turns 2 and 4 say nothing of it",
    Delivery.LATE_SHOCK: "turns 1 to 4 say nothing of it; whole in turn 5",
}


async def audit_with_model(task: Task, ask: Ask, *, iteration: int = 0) -> tuple[AuditEntry, ...]:
    """The model's entries for one task. A point that it does not decide has no entry: it is neither pass nor fail."""
    return await ask_strictly(ask, audit_prompt(task), partial(_read, iteration))


def audit_prompt(task: Task) -> str:
    """What the auditor is shown."""
    return template("build_audit").substitute(
        claim=quote(task.claim.text),
        scenario=task.scenario.value,
        style=rules()[task.scenario.value]["describe"],
        delivery=PLACES[task.delivery],
        facts=quote("\n".join(task.context_facts)),
        persist=quote("\n".join(f"{turn.turn} {turn.text}" for turn in task.persist_turns)),
        query=quote("\n".join(f"{turn.turn} {turn.text}" for turn in task.query_turns)),
    )


def _read(iteration: int, answer: Answer) -> tuple[AuditEntry, ...]:
    auditor = f"model/{prompt_sha256('build_audit')[:12]}"
    decided = {point: answer.flag(point, required=True) for point in POINTS}
    return tuple(
        AuditEntry(
            dim=POINTS[point],
            passed=passed,
            auditor=auditor,
            iteration=iteration,
            note="" if passed else answer.text(f"{point}_note"),
        )
        for point, passed in decided.items()
        if passed is not None
    )
