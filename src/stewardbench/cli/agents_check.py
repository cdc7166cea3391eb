"""``agents check`` and ``agents matrix``: run the conformance suite, and show stored results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stewardbench.agents.conformance import CheckResult

COLOURS = {"passed": "green", "failed": "red", "skipped": "yellow", "missing": "red", "open": "yellow"}


def register(group: typer.Typer) -> None:
    """Add these commands to the ``agents`` group."""
    group.command("check")(check)
    group.command("matrix")(matrix)


def check(
    name: Annotated[str, typer.Argument(help="The agent's name, as `stewardbench agents list` shows it.")],
    version: Annotated[str, typer.Option(help="A pinned version of the agent; without it, the agent's default.")] = "",
    preset: Annotated[str, typer.Option(help="released or stock, as `run` takes it.")] = "released",
    tools: Annotated[str | None, typer.Option(help="The agent's tool set, instead of the preset's.")] = None,
    review: Annotated[str | None, typer.Option(help="The agent's review policy, instead of the preset's.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Run this check alone; may be given several times.")] = None,
    model: Annotated[
        str, typer.Option(help="URL#NAME of an assistant that is reached over HTTP only (agent http).")
    ] = "",
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for the agent; may be repeated.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the results to this file.")] = None,
) -> None:
    """Run the conformance suite on an agent: what it must do for its episodes to mean something. No key is needed.

    Example: stewardbench agents check hermes --preset stock

    Ends with exit code 1 when a check failed, and 3 when one could not be made: because the agent has save tools of
    its own that it does not declare (INCOMPLETE), or because it is seen from outside only (BLACK BOX).
    """
    import asyncio
    from collections import Counter

    from stewardbench.agents import conformance
    from stewardbench.agents.presets import settings_for
    from stewardbench.agents.registry import load_agent
    from stewardbench.commands import key_values
    from stewardbench.errors import UsageError
    from stewardbench.models.upstreams import open_upstream
    from stewardbench.records.files import write_file

    known = list(dict.fromkeys(each.name for each in (*conformance.CHECKS, *conformance.OUTSIDE_CHECKS)))
    chosen = tuple(only or ())
    if unknown := [each for each in chosen if each not in known]:
        raise UsageError(f"There is no check {unknown[0]!r}.", hint=f"Known checks: {', '.join(known)}.")
    agent = load_agent(name)
    choices = {"version": version, "tools": tools, "review": review, "options": key_values(option or [])}
    settings = settings_for(agent, preset, choices)
    upstream = open_upstream(model) if model else None
    report = asyncio.run(conformance.check_agent(agent, settings, only=chosen, upstream=upstream, report=_print_result))
    if json is not None:
        write_file(json, report.to_json() + "\n")
    counts = ", ".join(f"{status} {n}" for status, n in Counter(one.status for one in report.results).most_common())
    typer.echo(f"{report.verdict}: {report.agent} {report.version}: {counts}")
    if code := {"CONFORMS": 0, "FAILS": 1, "INCOMPLETE": 3, "BLACK BOX": 3}[report.verdict]:
        raise typer.Exit(code)


def matrix(
    files: Annotated[list[Path], typer.Argument(help="Results that `stewardbench agents check --json` wrote.")],
    into: Annotated[Path | None, typer.Option(help="Put the table into this page, between its two marks.")] = None,
) -> None:
    """Show stored conformance results of several agents as one Markdown table.

    Example: stewardbench agents matrix docs/conformance/*.json --into docs/agents.md
    """
    from stewardbench.agents.conformance import ConformanceReport
    from stewardbench.agents.conformance.matrix import markdown, put_into
    from stewardbench.errors import DataError
    from stewardbench.records import Misfit, fit_json
    from stewardbench.records.files import write_file
    from stewardbench.records.texts import read_text

    reports = []
    for file in files:
        try:
            reports.append(fit_json(ConformanceReport, read_text(file)))
        except Misfit as misfit:
            hint = "Write one with `stewardbench agents check NAME --json FILE`."
            raise DataError(f"no conformance result: {misfit.sentence}", path=file, hint=hint) from None
    if into is None:
        typer.echo(markdown(reports), nl=False)
        return
    try:
        page = put_into(read_text(into, "a page"), markdown(reports))
    except ValueError as error:
        hint = "Put the two marks into it, as docs/agents.md has them, or leave --into out."
        raise DataError(f"cannot take the table: {error}.", path=into, hint=hint) from error
    write_file(into, page)


def _print_result(result: CheckResult) -> None:
    typer.echo(f"{typer.style(f'{result.status:8}', fg=COLOURS[result.status])} {result.name:10} {result.proves}")
    if result.status != "passed" or result.channels:
        typer.echo(f"         {result.detail}")
    for channel, how in result.channels.items():
        typer.echo(f"         {channel:20} {'planted, found nowhere after' if how == 'planted' else how}")
