"""One running OpenClaw gateway: started inside walls where possible, spoken to over a Unix socket, always ended."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import aiohttp
import httpx

from stewardbench.agents.clock import declared_start
from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.openclaw.chat import ChatChannel
from stewardbench.agents.openclaw.client import GatewayClient, GatewayFault
from stewardbench.agents.openclaw.config import Place, environment
from stewardbench.agents.openclaw.install import Installation
from stewardbench.agents.openclaw.releases import release
from stewardbench.agents.worker import Worker
from stewardbench.errors import AgentCrashed, AgentHung, ConfinementError, LimitExceeded
from stewardbench.models.endpoint import Endpoint
from stewardbench.workspace import confinement
from stewardbench.workspace.cell import Owner
from stewardbench.workspace.confinement import Mount
from stewardbench.workspace.limits import Limits

Answer = TypeVar("Answer")
START_TIMEOUT_S = 300.0
SEARCH_S = 60.0
PORT_TRIES = 3
SUPERVISOR = Path(__file__).with_name("supervisor.mjs")
HOME_INSIDE, TMP_INSIDE = "/home/user", "/tmp"
NODE_INSIDE, PACKAGE_INSIDE, SUPERVISOR_INSIDE = "/opt/node", "/opt/openclaw", "/opt/supervisor.mjs"
DOOR, WALLS = "agent.sock", "walls"
DOOR_INSIDE, MODEL_INSIDE = "/run/door", "/run/model.sock"
PORT_INSIDE = 18789  # a loopback of its own: never taken, never seen by the host
LOGS_INSIDE = "/var/log/openclaw"
CLOCK = Path(__file__).with_name("clock.cjs")
CLOCK_INSIDE, CLOCK_FILE_INSIDE = "/opt/clock.cjs", "/opt/clock"
CHAT, HTTP = ENTRIES = "chat", "http"  # by the user's own channel, or by the HTTP endpoint: no time, no channel
CANONICAL = Place(HOME_INSIDE, TMP_INSIDE, LOGS_INSIDE, f"http://127.0.0.1:{confinement.PORT_INSIDE}/v1")


@dataclass(frozen=True)
class Folders:
    """The slot on the host: what is captured (home, tmp) and what is not (logs, walls)."""

    root: Path

    @property
    def slot(self) -> Path:
        """All that is captured."""
        return self.root / "slot"

    @property
    def home(self) -> Path:
        """The agent's home."""
        return self.slot / "home"

    @property
    def tmp(self) -> Path:
        """The agent's temporary folder."""
        return self.slot / "tmp"

    @property
    def logs(self) -> Path:
        """OpenClaw's own log, outside what is captured."""
        return self.root / "logs"

    @property
    def clock(self) -> Path:
        """What is added to the machine's time for the gateway, outside what is captured."""
        return self.root / "clock"

    @property
    def state(self) -> Path:
        """Everything that OpenClaw keeps."""
        return self.home / ".openclaw"

    @property
    def workspace(self) -> Path:
        """The agent's own files."""
        return self.state / "workspace"

    @property
    def agent(self) -> Path:
        """The agent's own store: transcripts, and in 2026.9.6 everything else."""
        return self.state / "agents" / "main"

    @property
    def index(self) -> Path:
        """The memory search index."""
        return self.state / "memory" / "main.sqlite"

    @property
    def tasks(self) -> Path:
        """The store of detached tasks."""
        return self.state / "tasks" / "runs.sqlite"

    @property
    def pending(self) -> Path:
        """Skill proposals."""
        return self.state / "skill-workshop"

    @property
    def config(self) -> Path:
        """The configuration file."""
        return self.state / "openclaw.json"


@dataclass(frozen=True)
class Programs:
    """Where the process finds Node, the folder with OpenClaw in it, and the supervisor."""

    node: str
    package: str
    supervisor: str
    clock: str = ""

    def command(self, door: str, port: int, model_url: str, model_socket: str = "") -> list[str]:
        """The supervisor's command line around the gateway's own."""
        relays = [door, str(port), model_socket, str(confinement.PORT_INSIDE), model_url]
        program = f"{self.package}/node_modules/openclaw/openclaw.mjs"
        dated = ["--require", self.clock] if self.clock else []
        return [self.node, self.supervisor, *relays, self.node, *dated, program, "gateway", "--port", str(port)]


