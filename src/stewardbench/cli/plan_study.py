"""``plan-study``: how many items, variants and trials a wanted precision needs, before anything is run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stewardbench.statistics.planning import Components

ITEMS, EPISODES, TRIALS = (25, 50, 100, 200), (1, 4, 16), (1, 2, 4)


def plan_study(
    effect: Annotated[float, typer.Option(help="The change to be found, in points.")] = 5.0,
    compare: Annotated[
        list[Path] | None,
        typer.Option(help="Two stored runs whose changes show the variance; give the option twice. Without: typical."),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="The metric of the stored runs. Default: their first.")] = None,
    power: Annotated[float, typer.Option(help="The chance of finding the change that is wanted.")] = 0.8,
) -> None:
    """Show the half-width and the power of designs for comparing two runs task by task.

    Example: stewardbench plan-study --effect 5

    Example: stewardbench plan-study --effect 3 --compare runs/a --compare runs/b
    """
    from rich.console import Console

    from stewardbench.errors import UsageError
    from stewardbench.report.show import grid_of
    from stewardbench.statistics.planning import TYPICAL, design

    if not 0 < effect < 100 or not 0 < power < 1:
        raise UsageError(
            f"--effect {effect:g} --power {power:g}: out of range.", hint="Points from 0 to 100, and a share below 1."
        )
    found, source = (_stored(compare, metric), "the stored runs") if compare else (TYPICAL, "typical values")
    grid = grid_of(f"A change of {effect:g} points, compared task by task (variance from {source})")
    for name in ("items", "tasks per item", "trials", "episodes a run", "half-width", "power", ""):
        grid.add_column(name, justify="right")
    for items in ITEMS:
        for episodes in EPISODES:
            for trials in TRIALS if found.trial else (1,):
                one = design(found, items, episodes, trials, effect / 100)
                row = (items, episodes, trials, f"{items * episodes * trials:,}")
                numbers = (f"±{100 * one.half_width:.1f}", f"{one.power:.0%}", "enough" if one.power >= power else "")
                grid.add_row(*map(str, row), *numbers)
    Console().print(grid)
    floor = design(found, 100, 10**9, 1, effect / 100).half_width
    typer.echo(
        f"With 100 items no number of tasks or trials reaches less than ±{100 * floor:.1f} points: items differ. "
        "A judge's own error comes on top; measure it with `stewardbench agreement`."
    )


def _stored(runs: list[Path], metric: str | None) -> Components:
    """Variance components of the changes between two stored runs. Raises UsageError."""
    from stewardbench.errors import UsageError
    from stewardbench.report.compare import changes_of
    from stewardbench.report.measured import measured
    from stewardbench.statistics.planning import components

    if len(runs) != 2:
        raise UsageError(f"--compare was given {len(runs)} times.", hint="Name two runs: --compare A --compare B.")
    try:
        return components(*changes_of(*map(measured, runs), metric=metric))
    except ValueError as error:
        raise UsageError(f"{runs[0]} and {runs[1]}: {error}.", hint="Use runs with more base items.") from None


def register(app: typer.Typer) -> None:
    """Add the command to the root command."""
    app.command("plan-study")(plan_study)
