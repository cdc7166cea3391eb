"""Which OpenClaw releases can be benchmarked, and what is known to differ between them.

2026.5.28 is the last line that carries the skill-workshop plugin the paper names; its memory index follows files that
are replaced in place, so one process serves many episodes. In 2026.9.6 the Workshop is part of the core and the index
goes stale when files change under a running process, so every phase of every episode gets a new process.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from stewardbench.errors import UsageError

NODE_VERSION = "24.19.0"
LOCKS = files("stewardbench.agents.openclaw") / "locks"


@dataclass(frozen=True)
class Release:
    """One pinned release.

    ``warm`` says whether a live gateway may be reset in place; ``onboarded`` are the files that onboarding puts into a
    new workspace, but for BOOTSTRAP.md.
    """

    version: str
    warm: bool
    workshop_plugin: bool  # False: the Skill Workshop is part of the core
    onboarded: tuple[str, ...] = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md")

    @property
    def lock(self) -> Traversable:
        """The folder with the committed package.json and package-lock.json."""
        return LOCKS / self.version


RELEASES = {
    release.version: release
    for release in (
        Release(
            "2026.5.28",
            warm=True,
            workshop_plugin=True,
            onboarded=("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md"),
        ),
        Release("2026.9.6", warm=False, workshop_plugin=False),
    )
}
DEFAULT = "2026.5.28"


def release(version: str = "") -> Release:
    """The release a run asks for; an empty name is the default. Raises UsageError for one without a lock."""
    try:
        return RELEASES[version or DEFAULT]
    except KeyError:
        raise UsageError(
            f"OpenClaw {version} is not pinned here.", hint=f"Choose one of: {', '.join(RELEASES)}."
        ) from None
