"""``compare``: runs on the same tasks, task by task; two in full, more as a ranking."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

EXIT_FAILED = 3  # the verdict that --fail-if names; unlike 1 and 2, which are errors
EXIT_UNKNOWN = 4  # too little was measured for the gate to pass


class FailIf(StrEnum):
    """What ``--fail-if`` turns into an exit code."""

    WORSE = "worse"
    BETTER = "better"
    DIFFERENT = "different"
    NOT_SHOWN_EQUAL = "not-shown-equal"


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="A B [C...]", help="Run folders; the first is the reference.")],
    metric: Annotated[
        str | None, typer.Option(help="The metric to judge by. Default: df4 (PASB), ssr (SovereignPA-Bench).")
    ] = None,
    margin: Annotated[float, typer.Option(help="The largest change, in points, that counts as equal.")] = 5.0,
    fail_if: Annotated[
        FailIf | None, typer.Option(help="End with code 3 on this verdict, with 4 when too little was measured.")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Whose judgments count, where several models judged.")] = None,
) -> None:
    """Pair runs by task: changes with intervals that hold together, verdicts, the smallest change that could be seen.

    Two runs are shown in full; three or more also as a ranking with the ranks that are possible.

    Example: stewardbench compare runs/main runs/candidate --fail-if worse

    Example: stewardbench compare runs/a runs/b runs/c --metric df4
    """
    from rich.console import Console

    from stewardbench.errors import UsageError
    from stewardbench.report.compare import compare as compare_runs
    from stewardbench.report.compare import sentence
    from stewardbench.report.measured import measured
    from stewardbench.report.ranking import NOT_EQUAL, gate, rank
    from stewardbench.report.show import show_comparison, show_ranking

    if len(runs) < 2:
        raise UsageError("one run cannot be compared.", hint="Name two run folders or more.")
    loaded = [measured(folder, judge=judge) for folder in runs]
    console = Console()
    if len(loaded) > 2:
        show_ranking(rank(loaded, headline=metric), console)
    failed: list[str] = []
    unknown: list[str] = []
    for other in loaded[1:]:
        found = compare_runs(loaded[0], other, headline=metric, margin=margin)
        show_comparison(found, console)
        typer.echo(sentence(found))
        if fail_if is not None:
            passed, why = gate(found, fail_if.value)
            if not passed:
                said = f"--fail-if {fail_if.value}: {other.name}: {why}."
                shown = why == found.headline.verdict or why.startswith(NOT_EQUAL)
                (failed if shown else unknown).append(said)
    for line in (*failed, *unknown):
        typer.secho(line, fg="red", err=True)
    if failed or unknown:
        raise typer.Exit(EXIT_FAILED if failed else EXIT_UNKNOWN)


def register(app: typer.Typer) -> None:
    """Add the command to the root command."""
    app.command()(compare)
