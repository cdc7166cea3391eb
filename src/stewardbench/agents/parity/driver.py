"""The same conversation through our driver, against the same kind of server: unconfined, and past our own gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stewardbench.agents.install import Installable
from stewardbench.agents.interface import Agent
from stewardbench.agents.parity.log import SECRET, LogServer
from stewardbench.agents.parity.programs import Held
from stewardbench.agents.parity.talk import TALKS, StagedTurns
from stewardbench.agents.presets import settings_for
from stewardbench.errors import AgentCrashed
from stewardbench.models.endpoint import Endpoint

FILES = {
    "hermes": {
        "USER.md": "home/.hermes/memories/USER.md",
        "MEMORY.md": "home/.hermes/memories/MEMORY.md",
        "SKILL.md": "home/.hermes/skills/tea/SKILL.md",
        "SOUL.md": "home/.hermes/SOUL.md",
    },
    "openclaw": {
        name: f"home/.openclaw/workspace/{name}"
        for name in ("USER.md", "MEMORY.md", "memory/2026-03-02.md", "AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md")
    },
}


async def driven(
    agent: Agent,
    root: Path,
    model: str,
    preset: str,
    chosen: dict[str, Any] | None = None,
    talk: StagedTurns | None = None,
) -> Held:
    """Hold an agent's conversation under a preset; ``chosen`` lies over it, ``talk`` in the place of the whole one.

    Raises AgentCrashed for a failed turn.
    """
    settings = settings_for(agent, preset, {**(chosen or {}), "confine": "off"})
    talk = talk or TALKS[agent.name]
    async with LogServer() as server:
        slot = await agent.open_slot(root, Endpoint(base_url=server.base_url, secret=SECRET, model=model), settings)
        try:
            await slot.reset()
            session = await slot.open_session("persist", "a1")
            for text in talk.persist:
                await _send(session, text)
            await session.settle()
            await session.close()
            captured = slot.capture()
            if talk.query:
                await slot.wipe()
                session = await slot.open_session("query", "b2")
                for text in talk.query:
                    await _send(session, text)
                await session.close()
        finally:
            await slot.close()
    found = {name: captured[path].text.encode() for name, path in FILES[agent.name].items() if path in captured}
    # where an unconfined slot has its home, which differs between agents
    homes = (root / "slot" / "home", root / "cell" / "slot" / "home", root / "home", root / "cell" / "home")
    places = {str(home): "HOME" for home in homes}
    if isinstance(agent, Installable) and (program := agent.installed(settings)) is not None:
        places[str(program)] = "PACKAGE"
    return Held(server.bodies, places, found)


async def _send(session: Any, text: str) -> None:
    outcome = await session.send(text)
    if outcome.error is not None:
        raise AgentCrashed(f"{text[:60]!r} was not answered: {outcome.error}")
