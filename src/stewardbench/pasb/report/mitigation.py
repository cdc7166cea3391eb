"""The mitigation table: each run with a mitigation against the run of the same model and agent without one.

Both are compared on the tasks that both scored, so that an episode lost on one side cannot move the other.
"""

from __future__ import annotations

from fractions import Fraction

import polars as pl

from stewardbench.pasb.report.cells import DF4, FAILURES, count_rates, gap_line, mean_line
from stewardbench.pasb.report.indicators import COMMIT
from stewardbench.pasb.report.study import NO_MITIGATION, RUN_KEYS, Run, Study, table
from stewardbench.report.lines import Line
from stewardbench.report.table import Table, stack

METRICS = {COMMIT: (COMMIT,), "upg": ("upg",), DF4: FAILURES[DF4]}


def mitigation_table(study: Study) -> Table | None:
    """Commit, upgrade and df4 with and without each mitigation, the change in points, and relative to none.

    None when no run has a mitigation.
    """
    pairs = [(run, _base(study, run)) for run in study.runs if run.mitigation != NO_MITIGATION]
    if not pairs:
        return None
    frames = [_compared(study, run, base) for run, base in pairs if base is not None]
    alone = [f"{run.model} on {run.agent}, {run.mitigation}" for run, base in pairs if base is None]
    notes = (f"No run without a mitigation to compare with: {'; '.join(alone)}.",) if alone else ()
    return table("mitigation", RUN_KEYS, stack(frames), notes=notes)


def _base(study: Study, run: Run) -> Run | None:
    """The first run of the same model, agent and policy without a mitigation."""
    wanted = (run.model, run.agent, run.policy, NO_MITIGATION)
    same = (r for r in study.runs if (r.model, r.agent, r.policy, r.mitigation) == wanted)
    return next(same, None)


def _compared(study: Study, run: Run, base: Run) -> pl.DataFrame:
    scored = pl.all_horizontal(pl.col(f"is_{name}").is_not_null() for name in (COMMIT, *FAILURES[DF4]))
    rows = study.pooled(study.natural, [run, base]).filter(scored)
    both = rows.group_by("task_id").agg(pl.col("run_id").n_unique()).filter(pl.col("run_id") == 2)
    counts = count_rates(rows.join(both.select("task_id"), on="task_id"), ["run_id"])
    lines: list[Line] = []
    for name, parts in METRICS.items():
        before = mean_line(run.labels(metric=f"{name} without"), counts, (base.run_id,), parts)
        after = mean_line(run.labels(metric=name), counts, (run.run_id,), parts)
        change = gap_line(run.labels(metric=f"{name} change"), counts, (run.run_id,), (base.run_id,), parts)
        lines += [before, after, change]
        if name != "upg":
            lines.append(_relative(run.labels(metric=f"rel_{name}"), before, change))
    return study.tabulate(lines, counts, share=True)


def _relative(labels: dict[str, str], before: Line, change: Line) -> Line:
    """The change as a share of the value without the mitigation, which is taken as fixed for the interval."""
    if not before.value or change.value is None:
        return Line(labels, None, change.n, change.unscored, ())
    factor = Fraction(1) / before.value
    parts = tuple((weight * factor, cell) for weight, cell in change.parts)
    return Line(labels, change.value * factor, change.n, change.unscored, parts)
