"""What the missing episodes could change: every headline if all that is missing had passed, and if all had failed.

Other tables leave invalid and unscored episodes out. Should they have been lost because of what they held, the truth
may lie anywhere between these bounds. An invalid episode is open altogether; of the unscored, those that fail already
in a turn that was scored are not.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import polars as pl

from stewardbench.pasb.measure.metrics import RateMean
from stewardbench.pasb.report.cells import HEADLINES, count_rates, rate
from stewardbench.pasb.report.study import NATURAL, RUN_KEYS, Run, Study, table
from stewardbench.report.counts import Counts
from stewardbench.report.table import Table


def missing_table(study: Study) -> Table | None:
    """Per run with anything missing: each headline, what is missing from it, and its bounds. None without gaps."""
    counts = count_rates(study.natural, ["run_id"])
    arm = study.rows.filter(pl.col("arm").cast(pl.String) == NATURAL)
    lost = dict(arm.group_by(pl.col("run_id").cast(pl.String)).agg((~pl.col("valid")).sum()).iter_rows())
    rows = [_row(run, name, counts, lost.get(run.run_id, 0)) for run in study.runs for name in HEADLINES]
    holes = {row["run_id"] for row in rows if row["unscored"] or row["invalid"]}
    kept = [row for row in rows if row["run_id"] in holes]
    return table("missing", (*RUN_KEYS, "metric"), pl.DataFrame(kept), across="") if kept else None


def _row(run: Run, name: str, counts: Counts, invalid: int) -> dict[str, object]:
    parts = [rate(counts, ((run.run_id,), part)) for part in HEADLINES[name]]
    opened = [replace(part, unscored=part.unscored + invalid) for part in parts]
    found = RateMean(tuple(parts))
    return run.labels(metric=name) | {
        "value": found.percent(),
        "n": found.n,
        "unscored": found.unscored,
        "invalid": invalid,
        "if_all_pass": _mean([part.bounds[0] for part in opened if part.bounds]),
        "if_all_fail": _mean([part.bounds[1] for part in opened if part.bounds]),
    }


def _mean(ends: list[Fraction]) -> float | None:
    return round(100 * float(sum(ends, Fraction(0)) / len(ends)), 1) if ends else None
