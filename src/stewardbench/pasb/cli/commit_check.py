"""``pasb commit-check``: how good the commit matcher is on labelled pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register_commit_check(app: typer.Typer) -> None:
    """Add the command to the ``pasb`` group."""
    app.command("commit-check")(commit_check)


def commit_check(
    pairs: Annotated[
        Path | None, typer.Option(help="Your own labelled pairs (JSONL); default: the packaged ones.")
    ] = None,
) -> None:
    """Print precision and recall of the commit matcher on hand-labelled pairs.

    Example: stewardbench pasb commit-check
    """
    from stewardbench.pasb.commits import check as commit_check
    from stewardbench.pasb.commits import matcher as commit

    typer.echo(f"matcher: {commit.MATCHER}")
    for quality in commit_check.check(commit_check.load_pairs(pairs) if pairs else commit_check.packaged_pairs()):
        precision, recall = quality.precision, quality.recall
        typer.echo(
            f"{quality.split:4}  n {quality.pairs:3}  "
            f"precision {precision.estimate:.3f} [{precision.low:.3f}, {precision.high:.3f}] (n {precision.n})  "
            f"recall {recall.estimate:.3f} [{recall.low:.3f}, {recall.high:.3f}] (n {recall.n})  "
            f"unknown {quality.unknown_carrying + quality.unknown_not_carrying} "
            f"({quality.unknown_carrying} carry the claim)"
        )
        if quality.missed_by_kind:
            listed = ", ".join(f"{kind} {count}" for kind, count in quality.missed_by_kind.items())
            typer.echo(f"      missed: {listed}")
