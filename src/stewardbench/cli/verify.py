"""``verify``: check an audit bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A file made by report --bundle.")],
    *,
    signers: Annotated[
        Path | None,
        typer.Option(help="Who may have signed it: OpenSSH's allowed signers. Without a valid signature verify fails."),
    ] = None,
) -> None:
    """Check an audit bundle: its files, its records against each other, and every table, without any model call.

    What it cannot show is said at the end.

    Example: stewardbench verify audit.zip --signers allowed_signers
    """
    from stewardbench.report.signature import signature_of, signed_by
    from stewardbench.report.verify import verify_bundle

    signer = signed_by(bundle, signers) if signers is not None else ""
    verdict = verify_bundle(bundle)
    for problem in verdict.problems:
        typer.secho(problem, fg="red", err=True)
    if verdict.problems:
        typer.secho(f"{bundle}: not as it says ({len(verdict.problems)} problems).", fg="red", err=True)
        raise typer.Exit(1)
    plural = "" if len(verdict.runs) == 1 else "s"
    typer.echo(
        f"{bundle}: {verdict.files} files match their hashes; the records hang together; "
        f"{verdict.tables} tables rebuilt from {len(verdict.runs)} run{plural} are identical."
    )
    if signer:
        typer.echo(f"Signed by {signer}.")
    elif signature_of(bundle).is_file():
        typer.echo("A signature lies beside it and was not looked at: name its possible makers with --signers.")
    typer.echo("Not shown by this:")
    unknown = () if signer else ("Who made it: no signature was checked.",)
    for sentence in (*verdict.not_shown, *unknown):
        typer.echo(f"- {sentence}")


def register(app: typer.Typer) -> None:
    """Add ``verify`` to the root command."""
    app.command()(verify)
