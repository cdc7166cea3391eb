"""One OpenClaw in one folder: restored, captured and wiped, with its gateway kept warm where that is valid."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from stewardbench.agents.clock import declared_moment, declared_start
from stewardbench.agents.interface import AgentSettings, Stage, Surface, WipeReport
from stewardbench.agents.openclaw import index
from stewardbench.agents.openclaw.baseline import STANDING, put_in_place, seed_files
from stewardbench.agents.openclaw.client import GatewayFault
from stewardbench.agents.openclaw.config import document
from stewardbench.agents.openclaw.databases import copy_of
from stewardbench.agents.openclaw.gateway import CANONICAL, Folders, Gateway, place_of, set_clock
from stewardbench.agents.openclaw.install import Installation
from stewardbench.agents.openclaw.releases import Release
from stewardbench.agents.openclaw.session import OpenClawSession
from stewardbench.agents.openclaw.surfaces import CONFIG, KEPT, LIVE, STATE, WORKSHOP_SKILLS, WORKSPACE, surface
from stewardbench.agents.presets import STOCK
from stewardbench.errors import AgentError, SlotUnhealthy, StaleIndex
from stewardbench.models.endpoint import Endpoint
from stewardbench.records import canonical_json, sha256_text
from stewardbench.workspace import confinement, removal
from stewardbench.workspace.cell import AgentFolder, Content
from stewardbench.workspace.folders import PreservationPolicy, wipe_folder
from stewardbench.workspace.tree import FileState, Tree, file_state, printable, read_tree, tree_sha256

RECYCLE_AFTER = 50  # episodes per gateway: its memory grows by about 13 MB per episode
WARM_TOOLS = ("released", "memory")  # with a terminal, what a session started may outlive it
INDEX_TIMEOUT_S = 20.0
INDEX_LOOK_S = 0.1


class OpenClawSlot:
    """A slot. In a warm one the gateway outlives its episodes; otherwise it lives for one session."""

    def __init__(
        self,
        installation: Installation,
        release: Release,
        settings: AgentSettings,
        endpoint: Endpoint,
        root: Path,
        *,
        confined: bool,
    ) -> None:
        self.confined = confined
        self.warm = release.warm and settings.tools in WARM_TOOLS and settings.options.get("restart") != "phase"
        self._installation, self._release = installation, release
        self._settings, self._endpoint = settings, endpoint
        self._folders = Folders(root.absolute())
        self._owner = confinement.owner_of(self._folders.root) if confined else None
        self._cell = AgentFolder(
            self._folders.slot, (*(f"{WORKSPACE}/{name}" for name in STANDING), "tmp"), self._owner
        )
        if self._owner is not None and endpoint.socket is not None:
            os.chown(endpoint.socket, *self._owner)
        self._seed = seed_files(installation, *([release.onboarded] if settings.tools == STOCK else []))
        self._clock = declared_start(settings.options)
        self._gateway: Gateway | None = None
        self._episodes = 0
        files = {name: file_state(name, data) for name, data in self._seed.items()}
        place = place_of(self._folders, endpoint, confined=confined)
        self._config = json.dumps(document(release, settings, place, endpoint.model), indent=2) + "\n"
        policy = canonical_json(document(release, settings, CANONICAL, endpoint.model))  # equal for all slots of a run
        self.baseline_sha256 = sha256_text(policy + tree_sha256(files))

    async def reset(self) -> None:
        """Restore the baseline: in place under a live gateway, from nothing otherwise."""
        recycle_after = int(self._settings.options.get("recycle_after", RECYCLE_AFTER))
        if not (self.warm and self._sound() and self._episodes < recycle_after):
            await self._stop()
            self._renew({f"{WORKSPACE}/{name}": Content(data) for name, data in self._seed.items()})
            self._episodes = 0
        else:
            await self._cut()
            put_in_place(self._folders.workspace, self._seed, STANDING, self._owner)
            self._folders.config.write_text(self._config)
        self._episodes += 1
        if self.warm:
            gateway = self._gateway if self._running() and self._gateway else await self._start()
            if not await gateway.reaches_model():
                gateway.sound = False
                raise SlotUnhealthy("OpenClaw's slot does not reach its model.")

    async def open_session(self, stage: Stage, session_id: str) -> OpenClawSession:
        """Start a fresh conversation. Raises StaleIndex when memory search does not follow the memory files."""
        gateway = self._gateway
        if gateway is None or not self._sound():
            await self._stop()
            gateway = await self._start()
        if self._settings.tools != STOCK:  # whose search has no embedding model, and says so
            await self._settle_index(gateway)
        return OpenClawSession(
            session_id,
            gateway,
            self._folders,
            self._settings,
            moment=self._set_clock(stage),
            can_tell=not self._release.workshop_plugin,
            finish=self._finish,
        )

    def capture(self) -> Tree:
        """Every file of the slot, and the task store as entries."""
        states = list(read_tree(self._folders.slot, skip=LIVE, bounds=self._settings.limits.bounds).values())
        states += _task_entries(self._folders.tasks)
        return {state.path: self._without_secret(state) for state in states}

    async def wipe(self) -> WipeReport:
        """Remove transcripts, proposals, logs, caches and scratch; the workspace stays."""
        if self._settings.options.get("skip_wipe"):
            return WipeReport(removed=(), kept=tuple(sorted(self.capture())))
        removed = await self._cut()
        return WipeReport(
            removed=removed,
            kept=tuple(path for path in sorted(self.capture()) if KEPT.keeps(path)),
            survivors=self._survivors(),
        )

    def restore_durable(self, tree: Tree) -> None:
        """Make the workspace and the skills equal to a captured tree. Raises AgentError for bytes it cannot write.

        A captured tree holds text; a file that is not UTF-8 is refused before anything is changed.
        """
        durable = [state for path, state in tree.items() if _is_durable(path) and state.kind == "file"]
        files = {state.path: state.text.encode("utf-8", "replace") for state in durable}
        if broken := [path for path, data in files.items() if len(data) != tree[path].size]:
            raise AgentError(f"{broken[0]}: cannot be restored, because it is not UTF-8 text.")
        for area, standing in ((WORKSPACE, STANDING), (WORKSHOP_SKILLS, ())):
            inside = {
                path.removeprefix(f"{area}/"): data for path, data in files.items() if path.startswith(f"{area}/")
            }
            put_in_place(self._folders.slot / area, inside, standing, self._owner)

    async def close(self) -> None:
        """Stop the gateway."""
        await self._stop()

    def _set_clock(self, stage: Stage) -> Callable[[int], None]:
        """What a session calls at the start of each turn: the declared clock, if there is one, is set to it."""

        def moment(turn: int) -> None:
            if self._clock is not None:
                set_clock(self._folders, declared_moment(self._clock, stage, turn))

        moment(1)
        return moment

    async def _start(self) -> Gateway:
        # Later releases hold leases between their threads while they start, which a moved clock would end.
        if self._clock is not None and not self._release.workshop_plugin:
            set_clock(self._folders, datetime.now(UTC))
        elif self._clock is not None and not self._folders.clock.exists():
            set_clock(self._folders, self._clock)
        self._gateway = await Gateway.start(
            self._installation, self._settings, self._endpoint, self._folders, confined=self.confined
        )
        return self._gateway

    async def _stop(self) -> None:
        gateway, self._gateway = self._gateway, None
        if gateway is not None:
            await gateway.stop()

    async def _finish(self) -> None:
        if not self.warm:
            await self._stop()

    async def _cut(self) -> tuple[str, ...]:
        """Remove history; the paths. What a live gateway holds on to goes with its process."""
        if not self.warm:
            await self._stop()
            removed = self._cell.cut(KEPT.keeps)
            self._clear_logs()
            return removed
        removed = (*map(printable, self._remove_history()),)
        if any(surface(path) is Surface.HISTORY or state.odd for path, state in self.capture().items()):
            await self._stop()  # what is odd about a folder or a file that stays goes only with a new one
            removed += self._cell.cut(KEPT.keeps)
            self._clear_logs()
        return tuple(sorted({*removed}))

    def _remove_history(self) -> tuple[str, ...]:
        live = LIVE if self._running() else ()
        return wipe_folder(self._folders.slot, PreservationPolicy(keep=(*KEPT.keep, *live)))

    def _renew(self, files: dict[str, Content]) -> None:
        self._cell.renew({**files, CONFIG: Content(self._config.encode())})
        self._clear_logs()

    def _clear_logs(self) -> None:
        """OpenClaw's own log: what it writes there is neither captured nor kept."""
        removal.remove(self._folders.logs)
        self._folders.logs.mkdir(parents=True)
        if self._owner is not None:
            os.chown(self._folders.logs, *self._owner)

    def _survivors(self) -> tuple[str, ...]:
        return tuple(path for path in sorted(self.capture()) if surface(path) is Surface.HISTORY)

    def _running(self) -> bool:
        return self._gateway is not None and self._gateway.alive

    def _sound(self) -> bool:
        return self._gateway is not None and self._gateway.alive and self._gateway.sound

    async def _settle_index(self, gateway: Gateway) -> None:
        """Let memory search catch up with the memory files; each search makes it look at what has changed."""
        limit_s = float(self._settings.options.get("index_timeout_s", INDEX_TIMEOUT_S))
        deadline = time.monotonic() + limit_s
        while wrong := index.disagreement(self._folders.workspace, self._folders.index):
            if time.monotonic() > deadline:
                gateway.sound = False
                raise StaleIndex(
                    f"OpenClaw's memory index disagrees with its files after {limit_s:g} s: {', '.join(wrong)}."
                )
            with contextlib.suppress(GatewayFault):  # the index may be rebuilt under the search
                await gateway.search("notes")
            await asyncio.sleep(INDEX_LOOK_S)

    def _without_secret(self, state: FileState) -> FileState:
        if self._endpoint.secret and self._endpoint.secret in state.text:
            return state.model_copy(update={"text": state.text.replace(self._endpoint.secret, "[secret]")})
        return state


def _is_durable(path: str) -> bool:
    return KEPT.keeps(path) and surface(path) not in {Surface.HISTORY, Surface.CONFIG}


def _task_entries(database: Path) -> Iterator[FileState]:
    """The rows of the store of detached tasks, which holds what they were asked."""
    if not database.exists():
        return
    with copy_of(database) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for number, row in enumerate(connection.execute(f'SELECT * FROM "{table}"')):
                data = json.dumps(row, ensure_ascii=False, default=repr).encode()
                yield file_state(f"{STATE}/tasks/{table}/{number}", data)
