"""A report in the terminal: the main table with n and intervals, the boundary, and what became of every task."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.report.boundary import MACRO, POOLED
from stewardbench.pasb.report.cells import DF4
from stewardbench.pasb.report.indicators import COMMIT
from stewardbench.report.build import Report
from stewardbench.report.compare import Comparison
from stewardbench.report.labels import HARNESS_NOTE, words
from stewardbench.report.table import METRIC, Table

_IN_FULL = 3  # so many runs are shown with every interval; more are shown as one wide table
_ROOM = 110  # columns that the wide table needs
_WIDE = (*DIMENSIONS, COMMIT, DF4)


def show_report(report: Report, console: Console) -> None:
    """Print the main tables of a report, PASB's pooled boundary, and what became of every episode."""
    identities = {table.id for table in report.tables}
    if "table02" in identities:
        _show_pasb(report, console)
    for identity in ("sovereignpa_main", "sovereignpa_cancellation", "sovereignpa_accounting"):
        if identity in identities:
            show_table(report.table(identity), console)


def _show_pasb(report: Report, console: Console) -> None:
    main = report.table("table02")
    runs = main.frame.select("origin", "run_id", "model", "agent", "mitigation").unique(maintain_order=True).rows()
    if any(table.harness_check for table in report.tables):
        console.print(Text(HARNESS_NOTE, style="yellow"))
    if len(runs) > _IN_FULL:
        narrow = console.width < _ROOM
        console.print(_wide(main, (COMMIT, DF4) if narrow else _WIDE))
        if narrow:
            console.print(
                Text("A wider terminal shows all six dimensions; tables/table02.csv has them.\n", style="dim")
            )
    else:
        for origin, run_id, model, agent, mitigation in runs:
            suffix = "" if mitigation in {"", "none"} else f", {words(mitigation).lower()}"
            title = f"{model} on {words(agent)}{suffix}" + ("" if origin == "own" else f" ({origin})")
            console.print(_full(title, main.frame.filter(pl.col("run_id") == run_id)))
    console.print(_boundary(report.table("boundary").frame))
    console.print(_accounting(report))


def show_table(table: Table, console: Console) -> None:
    """Print any table with its title, the n of each row, and its definition. A wide grid runs on; it is never cut."""
    definition = table.definition
    grid = _grid(definition.title + (f" ({definition.paper})" if definition.paper else ""))
    header, rows = table.grid()
    shown = _telling(table.keys, header, rows)
    for index in shown:
        key = header[index] in table.keys
        grid.add_column(_heading(header[index]), justify="left" if key else "right")
    counts = _counts(table) if table.across and "n" in table.frame.columns else []
    if counts:
        grid.add_column("n", justify="right")
    for number, row in enumerate(rows):
        grid.add_row(*(Text(row[index]) for index in shown), *([Text(counts[number])] if counts else []))
    _print_whole(grid, console)
    console.print(Text(definition.text, style="dim"))
    for note in table.notes:
        console.print(Text(note, style="yellow"))
    if table.harness_check:
        console.print(Text(HARNESS_NOTE, style="yellow"))


def show_frame(title: str, frame: pl.DataFrame, console: Console) -> None:
    """Print any frame as a grid."""
    grid = _grid(title)
    for name in frame.columns:
        grid.add_column(name, justify="left" if name == frame.columns[0] else "right")
    for row in frame.rows():
        grid.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    _print_whole(grid, console)


def _print_whole(grid: Grid, console: Console) -> None:
    """Print a grid at its own width where the terminal is narrower, so that no number is cut."""
    needed = console.measure(grid, options=console.options.update(max_width=10_000)).maximum
    Console(file=console.file, width=max(console.width, needed), force_terminal=console.is_terminal).print(grid)


def _heading(name: str) -> str:
    """A column's heading: dimensions as the paper abbreviates them, all else in words."""
    return name.title() if name in DIMENSIONS else words(name)


