"""Agents by name: plug-ins that announce themselves under the entry point group ``stewardbench.agents``."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from stewardbench.agents.interface import Agent
from stewardbench.errors import UsageError

GROUP = "stewardbench.agents"


def agent_names() -> tuple[str, ...]:
    """The names of all installed agents, sorted. Nothing is imported."""
    return tuple(sorted(_entries()))


def load_agent(name: str) -> Agent:
    """Import an agent and make one. Raises UsageError for an unknown name or a plug-in that cannot be loaded."""
    entry = _entries().get(name)
    if entry is None:
        raise UsageError(f"There is no agent {name!r}.", hint=f"Known agents: {', '.join(agent_names())}.")
    try:
        agent: Agent = entry.load()()
    except (ImportError, AttributeError, TypeError) as error:
        raise UsageError(
            f"Agent {name!r} cannot be loaded from {entry.value}: {error}", hint="Reinstall the package that brings it."
        ) from error
    return agent


def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
