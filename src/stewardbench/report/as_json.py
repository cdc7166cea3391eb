"""Reports and accounts as JSON documents, for programs: the tables' own numbers under keys that stay.

    report-json/1    tables by id: title, definition, keys, notes, columns, rows with every measure of the tidy frame
    summary-json/1   one entry per run: what was asked and measured, and the rows of its main table

A number that is missing is null. New keys may come within a version; none goes or changes its meaning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from stewardbench.benchmark import benchmark
from stewardbench.report.build import Report, Settings, build_report
from stewardbench.report.part import Part
from stewardbench.report.table import Table
from stewardbench.runs.closing import Closing
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.jobs import counting
from stewardbench.runs.store import Tried

REPORT, SUMMARY = "report-json/1", "summary-json/1"
RUN_FACTS = ("model", "agent", "agent_version", "judge", "preset", "tasks", "policy", "family")


def report_document(report: Report) -> dict[str, Any]:
    """A whole report: every table of every benchmark in it."""
    tables = {
        table.id: {"benchmark": part.benchmark, **_table(table)} for part in report.parts for table in part.tables
    }
    return {"schema": REPORT, "tables": tables}


def summary_document(folders: Sequence[Path], settings: Settings | None = None) -> dict[str, Any]:
    """The accounts of some runs. Raises what ``build_report`` raises."""
    return {"schema": SUMMARY, "runs": [_run(folder, build_report([folder], settings)) for folder in folders]}


def _run(path: Path, report: Report) -> dict[str, Any]:
    folder = RunFolder.read(path)
    manifest = folder.manifest
    part = report.part(manifest.benchmark)
    return {
        "folder": str(path),
        "run_id": manifest.run_id,
        "benchmark": manifest.benchmark,
        "created_at": manifest.created_at,
        "settings": {name: manifest.settings[name] for name in RUN_FACTS if name in manifest.settings},
        "measured": _measured(folder),
        "table": _main(part),
    }


def _measured(folder: RunFolder) -> dict[str, Any]:
    """The account of a run; what was asked is null where the benchmark does not say."""
    one = benchmark(folder.manifest.benchmark)
    if one.closing:
        closing: Closing = one.part("closing")(folder)
        return {
            "asked": closing.asked,
            "valid": closing.valid,
            "scored": closing.scored,
            "unscored": dict(closing.unscored),
            "invalid": dict(closing.invalid),
            "exit_code": closing.exit_code,
            "line": closing.line,
        }
    attempts: list[Tried] = list(one.part("attempts")(folder))
    found = counting(attempts, lambda tried: tried.job, lambda tried: tried.valid)
    lost: dict[str, int] = {}
    for tried in found:
        if not tried.valid:
            lost[tried.failure] = lost.get(tried.failure, 0) + 1
    valid = sum(tried.valid for tried in found)
    unknown = {"asked": None, "scored": None, "exit_code": None, "line": ""}
    return {**unknown, "valid": valid, "unscored": {}, "invalid": lost}


def _main(part: Part | None) -> dict[str, Any] | None:
    """The first table of a benchmark's report, which is its main one."""
    table = part.tables[0] if part and part.tables else None
    return None if table is None else {"id": table.id, "rows": _rows(table.frame)}


def _table(table: Table) -> dict[str, Any]:
    return {
        "title": table.definition.title,
        "definition": table.definition.text,
        "paper": table.definition.paper,
        "harness_check": table.harness_check,
        "keys": list(table.keys),
        "across": table.across,
        "notes": list(table.notes),
        "columns": table.frame.columns,
        "rows": _rows(table.frame),
    }


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [_plain(row) for row in frame.iter_rows(named=True)]


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row that JSON can hold: what is no number is null."""
    return {name: None if isinstance(cell, float) and not math.isfinite(cell) else cell for name, cell in row.items()}
