"""A PASB report in the terminal: the main table with n and intervals, the boundary, and what became of every task."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.report.boundary import MACRO, POOLED
from stewardbench.pasb.report.cells import DF4
from stewardbench.pasb.report.indicators import COMMIT
from stewardbench.pasb.report.rows import ROWS_FILE
from stewardbench.pasb.report.study import RUN_KEYS
from stewardbench.pasb.report.tables import unseen_notes
from stewardbench.report.labels import HARNESS_NOTE, distinction, short_heading, words
from stewardbench.report.part import Part
from stewardbench.report.show import grid_of
from stewardbench.report.table import METRIC, Table

_IN_FULL = 3  # so many runs are shown with every interval; more are shown as one wide table
_ROOM = 110  # columns that the wide table needs
_WIDE = (*DIMENSIONS, COMMIT, DF4)


def show(part: Part, console: Console) -> None:
    """Print the main table of some PASB runs, their pooled boundary, and what became of every episode."""
    main = _table(part, "table02")
    runs = main.frame.select("origin", *RUN_KEYS).unique(maintain_order=True).rows()
    if any(table.harness_check for table in part.tables):
        console.print(Text(HARNESS_NOTE, style="yellow"))
    if len(runs) > _IN_FULL:
        narrow = console.width < _ROOM
        console.print(_wide(main, (COMMIT, DF4) if narrow else _WIDE))
        if narrow:
            console.print(
                Text("A wider terminal shows all six dimensions; tables/table02.csv has them.\n", style="dim")
            )
    else:
        for origin, run_id, model, agent, policy, mitigation in runs:
            apart = distinction(policy, mitigation)
            suffix = f", {apart}" if apart else ""
            title = f"{model} on {words(agent)}{suffix}" + ("" if origin == "own" else f" ({origin})")
            console.print(_full(title, main.frame.filter(pl.col("run_id") == run_id)))
    console.print(_boundary(_table(part, "boundary").frame))
    if (adjusted := part.table("selection")) is not None:
        console.print(_split(adjusted.frame))
    console.print(_accounting(part))


def _full(title: str, frame: pl.DataFrame) -> Grid:
    """One run: a line per metric with interval, counts and unscored."""
    grid, open_ends = grid_of(title), bool(frame["unscored"].sum())
    for name, side in (
        ("", "left"),
        ("%", "right"),
        ("95 % interval", "right"),
        ("k of n", "right"),
        ("unscored", "right"),
        *((("if they all passed / failed", "right"),) if open_ends else ()),
    ):
        grid.add_column(name, justify="left" if side == "left" else "right")
    for row in frame.iter_rows(named=True):
        counted = f"{row['k']:,} of {row['n']:,}" if row["k"] is not None else f"n {row['n']:,}" if row["n"] else ""
        ends = [f"{row['if_all_pass']:.1f} / {row['if_all_fail']:.1f}" if row["unscored"] else ""] if open_ends else []
        grid.add_row(words(row[METRIC]), row["printed"], _interval(row), counted, str(row["unscored"] or ""), *ends)
    return grid


def _wide(main: Table, metrics: Sequence[str]) -> Grid:
    """Many runs: a line per run; df4 carries its interval."""
    grid = grid_of(f"{main.definition.title}, %")
    for name in ("Model", "Agent", "n"):
        grid.add_column(name, justify="right" if name == "n" else "left", overflow="fold")
    for metric in (*metrics, "DF4, 95 %"):
        grid.add_column(short_heading(metric), justify="right", no_wrap=True)
    for _, frame in main.frame.group_by("run_id", maintain_order=True):
        cells = {row[METRIC]: row for row in frame.iter_rows(named=True)}
        first, failure = frame.row(0, named=True), cells.get(DF4, {})
        mark = "" if first["origin"] == "own" else f" ({first['origin']})"
        printed = [cells[metric]["printed"] if metric in cells else "" for metric in metrics]
        grid.add_row(
            Text(first["model"] + mark), words(first["agent"]), str(failure.get("n", "")), *printed, _interval(failure)
        )
    return grid


def _boundary(frame: pl.DataFrame) -> Text:
    """The boundary in df4, pooled over episodes first, then the mean of the runs' own gaps."""
    cells = {(row["model"], row[METRIC]): row for row in frame.filter(pl.col("failure") == DF4).iter_rows(named=True)}
    gap = cells.get((POOLED, "gap"))
    if gap is None or gap["value"] is None:
        return Text("Commit boundary: no episodes on one of its sides.\n")
    session, committed = cells[POOLED, "session_only"], cells[POOLED, "committed"]
    macro = cells.get((MACRO, "gap"))
    mean = "" if macro is None or macro["value"] is None else f" Mean of the runs' own gaps: {_gap(macro)}."
    return Text(
        f"Commit boundary, DF4 pooled: session-only {session['printed']} % (n {session['n']:,}), "
        f"committed {committed['printed']} % (n {committed['n']:,}), gap {_gap(gap)}.{mean} "
        "Observational: the agent chose what to commit.\n"
    )


def _split(frame: pl.DataFrame) -> Text:
    """The gap on annotated episodes beside the gap between alike episodes of the same item: what selection adds."""
    rows = {row["method"]: row for row in frame.iter_rows(named=True)}
    whole, inside = rows["unadjusted"], rows["within items"]
    if inside["gap"] is None:
        return Text("Within items: no base item has alike episodes on both sides, so its gap cannot be told apart.\n")
    bounds = f" (95 % {_interval(inside)})" if _interval(inside) else ""
    return Text(
        f"Of {whole['gap']:+.1f} points of annotated episodes (n {whole['n']:,}), {inside['gap']:+.1f}{bounds} are left"
        f" between alike episodes of the same item ({inside['clusters']:,} items). Tables: selection, overlap.\n"
    )


def _gap(row: dict[str, object]) -> str:
    bounds = _interval(row)
    return f"{row['printed']} points{f' (95 % {bounds})' if bounds else ''}"


def _accounting(part: Part) -> Text:
    """What became of the tasks of all runs, in one sentence."""
    rows, frame = part.frames[ROWS_FILE], _table(part, "accounting").frame
    lost = rows.filter(~pl.col("valid"))
    reasons = lost.group_by(pl.col("invalid_reason").cast(pl.String)).len().sort("len", descending=True).rows()
    listed = f" ({', '.join(f'{reason} {count:,}' for reason, count in reasons)})" if reasons else ""
    judges = ", ".join(sorted({name for name in frame["judge"] if name})) or "no judge yet"
    scored = int(frame["all_six_scored"].sum())
    items = rows["base_item_id"].n_unique()
    unseen = "".join(f" {note}" for note in unseen_notes(rows))
    return Text(
        f"{len(rows):,} tasks: {len(rows) - len(lost):,} valid, {len(lost):,} invalid{listed}; "
        f"{scored:,} with all six scores; judge: {judges}. Intervals at 95 %, clustered by {items} base items.{unseen}"
    )


def _interval(row: dict[str, object]) -> str:
    low, high = row.get("low"), row.get("high")
    return f"{low:.1f} to {high:.1f}" if isinstance(low, float) and isinstance(high, float) else ""


def _table(part: Part, identity: str) -> Table:
    """A table that every PASB report has."""
    return next(table for table in part.tables if table.id == identity)