def _telling(keys: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Positions of the columns worth showing: keys that differ; run ids only where nothing else tells rows apart."""
    places = [index for index, name in enumerate(header) if name in keys and len({row[index] for row in rows}) > 1]
    others = [index for index in places if header[index] != "run_id"]
    if len({tuple(row[index] for index in others) for row in rows}) == len(rows):
        places = others
    return [*places, *(index for index, name in enumerate(header) if name not in keys)]


def _counts(table: Table) -> list[str]:
    """The n behind each row of the grid: one number, or the smallest and largest."""
    found = table.frame.group_by(table.keys, maintain_order=True).agg(low=pl.col("n").min(), high=pl.col("n").max())
    spans = found.select("low", "high").rows()
    return ["" if low is None else f"{low:,}" if low == high else f"{low:,}-{high:,}" for low, high in spans]


def show_comparison(found: Comparison, console: Console) -> None:
    """Print both sides of every metric, the change with its interval, and the sign test."""
    before, after = found.before, found.after
    grid = _grid(f"A: {before.name}   B: {after.name}")
    for name in ("", "A", "B", "change", "95 % interval", "n", "+/-/=", "p", "verdict"):
        grid.add_column(name, justify="left" if name in {"", "verdict"} else "right", no_wrap=True)
    for effect in found.effects:
        change, sign = effect.change, effect.sign
        bounds = f"{change.low:+.1f} to {change.high:+.1f}" if change.known else ""
        label = effect.metric.label if effect.metric.unit == "%" else f"{effect.metric.label}, {effect.metric.unit}"
        grid.add_row(
            label,
            f"{effect.before:.1f}",
            f"{effect.after:.1f}",
            f"{change.estimate:+.1f}",
            bounds,
            f"{change.n:,}",
            f"{sign.positive}/{sign.negative}/{sign.ties}",
            f"{effect.p_value:.3f}",
            "" if effect.verdict == "no difference found" else effect.verdict,
        )
    _print_whole(grid, console)
    if before.harness_check or after.harness_check:
        console.print(Text(HARNESS_NOTE, style="yellow"))
    if found.only_before or found.only_after:
        lonely = f"Without a pair: {found.only_before} valid tasks of A, {found.only_after} of B."
        console.print(Text(lonely, style="dim"))
    explained = (
        f"+/-/= counts {before.clusters} that rose, fell or stayed; p by exact sign test, "
        "below the first line adjusted (Holm)."
    )
    console.print(Text(explained, style="dim"))


def _full(title: str, frame: pl.DataFrame) -> Grid:
    """One run: a line per metric with interval, counts and unscored."""
    grid = _grid(title)
    for name, side in (
        ("", "left"),
        ("%", "right"),
        ("95 % interval", "right"),
        ("k of n", "right"),
        ("unscored", "right"),
    ):
        grid.add_column(name, justify="left" if side == "left" else "right")
    for row in frame.iter_rows(named=True):
        counted = f"{row['k']:,} of {row['n']:,}" if row["k"] is not None else f"n {row['n']:,}" if row["n"] else ""
        grid.add_row(words(row[METRIC]), row["printed"], _interval(row), counted, str(row["unscored"] or ""))
    return grid


def _wide(main: Table, metrics: Sequence[str]) -> Grid:
    """Many runs: a line per run; df4 carries its interval."""
    grid = _grid(f"{main.definition.title}, %")
    for name in ("Model", "Agent", "n"):
        grid.add_column(name, justify="right" if name == "n" else "left", overflow="fold")
    for metric in (*metrics, "DF4, 95 %"):
        grid.add_column(_heading(metric), justify="right", no_wrap=True)
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


def _gap(row: dict[str, object]) -> str:
    bounds = _interval(row)
    return f"{row['printed']} points{f' (95 % {bounds})' if bounds else ''}"


def _accounting(report: Report) -> Text:
    """What became of the tasks of all runs, in one sentence."""
    rows, frame = report.rows, report.table("accounting").frame
    lost = rows.filter(~pl.col("valid"))
    reasons = lost.group_by(pl.col("invalid_reason").cast(pl.String)).len().sort("len", descending=True).rows()
    listed = f" ({', '.join(f'{reason} {count:,}' for reason, count in reasons)})" if reasons else ""
    judges = ", ".join(sorted({name for name in frame["judge"] if name})) or "no judge yet"
    scored = int(frame["all_six_scored"].sum())
    items = rows["base_item_id"].n_unique()
    return Text(
        f"{len(rows):,} tasks: {len(rows) - len(lost):,} valid, {len(lost):,} invalid{listed}; "
        f"{scored:,} with all six scores; judge: {judges}. Intervals at 95 %, clustered by {items} base items."
    )


def _interval(row: dict[str, object]) -> str:
    low, high = row.get("low"), row.get("high")
    return f"{low:.1f} to {high:.1f}" if isinstance(low, float) and isinstance(high, float) else ""


def _grid(title: str) -> Grid:
    return Grid(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE, pad_edge=False, collapse_padding=True
    )
