"""The declared clock: what time it is for an agent, so that the same run has the same dates in its prompts.

A run's agents begin every turn at a moment that the run declares; within a turn time runs on as the machine's does.
Persist turns follow each other by ten minutes, and the query session begins two hours after the persist session did.
The option ``clock`` names the first moment, or ``machine`` for the machine's own time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from stewardbench.agents.interface import Stage
from stewardbench.errors import UsageError

MACHINE = "machine"
TURN = timedelta(minutes=10)
SESSION = {"persist": timedelta(0), "query": timedelta(hours=2)}


def declared_start(options: Mapping[str, Any]) -> datetime | None:
    """The first moment of an episode in UTC, or None for the machine's time. Raises UsageError for no moment."""
    given = str(options.get("clock", MACHINE))
    if given == MACHINE:
        return None
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        raise UsageError(
            f"{given!r} is no moment for the option clock.", hint="For example --option clock=2026-03-02T09:00:00Z."
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def declared_moment(start: datetime, stage: Stage, turn: int) -> datetime:
    """When a turn of a stage begins; ``turn`` counts from 1."""
    return start + SESSION[stage] + (turn - 1) * TURN
