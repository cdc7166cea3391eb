"""A model that does what the user's text says, so that a test can make Hermes do one exact thing."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from stewardbench.agents.hermes import HermesAgent
from stewardbench.agents.hermes.slot import HermesSlot
from stewardbench.agents.interface import AgentSettings, TurnOutcome
from stewardbench.errors import ModelError
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, message_text

REVIEW = "Review the conversation above"


class Puppet:
    """Answers ``call NAME JSON`` with that tool call, ``repeat ...`` with it for ever, and otherwise with text.

    ``review`` is what it answers a background review with: a text, or a ``call ...`` of the same form.
    """

    name = "puppet"

    def __init__(self, review: str = "Nothing to save.") -> None:
        self._review = review
        self._ids = itertools.count()
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        last, text = request.messages[-1], message_text(request.messages[-1])
        users = [message_text(message) for message in request.messages if message["role"] == "user"]
        if last["role"] == "tool":
            return await self._act(users[-1]) if users[-1].startswith("repeat ") else ChatReply(text="Done.")
        return await self._act(self._review if text.startswith(REVIEW) else text)

    async def _act(self, text: str) -> ChatReply:
        verb, _, rest = text.partition(" ")
        match verb:
            case "call" | "repeat":
                name, _, arguments = rest.partition(" ")
                call = ToolCall(id=f"call_{next(self._ids)}", name=name, arguments=arguments)
                return ChatReply(tool_calls=(call,), finish_reason="tool_calls")
            case "fail":
                raise ModelError("the upstream is broken", status=int(rest))
            case "hang":
                await asyncio.Event().wait()
        return ChatReply(text="" if verb == "empty" else f"I heard: {text}")


def call(tool: str, **arguments: object) -> str:
    """The user's text that makes the model call a tool."""
    return f"call {tool} {json.dumps(arguments)}"


SKILL = "---\nname: tea\ndescription: How to make tea.\n---\n# Tea\n\nBoil water.\n"
MEMORY = "home/.hermes/memories/MEMORY.md"
PROFILE = "home/.hermes/memories/USER.md"
SKILL_FILE = "home/.hermes/skills/tea/SKILL.md"


class Stage(NamedTuple):
    """A live slot with the gateway and the model behind it."""

    slot: HermesSlot
    gateway: Gateway
    model: Puppet

    async def talk(self, *texts: str, stage: Literal["persist", "query"] = "persist") -> list[TurnOutcome]:
        """One whole session."""
        session = await self.slot.open_session(stage, f"{stage}-1")
        outcomes = [await session.send(text) for text in texts]
        await session.settle()
        await session.close()
        return outcomes


@asynccontextmanager
async def hermes(
    folder: Path, settings: AgentSettings | None = None, model: Puppet | None = None
) -> AsyncIterator[Stage]:
    """Hermes in a folder, confined where that is possible."""
    model = model or Puppet()
    async with Gateway(model, socket=folder / "gateway.sock") as gateway:
        slot = await HermesAgent().open_slot(folder / "slot", gateway.endpoint, settings or AgentSettings())
        try:
            yield Stage(slot, gateway, model)
        finally:
            await slot.close()
