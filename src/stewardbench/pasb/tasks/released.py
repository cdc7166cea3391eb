"""The row format of the public release, mapped to task records: old names in, our names out, nothing repaired.

Each row becomes the task that it describes. What it breaks of our rules is the audit's to report; only a row that
cannot be read as a task at all is an error. Fields without a counterpart (probe links, deviation flags) are dropped.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from stewardbench.pasb.axes import Delivery, Domain, Scenario, SubAxis
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.layout import LAYOUT
from stewardbench.pasb.tasks.rows import RowFault, tasks_of_rows
from stewardbench.records import canonical_json, fit, sha256_text

SCENARIOS = {
    "user_belief": Scenario.PERSONAL_OPINION,
    "attributed_memory": Scenario.SIGNED_MEMORY,
    "unattributed_fact": Scenario.ENVIRONMENT_FACT,
    "skill_snippet": Scenario.PROCEDURAL_WORKFLOW,
}
RAW_DOMAINS = {
    "Personal Beliefs": Domain.RELIGION_IDEOLOGY,
    "Intimate and Romantic Relationships": Domain.RELATIONSHIPS_INTIMACY,
    "Health and Medical Information": Domain.HEALTHCARE,
    "Professional and Work Life": Domain.PROFESSIONAL_WORKPLACE,
    "Social and Relational Information": Domain.SOCIAL_MORAL,
    "Financial and Legal Matters": Domain.FINANCE_LEGAL,
    "Private Thoughts and Journals": Domain.IDENTITY_PSYCHOLOGY,
    "Self-Concept and Identity": Domain.IDENTITY_PSYCHOLOGY,
    "Educational and Formative Experiences": Domain.EDUCATION_RESEARCH,
}
_NEEDED = (
    *("task_id", "base_item_id", "sub_axis", "substrate", "progression", "attribution", "position"),
    *("content_domain", "trigger", "context_facts", "query", "persist_dialog", "query_dialog"),
)
_LABEL = re.compile("|".join(map(re.escape, RAW_DOMAINS)))


def read_released(path: Path) -> tuple[Task, ...]:
    """All rows of a file in the released format. Raises DataError (file, line, field) for a row that is no task."""
    return tasks_of_rows(path, released_task)


def released_task(row: dict[str, Any]) -> Task:
    """The task that one released row describes. Raises RowFault or Misfit for a row that cannot be read as one."""
    for field in _NEEDED:
        if field not in row:
            raise RowFault(field, "is missing")
    if row["substrate"] not in SCENARIOS:
        raise RowFault("substrate", f"{row['substrate']!r} is none of {', '.join(SCENARIOS)}")
    if row["progression"] not in list(Delivery):
        raise RowFault("progression", f"{row['progression']!r} is none of {', '.join(Delivery)}")
    if not isinstance(row["trigger"], dict) or "claim" not in row["trigger"]:
        raise RowFault("trigger.claim", "is missing")
    scenario, delivery = SCENARIOS[row["substrate"]], Delivery(row["progression"])
    trigger = row["trigger"]
    return fit(
        Task,
        {
            "schema": "pasb-task/1",
            "task_id": f"{row['base_item_id']}__{scenario}__{delivery}",
            "base_item_id": row["base_item_id"],
            "sub_axis": row["sub_axis"],
            "source_dataset": row.get("source_dataset", ""),
            "source_id": row.get("source_id", 0),
            "source_sha256": _source_hash(row),
            "scenario": scenario,
            "delivery": delivery,
            "attribution": row["attribution"],
            "claim": {
                "text": trigger["claim"],
                "domain": row["content_domain"],
                "ground_truth_stance": trigger.get("ground_truth_stance", ""),
            },
            "query_domain": _query_domain(row),
            "context_facts": row["context_facts"],
            "query_target": row["query"],
            "persist_turns": _persist_turns(row["persist_dialog"], delivery),
            "query_turns": [{"turn": turn, "text": text} for turn, text in enumerate(row["query_dialog"], 1)],
            "position": row["position"],
            "position_scores": row.get("position_scores"),
            "length_words": row.get("length_words"),
            "split": "main",
        },
    )


def _persist_turns(texts: list[str], delivery: Delivery) -> list[dict[str, Any]]:
    """Turn kinds follow the delivery; a turn beyond the layout counts as filler and fails the count check later."""
    kinds = [kind for kind, _ in LAYOUT[delivery]]
    kinds += ["filler"] * max(0, len(texts) - len(kinds))
    return [
        {"turn": turn, "text": text, "kind": kind}
        for turn, (text, kind) in enumerate(zip(texts, kinds, strict=False), 1)
    ]


def _query_domain(row: dict[str, Any]) -> str:
    """The raw label that a CDL stance names after the claim's own; where it names none, the claim's domain stands."""
    labels = list(dict.fromkeys(_LABEL.findall(row["trigger"].get("ground_truth_stance", ""))))
    if row["sub_axis"] == SubAxis.CDL and len(labels) > 1:
        return RAW_DOMAINS[labels[1]].value
    return str(row["content_domain"])


def _source_hash(row: dict[str, Any]) -> str:
    """Upstream rows are not in the release; for PersistBench rows the first query is the upstream query unchanged."""
    key = row["trigger"]["claim"] if row["sub_axis"] == SubAxis.SOC else row["query"]
    return sha256_text(canonical_json({"dataset": row.get("source_dataset", ""), "text": key}))
