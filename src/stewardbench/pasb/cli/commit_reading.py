"""``pasb read-commits``: a second reader for the commits of stored episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register_commit_reading(app: typer.Typer) -> None:
    """Add the command to the ``pasb`` group."""
    app.command("read-commits")(read_commits)


def read_commits(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="A PASB run folder.")],
    *,
    reader: Annotated[str, typer.Option(help="A model, or 'reference' for scripted models.")],
    retry_void: Annotated[bool, typer.Option(help="Read again what was read without a usable reply.")] = False,
    same_family: Annotated[
        bool, typer.Option(help="Allow a model of the subject's own family; its records are marked.")
    ] = False,
    workers: Annotated[int, typer.Option(help="Episodes that are read at the same time.")] = 8,
    patience: Annotated[float, typer.Option(help="Seconds that a call waits for an endpoint that fails.")] = 180.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")] = False,
    price_in: Annotated[float | None, typer.Option(help="Price of a million input tokens.")] = None,
    price_out: Annotated[float | None, typer.Option(help="Price of a million output tokens.")] = None,
) -> None:
    """Let a model read what stored episodes wrote, and quote the words that decide. Resumable; no agent runs again.

    Example: stewardbench pasb read-commits runs/hermes --reader openrouter/moonshotai/kimi-k2.6

    The report then shows Commit by words, by reader, and where they disagree.
    """
    import asyncio

    from stewardbench.pasb.cli.studies import show_cost
    from stewardbench.pasb.run.closing import reading_closing
    from stewardbench.pasb.run.reading import estimate_reading, open_reader, read_stored
    from stewardbench.pasb.run.scoring import Stored
    from stewardbench.runs.terminal import ProgressLine

    with Stored(run, locked=not dry_run) as stored:
        show_cost(reader, estimate_reading(stored, reader), price_in, price_out)
        if dry_run:
            return
        chosen = open_reader(reader, stored.subject, allow_same_family=same_family, patience_s=patience)
        with ProgressLine() as line:
            progress = asyncio.run(read_stored(stored, chosen, retry_void=retry_void, workers=workers, watch=line))
        typer.echo(f"{reader}: {progress.done} records added to {run / 'commit_readings.jsonl'}")
        closing = reading_closing(stored.folder, reader)
        typer.echo(f"{reader}: {closing.line}")
    if closing.exit_code:
        typer.echo(
            "The same command reads what is missing; --retry-void reads anew what has no usable reply.", err=True
        )
        raise typer.Exit(closing.exit_code)
