"""Record the stock conversations, with the program installed: python tests/parity/record.py AGENT[@VERSION] MODEL...

A version that is recorded for the first time is shown against the one before it by ``changes.py``.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from table import GOLDEN

from stewardbench.agents.openclaw import install
from stewardbench.agents.parity import golden, programs
from stewardbench.agents.parity.pins import pin
from stewardbench.agents.presets import settings_for
from stewardbench.agents.registry import load_agent


async def stock(name: str, version: str, model: str, root: Path) -> golden.Conversation:
    """The stock conversation of an installed agent; an empty version is the default one."""
    agent = load_agent(name)
    settings = settings_for(agent, "stock", {"version": version})
    place = agent.install(settings)
    if name == "hermes":
        held = await programs.hermes(place, root, model)
    else:
        held = await programs.openclaw(install.find_node(), place, root, model)
    return golden.conversation_of(held)._replace(pin=pin(name, agent.version(settings)))


def recorded(name: str, version: str, model: str) -> str:
    """The command that records a conversation."""
    return f"python tests/parity/record.py {name}@{version} {model}"


def record(name: str, wanted: str, model: str) -> None:
    agent = load_agent(name)
    with tempfile.TemporaryDirectory(prefix="p-") as folder:
        held = asyncio.run(stock(name, wanted, model, Path(folder) / "stock"))
    version = agent.version(settings_for(agent, "stock", {"version": wanted}))
    golden.write(GOLDEN / golden.file_name(name, version, model), held)
    print(f"{name} {version} {model}: {len(held.requests)} requests", flush=True)


if __name__ == "__main__":
    agent_name, _, chosen_version = sys.argv[1].partition("@")
    for chosen in sys.argv[2:]:
        record(agent_name, chosen_version, chosen)
