"""``run pasb`` and ``run sovereignpa``."""

from __future__ import annotations

import typer

from stewardbench.pasb.cli.run import run_pasb
from stewardbench.sovereignpa.cli.run import run_sovereignpa

run = typer.Typer(no_args_is_help=True, help="Run or resume a benchmark into a run folder.")
run.command("pasb")(run_pasb)
run.command("sovereignpa")(run_sovereignpa)


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
    app.add_typer(run, name="run")
