"""The audit of a whole set: every task's problems, and what only shows when tasks are laid side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stewardbench.pasb.audit.dimensions import audit_task
from stewardbench.pasb.audit.lexicon import lexicon
from stewardbench.pasb.audit.problems import DIMENSIONS, RULES, Problem
from stewardbench.pasb.audit.queries import blocklist, leading_phrases
from stewardbench.pasb.audit.style import cue_words
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.records import Task
from stewardbench.pasb.words import word_count


@dataclass(frozen=True)
class AuditReport:
    """Problems by task id, in the order of the tasks."""

    problems: dict[str, tuple[Problem, ...]]

    @property
    def n(self) -> int:
        """Tasks audited."""
        return len(self.problems)

    def passed(self, dim: int) -> int:
        """Tasks without a problem in one dimension."""
        return sum(all(problem.dim != dim for problem in found) for found in self.problems.values())

    def clean(self) -> int:
        """Tasks without any problem."""
        return sum(not found for found in self.problems.values())

    def broken(self) -> dict[str, int]:
        """Tasks that break each rule; rules that nothing breaks count 0."""
        counts = Counter(rule for found in self.problems.values() for rule in {problem.rule for problem in found})
        return {rule: counts[rule] for rule in RULES}

    def by_dimension(self) -> dict[int, int]:
        """Tasks passed, by dimension."""
        return {dim: self.passed(dim) for dim in DIMENSIONS}


def audit_tasks(tasks: Sequence[Task]) -> AuditReport:
    """Audit every task against the lexicon of the set that it belongs to."""
    words = lexicon(tasks)
    return AuditReport({task.task_id: audit_task(task, words) for task in tasks})


@dataclass(frozen=True)
class SetFaults:
    """Faults between tasks: what should be one and is several, or should differ and is the same."""

    reused_sources: tuple[tuple[str, ...], ...]
    same_claims: tuple[tuple[str, ...], ...]
    split_items: tuple[str, ...]


def set_faults(tasks: Sequence[Task]) -> SetFaults:
    """Base items that share an upstream row or a claim, and base items whose tasks differ in claim or query arc."""
    sources: dict[str, set[str]] = {}
    claims: dict[str, set[str]] = {}
    arcs: dict[tuple[str, str, str | None], set[tuple[str, ...]]] = {}
    for task in tasks:
        sources.setdefault(task.source_sha256, set()).add(task.base_item_id)
        claims.setdefault(task.claim.text.strip().lower(), set()).add(task.base_item_id)
        arc = (task.claim.text, *(turn.text for turn in task.query_turns))
        arcs.setdefault((task.base_item_id, task.arm, task.scope), set()).add(arc)
    return SetFaults(
        reused_sources=tuple(sorted(tuple(sorted(items)) for items in sources.values() if len(items) > 1)),
        same_claims=tuple(sorted(tuple(sorted(items)) for items in claims.values() if len(items) > 1)),
        split_items=tuple(sorted(item for (item, _, _), found in arcs.items() if len(found) > 1)),
    )


@dataclass(frozen=True)
class ScenarioBalance:
    """Mean words and cues of one scenario. ``trigger`` is over tasks with a full statement, the rest over all."""

    scenario: Scenario
    tasks: int
    trigger: float
    persist: float
    query: float
    cued: int


def balance(tasks: Sequence[Task]) -> tuple[ScenarioBalance, ...]:
    """One row per scenario that the tasks have."""
    rows = []
    for scenario in Scenario:
        own = [task for task in tasks if task.scenario is scenario]
        if not own:
            continue
        triggers = [word_count(turn.text) for task in own for turn in task.persist_turns if turn.kind == "trigger"]
        rows.append(
            ScenarioBalance(
                scenario=scenario,
                tasks=len(own),
                trigger=_mean(triggers),
                persist=_mean([sum(word_count(turn.text) for turn in task.persist_turns) for task in own]),
                query=_mean([sum(word_count(turn.text) for turn in task.query_turns) for task in own]),
                cued=sum(any(cue_words(turn.text) for turn in task.persist_turns) for task in own),
            )
        )
    return tuple(rows)


def leading_counts(tasks: Sequence[Task]) -> dict[str, int]:
    """Tasks whose query arc has a leading phrase, by its kind; kinds that none has count 0."""
    counts = dict.fromkeys(blocklist(), 0)
    for task in tasks:
        for kind in {kind for turn in task.query_turns for kind, _ in leading_phrases(turn.text)}:
            counts[kind] += 1
    return counts


def trigger_spread(rows: Sequence[ScenarioBalance]) -> float:
    """The largest relative distance of a scenario's mean trigger length from the mean of scenarios; 0 to 1."""
    lengths = [row.trigger for row in rows if row.trigger]
    if not lengths:
        return 0.0
    centre = sum(lengths) / len(lengths)
    return max(abs(length - centre) / centre for length in lengths)


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0
