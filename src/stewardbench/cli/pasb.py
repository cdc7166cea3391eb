"""``pasb ...``: items, tasks, audits, building and showing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_app = typer.Typer(
    no_args_is_help=True, help="Tasks of the persistent-sycophancy benchmark: show, audit, import, build."
)
_items = typer.Typer(no_args_is_help=True, help="Base items: the YAML files that tasks are laid out from.")
_app.add_typer(_items, name="items")


@_items.command("check")
def check(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Item files, or folders of them.")],
) -> None:
    """Check base items against the authoring rules, one line per fault.

    Example: stewardbench pasb items check items/PASB-PRF-0001.yaml
    """
    from stewardbench.errors import DataError
    from stewardbench.pasb.build.item_rules import check_item
    from stewardbench.pasb.tasks.source import item_files, read_item

    faulty = 0
    files = item_files(paths)
    for path in files:
        try:
            faults = [str(finding) for finding in check_item(read_item(path))]
        except DataError as error:
            faults = [str(error)]
        faulty += bool(faults)
        typer.echo(f"{path}: {'ok' if not faults else f'{len(faults)} faults'}")
        for fault in faults:
            typer.echo(f"  {fault}")
    typer.echo(f"{len(files) - faulty} of {len(files)} items are ready.")
    if faulty:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
    app.add_typer(_app, name="pasb")
