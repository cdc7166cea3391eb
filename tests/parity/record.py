"""Record the stock conversations: python tests/parity/record.py AGENT MODEL... (the program must be installed)."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from stewardbench.agents.openclaw import install
from stewardbench.agents.parity import golden, programs
from stewardbench.agents.presets import settings_for
from stewardbench.agents.registry import load_agent

GOLDEN = Path(__file__).with_name("golden")


async def stock(name: str, model: str, root: Path) -> golden.Conversation:
    """The stock conversation of an installed agent."""
    agent = load_agent(name)
    settings = settings_for(agent, "stock", {})
    place = agent.install(settings)
    if name == "hermes":
        return golden.conversation_of(await programs.hermes(place, root, model))
    return golden.conversation_of(await programs.openclaw(install.find_node(), place, root, model))


def record(name: str, model: str) -> None:
    agent = load_agent(name)
    with tempfile.TemporaryDirectory(prefix="p-") as folder:
        held = asyncio.run(stock(name, model, Path(folder) / "stock"))
    version = agent.version(settings_for(agent, "stock", {}))
    golden.write(GOLDEN / golden.file_name(name, version, model), held)
    print(f"{name} {version} {model}: {len(held.requests)} requests", flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[2:]:
        record(sys.argv[1], chosen)
