"""Checks of this machine: agents, walls, disk."""

from __future__ import annotations

import shutil
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stewardbench.agents.doctor.diagnosis import Diagnosis, bad, good
from stewardbench.agents.install import Installable, cache_folder
from stewardbench.agents.interface import Agent, AgentSettings, TurnOutcome, unseen_of
from stewardbench.errors import ModelError, StewardError
from stewardbench.models.endpoint import Endpoint
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream
from stewardbench.workspace.confinement import INSTALL_HINT, UnconfinedWarning, confinement_fault

NEEDED_FREE = 2_000_000_000  # bytes: an agent, its slots and the records of one large run
GREETING = "Good morning, all is well."


def check_confinement() -> Diagnosis:
    """Whether walls can be built around an agent here."""
    fault = confinement_fault()
    if fault is None:
        return good("confinement", "bubblewrap works: agents see their slot, system files and their gateway only")
    return bad("confinement", f"{fault}, so agents would run unconfined", INSTALL_HINT)


def check_disk(folders: Sequence[Path] = ()) -> Diagnosis:
    """Whether the cache folder, the folder for temporary files and ``folders`` have room."""
    rooms = []
    for folder in (cache_folder(), Path(tempfile.gettempdir()), *folders):
        existing = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
        free = shutil.disk_usage(existing).free
        if free < NEEDED_FREE:
            return bad(
                "disk",
                f"{existing} has {free / 1e9:.1f} GB free, and a run may need {NEEDED_FREE / 1e9:.0f} GB",
                "Free space, or choose another place with --out, TMPDIR or STEWARDBENCH_CACHE.",
            )
        rooms.append(free)
    return good("disk", f"{min(rooms) / 1e9:.0f} GB free")


async def check_agent(agent: Agent, settings: AgentSettings) -> Diagnosis:
    """Whether an agent is installed, starts, and answers one turn of a model that always says the same."""
    name = f"agent {agent.name}"
    start = time.monotonic()
    if unseen_of(agent, settings):
        return good(name, "nothing is started here: it lives behind --model URL#NAME, which the model's checks ask")
    try:
        if isinstance(agent, Installable) and agent.installed(settings) is None:
            return bad(name, "it is not installed", f"Run `stewardbench agents install {agent.name}`.")
        with tempfile.TemporaryDirectory(prefix="doctor-") as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", UnconfinedWarning)  # that is a diagnosis of its own
            async with Gateway(_Greeting(), socket=Path(folder, "gateway.sock")) as gateway:
                reply = await _one_turn(agent, Path(folder, "slot"), gateway.endpoint, settings)
    except StewardError as error:
        return bad(name, error.message, error.hint or f"Run `stewardbench agents install {agent.name}` again.")
    if GREETING not in reply:
        return bad(name, f"its model said {GREETING!r}, and it answered {reply!r}", "Install it again.")
    return good(name, f"{agent.version(settings)} starts and answers a turn ({time.monotonic() - start:.1f} s)")


async def check_assistant(
    upstream: Upstream, agent: Agent, settings: AgentSettings, fixed: Mapping[str, Any]
) -> Diagnosis:
    """Whether an assistant behind an address answers a message as a run sends it; it need not take any tool.

    ``fixed`` are the settings that a run fixes on every request.
    """
    name, noting = f"assistant {upstream.name}", _Fixing(upstream, fixed)
    try:
        with tempfile.TemporaryDirectory(prefix="doctor-") as folder:
            async with Gateway(noting) as gateway:
                outcome = await _outcome(agent, Path(folder, "slot"), gateway.endpoint, settings)
    except StewardError as error:
        return bad(name, error.message, error.hint or "Check its address and its key.")
    if outcome.error is not None:
        hint = noting.error.hint if noting.error else ""
        return bad(name, outcome.error, hint or "Check its address and its key.")
    if not outcome.reply.strip():
        return bad(name, "it answered with nothing", "Try the same request with another client.")
    return good(name, "it answers a message as a run sends it")


async def _one_turn(agent: Agent, root: Path, endpoint: Endpoint, settings: AgentSettings) -> str:
    outcome = await _outcome(agent, root, endpoint, settings)
    return outcome.error or outcome.reply


async def _outcome(agent: Agent, root: Path, endpoint: Endpoint, settings: AgentSettings) -> TurnOutcome:
    slot = await agent.open_slot(root, endpoint, settings)
    try:
        await slot.reset()
        session = await slot.open_session("query", "doctor")
        outcome = await session.send("Hello.")
        await session.close()
    finally:
        await slot.close()
    return outcome


class _Fixing:
    """An upstream under the settings that a run fixes; it keeps its last failure, of which agents tell less."""

    error: ModelError | None = None

    def __init__(self, upstream: Upstream, fixed: Mapping[str, Any]) -> None:
        self.name = upstream.name
        self._upstream, self._fixed = upstream, fixed

    async def complete(self, request: ChatRequest) -> ChatReply:
        settings = {**request.settings, **self._fixed}
        try:
            return await self._upstream.complete(request.model_copy(update={"settings": settings}))
        except ModelError as error:
            self.error = error
            raise


class _Greeting:
    """A model that always says the same."""

    name = "greeting"

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(text=GREETING)
