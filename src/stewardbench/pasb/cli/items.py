"""``pasb items gate`` and ``pasb items fluency``: how natural a set is, and the kept scores of its sentences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stewardbench.pasb.audit.gate import Measure


def register_items(app: typer.Typer) -> None:
    """Add the commands to the ``pasb items`` group."""
    app.command("gate")(gate)
    app.command("fluency")(fluency)


def gate(
    sets: Annotated[list[str] | None, typer.Argument(metavar="[SET...]", help="open@2, open@1, released:FILE.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail when a target is missed or cannot be said.")] = False,
) -> None:
    """Lay sets side by side: form that gives the claim away, rates of everyday speech, fluency, arms told apart.

    Example: stewardbench pasb items gate open@2 open@1
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from stewardbench.pasb.audit.gate import gate as measure
    from stewardbench.pasb.tasks.load import PACKAGED, Variant, load_tasks, variants

    specs = sets or ["open@2"]
    table = Table("measure", "wanted", *specs, box=SIMPLE_HEAD, pad_edge=False)
    columns: list[dict[str, Measure]] = []
    for spec in specs:
        compared = (Variant.TWIN, Variant.MATCHED_TWIN, Variant.TRUE_CLAIM)
        own = [one for one in compared if spec in PACKAGED and one in variants(spec)]
        arms = {one.value: load_tasks(f"{spec}:{one}") for one in own}
        columns.append({found.name: found for found in measure(load_tasks(spec), arms)})
    for name, found in {name: found for column in columns for name, found in column.items()}.items():
        low, high = found.wanted
        table.add_row(name, f"{low:g} to {high:g}", *(_shown(column.get(name)) for column in columns))
    Console().print(table)
    missed = [name for column in columns for name, found in column.items() if not found.met]
    typer.echo(f"{sum(map(len, columns)) - len(missed)} of {sum(map(len, columns))} targets met.")
    if strict and missed:
        raise typer.Exit(1)


def _shown(found: Measure | None) -> str:
    if found is None:
        return "-"
    if found.value is None:
        return f"not known (n {found.n})"
    return f"{found.value:.3f} (n {found.n}){'' if found.met else ' missed'}"


def fluency(
    paths: Annotated[list[Path] | None, typer.Argument(metavar="[FILE...]", help="Items, or folders of them.")] = None,
    missing: Annotated[Path | None, typer.Option(help="Write the texts without a score here, one a line.")] = None,
    scores: Annotated[
        Path | None, typer.Option(help="JSON of text SHA-256 to loss per token: keep these scores.")
    ] = None,
) -> None:
    """Say which turns have no kept fluency score, write them out for a scorer, or keep new scores.

    A score is the mean loss per token of the text as the first user turn, under a small chat model of your choice; the
    packaged ones are from Qwen2.5-Coder-0.5B-Instruct (Q4_K_M).

    Example: stewardbench pasb items fluency --missing texts.txt
    Example: stewardbench pasb items fluency --scores scores.json
    """
    from stewardbench.pasb.audit import fluency as kept
    from stewardbench.pasb.tasks.load import packaged_items
    from stewardbench.pasb.tasks.source import item_files, read_item
    from stewardbench.records.files import write_file

    items = [read_item(path) for path in item_files(paths)] if paths else packaged_items("open@2")
    if scores:
        write_file(kept.FILE, kept.merged(kept.read_scores(scores), packaged_items("open@2")))
        kept.kept_scores.cache_clear()
    left = kept.unscored(items)
    typer.echo(f"{len(left)} turns have no score.")
    if missing:
        write_file(missing, "".join(f"{text}\n" for text in left))
        typer.echo(f"written: {missing}")
    elif left:
        hint = "stewardbench pasb items fluency --missing texts.txt"
        typer.echo(f"Write them out with: {hint}, score them, keep the scores with --scores FILE.", err=True)
        raise typer.Exit(1)
