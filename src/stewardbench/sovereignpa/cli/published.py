"""``published sovereignpa``: the numbers that the paper printed, as a dataset marked as published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def published_sovereignpa(
    out: Annotated[Path | None, typer.Option(help="Write the table and the numbers of the text here as CSV.")] = None,
) -> None:
    """The main table of SovereignPA-Bench as published.

    Example: stewardbench published sovereignpa
    """
    from rich.console import Console

    from stewardbench import published
    from stewardbench.records.files import write_file
    from stewardbench.report.show import show_frame

    show_frame("SovereignPA-Bench as published (Table 2)", published.sovereignpa_table(), Console())
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name in ("table2", "text"):
            write_file(out / f"{name}.csv", published.sovereignpa_table(name).write_csv())
        typer.echo(f"2 tables in {out}")
