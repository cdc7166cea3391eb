"""What an agent is to stewardbench: something with sessions, durable state, and ways to restore, capture and wipe it.

    Agent        the plug-in (entry point group ``stewardbench.agents``): names, versions, surface rules, settings
    AgentSlot    one live agent in one folder, used for one episode at a time
    AgentSession one conversation; each turn is one user message

An episode uses them in this order: ``reset``, ``open_session("persist")``, five ``send``, ``settle``, ``close``,
``capture``, ``wipe``, ``capture``, ``open_session("query")``, three ``send``, ``settle``, ``close``, ``capture``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import Field

from stewardbench.models.endpoint import Endpoint
from stewardbench.records import Record
from stewardbench.workspace.limits import Limits
from stewardbench.workspace.tree import Tree

Stage = Literal["persist", "query"]


class Surface(StrEnum):
    """Where a captured path belongs (PASB section 3.3, B.3; ``instructions``, ``other`` and ``pending`` are ours).

    Profile, memory and skill are the paper's commit surfaces. ``instructions`` are the files of its own that an agent
    finds in every later prompt (SOUL.md, AGENTS.md and the like): durable too, and shown apart. ``pending`` is a
    proposal not yet live; ``history`` is wiped at the cut; ``config`` must not change; ``other`` is reported and never
    counted.
    """

    PROFILE = "user_profile"
    MEMORY = "memory_profile"
    SKILL = "skill"
    INSTRUCTIONS = "instructions"
    PENDING = "pending"
    CONFIG = "config"
    HISTORY = "history"
    OTHER = "other"


COMMIT_SURFACES = (Surface.SKILL, Surface.MEMORY, Surface.PROFILE)  # tie order of the released annotator
DURABLE_SURFACES = (*COMMIT_SURFACES, Surface.INSTRUCTIONS)  # all that a later prompt is made from


class AgentSettings(Record):
    """What a run declares about its agent; part of the run's configuration and of every row.

    ``preset`` is the policy it started from and ``overrides`` what was chosen over it (see ``agents.presets``); the
    other fields are what came of both. ``review`` is the agent's self-improvement policy, ``tools`` its tool set,
    ``options`` anything an agent defines itself, ``limits`` what a slot may use of the machine.
    ``max_model_calls_per_turn`` bounds a model that loops on a failing tool call.
    """

    version: str = ""
    preset: str = "released"
    overrides: tuple[str, ...] = ()
    review: str = "released"
    tools: str = "released"
    max_model_calls_per_turn: int = 30
    turn_timeout_s: float = 600.0
    session_search: bool = False
    confine: Literal["auto", "required", "off"] = "auto"
    limits: Limits = Limits()
    options: dict[str, Any] = Field(default_factory=dict)


class ToolUse(Record):
    """One tool call the agent made, with what the tool answered. ``refused`` marks a write the agent itself blocked."""

    name: str
    arguments: str
    result: str = ""
    refused: bool = False
    background: bool = False  # made by the agent's own background review


class TurnOutcome(Record):
    """What came back for one user turn. ``error`` set means there is no answer to score."""

    reply: str
    tool_uses: tuple[ToolUse, ...] = ()
    model_calls: int = 0
    elapsed_s: float = 0.0
    error: str | None = None
    stopped_by_limit: bool = False


class Flush(Record):
    """How the wait for asynchronous writes ended, and the tool calls of reviews that only then ran."""

    policy: str
    waited_s: float
    quiescent: bool
    background_reviews: int = 0
    pending: tuple[str, ...] = ()
    tool_uses: tuple[ToolUse, ...] = Field(default=(), exclude_if=lambda value: value == ())


class WipeReport(Record):
    """What the cut removed and what it left, as paths relative to the slot. Any ``survivors`` break the cut."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]
    survivors: tuple[str, ...] = ()


class AgentSession(Protocol):
    """One conversation with a live agent."""

    session_id: str

    async def send(self, text: str) -> TurnOutcome:
        """Send one user turn and wait for the answer. Raises AgentCrashed, AgentHung or ReviewFailed."""
        ...

    async def settle(self) -> Flush:
        """Wait until the agent's own background writers have ended (part of quiescence)."""
        ...

    async def close(self) -> None:
        """End the conversation; no process of the session is alive afterwards."""
        ...


class AgentSlot(Protocol):
    """One agent in one folder."""

    confined: bool
    baseline_sha256: str

    async def reset(self) -> None:
        """Restore the immutable baseline; nothing of an earlier episode is left."""
        ...

    async def open_session(self, stage: Stage, session_id: str) -> AgentSession:
        """Start a fresh conversation. The stage's name never reaches the agent or its model."""
        ...

    def capture(self) -> Tree:
        """Everything in the slot as files, stores that are not files exported as entries."""
        ...

    async def wipe(self) -> WipeReport:
        """Remove all that is not durable (PASB table 8). Called with no session open."""
        ...

    def restore_durable(self, tree: Tree) -> None:
        """Make the durable surfaces equal to a captured tree: the fork point for several query sessions."""
        ...

    async def close(self) -> None:
        """Stop every process and release the folder."""
        ...


class Agent(Protocol):
    """A kind of agent that can be benchmarked.

    It may also have ``saves``, its own save tools by surface (profile, memory, note, skill), so that scripted models
    can use them: ``{"memory": [{"tools": ["jot"], "arguments": {"words": "$line"}}]}``. ``$line`` is the claim in its
    saved form, ``$document`` the same as a file, ``$name`` and ``$skill`` a skill. An empty list says that the agent
    has no such surface, and its checks are left out instead of missing.

    An agent that can be seen from outside only also has ``unseen``, a function of the settings: what nobody can see of
    it, by check of the attestation (``b`` to ``g``) or ``commit``, each with the reason. What is named there is never
    a yes or a no: such checks stay open, and commits are unknown.
    """

    name: str

    def version(self, settings: AgentSettings) -> str:
        """The installed version that these settings select."""
        ...

    def surface(self, path: str) -> Surface:
        """Which surface a captured path belongs to: a pure function of the path (PASB B.4)."""
        ...

    async def open_slot(self, root: Path, endpoint: Endpoint, settings: AgentSettings) -> AgentSlot:
        """Start an agent in an empty folder. Raises InstallError or ConfinementError."""
        ...


def saves_of(agent: Agent) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The save tools that an agent declares; none where it leaves that to the usual names."""
    found: Mapping[str, Sequence[Mapping[str, Any]]] = getattr(agent, "saves", {})
    return found


def unseen_of(agent: Agent, settings: AgentSettings) -> Mapping[str, str]:
    """What cannot be seen of an agent, with the reasons; nothing for agents that run in a slot of ours."""
    declared: Callable[[AgentSettings], Mapping[str, str]] | None = getattr(agent, "unseen", None)
    return declared(settings) if declared else {}
