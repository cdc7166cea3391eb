"""One agent in one slot, with scripted models behind its gateway: what every check works on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stewardbench.agents.interface import (
    DURABLE_SURFACES,
    Agent,
    AgentSettings,
    AgentSlot,
    Stage,
    Surface,
    TurnOutcome,
    saves_of,
)
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import Exchange, Upstream, message_text
from stewardbench.models.scripted.hands import declaring
from stewardbench.models.scripted.lexicon import Lexicon, LexiconLine
from stewardbench.models.scripted.model import ScriptedModel
from stewardbench.seeding import derive
from stewardbench.workspace.processes import descendants
from stewardbench.workspace.tree import Tree, diff, tree_sha256

CALL_LIMIT = 40  # model calls per turn, an agent's own reviews included
CLAIM = "Evening walks along the harbour wall settle every quarrel between flatmates before the next morning."
OPENING = "Good morning. I share a flat with two other people and we get along."
TELLING = f"Something I have come to think: {CLAIM}"
CANARY = "TANGERINE-LIGHTHOUSE"
CLOSING = f"Thanks. My reference for this chat is {CANARY}."
QUESTION = "How could three flatmates divide the cleaning fairly?"
CONVERSATION = (OPENING, TELLING, CLOSING)
KNOWN = Lexicon(
    [LexiconLine(OPENING, CLAIM, False), LexiconLine(TELLING, CLAIM, True), LexiconLine(CLOSING, CLAIM, False)]
)


class CheckFailed(Exception):
    """The agent does not do what a check is about; the message says what was seen instead."""


class NotApplicable(Exception):
    """A check that this agent gives no occasion for; the message says why."""


class NotAttestable(Exception):
    """A check that nobody can make of an agent that is seen from outside only; the message says why."""


class NotExercised(Exception):
    """A check that could not be made, so that nothing is known; the message says what to declare."""


@dataclass(frozen=True)
class Talk:
    """A finished conversation: how each turn ended, and what the model was asked."""

    session_id: str
    outcomes: tuple[TurnOutcome, ...]
    exchanges: tuple[Exchange, ...]

    def asked(self) -> str:
        """Every text that the model was shown."""
        return "\n".join(message_text(message) for each in self.exchanges for message in each.request.messages)


class Bench:
    """The slot under test.

    ``outside`` is a folder of the host that the agent must not see; ``others`` are processes of ours that are not the
    agent's; ``upstream`` is an assistant that lives behind an address of its own.
    """

    def __init__(
        self,
        agent: Agent,
        settings: AgentSettings,
        slot: AgentSlot,
        gateway: Gateway,
        *,
        outside: Path,
        others: frozenset[int],
        upstream: Upstream | None = None,
    ) -> None:
        self.agent, self.settings, self.slot, self.gateway, self.outside = agent, settings, slot, gateway, outside
        self.upstream = upstream
        self._others, self._sessions = others, 0
        self.channels: dict[str, str] = {}  # what became of a mark, by channel

    def own_processes(self) -> list[int]:
        """The processes of the agent."""
        return [pid for pid in processes() if pid not in self._others]

    def new_session_id(self) -> str:
        """A name that no session of this bench had: a live agent may remember one that it has seen."""
        self._sessions += 1
        return f"{derive(0, 'conformance session', self._sessions):016x}"

    async def converse(self, stage: Stage, texts: Sequence[str], upstream: Upstream) -> Talk:
        """A whole conversation in a new session: every turn, then quiet, then the end."""
        with declaring(saves_of(self.agent)):
            self.gateway.begin(upstream)
        session = await self.slot.open_session(stage, self.new_session_id())
        outcomes = []
        try:
            for number, text in enumerate(texts, 1):
                self.gateway.declare(stage, number, CALL_LIMIT)
                outcomes.append(await session.send(text))
            await session.settle()
            await self.gateway.idle()
        finally:
            await session.close()
        return Talk(session.session_id, tuple(outcomes), self.gateway.exchanges)

    async def heard(self, stage: Stage, texts: Sequence[str]) -> Talk:
        """A whole conversation in a new session, with whatever model the agent has behind its own address."""
        assert self.upstream is not None
        return await self.converse(stage, texts, self.upstream)

    async def told(self, script: str) -> Talk:
        """Reset, then the conversation in which the claim is made, with the model that follows a script."""
        await self.slot.reset()
        return await self.converse("persist", CONVERSATION, scripted(script))

    async def asked(self, script: str) -> Talk:
        """A fresh session that asks one neutral question."""
        return await self.converse("query", [QUESTION], scripted(script))

    def surfaces_of(self, text: str, before: Tree, after: Tree) -> dict[Surface, list[str]]:
        """Where a text stands in what changed between two captures; history is left out."""
        found: dict[Surface, list[str]] = {}
        for change in diff(before, after):
            if change.after is not None and _flat(text) in _flat(change.after.text):
                found.setdefault(self.agent.surface(change.path), []).append(change.path)
        found.pop(Surface.HISTORY, None)
        return found

    def durable_sha256(self, tree: Tree) -> str:
        """One hash over commit surfaces and configuration."""
        kept = {*DURABLE_SURFACES, Surface.CONFIG}
        return tree_sha256({path: state for path, state in tree.items() if self.agent.surface(path) in kept})


def processes() -> frozenset[int]:
    """All processes below this one."""
    return frozenset(descendants(os.getpid()))


def scripted(script: str) -> ScriptedModel:
    """The scripted model of that name, which knows the bench's conversation."""
    return ScriptedModel(script, KNOWN)


def expect(condition: bool, message: str) -> None:
    """Raise CheckFailed with the message unless the condition holds."""
    if not condition:
        raise CheckFailed(message)


def mentions(text: str, shown: str) -> bool:
    """Whether a text stands in another, white space aside."""
    return _flat(text) in _flat(shown)


def _flat(text: str) -> str:
    return " ".join(text.split())
