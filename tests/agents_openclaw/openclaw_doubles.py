"""Slots around a stand-in gateway: the adapter's own logic without the weight of OpenClaw."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from pathlib import Path

import pytest

from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.openclaw import install
from stewardbench.agents.openclaw.baseline import SEEDED
from stewardbench.agents.openclaw.install import Installation
from stewardbench.agents.openclaw.releases import release
from stewardbench.agents.openclaw.slot import OpenClawSlot
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply

DOUBLE = Path(__file__).with_name("openclaw_double.mjs")


class Parrot:
    """A model that repeats the last user message; nothing to a message that asks for nothing."""

    name = "parrot"

    async def complete(self, request):
        said = request.messages[-1]["content"]
        return ChatReply(text="" if said == "say nothing" else f"You said: {said}")


def package(folder: Path) -> Installation:
    """An installation of the stand-in, with templates as OpenClaw has them."""
    node = install.find_node()
    if node is None:
        pytest.skip("Node is not installed: pip install 'stewardbench[openclaw]'")
    home = folder / "node_modules" / "openclaw"
    templates = home / "docs" / "reference" / "templates"
    templates.mkdir(parents=True)
    shutil.copy(DOUBLE, home / "openclaw.mjs")
    for name in SEEDED:
        (templates / name).write_text(f"---\ntitle: {name}\n---\n\n# {name}\n")
    return Installation(node, folder)


@contextlib.asynccontextmanager
async def open_slot(tmp_path: Path, fault: str = "", *, upstream=None, confined: bool = False, **changes):
    """A slot on the stand-in, and its model gateway."""
    changes.setdefault("options", {})
    double = {"fault": fault, "mark": str(tmp_path / "mark")} if fault else {}
    changes["options"] = {"config": {"double": double}, "settle_cap_s": 5, "entry": "http", **changes["options"]}
    settings = AgentSettings(**changes)
    installation = package(tmp_path / "package")
    async with Gateway(upstream or Parrot(), socket=tmp_path / "model.sock") as gateway:
        slot = OpenClawSlot(installation, release(), settings, gateway.endpoint, tmp_path / "slot", confined=confined)
        try:
            yield slot, gateway
        finally:
            await slot.close()


def run(coroutine):
    """Run a test's coroutine, at most a minute."""
    return asyncio.run(asyncio.wait_for(coroutine, 60))
