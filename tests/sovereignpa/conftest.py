"""The shipped scenario set and the rule-based agents' episodes on it, made once per session."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from stewardbench.sovereignpa.acceptance import Cell, compare
from stewardbench.sovereignpa.agents import booking_agent
from stewardbench.sovereignpa.axes import Split, Variant
from stewardbench.sovereignpa.booking.episode import BookingEpisode, play
from stewardbench.sovereignpa.booking.metrics import Score, score
from stewardbench.sovereignpa.generate import SHIPPED_SEED
from stewardbench.sovereignpa.sets import booking_set
from stewardbench.sovereignpa.situation import Situation
from stewardbench.sovereignpa.variants import Scenario, scenario


@pytest.fixture(scope="session")
def booking_scenarios() -> tuple[Scenario, ...]:
    """All 1,920 booking scenarios of the shipped set."""
    return booking_set()


@pytest.fixture(scope="session")
def by_id(booking_scenarios: tuple[Scenario, ...]) -> dict[str, Scenario]:
    return {one.scenario_id: one for one in booking_scenarios}


@pytest.fixture(scope="session")
def test_scenarios(booking_scenarios: tuple[Scenario, ...]) -> tuple[Scenario, ...]:
    return tuple(one for one in booking_scenarios if one.situation.split is Split.TEST)


@pytest.fixture(scope="session")
def pick(booking_scenarios: tuple[Scenario, ...]) -> Callable[..., Scenario]:
    """The first scenario of a variant whose situation fulfils a condition."""

    def first(variant: Variant, where: Callable[[Situation], object] = lambda _: True) -> Scenario:
        return next(one for one in booking_scenarios if one.variant is variant and where(one.situation))

    return first


@pytest.fixture(scope="session")
def scores(booking_scenarios: tuple[Scenario, ...]) -> Callable[[str], dict[str, Score]]:
    """Scores of a rule-based agent on all booking scenarios, by scenario id."""

    @cache
    def of(agent: str) -> dict[str, Score]:
        found = {}
        for one in booking_scenarios:
            episode = BookingEpisode(one)
            play(episode, booking_agent(agent))
            verdict = score(one, episode.events)
            assert verdict is not None
            found[one.scenario_id] = verdict
        return found

    return of


@pytest.fixture(scope="session")
def test_cells() -> list[Cell]:
    """The acceptance table of the test split."""
    return compare(Split.TEST, SHIPPED_SEED)


@pytest.fixture
def variant_of() -> Callable[[Situation, Variant], Scenario]:
    return scenario
