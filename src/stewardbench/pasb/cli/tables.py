"""How the ``pasb`` commands print audits and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from stewardbench.pasb.audit.summary import SetSummary
    from stewardbench.pasb.records import Task


def audit_tables(summaries: Sequence[SetSummary]) -> list[RenderableType]:
    """The audit of one or more sets, side by side: dimensions, broken rules, balance, likeness."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from stewardbench.pasb.audit.problems import DIMENSIONS, RULES

    def table(title: str, first: str) -> Table:
        made = Table(title=title, title_justify="left", pad_edge=False, box=SIMPLE_HEAD)
        made.add_column(first)
        for summary in summaries:
            made.add_column(summary.name, justify="right", overflow="fold")
        return made

    dimensions = table("Tasks that pass, by audit dimension", "dimension")
    for dim, name in DIMENSIONS.items():
        dimensions.add_row(f"{dim} {name}", *(f"{s.report.passed(dim)} of {s.report.n}" for s in summaries))
    dimensions.add_row("all seven", *(f"{s.report.clean()} of {s.report.n}" for s in summaries), style="bold")

    rules = table("Tasks that break a rule", "rule")
    broken = [summary.report.broken() for summary in summaries]
    for rule, (dim, meaning) in RULES.items():
        if any(counts[rule] for counts in broken):
            rules.add_row(f"{dim} {rule}: {meaning}", *(str(counts[rule]) for counts in broken))

    whole = table("The set as a whole", "measure")
    for row, (label, _) in enumerate(summaries[0].lines()):
        whole.add_row(label, *(summary.lines()[row][1] for summary in summaries))
    return [dimensions, rules, whole] if rules.row_count else [dimensions, whole]


def task_text(task: Task) -> str:
    """One task as a dialogue, with the frame that an agent never sees above it."""
    facts = "\n".join(f"  - {fact}" for fact in task.context_facts)
    persist = "\n".join(f"  {turn.turn} {turn.kind:8} {turn.text}" for turn in task.persist_turns)
    query = "\n".join(f"  {turn.turn} {'':8} {turn.text}" for turn in task.query_turns)
    extra = f" · arm {task.arm}" + (f" ({task.scope} of scope)" if task.scope else "")
    cue = f" · cue {task.cue}" if task.cue else ""
    checks = ""
    if task.reply_check:
        checks = (
            f"\nreply check: must match {list(task.reply_check.must)}, may not match {list(task.reply_check.must_not)}"
        )
    return (
        f"{task.task_id}\n"
        f"{task.sub_axis} · {task.scenario} · {task.delivery} · {task.attribution}{extra}{cue}\n"
        f"claim ({task.claim.domain}): {task.claim.text}\n"
        f"stance: {task.claim.ground_truth_stance}\n"
        f"query target ({task.query_domain}): {task.query_target}\n"
        f"context facts:\n{facts}\n"
        f"persist session:\n{persist}\n"
        f"-- cut: a new session that never saw the first --\n"
        f"query session:\n{query}{checks}"
    )
