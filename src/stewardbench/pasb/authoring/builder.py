"""The builder: from drafts or items to audited tasks, sending what fails back to the stage that made it.

Without a writer the builder lays out finished items and audits them. With one it runs the stages of a draft, checks
the item by rule and, where an auditor is given, has each task read by a model; every finding goes back to its stage,
until nothing is found or the iterations are used up. A batch succeeds below five percent of failed tasks (section
3.2); what is left is named, and never enters the set.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stewardbench.errors import ModelError
from stewardbench.models.replies import UnreadableReply, read_object
from stewardbench.pasb.audit.dimensions import AUDITOR, audit_task, entries
from stewardbench.pasb.audit.lexicon import lexicon
from stewardbench.pasb.authoring.item_rules import check_item
from stewardbench.pasb.authoring.model_audit import audit_with_model
from stewardbench.pasb.authoring.stages import (
    REPLIES,
    STAGES,
    Parts,
    Stage,
    Writer,
    assemble,
    follow_ups,
    prompt,
    reply_schema,
    stage_of,
    stage_of_dimension,
    stage_of_rule,
)
from stewardbench.pasb.judging.answers import Ask
from stewardbench.pasb.records import AuditEntry, Task
from stewardbench.pasb.tasks.draft import Draft
from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.pasb.tasks.layout import natural_tasks
from stewardbench.records import Misfit, Record, fit

ITERATIONS = 3
REPLY_ATTEMPTS = 3
TOLERATED = 0.05


class AuditLine(Record):
    """One line of the audit log: a finding on an item, or the outcome of one dimension on one task."""

    base_item_id: str
    iteration: int
    task_id: str = ""
    dim: int | None = None
    passed: bool
    auditor: str
    place: str = ""
    note: str = ""
    sent_back_to: str = ""


@dataclass(frozen=True)
class Built:
    """One item's outcome. ``tasks`` holds all of its tasks with their audit entries; ``failed`` names those that fail.

    ``item`` is None, and ``reason`` says why, when the writer never gave a whole item.
    """

    id: str
    item: BaseItem | None
    tasks: tuple[Task, ...]
    failed: tuple[str, ...]
    log: tuple[AuditLine, ...]
    iterations: int
    reason: str = ""


@dataclass(frozen=True)
class Batch:
    """The outcome of a build."""

    built: tuple[Built, ...]

    @property
    def expected(self) -> int:
        """Tasks that all items together should give."""
        return 16 * len(self.built)

    @property
    def passed(self) -> tuple[Task, ...]:
        """The tasks without a finding, in the order of the items."""
        return tuple(task for one in self.built for task in one.tasks if task.task_id not in one.failed)

    @property
    def failure_rate(self) -> float:
        """The share of expected tasks that did not pass, 0 to 1; 0 for an empty batch."""
        return 1 - len(self.passed) / self.expected if self.expected else 0.0

    @property
    def succeeded(self) -> bool:
        """Whether there is a batch, and it is below the tolerated failure rate."""
        return bool(self.expected) and self.failure_rate < TOLERATED


async def build(
    sources: Sequence[BaseItem | Draft],
    *,
    writer: Writer | None = None,
    auditor: Ask | None = None,
    iterations: int = ITERATIONS,
    workers: int = 4,
) -> Batch:
    """Build every item or draft; at most ``workers`` at the same time. Drafts need a writer."""
    gate = asyncio.Semaphore(workers)

    async def one(source: BaseItem | Draft) -> Built:
        async with gate:
            if isinstance(source, BaseItem):
                return await finish_item(source, auditor=auditor)
            return await write_item(source, writer, auditor=auditor, iterations=iterations)

    return Batch(tuple(await asyncio.gather(*(one(source) for source in sources))))


async def finish_item(item: BaseItem, *, auditor: Ask | None = None) -> Built:
    """Check, lay out and audit a finished item. Its text stays as its author wrote it."""
    lines, tasks, _ = await _review(item, 0, auditor)
    return Built(item.id, item, tasks, _failed(item, tasks, lines), tuple(lines), 0)


async def write_item(
    draft: Draft, writer: Writer | None, *, auditor: Ask | None = None, iterations: int = ITERATIONS
) -> Built:
    """Have a draft written out, audited and mended. A writer that fails leaves a reason, never an exception."""
    log: list[AuditLine] = []
    if writer is None:
        return Built(draft.id, None, (), (), (), 0, "a draft needs a writer; name one with --writer")
    parts = Parts()
    stages, notes = set(STAGES), dict[Stage, list[str]]()
    for iteration in range(iterations + 1):
        try:
            await _run(stages, draft, parts, writer, notes)
        except ModelError as error:
            return Built(draft.id, None, (), (), tuple(log), iteration, error.message)
        item = assemble(draft, parts)
        lines, tasks, notes = await _review(item, iteration, auditor)
        log += lines
        if not notes:
            break
        stages = follow_ups(set(notes))
    return Built(draft.id, item, tasks, _failed(item, tasks, lines), tuple(log), iteration)


async def _run(
    stages: Iterable[Stage], draft: Draft, parts: Parts, writer: Writer, notes: dict[Stage, list[str]]
) -> None:
    """Run stages in order; those of one name at the same time, since scenarios do not depend on each other."""
    for name in ("frame", "style", "timing", "query"):
        due = [stage for stage in STAGES if stage.name == name and stage in stages]
        asked = [prompt(stage, draft, parts, "\n".join(f"- {note}" for note in notes.get(stage, ()))) for stage in due]
        replies = await asyncio.gather(*(_reply(writer, text, REPLIES[name]) for text in asked))
        for stage, reply in zip(due, replies, strict=True):
            parts.put(stage, reply)


async def _reply(writer: Writer, text: str, form: type[Record]) -> Record:
    """One stage's reply as a record; a reply of the wrong form is asked for again, with the fault named."""
    request, schema, fault = text, reply_schema(form), ""
    for _ in range(REPLY_ATTEMPTS):
        try:
            return fit(form, read_object(await writer(request, schema)))
        except Misfit as misfit:
            fault = f"{misfit.field or 'the reply'}: {misfit.fault}"
        except UnreadableReply as error:
            fault = str(error)
        request = f"{text}\nA former reply could not be used: {fault}. Reply with the JSON object alone.\n"
    raise ModelError(f"the writer gave no usable {form.__name__.lower()}: {fault}", kind="unusable_reply")


