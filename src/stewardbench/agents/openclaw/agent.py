"""The plug-in: OpenClaw as an agent that can be benchmarked."""

from __future__ import annotations

import asyncio
from pathlib import Path

from stewardbench.agents.clock import declared_start
from stewardbench.agents.interface import AgentSettings, Surface
from stewardbench.agents.openclaw import install, surfaces
from stewardbench.agents.openclaw.config import document
from stewardbench.agents.openclaw.gateway import CANONICAL, CHAT, ENTRIES
from stewardbench.agents.openclaw.releases import release
from stewardbench.agents.openclaw.slot import OpenClawSlot
from stewardbench.agents.presets import read_presets
from stewardbench.errors import UsageError
from stewardbench.models.endpoint import Endpoint
from stewardbench.workspace import confinement

OPTIONS = frozenset(
    {
        *("clock", "config", "entry", "index_timeout_s", "max_tokens", "recycle_after", "restart", "settle_cap_s"),
        *("skip_wipe", "start_timeout_s"),
    }
)


class OpenClawAgent:
    """OpenClaw 2026.5.28 (warm) or 2026.9.6 (a process per session)."""

    name = "openclaw"
    presets = read_presets(__package__)

    def version(self, settings: AgentSettings) -> str:
        """The release that these settings select. Raises UsageError for one that is not pinned."""
        return release(settings.version).version

    def surface(self, path: str) -> Surface:
        """Which surface a captured path belongs to."""
        return surfaces.surface(path)

    def installed(self, settings: AgentSettings) -> Path | None:
        """Where the selected release lies, or None when it or Node is missing."""
        found = install.find(release(settings.version))
        return found.openclaw if found else None

    def install(self, settings: AgentSettings) -> Path:
        """Put Node and the selected release into the cache. Raises InstallError."""
        return install.install(release(settings.version)).openclaw

    async def open_slot(self, root: Path, endpoint: Endpoint, settings: AgentSettings) -> OpenClawSlot:
        """Install if need be, and prepare a slot.

        Raises InstallError, ConfinementError, or UsageError for settings that OpenClaw cannot honour.
        """
        chosen = release(settings.version)
        if unknown := sorted(set(settings.options) - OPTIONS):
            raise UsageError(
                f"OpenClaw has no option {unknown[0]!r}.", hint=f"Known options: {', '.join(sorted(OPTIONS))}."
            )
        declared_start(settings.options)
        if settings.options.get("entry", CHAT) not in ENTRIES:
            raise UsageError(
                f"OpenClaw has no entry {settings.options['entry']!r}.", hint=f"Choose {' or '.join(ENTRIES)}."
            )
        document(chosen, settings, CANONICAL, endpoint.model)  # refuses an unknown policy before anything starts
        confined = confinement.decide(settings.confine)
        installation = await asyncio.to_thread(install.install, chosen)
        return OpenClawSlot(installation, chosen, settings, endpoint, root, confined=confined)
