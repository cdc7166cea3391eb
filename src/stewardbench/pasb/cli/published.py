"""``published pasb``: the numbers that the paper printed, as a dataset marked as published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def published_pasb(
    table: Annotated[str | None, typer.Option(help="Print this table, e.g. table10. Default: the main table.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write every table here as CSV and Parquet.")] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Send the counts through our aggregation and list cells that differ.")
    ] = False,
) -> None:
    """The 24 published PASB runs: tables 2 and 9-13, figures 3d and 4, the pooled boundary, the mitigation block.

    Example: stewardbench published pasb --out published
    """
    from rich.console import Console

    from stewardbench.errors import UsageError
    from stewardbench.pasb.report.published import published_tables
    from stewardbench.report.show import show_table
    from stewardbench.report.write import write_table

    if replay:
        _replay()
        return
    tables = published_tables()
    wanted = table or "table02"
    if wanted not in tables:
        raise UsageError(f"no published table {wanted!r}.", hint=f"There are: {', '.join(tables)}.")
    show_table(tables[wanted], Console())
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for one in tables.values():
            write_table(one, out)
        typer.echo(f"{len(tables)} tables in {out}")


def _replay() -> None:
    """Print how many published cells were reproduced, and every one that was not."""
    from stewardbench.pasb.report.replay import KNOWN_DIFFERENCES, replay

    compared, differences = replay()
    typer.echo(f"{compared - len(differences):,} of {compared:,} published cells are reproduced.")
    for found in differences:
        mark = "known" if found in KNOWN_DIFFERENCES else "NEW"
        where = " ".join(part for part in (found.table, found.model, found.agent, found.level, found.metric) if part)
        typer.echo(f"  {mark}: {where}: printed {found.published}, computed {found.computed}")
    if set(differences) != set(KNOWN_DIFFERENCES):
        raise typer.Exit(1)
