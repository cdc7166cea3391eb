"""A pool of live agents: each worker is one slot with its own gateway, reused from episode to episode.

Starting an agent is expensive and resetting it is cheap, so slots are opened when they are first needed and kept. A
slot whose agent died is closed, and its place is opened anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from stewardbench.agents.interface import Agent, AgentSettings, AgentSlot
from stewardbench.errors import AgentError, ModelError
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, ChatRequest
from stewardbench.models.naming import MASKED
from stewardbench.workspace import removal


class Idle:
    """The upstream of a gateway between episodes."""

    name = "idle"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Refuse: a call outside any episode belongs to nobody."""
        raise ModelError("No episode is running in this slot.", status=503, kind="no_episode")


@dataclass
class Seat:
    """One worker: its number, its agent and the gateway through which the agent reaches its model."""

    worker: int
    slot: AgentSlot
    gateway: Gateway
    spent: bool = False


def slot_folder(run: Path) -> Path:
    """Where a run's slots live: a short path of our own, since Unix sockets allow no long ones."""
    name = hashlib.sha256(str(run.resolve()).encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"slots-{os.getuid()}-{name}"  # unconfined, the path reaches prompts


class SlotPool:
    """At most ``size`` slots in one folder, as an async context manager. The folder is emptied first and removed
    at the end. ``model`` is what the agents are told that their model is called."""

    def __init__(self, agent: Agent, settings: AgentSettings, size: int, folder: Path, *, model: str = MASKED) -> None:
        self._agent, self._settings, self._folder, self._model = agent, settings, folder, model
        self._free: list[Seat] = []
        self._numbers = list(range(size - 1, -1, -1))
        self._places = asyncio.Semaphore(size)

        self._opened = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop every agent and gateway, and remove their folders."""
        while self._free:
            await self._retire(self._free.pop())
        await asyncio.to_thread(_discard, self._folder)

    @asynccontextmanager
    async def seat(self) -> AsyncIterator[Seat]:
        """A slot for one episode, waiting until one is free.

        The user sets ``spent`` to False when the slot is fit for another episode; otherwise it is retired. Raises what
        the agent raises when it cannot be started.
        """
        async with self._places:
            seat = self._free.pop() if self._free else await self._open()
            seat.spent = True  # unless the episode ends as it should
            try:
                yield seat
            finally:
                if seat.spent:
                    await self._retire(seat)
                else:
                    seat.gateway.begin(Idle())
                    self._free.append(seat)

    async def _open(self) -> Seat:
        if not self._opened:  # a run that was killed has left its slots
            _discard(self._folder)
            self._folder = _claimed(self._folder)
            self._opened = True
        number = self._numbers.pop()
        gateway = Gateway(Idle(), socket=self._folder / f"{number}.sock", model=self._model)
        try:
            await gateway.__aenter__()
            return Seat(number, await self._start(number, gateway), gateway)
        except BaseException:
            self._numbers.append(number)
            await gateway.close()
            raise

    async def _start(self, number: int, gateway: Gateway) -> AgentSlot:
        root = _claimed(self._folder / str(number))
        try:
            return await self._agent.open_slot(root, gateway.endpoint, self._settings)
        except BaseException:
            _discard(root)
            raise

    async def _retire(self, seat: Seat) -> None:
        await self._stop(seat.slot)
        await seat.gateway.close()
        self._clear(seat.worker)
        self._numbers.append(seat.worker)

    @staticmethod
    async def _stop(slot: AgentSlot) -> None:
        with contextlib.suppress(AgentError):  # it is going away in any case
            await slot.close()

    def _clear(self, number: int) -> None:
        _discard(self._folder / str(number))


def _discard(place: Path) -> None:
    """Remove what is there, if anyone can; what stays is in nobody's way (see ``_claimed``)."""
    with contextlib.suppress(OSError):
        removal.remove(place)


def _claimed(place: Path) -> Path:
    """A new, empty folder of ours alone: at this place, or beside it where a leftover of any shape is in the way."""
    try:
        place.mkdir(mode=0o700, parents=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix=f"{place.name}-", dir=place.parent))
    return place
