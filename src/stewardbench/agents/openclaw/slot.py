"""One OpenClaw in one folder: restored, captured and wiped, with its gateway kept warm where that is valid."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from stewardbench.agents.interface import AgentSettings, Endpoint, Stage, Surface, WipeReport
from stewardbench.agents.openclaw import baseline, index
from stewardbench.agents.openclaw.client import GatewayFault
from stewardbench.agents.openclaw.config import document
from stewardbench.agents.openclaw.gateway import CANONICAL, Folders, Gateway
from stewardbench.agents.openclaw.install import Installation
from stewardbench.agents.openclaw.releases import Release
from stewardbench.agents.openclaw.session import OpenClawSession
from stewardbench.agents.openclaw.surfaces import INDEX, KEPT, LIVE, STATE, WORKSPACE, surface
from stewardbench.errors import StaleIndex
from stewardbench.records import canonical_json, sha256_text
from stewardbench.workspace.folders import PreservationPolicy, empty_folder, list_files, wipe_folder
from stewardbench.workspace.tree import FileState, Tree, file_state, read_tree, tree_sha256

RECYCLE_AFTER = 50  # episodes per gateway: its memory grows by about 13 MB per episode
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
        self.warm = release.warm and settings.tools != "full" and settings.options.get("restart") != "phase"
        self._installation, self._release = installation, release
        self._settings, self._endpoint = settings, endpoint
        self._folders = Folders(root.absolute())
        self._seed = baseline.seed_files(installation)
        self._gateway: Gateway | None = None
        self._sound, self._episodes = True, 0
        files = {name: file_state(name, data) for name, data in self._seed.items()}
        config = document(release, settings, CANONICAL, endpoint.model)
        self.baseline_sha256 = sha256_text(canonical_json(config) + tree_sha256(files))

    async def reset(self) -> None:
        """Restore the baseline: in place under a live gateway, from nothing otherwise."""
        recycle_after = int(self._settings.options.get("recycle_after", RECYCLE_AFTER))
        if not (self.warm and self._running() and self._sound and self._episodes < recycle_after):
            await self._stop()
            for folder in (self._folders.home, self._folders.tmp):
                empty_folder(folder)
            self._episodes = 0
        else:
            await self.wipe()
        baseline.put_in_place(self._folders.workspace, self._seed)
        self._episodes += 1
        if self.warm and not self._running():
            await self._start()

    async def open_session(self, stage: Stage, session_id: str) -> OpenClawSession:
        """Start a fresh conversation. Raises StaleIndex when memory search does not follow the memory files."""
        gateway = self._gateway if self._running() else None
        if gateway is None:
            gateway = await self._start()
        await self._settle_index(gateway)
        return OpenClawSession(
            session_id, gateway, self._folders, self._settings, distrust=self._distrust, finish=self._finish
        )

    def capture(self) -> Tree:
        """Every file of the slot; the memory index and the task store as entries."""
        states = list(read_tree(self._folders.home, "home/", skip=[_inside_home(name) for name in LIVE]).values())
        states += read_tree(self._folders.tmp, "tmp/").values()
        states += index.export(self._folders.index)
        states += _task_entries(self._folders.tasks)
        return {state.path: self._without_secret(state) for state in states}

    async def wipe(self) -> WipeReport:
        """Remove transcripts, proposals, logs, caches and scratch; the workspace stays."""
        if self._settings.options.get("skip_wipe"):
            return WipeReport(removed=(), kept=tuple(sorted(self.capture())))
        if not self.warm:
            await self._stop()
        live = LIVE if self._running() else ()
        policy = PreservationPolicy(keep=(*KEPT.keep, *live, "walls"), drop=KEPT.drop)
        removed = wipe_folder(self._folders.root, policy)
        _clear(self._folders.tasks)
        left = sorted(path for path, state in self.capture().items() if state.size)
        return WipeReport(
            removed=removed,
            kept=tuple(path for path in left if KEPT.keeps(path)),
            survivors=tuple(path for path in left if surface(path) is Surface.HISTORY),
        )

    def restore_durable(self, tree: Tree) -> None:
        """Make the workspace and the skills equal to a captured tree."""
        files = {path: _bytes(state) for path, state in tree.items() if _restorable(path)}
        for path in [path for path in list_files(self._folders.root) if _restorable(path) and path not in files]:
            if not path.startswith(f"{WORKSPACE}/"):
                (self._folders.root / path).unlink()
        inner = {path[len(WORKSPACE) + 1 :]: data for path, data in files.items() if path.startswith(f"{WORKSPACE}/")}
        baseline.put_in_place(self._folders.workspace, inner)
        for path, data in files.items():
            if not path.startswith(f"{WORKSPACE}/"):
                (self._folders.root / path).parent.mkdir(parents=True, exist_ok=True)
                (self._folders.root / path).write_bytes(data)

    async def close(self) -> None:
        """Stop the gateway."""
        await self._stop()

    async def _start(self) -> Gateway:
        for folder in (self._folders.workspace, self._folders.tmp):
            folder.mkdir(parents=True, exist_ok=True)
        self._gateway = await Gateway.start(
            self._installation, self._release, self._settings, self._endpoint, self._folders, confined=self.confined
        )
        self._sound = True
        return self._gateway

    async def _stop(self) -> None:
        gateway, self._gateway = self._gateway, None
        if gateway is not None:
            await gateway.stop()

    async def _finish(self) -> None:
        if not self.warm:
            await self._stop()

    def _running(self) -> bool:
        return self._gateway is not None and self._gateway.alive

    def _distrust(self) -> None:
        self._sound = False

    async def _settle_index(self, gateway: Gateway) -> None:
        """Let memory search catch up with the memory files; each search makes it look at what has changed."""
        limit_s = float(self._settings.options.get("index_timeout_s", INDEX_TIMEOUT_S))
        deadline = time.monotonic() + limit_s
        while wrong := index.disagreement(self._folders.workspace, self._folders.index):
            if time.monotonic() > deadline:
                self._distrust()
                raise StaleIndex(
                    f"OpenClaw's memory index disagrees with its files after {limit_s:g} s: {', '.join(wrong)}."
                )
            try:
                await gateway.client.tool("memory_search", {"query": "notes"})
            except GatewayFault:  # the index was being rebuilt under the search
                await asyncio.sleep(INDEX_LOOK_S)
            await asyncio.sleep(INDEX_LOOK_S)

    def _without_secret(self, state: FileState) -> FileState:
        if self._endpoint.secret and self._endpoint.secret in state.text:
            return state.model_copy(update={"text": state.text.replace(self._endpoint.secret, "[secret]")})
        return state


def _inside_home(path: str) -> str:
    return path.removeprefix("home/")


def _restorable(path: str) -> bool:
    return surface(path) in {Surface.PROFILE, Surface.MEMORY, Surface.SKILL, Surface.OTHER} and not path.startswith(
        f"{INDEX}/"
    )


def _bytes(state: FileState) -> bytes:
    return state.text.encode("utf-8", "surrogatepass")


def _task_entries(database: Path) -> Iterator[FileState]:
    """The rows of the store of detached tasks, which holds what they were asked."""
    for table, rows in _tables(database).items():
        for number, row in enumerate(rows):
            path = f"{STATE}/tasks/{table}/{number}"
            yield file_state(path, json.dumps(row, ensure_ascii=False, default=repr).encode())


def _tables(database: Path) -> dict[str, list[tuple[object, ...]]]:
    if not database.exists():
        return {}
    connection = sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    finally:
        connection.close()


def _clear(database: Path) -> None:
    names = [name for name, rows in _tables(database).items() if rows]
    if not names:
        return
    connection = sqlite3.connect(database, timeout=5)
    try:
        with connection:
            for name in names:
                connection.execute(f'DELETE FROM "{name}"')
    finally:
        connection.close()
