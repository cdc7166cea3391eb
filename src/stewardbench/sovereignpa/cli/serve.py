"""``sovereignpa serve``: one scenario as web pages, for a person or a browser agent, and its verdict."""

from __future__ import annotations

from typing import Annotated

import typer

from stewardbench.sovereignpa.cli.commands import commands


def register(app: typer.Typer) -> None:
    """Add this command to the ``sovereignpa`` group, which the root command has already."""
    commands.command()(serve)


def serve(
    scenario: Annotated[str, typer.Argument(help="A scenario id, such as flights-03.stale or meal_kit-2.clean.")],
    port: Annotated[int, typer.Option(help="Port on loopback; 0 takes a free one.")] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the scenario set; 7 is the shipped set.")] = 7,
) -> None:
    """Serve a scenario as real pages with forms, until the report is sent; then print the episode and its verdicts.

    Point a browser agent at the printed address, or try it yourself. The address holds a secret and is loopback only.

    Example: stewardbench sovereignpa serve flights-03.overcollect
    """
    from stewardbench.runs.terminal import telling
    from stewardbench.sovereignpa.booking.episode import BookingEpisode
    from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
    from stewardbench.sovereignpa.narrate import narrate_booking, narrate_cancellation
    from stewardbench.sovereignpa.sets import find_scenario
    from stewardbench.sovereignpa.surface.server import ShopServer
    from stewardbench.sovereignpa.surface.shop import Shop
    from stewardbench.sovereignpa.variants import Scenario

    found = find_scenario(scenario, seed)
    episode = BookingEpisode(found) if isinstance(found, Scenario) else CancelEpisode(found)
    with ShopServer(Shop(episode), port) as server:
        typer.echo(server.url)
        with telling():  # it waits for its user
            server.wait()
    typer.echo(narrate_booking(episode) if isinstance(episode, BookingEpisode) else narrate_cancellation(episode))
