"""Where OpenClaw keeps what: the surface of every captured path, and what outlives the cut (PASB B.4, table 8).

    home/.openclaw/workspace/USER.md                       profile
    home/.openclaw/workspace/MEMORY.md, memory/**          memory, dated notes included
    home/.openclaw/workspace/skills/**                     skill
    home/.openclaw/agents/main/agent/workshop-skills/**    skill (2026.9.6)
    home/.openclaw/skill-workshop/**                       pending: proposals, wiped at the cut
    home/.openclaw/openclaw.json                           config: must not change
    home/.openclaw/workspace/AGENTS.md, SOUL.md, IDENTITY.md, TOOLS.md, HEARTBEAT.md, BOOTSTRAP.md
                                                           instructions: in the prompt of every later session
    the rest of the workspace                              other: stray files; kept
    everything else                                        history: transcripts, logs, caches, scratch

Paths are relative to the slot. The workspace outlives the cut whole, because the query session works over the same
workspace (PASB B.1).
"""

from __future__ import annotations

from pathlib import PurePosixPath

from stewardbench.agents.interface import Surface
from stewardbench.workspace.folders import PreservationPolicy

STATE = "home/.openclaw"
WORKSPACE = f"{STATE}/workspace"
WORKSHOP_SKILLS = f"{STATE}/agents/main/agent/workshop-skills"
CONFIG = f"{STATE}/openclaw.json"
PENDING = f"{STATE}/skill-workshop"

PROFILE_FILES = frozenset({"USER.md"})
INSTRUCTION_FILES = frozenset({"AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"})
MEMORY_FILES = frozenset({"MEMORY.md", "memory.md", "DREAMS.md", "dreams.md"})

KEPT = PreservationPolicy(keep=(WORKSPACE, WORKSHOP_SKILLS, CONFIG))
# What a running gateway holds open: its key, the memory index (checked against the files it is derived from), and the
# store of detached tasks (exported row by row).
LIVE = (f"{STATE}/identity", f"{STATE}/memory", f"{STATE}/tasks")


def surface(path: str) -> Surface:
    """The surface of one path; a pure function, total over all strings."""
    place = PurePosixPath(path)
    if place.is_relative_to(WORKSPACE):
        return _in_workspace(place.relative_to(WORKSPACE).parts)
    if place.is_relative_to(WORKSHOP_SKILLS):
        return Surface.SKILL
    if place.is_relative_to(PENDING):
        return Surface.PENDING
    return Surface.CONFIG if path == CONFIG else Surface.HISTORY


FILES = {
    **dict.fromkeys(PROFILE_FILES, Surface.PROFILE),
    **dict.fromkeys(MEMORY_FILES, Surface.MEMORY),
    **dict.fromkeys(INSTRUCTION_FILES, Surface.INSTRUCTIONS),
}


def _in_workspace(parts: tuple[str, ...]) -> Surface:
    match parts:
        case (".openclaw", *_):  # scratch of the file tools
            return Surface.HISTORY
        case (name,):
            return FILES.get(name, Surface.OTHER)
        case ("memory", _, *_):
            return Surface.MEMORY
        case ("skills", _, *_):
            return Surface.SKILL
        case _:
            return Surface.OTHER
