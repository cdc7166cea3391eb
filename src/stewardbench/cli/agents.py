"""``agents`` and ``doctor``: install, list and check agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stewardbench.cli import agents_check

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from stewardbench.agents.doctor import Diagnosis
    from stewardbench.agents.interface import AgentSettings
    from stewardbench.models.messages import Upstream

agents = typer.Typer(
    no_args_is_help=True,
    help="Install, list and check the real agents that can be benchmarked.\n\n"
    "Example: stewardbench agents install hermes",
)
Name = Annotated[str, typer.Argument(help="The agent's name, as `stewardbench agents list` shows it.")]
Version = Annotated[str, typer.Option(help="A pinned version of the agent; without it, the agent's default.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the root command."""
    agents_check.register(agents)
    app.add_typer(agents, name="agents")
    app.command()(doctor)


@agents.command("list")
def list_agents() -> None:
    """Show every agent, its version, and where it is installed.

    Example: stewardbench agents list
    """
    from stewardbench.agents.install import Installable
    from stewardbench.agents.interface import AgentSettings
    from stewardbench.agents.registry import agent_names, load_agent

    for name in agent_names():
        agent, settings = load_agent(name), AgentSettings()
        place = "comes with its package"
        if isinstance(agent, Installable):
            place = str(agent.installed(settings) or f"not installed: stewardbench agents install {name}")
        typer.echo(f"{name:12} {agent.version(settings):12} {place}")


@agents.command("install")
def install_agent(name: Name, version: Version = "") -> None:
    """Install an agent into the cache folder, from hash-locked files. Nothing else on the machine is touched.

    Example: stewardbench agents install hermes

    The folder is STEWARDBENCH_CACHE, or the user's cache folder. An installation that was interrupted is begun anew.
    """
    import time

    from stewardbench.agents.install import ensure_installed
    from stewardbench.agents.interface import AgentSettings
    from stewardbench.agents.registry import load_agent
    from stewardbench.errors import UsageError

    agent, settings = load_agent(name), AgentSettings(version=version)
    start = time.monotonic()
    place = ensure_installed(agent, settings, lambda line: typer.echo(line, err=True))
    if place is None:
        raise UsageError(f"Agent {name!r} installs itself.", hint="See the documentation of the package it comes with.")
    typer.echo(f"{name} {agent.version(settings)} is installed in {place} ({time.monotonic() - start:.0f} s)")


@agents.command("differences")
def show_differences(
    into: Annotated[Path | None, typer.Option(help="Write the page to this file instead of showing it.")] = None,
) -> None:
    """Show where our agents differ from the same agents as their users run them, with reasons and directions.

    Example: stewardbench agents differences --into docs/differences.md
    """
    from stewardbench.agents.parity.page import page
    from stewardbench.agents.registry import agent_names, load_agent
    from stewardbench.records.files import write_file

    text = page(load_agent(name) for name in agent_names())
    if into is None:
        typer.echo(text, nl=False)
    else:
        write_file(into, text)


def doctor(
    agent: Annotated[
        list[str] | None, typer.Option(help="An agent to start and check; may be given several times.")
    ] = None,
    model: Annotated[str, typer.Option(help="The model that will drive the agent, as `run` takes it.")] = "",
    judge: Annotated[str, typer.Option(help="The judge model, as `run` takes it.")] = "",
    confine: Annotated[str, typer.Option(help="auto, required or off, as `run` takes it.")] = "auto",
    temperature: Annotated[str, typer.Option(help="A number, or 'default', as `run pasb` takes it.")] = "0",
    answer_within: Annotated[float, typer.Option(min=0.1, help="Seconds for a first, short answer.")] = 10.0,
) -> None:
    """Check what a run needs: disk, confinement, the model's endpoint, the judge, and agents that are named.

    Model and judge are sent the very requests that runs send. No agent is started unless --agent names it.

    Example: stewardbench doctor --model openai/gpt-5-mini --judge openai/gpt-5

    Each check is one line; a check that failed is followed by what to do. Ends with exit code 1 when one failed. An
    endpoint that does not answer a short question is told within seconds and asked nothing else.
    """
    import asyncio

    from stewardbench.agents.interface import AgentSettings

    settings = AgentSettings.model_validate({"confine": confine})
    fixed = {} if temperature == "default" else {"temperature": _number(temperature)}

    async def every_check() -> bool:
        healthy = True
        async for diagnosis in _diagnoses(agent or [], settings, model, judge, fixed, answer_within):
            _print_diagnosis(diagnosis)
            healthy = healthy and diagnosis.passed
        return healthy

    if not asyncio.run(every_check()):
        raise typer.Exit(1)


def _number(text: str) -> float:
    from stewardbench.errors import UsageError

    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--temperature {text}: not a number.", hint="Write a number, or default.") from None


async def _diagnoses(
    names: list[str], settings: AgentSettings, model: str, judge: str, fixed: dict[str, float], limit_s: float
) -> AsyncIterator[Diagnosis]:
    from functools import partial
    from pathlib import Path

    from stewardbench.agents import doctor
    from stewardbench.agents.interface import unseen_of
    from stewardbench.agents.registry import load_agent
    from stewardbench.models.scripted.scripts import PREFIX

    opened: dict[str, Upstream] = {}
    yield doctor.check_disk([Path.cwd()])
    yield doctor.check_confinement()
    for name in names:
        yield await doctor.check_agent(load_agent(name), settings)
    asks_model = bool(model) and not model.startswith(PREFIX)  # a scripted model has no endpoint
    asks_judge = bool(judge) and judge != "reference"  # the reference judge is part of this package
    outside = [one for one in map(load_agent, names) if unseen_of(one, settings)]
    asked = ((model, asks_model and not outside), (judge, asks_judge))  # an assistant may keep what it is asked
    silent = await doctor.check_reach([name for name, whether in asked if whether], opened, limit_s)
    for diagnosis in silent.values():
        yield diagnosis
    if asks_model and model not in silent:
        check = partial(doctor.check_endpoint, settings=fixed)
        if outside:  # the model is the assistant itself
            check = partial(doctor.check_assistant, agent=outside[0], settings=settings, fixed=fixed)
        yield await doctor.check_model(model, check, opened)
        async for diagnosis in _rehearsed("model", model, opened):
            yield diagnosis
    if asks_judge and judge not in silent:
        yield await doctor.check_model(judge, doctor.check_judge, opened)
        async for diagnosis in _rehearsed("judge", judge, opened):
            yield diagnosis


async def _rehearsed(role: str, name: str, opened: dict[str, Upstream]) -> AsyncIterator[Diagnosis]:
    """The checks that need the benchmarks' own requests."""
    from functools import partial

    from stewardbench.agents import doctor
    from stewardbench.benchmark import benchmarks

    for one in benchmarks():
        for rehearsal in one.part("rehearsals")() if one.rehearsals else ():
            if rehearsal.role == role:
                check = partial(doctor.check_rehearsal, rehearsal=rehearsal)
                yield await doctor.check_model(name, check, opened)


def _print_diagnosis(diagnosis: Diagnosis) -> None:
    word, colour = ("ok", "green") if diagnosis.passed else ("FAILED", "red")
    typer.echo(f"{typer.style(f'{word:7}', fg=colour)} {diagnosis.check}: {diagnosis.detail}")
    if diagnosis.advice:
        typer.echo(f"        {diagnosis.advice}")
