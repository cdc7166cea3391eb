"""The agreement report of some run folders: tables and findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stewardbench.errors import DataError, UsageError
from stewardbench.pasb.agreement.findings import findings
from stewardbench.pasb.agreement.gold import Gold, read_gold
from stewardbench.pasb.agreement.scores import agreed_scores, episode_items, gold_scores, judge_scores
from stewardbench.pasb.agreement.tables import (
    confusion_table,
    drift_table,
    gold_table,
    judges_table,
    probes_table,
    raters_table,
    repeats_table,
)
from stewardbench.pasb.agreement.thresholds import thresholds_table
from stewardbench.pasb.axes import FAIL_AT
from stewardbench.pasb.report.rows import read_rows
from stewardbench.report.table import Table
from stewardbench.statistics.bootstrap import DRAWS


@dataclass(frozen=True, slots=True)
class Agreement:
    """What is known about the judges of some runs.

    ``labelled`` counts the gold episodes found in the runs, ``unknown`` those that are in no run, ``undecided`` the
    units that people have to adjudicate. ``harness_check`` marks reports in which the reference judge took part.
    """

    tables: tuple[Table, ...]
    findings: tuple[str, ...]
    labelled: int
    unknown: int
    undecided: int
    harness_check: bool


def agreement(
    folders: Sequence[Path], gold_file: Path | None = None, *, at: float = FAIL_AT, draws: int = DRAWS
) -> Agreement:
    """Compare every judge with gold (where given), with the other judges and with itself; move the failing score.

    Tables without any pair are left out. Raises UsageError when nothing was judged, DataError for a bad gold file or
    one that is about other runs.
    """
    judged = judge_scores(folders)
    if judged.is_empty():
        raise UsageError("no judgments in these runs.", hint="Judge them first: stewardbench judge DIR --judge MODEL.")
    gold = read_gold(gold_file) if gold_file is not None else Gold({}, {}, ())
    items = episode_items(folders)
    known = set(items["episode_id"])
    about = {unit.episode_id for scores in gold.raters.values() for unit in scores}
    if gold_file is not None and not about & known:
        raise DataError("none of its episodes is in these runs.", path=gold_file, hint="Name the runs it was made on.")
    agreed, people = agreed_scores(gold), gold_scores(gold, items)
    tables = [
        *([raters_table(people, draws=draws)] if len(gold.raters) > 1 else []),
        gold_table(judged, agreed, at=at, draws=draws),
        confusion_table(judged, agreed),
        judges_table(judged, at=at, draws=draws),
        repeats_table(judged, at=at, draws=draws),
        drift_table(judged, agreed),
        probes_table(judged, at=at),
        thresholds_table(
            {judge: read_rows(folders, judge=judge) for judge in sorted(judged["rater"].unique())}, draws=draws
        ),
    ]
    kept = tuple(table for table in tables if not table.frame.is_empty())
    return Agreement(
        kept,
        findings(kept),
        len(about & known),
        len(about - known),
        len(gold.open_units),
        bool(judged["harness_check"].any()),
    )
