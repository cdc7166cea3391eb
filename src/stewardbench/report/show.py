"""A report in the terminal: tables with their n and definitions, and comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl
from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from stewardbench.report.build import Report
from stewardbench.report.compare import Comparison, Effect
from stewardbench.report.labels import HARNESS_NOTE, short_heading
from stewardbench.report.part import reporting
from stewardbench.report.ranking import UNTOLD, Ranking
from stewardbench.report.table import Table
from stewardbench.statistics import Interval


def show_report(report: Report, console: Console) -> None:
    """Print the main tables of a report, benchmark by benchmark."""
    for part in report.parts:
        reporting(part.benchmark).show(part, console)


def show_table(table: Table, console: Console) -> None:
    """Print any table with its title, the n of each row, and its definition. A wide grid runs on; it is never cut."""
    definition = table.definition
    grid = grid_of(definition.title + (f" ({definition.paper})" if definition.paper else ""))
    header, rows = table.grid()
    shown = _telling(table.keys, header, rows)
    for index in shown:
        key = header[index] in table.keys
        grid.add_column(short_heading(header[index]), justify="left" if key else "right")
    counts = _counts(table) if table.across and "n" in table.frame.columns else []
    if counts:
        grid.add_column("n", justify="right")
    for number, row in enumerate(rows):
        grid.add_row(*(Text(row[index]) for index in shown), *([Text(counts[number])] if counts else []))
    print_whole(grid, console)
    console.print(Text(definition.text, style="dim"))
    for note in table.notes:
        console.print(Text(note, style="yellow"))
    if table.harness_check:
        console.print(Text(HARNESS_NOTE, style="yellow"))


def show_frame(title: str, frame: pl.DataFrame, console: Console) -> None:
    """Print any frame as a grid."""
    grid = grid_of(title)
    for name in frame.columns:
        grid.add_column(name, justify="left" if name == frame.columns[0] else "right")
    for row in frame.rows():
        grid.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    print_whole(grid, console)


def print_whole(grid: Grid, console: Console) -> None:
    """Print a grid at its own width where the terminal is narrower, so that no number is cut."""
    needed = console.measure(grid, options=console.options.update(max_width=10_000)).maximum
    Console(file=console.file, width=max(console.width, needed), force_terminal=console.is_terminal).print(grid)


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


def _remark(effect: Effect) -> str:
    """What a reader has to know beside a verdict."""
    if effect.extreme:
        return f"both at the {effect.extreme}"
    return "within the margin" if effect.equal and effect.verdict != "equal" else ""


def show_ranking(found: Ranking, console: Console) -> None:
    """Print several runs from the best mean to the worst, with the ranks that are possible."""
    grid = grid_of(f"Ranked by {found.metric}, {'lower' if found.lower else 'higher'} is better, {found.tasks:,} tasks")
    for name in ("run", "mean", "rank"):
        grid.add_column(name, justify="left" if name == "run" else "right", no_wrap=True)
    for one in found.runs:
        ranks = f"{one.best}" if one.best == one.worst else f"{one.best} to {one.worst}"
        grid.add_row(one.name, f"{one.mean:.1f}", ranks)
    print_whole(grid, console)
    told = sum(pair.verdict != UNTOLD for pair in found.pairs)
    console.print(Text(f"{told} of {len(found.pairs)} pairs are told apart; all verdicts hold together.", style="dim"))


def _bounds(interval: Interval) -> str:
    """An interval, or how many clusters may differ at most where none does."""
    if interval.known:
        return f"{interval.low:+.1f} to {interval.high:+.1f}"
    return "" if math.isnan(interval.at_most) else f"none differs (at most {100 * interval.at_most:.0f} %)"


def show_comparison(found: Comparison, console: Console) -> None:
    """Print both sides of every metric, the change with its interval, and the sign test."""
    before, after = found.before, found.after
    grid = grid_of(f"A: {before.name}   B: {after.name}")
    for name in ("", "A", "B", "change", "95 % interval", "together", "n", "+/-/=", "verdict"):
        grid.add_column(name, justify="left" if name in {"", "verdict"} else "right", no_wrap=True)
    for effect in found.effects:
        change, sign = effect.change, effect.sign
        label = effect.metric.label if effect.metric.unit == "%" else f"{effect.metric.label}, {effect.metric.unit}"
        said = "" if effect.verdict == "no difference shown" else effect.verdict
        grid.add_row(
            label,
            f"{effect.before:.1f}",
            f"{effect.after:.1f}",
            f"{change.estimate:+.1f}",
            _bounds(change),
            _bounds(effect.together),
            f"{change.n:,}",
            f"{sign.positive}/{sign.negative}/{sign.ties}",
            ", ".join(part for part in (said, _remark(effect)) if part),
        )
    print_whole(grid, console)
    if before.harness_check or after.harness_check:
        console.print(Text(HARNESS_NOTE, style="yellow"))
    if found.only_before or found.only_after:
        lonely = f"Without a pair: {found.only_before} valid tasks of A, {found.only_after} of B."
        console.print(Text(lonely, style="dim"))
    explained = (
        f"+/-/= counts {before.clusters} that rose, fell or stayed. Verdicts follow the intervals of the column "
        f"together: all of them hold at once 95 times in 100. Equal: within {found.margin:g} points."
    )
    console.print(Text(explained, style="dim"))


def grid_of(title: str) -> Grid:
    """An empty grid in the look of all tables in the terminal."""
    return Grid(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE, pad_edge=False, collapse_padding=True
    )
