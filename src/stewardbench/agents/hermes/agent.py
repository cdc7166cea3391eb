"""The plug-in: what Hermes-Agent is called, which version, where it keeps things, and how a slot of it is opened."""

from __future__ import annotations

import asyncio
import sys
from importlib.resources import files
from pathlib import Path

from stewardbench.agents.hermes.settings import PRESETS, VERSION, check_settings
from stewardbench.agents.hermes.slot import HermesSlot
from stewardbench.agents.hermes.surfaces import surface
from stewardbench.agents.install import build_once, build_python_environment, environment_folder, is_ready
from stewardbench.agents.interface import AgentSettings, Surface
from stewardbench.errors import InstallError
from stewardbench.models.endpoint import Endpoint
from stewardbench.workspace.confinement import decide


class HermesAgent:
    """Hermes-Agent, driven through its Python interface in an environment of its own."""

    name = "hermes"
    presets = PRESETS

    def version(self, settings: AgentSettings) -> str:
        """The pinned version. Raises UsageError when the settings ask for something Hermes does not have."""
        check_settings(settings)
        return VERSION

    def surface(self, path: str) -> Surface:
        """The surface of a captured path."""
        return surface(path)

    def installed(self, settings: AgentSettings) -> Path | None:
        """Where Hermes is installed, or None when it is not."""
        check_settings(settings)
        folder = environment_folder(self.name, _lock())
        return folder if is_ready(folder) else None

    def install(self, settings: AgentSettings) -> Path:
        """Install Hermes from its hash-locked file unless it is there already. Raises InstallError."""
        check_settings(settings)
        if sys.version_info >= (3, 14):
            raise InstallError(
                f"Hermes-Agent {VERSION} does not run on Python {sys.version_info.major}.{sys.version_info.minor}.",
                hint="Run stewardbench with Python 3.11, 3.12 or 3.13.",
            )
        return build_once(
            environment_folder(self.name, _lock()), lambda folder: build_python_environment(folder, _lock())
        )

    async def open_slot(self, root: Path, endpoint: Endpoint, settings: AgentSettings) -> HermesSlot:
        """Install Hermes if need be and start it in an empty folder. Raises InstallError or ConfinementError."""
        check_settings(settings)
        confined = decide(settings.confine)
        environment = await asyncio.to_thread(self.install, settings)
        return await HermesSlot.open(root, environment, endpoint, settings, confined=confined)


def _lock() -> bytes:
    return files(__package__).joinpath("requirements.lock").read_bytes()
