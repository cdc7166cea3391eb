"""Where a benchmark puts its commands: the root command and the groups that benchmarks share."""

from __future__ import annotations

from dataclasses import dataclass, field

import typer


@dataclass(frozen=True)
class Commands:
    """The places for commands. ``run`` holds one command per benchmark, ``published`` the numbers of its paper."""

    root: typer.Typer
    run: typer.Typer = field(
        default_factory=lambda: typer.Typer(no_args_is_help=True, help="Run or resume a benchmark into a run folder.")
    )
    published: typer.Typer = field(
        default_factory=lambda: typer.Typer(
            no_args_is_help=True, help="The numbers that the papers published, as data beside your own."
        )
    )
