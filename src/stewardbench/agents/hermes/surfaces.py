"""Where Hermes keeps what: which captured path is which surface, and what outlives the cut (PASB B.4, table 8).

Captured paths are relative to the slot: ``home`` is the agent's home folder, with ``.hermes`` and ``workspace`` in it,
``tmp`` and ``shm`` are its temporary folders.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from stewardbench.agents.interface import Surface
from stewardbench.workspace.folders import PreservationPolicy

HOME = "home"
STATE = f"{HOME}/.hermes"
WORKSPACE = f"{HOME}/workspace"
TEMPORARY = ("tmp", "shm")

# Hermes puts the first of these that the workspace holds into every later system prompt.
CONTEXT_FILES = frozenset(
    {".hermes.md", "HERMES.md", "AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".cursorrules"}
)
STATE_FILES = {
    "memories/USER.md": Surface.PROFILE,
    "memories/MEMORY.md": Surface.MEMORY,
    "SOUL.md": Surface.INSTRUCTIONS,
    "config.yaml": Surface.CONFIG,
    ".env": Surface.CONFIG,
    ".no-bundled-skills": Surface.CONFIG,
}

POLICY = PreservationPolicy(
    keep=(
        f"{STATE}/config.yaml",
        f"{STATE}/.env",
        f"{STATE}/.no-bundled-skills",
        f"{STATE}/SOUL.md",
        f"{STATE}/memories",
        f"{STATE}/skills",
        WORKSPACE,
    ),
    drop=(
        f"{STATE}/*.lock",
        f"{STATE}/*.bak.*",
        f"{STATE}/skills/.archive/*",
        f"{STATE}/skills/.curator_backups/*",
    ),
)


def surface(path: str) -> Surface:
    """The surface of a captured path. Pure: it never looks at a file."""
    if not POLICY.keeps(path):
        return Surface.HISTORY
    place = PurePosixPath(path)
    if place.is_relative_to(WORKSPACE):
        return Surface.INSTRUCTIONS if _is_context_file(place.relative_to(WORKSPACE)) else Surface.OTHER
    inside = place.relative_to(STATE)
    if inside.parts[0] == "skills" and len(inside.parts) > 1:
        return Surface.OTHER if inside.parts[1].startswith(".") else Surface.SKILL  # dotted: Hermes' own bookkeeping
    return STATE_FILES.get(str(inside), Surface.OTHER)


def _is_context_file(place: PurePosixPath) -> bool:
    return str(place) in CONTEXT_FILES or (place.parts[:2] == (".cursor", "rules") and place.suffix == ".mdc")
