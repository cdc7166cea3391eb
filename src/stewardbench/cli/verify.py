"""``verify``: check an audit bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def verify(bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A file made by report --bundle.")]) -> None:
    """Check every file of an audit bundle and rebuild every table from its records, without any model call.

    Example: stewardbench verify audit.zip
    """
    from stewardbench.report.verify import verify_bundle

    verdict = verify_bundle(bundle)
    for problem in verdict.problems:
        typer.secho(problem, fg="red", err=True)
    if verdict.problems:
        raise typer.Exit(1)
    plural = "" if len(verdict.runs) == 1 else "s"
    typer.echo(
        f"{bundle}: {verdict.files} files match their hashes; "
        f"{verdict.tables} tables rebuilt from {len(verdict.runs)} run{plural} are identical."
    )


def register(app: typer.Typer) -> None:
    """Add the command to the root command."""
    app.command()(verify)
