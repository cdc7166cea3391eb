"""``run pasb`` and ``run sovereignpa``."""

from __future__ import annotations

import typer

from stewardbench.cli.run_pasb import run_pasb

run = typer.Typer(no_args_is_help=True, help="Run or resume a benchmark into a run folder.")
run.command("pasb")(run_pasb)


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
    app.add_typer(run, name="run")
