"""``pasb commit-audit``: people label a sample of what a run wrote, and its rates are corrected by it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stewardbench.pasb.run.auditing import Audit
    from stewardbench.pasb.run.scoring import Stored


def register_commit_audit(app: typer.Typer) -> None:
    """Add the command to the ``pasb`` group."""
    app.command("commit-audit")(commit_audit)


def commit_audit(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="A PASB run folder.")],
    *,
    sheet: Annotated[
        Path | None, typer.Option(help="Write the sheet to label here. Default: DIR/commit_sheet.csv.")
    ] = None,
    read: Annotated[list[Path] | None, typer.Option(help="A filled sheet; may be repeated.")] = None,
    labels: Annotated[int, typer.Option(min=1, help="About so many episodes are drawn.")] = 150,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
) -> None:
    """Draw changed episodes for people to label, read the labels back, and print rates raw and corrected.

    Example: stewardbench pasb commit-audit runs/hermes && stewardbench pasb commit-audit runs/hermes --read ann.csv

    Each person fills the columns rater and held (yes or no) of a copy of the sheet. Where two differ, one row with the
    rater adjudicated settles it.
    """
    from stewardbench.pasb.run.auditing import open_audit, take_labels, write_sheet
    from stewardbench.pasb.run.scoring import Stored

    with Stored(run, locked=True) as stored:
        audit = open_audit(stored, labels, seed)
        if not read:
            path = sheet or run / "commit_sheet.csv"
            write_sheet(stored, audit, path)
            sizes = ", ".join(f"{name} {size}" for name, size in audit.sizes.items())
            typer.echo(f"{len(audit.drawn)} episodes to label in {path}; changed episodes by reading: {sizes}")
            return
        typer.echo(f"{take_labels(stored, audit, read)} labels added to {run / 'commit_labels.jsonl'}")
        _show(stored, audit, run)


def _show(stored: Stored, audit: Audit, run: Path) -> None:
    """Print agreement, the quality of each reading, and the rates raw and corrected."""
    from stewardbench.pasb.report.corrected import corrected_rows, quality
    from stewardbench.pasb.report.rows import read_rows
    from stewardbench.pasb.report.study import Study
    from stewardbench.pasb.run.auditing import settled

    people = settled(stored.folder)
    if people.pairs:
        kappa = "" if people.kappa is None else f", kappa {people.kappa:.2f}"
        typer.echo(f"agreement: {people.same} of {people.pairs} doubly labelled episodes{kappa}")
    for name in people.open_ids:
        typer.echo(f"to settle: {name}")
    study = Study(read_rows([run]))
    for kind in ("by_words", "by_reader", "committed"):
        said = dict(zip(study.natural["episode_id"], study.natural[kind], strict=True))
        found = quality(stored.folder, said, audit)
        if kind == "by_reader" and not any(value is not None for value in said.values()):
            continue
        typer.echo(f"{kind}: sensitivity {found['sensitivity']:.3f}, precision {found['precision']:.3f}")
    for row in corrected_rows(study, [run]):
        raw, fixed, low, high = (
            "-" if row[key] is None else f"{row[key]:.1f}" for key in ("raw", "corrected", "low", "high")
        )
        typer.echo(f"{row['metric']:22} raw {raw:>6}  corrected {fixed:>6} [{low}, {high}]  n {row['n']}")
