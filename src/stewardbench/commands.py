"""Where a benchmark puts its commands: the root command and the groups that benchmarks share; and what they share."""

from __future__ import annotations

from collections.abc import Iterable
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


def key_values(pairs: Iterable[str]) -> dict[str, object]:
    """KEY=VALUE pairs of ``--option``; values that are JSON are read as JSON. Raises UsageError."""
    import json

    from stewardbench.errors import UsageError

    options: dict[str, object] = {}
    for pair in pairs:
        key, mark, value = pair.partition("=")
        if not key or not mark:
            raise UsageError(f"--option {pair}: not KEY=VALUE.", hint="For example --option max_tokens=2048.")
        try:
            options[key] = json.loads(value)
        except ValueError:
            options[key] = value
    return options
