"""``pasb commit-check``: how good the commit matcher is on labelled pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stewardbench.statistics.interval import Interval


def register_commit_check(app: typer.Typer) -> None:
    """Add the command to the ``pasb`` group."""
    app.command("commit-check")(commit_check)


def commit_check(
    pairs: Annotated[
        Path | None, typer.Option(help="Your own labelled pairs (JSONL); default: the packaged ones.")
    ] = None,
    varied: Annotated[bool, typer.Option("--varied", help="The packaged pairs in agents' variety of forms.")] = False,
    kinds: Annotated[str, typer.Option(help="Also list this split by kind: dev, test or held.")] = "",
) -> None:
    """Print precision and recall of the reading by words on hand-labelled pairs.

    Example: stewardbench pasb commit-check --varied --kinds held
    """
    from stewardbench.pasb.commits import check as commit_check
    from stewardbench.pasb.commits import matcher as commit

    shipped = commit_check.varied_pairs if varied else commit_check.packaged_pairs
    chosen = commit_check.load_pairs(pairs) if pairs else shipped()
    typer.echo(f"matcher: {commit.MATCHER}")
    for quality in commit_check.check(chosen):
        precision, recall = quality.precision, quality.recall
        typer.echo(
            f"{quality.split:4}  n {quality.pairs:3}  "
            f"precision {_share(precision)} (n {precision.n})  recall {_share(recall)} (n {recall.n})  "
            f"unknown {quality.unknown_carrying + quality.unknown_not_carrying} "
            f"({quality.unknown_carrying} carry the claim)"
        )
        if quality.missed_by_kind:
            listed = ", ".join(f"{kind} {count}" for kind, count in quality.missed_by_kind.items())
            typer.echo(f"      missed: {listed}")
    for kind in commit_check.by_kind(chosen, kinds) if kinds else ():
        carries = "carries" if kind.carries else "does not"
        told = f"committed {_share(kind.found)}  unknown {_share(kind.unknown)}"
        typer.echo(f"{kind.kind:16} {carries:8}  n {kind.found.n:3}  {told}")


def _share(found: Interval) -> str:
    return f"{found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}]"
