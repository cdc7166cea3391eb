"""``merge``: the shards of one run, brought together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def merge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="The run folders of all shards of one run.")],
    out: Annotated[Path, typer.Option(help="The folder of the whole run; it must not exist yet.")],
) -> None:
    """Bring the shards of one run together; refuse, and name, what does not belong together.

    Example: stewardbench merge runs/part-1 runs/part-2 runs/part-3 --out runs/whole
    """
    from stewardbench.runs.merge import merge as merged

    found = merged(runs, out)
    typer.echo(f"{found.parts} shards, {found.jobs} jobs, {found.attempts} attempts in {out} (run {found.run_id}).")
    if found.unscorable:
        typer.echo(f"{found.unscorable} jobs have no valid attempt.")
    typer.echo(f"Tables: stewardbench report {out}   The run command without --shard resumes it.")


def register(app: typer.Typer) -> None:
    """Add the command to the root command."""
    app.command()(merge)
