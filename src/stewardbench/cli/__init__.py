"""The ``stewardbench`` command: parsing and printing, nothing else.

Each command module imports only typer at its top and the rest inside its functions, so that help and completion
start fast. How an error is told, and the exit code, is the ``edge``'s.
"""

from __future__ import annotations

import sys

import typer

from stewardbench import __version__
from stewardbench.benchmark import benchmarks
from stewardbench.cli import agents, demo, edge, report
from stewardbench.commands import Commands

app = typer.Typer(
    name="stewardbench",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: importing rich would take longer than all the rest of it
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    help="Measure whether a personal agent is a good steward of what its user says and owns.\n\n"
    "First command: stewardbench demo  (no key needed)",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"stewardbench {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Measure whether a personal agent is a good steward of what its user says and owns."""


def _assemble() -> None:
    """Put the commands together: the core's, then those of every installed benchmark."""
    commands = Commands(app)
    demo.register(app)
    app.add_typer(commands.run, name="run")
    report.register(app)
    app.add_typer(commands.published, name="published")
    agents.register(app)
    for one in benchmarks():
        if one.commands:
            one.part("commands")(commands)


_assemble()


def main() -> None:
    """Entry point of the console script."""
    sys.exit(edge.run(app))
