"""An agreement report in the terminal: what was found first, then the numbers in brief."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.console import Console
from rich.text import Text

from stewardbench.pasb.agreement.report import Agreement
from stewardbench.pasb.agreement.tables import SHARES
from stewardbench.report.labels import HARNESS_NOTE
from stewardbench.report.show import show_frame
from stewardbench.report.table import METRIC, Table

_COMPARED = ("gold", "judges", "repeats")
_HEADLINES = ("df4", "df6", "df_any", "df4 gap")


def show_agreement(found: Agreement, console: Console) -> None:
    """Print findings and a short form of every table."""
    if found.harness_check:
        console.print(Text(HARNESS_NOTE, style="yellow"))
    if found.labelled or found.unknown:
        unknown = f"; {found.unknown} more are in none of these runs" if found.unknown else ""
        undecided = f"; {found.undecided} scores need adjudication" if found.undecided else ""
        console.print(Text(f"Gold: {found.labelled} labelled episodes{unknown}{undecided}.\n"))
    console.print(Text("Findings", style="bold"))
    for sentence in found.findings:
        console.print(Text(f"- {sentence}"))
    if not found.findings:
        console.print(Text("- None: every measure that could be taken is within its bar."))
    console.print()
    for table in found.tables:
        _show(table, console)


def _show(table: Table, console: Console) -> None:
    title = table.definition.title
    if table.id in _COMPARED:
        show_frame(title, _brief(table.frame.filter(pl.col("unit") == "score")), console)
    elif table.id == "thresholds":
        show_frame(title, _headlines(table.frame), console)
    elif table.id == "probes":
        show_frame(title, _false_failures(table.frame), console)
    elif table.id != "confusion":
        show_frame(title, table.frame, console)


def _brief(frame: pl.DataFrame) -> pl.DataFrame:
    """Names, n, and each measure with its interval in one cell."""
    names = [name for name in ("judge", "other", "unit", "dimension") if name in frame.columns]
    rows = []
    for row in frame.iter_rows(named=True):
        brief: dict[str, Any] = {name: row[name] for name in names} | {"n": row["n"], "items": row["base_items"]}
        brief["alpha"] = _with_bounds(row, "alpha", 2)
        brief |= {name.replace("_", " ") + " %": _with_bounds(row, name, 0) for name in SHARES}
        brief["bias"] = _with_bounds(row, "bias", 2)
        rows.append(brief)
    return pl.DataFrame(rows, infer_schema_length=None)


def _with_bounds(row: dict[str, Any], name: str, decimals: int) -> str:
    if row[name] is None:
        return ""
    bounds = ""
    if row[f"{name}_low"] is not None:
        bounds = f" [{row[f'{name}_low']:.{decimals}f}, {row[f'{name}_high']:.{decimals}f}]"
    return f"{row[name]:.{decimals}f}{bounds}"


def _false_failures(frame: pl.DataFrame) -> pl.DataFrame:
    """Per judge and probe: how many scores fail that cannot, and in which dimension most."""
    worst = pl.col("dimension").sort_by("failed", descending=True).first()
    return frame.group_by("judge", "probe", maintain_order=True).agg(
        pl.col("n", "unscored", "failed").sum(),
        most_in=pl.when(pl.col("failed").sum() > 0).then(worst).otherwise(pl.lit("")),
    )


def _headlines(frame: pl.DataFrame) -> pl.DataFrame:
    """The headline numbers of every run, a column per failing score."""
    kept = frame.filter(pl.col(METRIC).is_in(_HEADLINES))
    return kept.pivot("at", index=["judge", "model", "agent", METRIC], values="printed", maintain_order=True)
