"""``summary``: what some runs asked and measured, on a few lines or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def summary(
    runs: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders, or a folder that holds some.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    judge: Annotated[str | None, typer.Option(help="Whose judgments count, where several models judged.")] = None,
) -> None:
    """What was asked and really measured in finished runs, with the numbers of their main table. Nothing is written.

    Example: stewardbench summary runs/hermes --json
    """
    from stewardbench.report.as_json import summary_document
    from stewardbench.report.build import Settings
    from stewardbench.runs.folder import run_folders

    document = summary_document(run_folders(runs), Settings(judge=judge))
    if json:
        print_document(document)
        return
    for run in document["runs"]:
        measured = run["measured"]
        typer.echo(f"{run['folder']}: {run['benchmark']}, {run['settings'].get('model', '')}")
        invalid = sum(measured["invalid"].values())
        line = measured["line"] or f"valid {measured['valid']}, invalid {invalid}"
        typer.echo(f"  {line}")
        for row in (run["table"] or {"rows": []})["rows"]:
            if "metric" in row and "printed" in row:
                typer.echo(f"  {row['metric']:<24} {row['printed'] or 'n/a':>8}  (n {row.get('n')})")


def print_document(document: object) -> None:
    """One JSON document on standard output, in UTF-8 whatever the terminal's own encoding."""
    from json import dumps

    typer.echo(dumps(document, ensure_ascii=True, indent=1, allow_nan=False))


def register(app: typer.Typer) -> None:
    """Add the command to the root command."""
    app.command()(summary)
