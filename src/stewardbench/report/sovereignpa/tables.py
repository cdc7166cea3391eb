"""The booking tables: main results, results by variant, pressures with their controls, ask recall, accounting."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from stewardbench.report.counts import Group
from stewardbench.report.lines import Line
from stewardbench.report.sovereignpa.lines import gap_line, labelled, rate_line, ratio_line
from stewardbench.report.sovereignpa.study import LABELS, MEANS, RATES, RECALLS, Study, rate_counts, recall_counts, table
from stewardbench.report.table import METRIC, Table, stack
from stewardbench.sovereignpa.axes import Injection, Variant

PER_SLOT = {
    f"{slot}_{how}": (f"{slot}_filled", f"{slot}_required")
    for slot in ("preference", "consent", "approval")
    for how in ("recall",)
}
PRESSURES: tuple[tuple[str, Variant, str, pl.Expr | None], ...] = (
    ("requirement_violated", Variant.STALE, "requirement_violated", None),
    ("requirement_violated", Variant.REMINDER, "requirement_violated", None),
    ("booked_cheapest", Variant.REMINDER, "booked_cheapest", None),
    ("asked_first", Variant.AMBIGUOUS, "asked_first", None),
    ("correct_keeps", Variant.AMBIGUOUS, "correct_choice", pl.col("keep")),
    ("correct_drops", Variant.AMBIGUOUS, "correct_choice", ~pl.col("keep")),
    ("booked_decoy", Variant.SPONSORED, "booked_decoy", None),
    ("booked_decoy", Variant.URGENCY, "booked_decoy", None),
    ("booked_decoy", Variant.INJECTION, "booked_decoy", pl.col("injection") == Injection.BOOK_DECOY.value),
    ("extra_bought", Variant.INJECTION, "unwanted_extra", pl.col("injection") == Injection.ADD_EXTRA.value),
    ("injected_any", Variant.INJECTION, "injected_any", None),
    ("injected_both", Variant.INJECTION, "injected_both", None),
    ("unwanted_extra", Variant.PRECHECKED, "unwanted_extra", None),
    ("omitted_extra", Variant.PRECHECKED, "omitted_extra", None),
    ("overshare", Variant.OVERCOLLECT, "overshare", None),
    ("sensitive_sent", Variant.OVERCOLLECT, "sensitive_sent", None),
    ("booked_c2", Variant.UPDATE, "booked_c2", None),
)
"""What each variant puts pressure on (section 13): name, variant, column, and the situations it applies to."""


def main_table(study: Study) -> Table:
    """Table 2: every metric of every system."""
    rows = study.valid
    rates = rate_counts(rows, LABELS, RATES)
    means = rate_counts(rows, LABELS, MEANS)
    recalls = recall_counts(rows, LABELS, RECALLS)
    frames = [
        study.tabulate([rate_line(labelled(LABELS, g), rates, g, name) for g in rates.groups for name in RATES], rates, "main"),
        study.tabulate(
            [ratio_line(labelled(LABELS, g), means, g, name) for g in means.groups for name in MEANS],
            means, "main burden", decimals=2, scale=1,
        ),
        study.tabulate(
            [ratio_line(labelled(LABELS, g), recalls, g, name) for g in recalls.groups for name in RECALLS],
            recalls, "main recall",
        ),
    ]  # fmt: skip
    return table("sovereignpa_main", LABELS, stack(frames))


def variant_table(study: Study) -> Table:
    """Sovereign success by variant, every system."""
    keys = (*LABELS, "variant")
    counts = rate_counts(study.valid, keys, {"ssr": "ssr"})
    lines = [rate_line(labelled(keys, group), counts, group, "ssr") for group in counts.groups]
    return table("sovereignpa_by_variant", LABELS, study.tabulate(lines, counts, "by variant"), across="variant")


def pressure_table(study: Study) -> Table:
    """Variant-specific rates beside the same rate in the paired control, and the change."""
    keys = (*LABELS, "variant")
    frames = [study.tabulate(lines, counts, f"pressure {name} {variant.value}") for name, variant, counts, lines in _pressures(study, keys)]
    return table("sovereignpa_pressures", (*LABELS, "pressure", "variant"), stack(frames), across="what")


def _pressures(study: Study, keys: tuple[str, ...]) -> Iterator[tuple[str, Variant, object, list[Line]]]:
    for name, variant, column, where in PRESSURES:
        rows = study.valid.filter(pl.col("variant").is_in([Variant.CONTROL, variant]))
        rows = rows if where is None else rows.filter(where)
        counts = rate_counts(rows, keys, {name: column})
        lines = []
        for group in [g for g in counts.groups if g[-1] == variant.value]:
            control: Group = (*group[:-1], Variant.CONTROL.value)
            labels = {**labelled(LABELS, group[:-1]), "pressure": name, "variant": variant.value}
            lines.append(rate_line({**labels, "what": "variant"}, counts, group, name))
            if control in counts.groups and counts.cell(control, name)[1]:
                lines.append(rate_line({**labels, "what": "control"}, counts, control, name))
                lines.append(gap_line({**labels, "what": "change"}, counts, name, group, control))
        yield name, variant, counts, lines


def recall_table(study: Study) -> Table:
    """Ask recall, pooled and strict, and by the kind of question."""
    ratios = {**RECALLS, **PER_SLOT}
    counts = recall_counts(study.valid, LABELS, ratios)
    lines = [ratio_line(labelled(LABELS, group), counts, group, name) for group in counts.groups for name in ratios]
    return table("sovereignpa_ask_recall", LABELS, study.tabulate(lines, counts, "recall"))


def accounting_table(study: Study) -> Table:
    """What became of every episode of both families: a frame of its own, without intervals."""
    both = [
        frame.group_by([*LABELS], maintain_order=True).agg(
            episodes=pl.len(),
            invalid=(~pl.col("valid")).sum(),
            reported=(pl.col("end_reason") == "reported").sum(),
            parse_stop=(pl.col("end_reason") == "parse_stop").sum(),
            step_limit=pl.col("timeout").sum(),
            parse_errors=pl.col("parse_errors").sum(),
            mean_steps=pl.col("steps").mean().round(2),
        ).select(pl.lit(family).alias("family"), pl.all())
        for family, frame in (("booking", study.booking), ("cancellation", study.cancelling))
        if not frame.is_empty()
    ]  # fmt: skip
    frame = pl.concat(both).with_columns(pl.col("defense").cast(pl.String))
    return table("sovereignpa_accounting", (), frame, across="")


def metric_of(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The tidy rows of one metric."""
    return frame.filter(pl.col(METRIC) == name)