def place_of(folders: Folders, endpoint: Endpoint, *, confined: bool, dated: bool = False) -> Place:
    """Where the gateway's process finds things: at constant paths inside walls, at the host's own paths without.

    ``dated`` says that it follows a declared clock.
    """
    if confined:
        return replace(CANONICAL, clock=CLOCK_FILE_INSIDE if dated else "")
    clock = str(folders.clock) if dated else ""
    return Place(str(folders.home), str(folders.tmp), str(folders.logs), endpoint.base_url, clock)


def set_clock(folders: Folders, moment: datetime) -> None:
    """Let it be that moment for the gateway, from now on. The file keeps its place and its length."""
    offset = round((moment - datetime.now(UTC)).total_seconds() * 1000)
    mode = "r+b" if folders.clock.exists() else "wb"
    with folders.clock.open(mode) as file:
        file.write(f"{offset:020d}".encode())


class Gateway:
    """A started gateway. Make one with ``start``.

    What is asked of it raises AgentHung when it takes too long, AgentCrashed with its last words when it is gone, and
    GatewayFault when it answers with an HTTP error. After the first two ``sound`` is False: it must not be used again.
    """

    def __init__(self, worker: Worker, client: GatewayClient, door: Path, chat: ChatChannel | None) -> None:
        self.sound = True
        self._worker, self._client, self._door, self._chat = worker, client, door, chat

    @classmethod
    async def start(
        cls,
        installation: Installation,
        settings: AgentSettings,
        endpoint: Endpoint,
        folders: Folders,
        *,
        confined: bool,
    ) -> Gateway:
        """Start and wait until ready. Raises AgentCrashed (with its last words), AgentHung or ConfinementError."""
        timeout_s = float(settings.options.get("start_timeout_s", START_TIMEOUT_S))
        for attempt in range(1, PORT_TRIES + 1):
            gateway = await cls._launch(installation, settings, endpoint, folders, confined=confined)
            try:
                await gateway._worker.receive(timeout_s=timeout_s)
            except AgentCrashed as error:
                await gateway.stop()
                if attempt == PORT_TRIES or not _port_was_taken(error.message):
                    raise
            except BaseException:
                await gateway.stop()
                raise
            else:
                return gateway
        raise AssertionError("unreachable")

    @classmethod
    async def _launch(
        cls,
        installation: Installation,
        settings: AgentSettings,
        endpoint: Endpoint,
        folders: Folders,
        *,
        confined: bool,
    ) -> Gateway:
        dated = declared_start(settings.options) is not None
        place = place_of(folders, endpoint, confined=confined, dated=dated)
        door = Path(tempfile.mkdtemp(prefix="claw-"))  # short: a socket's path has at most 107 bytes
        owner = confinement.owner_of(folders.root) if confined else None
        if owner is not None:
            os.chown(door, *owner)
        token = secrets.token_urlsafe(24)
        if confined:
            command = _confined(installation, endpoint, folders, door, settings.limits, owner, dated=dated)
            clock, path = CLOCK_INSIDE, f"{NODE_INSIDE}/bin:/usr/bin:/bin"
        else:
            clock = str(CLOCK)
            programs = Programs(
                str(installation.node), str(installation.package), str(SUPERVISOR), clock if dated else ""
            )
            command = programs.command(f"{door}/{DOOR}", _free_port(), place.model_url)
            path = f"{installation.node.parent}:/usr/bin:/bin"
        chosen = release(settings.version)
        # The workers of later releases compare times with the main thread, and only this option reaches them.
        spread = {} if chosen.workshop_plugin or not dated else {"NODE_OPTIONS": f"--require {json.dumps(clock)}"}
        try:
            worker = await Worker.start(
                command,
                name="OpenClaw",
                env={**environment(place, path, endpoint.secret, token), **spread},
                cwd=folders.home,
                secrets=(endpoint.secret, token),
                limits=settings.limits,
                folders=(folders.slot,),
            )
        except BaseException:
            shutil.rmtree(door, ignore_errors=True)
            raise
        chat = None
        if settings.options.get("entry", CHAT) == CHAT:
            key = None if chosen.workshop_plugin else partial(worker.request, timeout_s=SEARCH_S)
            chat = ChatChannel(door / DOOR, token, chosen.version, key)
        return cls(worker, GatewayClient(door / DOOR, token), door, chat)

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._worker.alive

    async def turn(self, session_id: str, text: str, timeout_s: float) -> str:
        """One user turn of a conversation; the reply."""
        way = self._chat or self._client
        return await self._ask(way.turn(session_id, text, timeout_s), "a turn", timeout_s)

    async def search(self, query: str) -> None:
        """Search the memory, which makes its index look at what has changed."""
        await self._ask(self._client.tool("memory_search", {"query": query}, SEARCH_S), "a search", SEARCH_S)

    async def reaches_model(self) -> bool:
        """Whether the model's server answers through the slot's own way out."""
        answer = await self._worker.request({"op": "way out"}, timeout_s=SEARCH_S)
        return answer.get("status") == httpx.codes.OK

    async def idle(self) -> bool:
        """Whether it tracks no work of its own; for releases that can tell."""
        return await self._ask(self._client.idle(SEARCH_S), "an idle check", SEARCH_S)

    async def _ask(self, call: Awaitable[Answer], what: str, timeout_s: float) -> Answer:
        try:
            return await call
        except (httpx.TimeoutException, TimeoutError):
            self.sound = False
            raise AgentHung(f"OpenClaw did not answer {what} within {timeout_s:g} s.") from None
        except (httpx.TransportError, aiohttp.ClientError) as problem:
            self.sound = False
            await self._worker.stop()  # nothing more comes from it but its last words
            if self._worker.excess:
                raise LimitExceeded(f"OpenClaw went over its limit of {self._worker.excess}.") from None
            raise AgentCrashed(
                f"OpenClaw broke off {what} ({type(problem).__name__}). Its last words:\n{self._worker.tail()}"
            ) from None
        except GatewayFault as fault:
            self.sound = self.sound and fault.status < httpx.codes.INTERNAL_SERVER_ERROR
            raise

    async def stop(self) -> None:
        """Ask it to end, then make it end, and remove its socket."""
        await self._client.close()
        await self._worker.stop()
        shutil.rmtree(self._door, ignore_errors=True)


