"""``compare``: two runs, task by task."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

EXIT_FAILED = 3  # unlike 1 and 2, which are errors


class FailIf(StrEnum):
    """The verdicts that ``--fail-if`` can turn into an exit code."""

    WORSE = "worse"
    BETTER = "better"
    DIFFERENT = "different"


def compare(
    before: Annotated[Path, typer.Argument(metavar="A", help="Run folder to compare with.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="Run folder to judge.")],
    metric: Annotated[
        str | None, typer.Option(help="The metric to judge by. Default: df4 (PASB), ssr (SovereignPA-Bench).")
    ] = None,
    fail_if: Annotated[FailIf | None, typer.Option(help="Exit with code 3 on this verdict, for CI.")] = None,
    judge: Annotated[str | None, typer.Option(help="Whose judgments count, where several models judged.")] = None,
) -> None:
    """Pair two runs by task: change with interval, sign test, the smallest change that could have been seen.

    Example: stewardbench compare runs/main runs/candidate --fail-if worse
    """
    from rich.console import Console

    from stewardbench.report.compare import compare as compare_runs
    from stewardbench.report.compare import sentence
    from stewardbench.report.measured import measured
    from stewardbench.report.show import show_comparison

    found = compare_runs(measured(before, judge=judge), measured(after, judge=judge), headline=metric)
    show_comparison(found, Console())
    typer.echo(sentence(found))
    verdict = found.headline.verdict
    changed = verdict in {"worse", "better", "different"}
    if fail_if is not None and (verdict == fail_if or (fail_if is FailIf.DIFFERENT and changed)):
        raise typer.Exit(EXIT_FAILED)


def register(app: typer.Typer) -> None:
    """Add the command to the root command."""
    app.command()(compare)
