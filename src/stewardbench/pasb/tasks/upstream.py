"""Drafts from the users' own copies of the upstream data sets: PersistBench (JSONL) and ELEPHANT's AITA file (CSV).

Nothing is guessed: which memories of a PersistBench row carry the claim stands in a reviewed side file, and rows that
do not qualify are listed with the reason. What identifies a forum post (ages, links, user names) is dropped by rule;
personal names and places cannot be found by rule, so the writer's prompt asks for invented ones.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stewardbench.pasb.axes import Domain, SubAxis
from stewardbench.pasb.tasks.draft import Draft, Source
from stewardbench.pasb.tasks.released import RAW_DOMAINS
from stewardbench.records import canonical_json, read_jsonl, sha256_text
from stewardbench.records.sheets import INDEX, Once, Row, read_sheet

_CLEAR_VERDICT = re.compile(r"^\W*(?:YTA|YWBTA)\b", re.IGNORECASE)
_CONDITIONAL = re.compile(r"\b(?:if|unless|depends|info|esh|nta)\b", re.IGNORECASE)
_IDENTIFYING = (
    (re.compile(r"https?://\S+|www\.\S+"), ""),
    (re.compile(r"\b[ur]/\w+"), ""),
    (re.compile(r"[\[(]\s*(?:[MFmf]\s*/?\s*\d{1,2}|\d{1,2}\s*/?\s*[MFmf])\s*[\])]"), ""),
    (re.compile(r"\b(?:[MF]\d{2}|\d{2}[MF])\b"), ""),
    (re.compile(r"\b\d{1,2}[- ]?(?:years?|yrs?)[- ]old\b", re.IGNORECASE), ""),
    (re.compile(r"[\u200b-\u200f\u2060\ufeff]"), ""),
    (re.compile(r"[ \t]{2,}"), " "),
)


@dataclass(frozen=True)
class Skipped:
    """A row that became no draft. ``row`` is the 0-based row number in the file."""

    row: int
    reason: str


@dataclass(frozen=True)
class Import:
    """Drafts and the rows left out, in file order."""

    drafts: tuple[Draft, ...]
    skipped: tuple[Skipped, ...]


def import_persistbench(path: Path, targets: Path) -> Import:
    """Drafts of the rows that ``targets`` names.

    ``targets`` is a CSV with the columns ``source_id`` (0-based line of the file) and ``memory_index`` (0-based
    positions of the memories that carry the claim, separated by spaces). Rows with failure type ``sycophancy``
    become PRF drafts, ``cross_domain`` rows CDL drafts; numbers are given in file order.
    """
    chosen = _targets(targets)
    rows = {line - 1: row for line, row in read_jsonl(path)}
    drafts: list[Draft] = []
    skipped: list[Skipped] = []
    seen: dict[str, int] = {}
    counts = dict.fromkeys(SubAxis, 0)
    for number, indices in sorted(chosen.items()):
        row = rows.get(number, {})
        digest = sha256_text(canonical_json(row))
        if fault := _persistbench_fault(row, indices):
            skipped.append(Skipped(number, fault))
        elif digest in seen:
            skipped.append(Skipped(number, f"is the same as row {seen[digest]}"))
        else:
            seen[digest] = number
            sub_axis = _SUB_AXES[row["failure_type"]]
            counts[sub_axis] += 1
            source = Source(dataset=f"persistbench-{row['failure_type']}", id=number, sha256=digest)
            drafts.append(_persistbench_draft(row, indices, f"PASB-{sub_axis}-{counts[sub_axis]:04d}", source))
    return Import(tuple(drafts), tuple(skipped))


_SUB_AXES = {"sycophancy": SubAxis.PRF, "cross_domain": SubAxis.CDL}


def _targets(path: Path) -> dict[int, tuple[int, ...]]:
    chosen: dict[int, tuple[int, ...]] = {}
    sources = Once(path, "source_id", "Write all memories of a row in one line, with blanks between.")
    for row in read_sheet(path, ("source_id", "memory_index")):
        number = row.number("source_id")
        sources.note(number, row.line, f"row {number}")
        chosen[number] = row.numbers("memory_index")
    return chosen


def _persistbench_fault(row: dict[str, Any], indices: tuple[int, ...]) -> str:
    if not row:
        return "is not in the file"
    missing = [field for field in ("query", "memories", "failure_type") if field not in row]
    if missing:
        return f"lacks {', '.join(missing)}"
    if row["failure_type"] not in _SUB_AXES:
        return f"has failure type {row['failure_type']}; sycophancy or cross_domain wanted"
    outside = [index for index in indices if not 0 <= index < len(row["memories"])]
    if not indices or outside:
        return f"has {len(row['memories'])} memories; positions {list(indices)} do not fit"
    return ""


def _persistbench_draft(row: dict[str, Any], indices: tuple[int, ...], item: str, source: Source) -> Draft:
    memories = row["memories"]
    return Draft(
        id=item,
        source=source,
        material=tuple(memories[index] for index in indices),
        facts=tuple(text for place, text in enumerate(memories) if place not in indices),
        query_seed=row["query"],
        claim_domain=_domain(row.get("memory_domain", "")),
        query_domain=_domain(row.get("query_domain", "")),
    )


def _domain(raw: str) -> Domain | None:
    """A raw label's class; None where the label says nothing (``sycophancy``)."""
    return next((domain for label, domain in RAW_DOMAINS.items() if raw.startswith(label)), None)


def import_elephant(path: Path) -> Import:
    """SOC drafts of the posts whose writer the community found at fault, without condition and with a reason."""
    drafts: list[Draft] = []
    skipped: list[Skipped] = []
    seen: dict[str, int] = {}
    for place, row in enumerate(read_sheet(path, ("prompt", "top_comment", "is_asshole"))):
        number = _index(row)
        digest = sha256_text(canonical_json(row))
        verdict = _anonymous(row["top_comment"])
        if fault := _elephant_fault(row, verdict):
            skipped.append(Skipped(place, fault))
        elif digest in seen:
            skipped.append(Skipped(place, f"is the same as row {seen[digest]}"))
        else:
            seen[digest] = place
            drafts.append(
                Draft(
                    id=f"PASB-SOC-{len(drafts) + 1:04d}",
                    source=Source(dataset="elephant-aita-yta", id=number, sha256=digest),
                    material=(_anonymous(row["prompt"]),),
                    verdict=verdict,
                    claim_domain=Domain.SOCIAL_MORAL,
                    query_domain=Domain.SOCIAL_MORAL,
                )
            )
    return Import(tuple(drafts), tuple(skipped))


def _elephant_fault(row: Row, verdict: str) -> str:
    if not row["is_asshole"].strip():
        return "is_asshole is empty"
    if not row.boolean("is_asshole"):
        return "the writer was not found at fault"
    if not _CLEAR_VERDICT.match(verdict):
        return "the top comment does not open with a clear verdict"
    first = re.split(r"(?<=[.!?])\s|\n", verdict, maxsplit=1)[0]
    if _CONDITIONAL.search(first):
        return "the verdict is conditional"
    if len(verdict.split()) < 8:
        return "the top comment gives no reason"
    return ""


def _index(row: Row) -> int:
    """The authors' own row index: the unnamed first column, or ``row_id`` in an excerpt."""
    column = next((name for name in (INDEX, "row_id") if name in row), None)
    if column is None:
        raise row.fault("row_id", "there is no row index.", "Keep the first column without a name, or add row_id.")
    return row.number(column)


def _anonymous(text: str) -> str:
    text = html.unescape(text)
    for pattern, replacement in _IDENTIFYING:
        text = pattern.sub(replacement, text)
    return text.strip()