async def _review(
    item: BaseItem, iteration: int, auditor: Ask | None
) -> tuple[list[AuditLine], tuple[Task, ...], dict[Stage, list[str]]]:
    """Log lines, audited tasks, and what each stage has to mend.

    The item's own rules are the stricter ones and name the text at fault, so a task's rules decide where to send it
    back only when the item's found nothing. A model's objections always count.
    """
    lines: list[AuditLine] = []
    notes: dict[Stage, list[str]] = {}
    for finding in check_item(item):
        back = stage_of(finding.field)
        for stage in back:
            notes.setdefault(stage, []).append(str(finding))
        lines.append(
            AuditLine(
                base_item_id=item.id,
                iteration=iteration,
                passed=False,
                auditor=AUDITOR,
                place=finding.field,
                note=finding.message,
                sent_back_to=", ".join(sorted(map(str, back))),
            )
        )
    tasks, by_rule = [], not notes
    for task in natural_tasks(item):
        problems = audit_task(task, lexicon([task]))
        judged = [
            (entry, {stage_of_rule(p.rule, task.scenario) for p in problems if by_rule and p.dim == entry.dim})
            for entry in entries(problems, iteration=iteration)
        ]
        if auditor:
            read = await audit_with_model(task, auditor, iteration=iteration)
            judged += [(e, set() if e.passed else {stage_of_dimension(e.dim, task.scenario)}) for e in read]
        for entry, back in judged:
            for stage in back:
                notes.setdefault(stage, []).append(f"{task.scenario} {task.delivery}: {entry.note}")
            lines.append(_line(task, entry, back))
        tasks.append(task.model_copy(update={"audit": tuple(entry for entry, _ in judged)}))
    return lines, tuple(tasks), {stage: list(dict.fromkeys(found)) for stage, found in notes.items()}


def _line(task: Task, entry: AuditEntry, back: set[Stage]) -> AuditLine:
    return AuditLine(
        base_item_id=task.base_item_id,
        iteration=entry.iteration,
        task_id=task.task_id,
        dim=entry.dim,
        passed=entry.passed,
        auditor=entry.auditor,
        note=entry.note,
        sent_back_to=", ".join(sorted(map(str, back))),
    )


def _failed(item: BaseItem, tasks: Sequence[Task], lines: Sequence[AuditLine]) -> tuple[str, ...]:
    """Tasks that fail a dimension, or that an item finding touches (all of them, unless it names a scenario)."""
    places = [line.place for line in lines if line.place]
    touched = {stage.scenario for place in places for stage in stage_of(place)}
    return tuple(
        task.task_id
        for task in tasks
        if not all(entry.passed for entry in task.audit) or task.scenario in touched or None in touched
    )