def _confined(
    installation: Installation,
    endpoint: Endpoint,
    folders: Folders,
    door: Path,
    limits: Limits,
    owner: Owner | None,
    *,
    dated: bool,
) -> list[str]:
    if endpoint.socket is None:
        raise ConfinementError(
            "A confined OpenClaw needs the model gateway's Unix socket.", hint="Open the gateway with a socket path."
        )
    clock = CLOCK_INSIDE if dated else ""
    inside = Programs(f"{NODE_INSIDE}/bin/node", PACKAGE_INSIDE, SUPERVISOR_INSIDE, clock)
    mounts = [
        Mount(installation.node.parent.parent, NODE_INSIDE),
        Mount(installation.package, PACKAGE_INSIDE),
        Mount(SUPERVISOR, SUPERVISOR_INSIDE),
        Mount(folders.home, HOME_INSIDE, writable=True),
        Mount(folders.tmp, TMP_INSIDE, writable=True),
        Mount(folders.logs, LOGS_INSIDE, writable=True),
        Mount(door, DOOR_INSIDE, writable=True),
        Mount(endpoint.socket, MODEL_INSIDE, writable=True),
    ]
    if dated:
        mounts += [Mount(CLOCK, CLOCK_INSIDE), Mount(folders.clock, CLOCK_FILE_INSIDE)]
    return confinement.confined_command(
        inside.command(f"{DOOR_INSIDE}/{DOOR}", PORT_INSIDE, CANONICAL.model_url, MODEL_INSIDE),
        mounts=mounts,
        etc=folders.root / WALLS,
        home=HOME_INSIDE,
        cwd=CANONICAL.workspace,
        owner=owner,
        limits=limits,
    )


def _free_port() -> int:
    """A port that was free a moment ago; a lost race is noticed at the start."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _port_was_taken(message: str) -> bool:
    return "EADDRINUSE" in message or "already listening" in message
