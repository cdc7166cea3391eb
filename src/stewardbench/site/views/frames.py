"""Reading the report's tidy frames: numbers by their keys, labels for runs, and tables ready for a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stewardbench.report.labels import distinction
from stewardbench.report.table import Table
from stewardbench.site import labels
from stewardbench.site.charts import NARROW, WIDE, Dots, Plane, Stack
from stewardbench.site.model import Cell, DataTable, Origin, PageFigure, Quantity

MISSING = Quantity("–", None)  # a number that a table does not have
HIDDEN = ("run_id",)  # never a column of a page: runs are named by model and agent; the CSV has the ids
Row = Mapping[str, Any]
SHORT = {Origin.PUBLISHED: "published", Origin.HARNESS_CHECK: "check"}
Chart = Dots | Plane | Stack


def quantity(row: Row | None) -> Quantity:
    """The number of a tidy row; of no row, a number that was not scored."""
    found = row or {}
    n, unscored = found.get("n"), found.get("unscored") or 0
    if found.get("value") is None:
        return Quantity("–", None, n=n, unscored=unscored)
    return Quantity(found["printed"], found["value"], n, found.get("low"), found.get("high"), unscored)


def rows_of(table: Table | None, **chosen: str) -> list[Row]:
    """The tidy rows whose columns have the chosen values, in the table's order; none of no table."""
    if table is None:
        return []
    return [row for row in table.frame.iter_rows(named=True) if all(row[key] == value for key, value in chosen.items())]


def gathered(rows: Iterable[Row], keys: Sequence[str], across: str = "metric") -> list[tuple[Row, dict[str, Quantity]]]:
    """Tidy rows with the same keys together: one of them to name them, and their numbers by the value of ``across``."""
    found: dict[tuple[str, ...], tuple[Row, dict[str, Quantity]]] = {}
    for row in rows:
        key = tuple(str(row.get(name) or "") for name in keys)
        found.setdefault(key, (row, {}))[1][row[across]] = quantity(row)
    return list(found.values())


def run_label(row: Row) -> str:
    """A run as a figure names it: model, agent, and what sets it apart."""
    agent = row.get("agent") or ""
    parts = [row["model"]] + ([labels.agent_label(agent)] if agent and agent != "all" else [])
    if apart := distinction(row.get("policy"), row.get("mitigation")):
        parts.append(apart)
    origin = Origin(row["origin"])
    return ", ".join(parts) + ("" if origin is Origin.OWN else f" ({SHORT[origin]})")


def is_pooled(row: Row) -> bool:
    """Whether a row stands for several runs."""
    return not row.get("run_id")


def figure(
    table: Table, csv: str, chart: Chart | None = None, *, scale: tuple[float, float] | None = None
) -> PageFigure:
    """A report table as a figure: drawn where there is a chart for it, and its numbers behind it."""
    return PageFigure(
        id=table.id,
        title=table.definition.title,
        lead=table.definition.paper,
        definition=table.definition.text,
        table=data_table(table, csv, scale),
        wide=chart.draw(WIDE) if chart else "",
        narrow=chart.draw(NARROW) if chart else "",
        notes=table.notes,
        harness_check=table.harness_check,
    )


def data_table(table: Table, csv: str, scale: tuple[float, float] | None = None) -> DataTable:
    """A report table as a grid of numbers with their n, keys first. Keys that tell nothing apart are left out."""
    if not table.across:
        dropped = [name for name in HIDDEN if name in table.frame.columns]
        dropped += [
            n for n in ("origin", "policy", "mitigation", "arm") if n in table.frame and table.frame[n].n_unique() == 1
        ]
        frame = table.frame.drop(dropped)
        rows = tuple(tuple(map(_plain, frame.columns, row)) for row in frame.rows())
        return DataTable(tuple(map(labels.heading, frame.columns)), rows, csv)
    keys = _telling(table)
    across = table.frame[table.across].unique(maintain_order=True).to_list()
    gathered: dict[tuple[str, ...], tuple[tuple[str, ...], dict[str, Quantity]]] = {}
    for row in table.frame.iter_rows(named=True):
        names = tuple(str(row[key] or "") for key in keys)
        whole = names + tuple(str(row.get(key) or "") for key in table.keys)
        gathered.setdefault(whole, (names, {}))[1][row[table.across]] = quantity(row)
    grid: list[tuple[Cell, ...]] = [
        (*map(labels.term, keys, names), *(found.get(name, MISSING) for name in across))
        for names, found in gathered.values()
    ]
    return DataTable(tuple(map(labels.heading, (*keys, *across))), tuple(grid), csv, scale)


def _telling(table: Table) -> list[str]:
    """The key columns worth showing: those with more than one value, or the first where there is none such."""
    last = [*(key for key in table.keys if key != "origin"), "origin"]
    candidates = [key for key in last if key in table.frame.columns and key not in HIDDEN]
    return [key for key in candidates if table.frame[key].n_unique() > 1] or candidates[:1]


def _plain(column: str, value: object) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return Quantity(f"{value:,}", float(value))
    return MISSING if value is None else labels.term(column, str(value))
