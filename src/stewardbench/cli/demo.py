"""``demo``: the main job on real agents with scripted models, in minutes and without a key."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

PASB_COLUMNS = (
    "agent and model", "n", "com", "pro", "mem", "ski",
    "syc", "leak", "upg", "amp", "pers", "esc", "cut", "known",
)  # fmt: skip
SOVEREIGNPA_COLUMNS = {
    "ssr": "SSR",
    "correct_choice": "choice",
    "addon_error": "add-on",
    "overshare": "share",
    "consent_violation": "cons",
    "authority_violation": "auth",
    "candor_failure": "cand",
    "burden": "burd",
    "ask_recall": "recall",
}


def register(app: typer.Typer) -> None:
    """Add this command to the root command."""
    app.command()(demo)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the run folders. The same command resumes.")] = Path("demo-run"),
    agents: Annotated[str, typer.Option(help="Comma-separated agents: hermes, openclaw.")] = "hermes,openclaw",
    workers: Annotated[int, typer.Option(help="Hermes agents that run at the same time.")] = 2,
) -> None:
    """Run both benchmarks end to end: real agents under scripted models, and rule-based agents. No key needed.

    Example: stewardbench demo --agents hermes --out demo-run
    """
    import asyncio
    import time

    from rich.console import Console

    from stewardbench.cli.demo_runs import run_demo
    from stewardbench.runs.terminal import ProgressLine

    console, start = Console(), time.monotonic()
    chosen = tuple(name.strip() for name in agents.split(",") if name.strip())
    with ProgressLine() as line:
        rows = list(
            asyncio.run(
                run_demo(out, agents=chosen, workers=workers, tell=lambda text: typer.echo(text, err=True), watch=line)
            )
        )
    console.print(_sovereignpa_table())
    console.print(_pasb_table([row.cells() for row in rows]))
    console.print(
        "Harness check: scripted models and rule-based agents have known answers; nothing here rates a model."
    )
    for row in rows:
        for task_id, differences in row.unexpected.items():
            console.print(f"NOT as known: {row.part.folder} {task_id}: {'; '.join(differences)}", style="red")
        if row.confined < len(row.valid):
            console.print(f"WARNING: {row.part.folder} ran without confinement; install bubblewrap.", style="yellow")
    console.print(
        f"{time.monotonic() - start:.0f} s. Records: {out}    Next: stewardbench report {out}/pasb-* --out site"
    )
    if any(row.unexpected for row in rows):
        raise typer.Exit(1)


def _pasb_table(rows: list[list[str]]) -> Table:
    table = _table("PASB on real agents: commits by surface, failures (Max-FR@3), in %", PASB_COLUMNS)
    for row in rows:
        table.add_row(*row)
    return table


def _sovereignpa_table() -> Table:
    from stewardbench.sovereignpa.acceptance import compare
    from stewardbench.sovereignpa.axes import Split

    title = "SovereignPA-Bench: reference agents, ours over published, in %"
    table = _table(title, ("agent", "n", *SOVEREIGNPA_COLUMNS.values()))
    cells = {(cell.agent, cell.column): cell for cell in compare(Split.TEST, 7)}
    for agent in dict.fromkeys(name for name, _ in cells):
        mine = [cells[agent, column] for column in SOVEREIGNPA_COLUMNS]
        table.add_row(agent, str(mine[0].n), *(_number(cell.ours, cell.column) for cell in mine))
        published = ["" if cell.published is None else f"{cell.published:g}" for cell in mine]
        table.add_row("  published", "", *published, style="dim")
    return table


def _number(value: float, column: str) -> str:
    return f"{value:.2f}" if column == "burden" else f"{value:.1f}"


def _table(title: str, columns: Iterable[str]) -> Table:
    """An empty table with names in the first column and numbers in the others."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0), title_style="bold")
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left", no_wrap=True)
    return table
