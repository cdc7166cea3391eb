"""The plug-in of a library agent: installed from a hash-locked file, and opened as a slot."""

from __future__ import annotations

import asyncio
import re
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

from stewardbench.agents.install import build_once, build_python_environment, environment_folder, is_ready
from stewardbench.agents.interface import AgentSettings, Surface
from stewardbench.agents.library import entries
from stewardbench.agents.library.slot import LibrarySlot, Program
from stewardbench.errors import UsageError
from stewardbench.models.endpoint import Endpoint
from stewardbench.workspace.confinement import decide


class LibraryAgent:
    """Base of agents whose package holds ``child.py`` and ``requirements.lock``.

    A subclass names its ``name``, its ``distribution`` (whose locked version is the agent's), its ``package``, the
    ``reviews`` it knows and the ``variables`` that its library needs.
    """

    name: str
    distribution: str
    package: str
    reviews: tuple[str, ...] = ("released",)
    variables: ClassVar[dict[str, str]] = {}

    def version(self, settings: AgentSettings) -> str:
        """The locked version. Raises UsageError for settings that the agent cannot honour."""
        self._check(settings)
        return self._locked_version()

    def surface(self, path: str) -> Surface:
        """The surface of a captured path."""
        return entries.surface(path)

    def installed(self, settings: AgentSettings) -> Path | None:
        """Where the environment lies, or None when it is not there."""
        return self._environment if is_ready(self._environment) else None

    def install(self, settings: AgentSettings) -> Path:
        """Build the environment unless it is there already. Raises InstallError."""
        return build_once(self._environment, lambda folder: build_python_environment(folder, self._lock()))

    async def open_slot(self, root: Path, endpoint: Endpoint, settings: AgentSettings) -> LibrarySlot:
        """Install if need be, and prepare a slot. Raises InstallError or ConfinementError."""
        self._check(settings)
        confined = decide(settings.confine)
        environment = await asyncio.to_thread(self.install, settings)
        child = Path(str(files(self.package) / "child.py"))
        program = Program(self.name, environment, child, self.variables)
        return LibrarySlot(program, root, endpoint, settings, confined=confined)

    @property
    def _environment(self) -> Path:
        return environment_folder(self.name, self._lock())

    def _lock(self) -> bytes:
        return (files(self.package) / "requirements.lock").read_bytes()

    def _locked_version(self) -> str:
        match = re.search(rf"^{re.escape(self.distribution)}==([^\s;\\]+)", self._lock().decode(), re.MULTILINE)
        assert match is not None, f"{self.distribution} is not in its own lock"
        return match[1]

    def _check(self, settings: AgentSettings) -> None:
        version = self._locked_version()
        if settings.version not in {"", version}:
            raise UsageError(f"{self.name} {settings.version} is not pinned here.", hint=f"Name {version}, or nothing.")
        if settings.review not in self.reviews:
            raise UsageError(
                f"{self.name} has no review policy {settings.review!r}.", hint=f"Choose {' or '.join(self.reviews)}."
            )
        if settings.tools != "released":
            raise UsageError(f"{self.name} has no tool set {settings.tools!r}.", hint="Leave it at 'released'.")
        if settings.options:
            raise UsageError(f"{self.name} has no option {min(settings.options)!r}.", hint="It takes none.")
