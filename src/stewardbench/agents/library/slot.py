"""One library agent in one folder: a process per session, its store held as entries between them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stewardbench.agents.install import base_python
from stewardbench.agents.interface import AgentSettings, Flush, Stage, ToolUse, TurnOutcome, WipeReport
from stewardbench.agents.library import entries
from stewardbench.agents.library.entries import Entry
from stewardbench.agents.worker import Worker
from stewardbench.errors import ConfinementError, ReviewFailed
from stewardbench.models.endpoint import Endpoint
from stewardbench.records import canonical_json, sha256_text
from stewardbench.workspace.cell import AgentFolder
from stewardbench.workspace.confinement import PORT_INSIDE, Exit, Mount, confined_command, owner_of
from stewardbench.workspace.folders import list_files
from stewardbench.workspace.tree import Tree, printable, read_tree

SESSION = "session"
START_TIMEOUT_S = 120.0
HOME_INSIDE, ENVIRONMENT_INSIDE = "/srv/user", "/opt/agent"
CHILD_INSIDE, SERVE_INSIDE = "/opt/driver/child.py", "/opt/driver/serve.py"
SERVE = Path(__file__).with_name("serve.py")
START = "import sys, runpy; sys.path.insert(0, {folder!r}); runpy.run_path({child!r}, run_name='__main__')"


@dataclass(frozen=True)
class Program:
    """What a session runs: an agent's name, its environment, its child script, and variables for its library."""

    name: str
    environment: Path
    child: Path
    variables: dict[str, str]


class LibrarySession:
    """A conversation in a process of its own."""

    def __init__(
        self, session_id: str, worker: Worker, keep: Callable[[dict[str, Any]], None], turn_timeout_s: float
    ) -> None:
        self.session_id = session_id
        self._worker, self._keep, self._turn_timeout_s = worker, keep, turn_timeout_s

    async def send(self, text: str) -> TurnOutcome:
        """Send one user turn. Raises AgentCrashed, AgentHung, or ReviewFailed when the library could not write."""
        started = time.monotonic()
        answer = await self._worker.request({"text": text}, timeout_s=self._turn_timeout_s)
        self._keep(answer)
        if answer["failed_review"]:
            raise ReviewFailed(f"{self._worker.name} could not write its memory: {answer['failed_review']}")
        error = answer["error"]
        return TurnOutcome(
            reply=answer["reply"],
            tool_uses=tuple(ToolUse.model_validate(use) for use in answer["tool_uses"]),
            elapsed_s=time.monotonic() - started,
            error=None if error is None else self._worker.redact(error),
        )

    async def settle(self) -> Flush:
        """Nothing to wait for: the library writes before it answers."""
        return Flush(policy="the library writes before it answers", waited_s=0.0, quiescent=True)

    async def close(self) -> None:
        """End the process."""
        await self._worker.stop()


class LibrarySlot:
    """The entries, and the folder that the library writes to while a session runs."""

    def __init__(
        self, program: Program, root: Path, endpoint: Endpoint, settings: AgentSettings, *, confined: bool
    ) -> None:
        if confined and endpoint.socket is None:
            raise ConfinementError(
                "A confined agent needs the gateway's Unix socket.", hint="Open it with socket=PATH."
            )
        self.confined = confined
        self.baseline_sha256 = sha256_text(canonical_json([program.environment.name, settings.review, settings.tools]))
        self._program, self._root = program, root.absolute()
        self._endpoint, self._settings = endpoint, settings
        self._entries: tuple[Entry, ...] = ()
        self._worker: Worker | None = None
        self._owner = owner_of(self._root) if confined else None
        self._cell = AgentFolder(self._root / SESSION, (), self._owner)
        self._cell.place.parent.mkdir(parents=True, exist_ok=True)
        self._cell.renew({})
        if self._owner is not None and endpoint.socket is not None:
            os.chown(endpoint.socket, *self._owner)

    async def reset(self) -> None:
        """An empty store and an empty folder."""
        await self.close()
        self._cell.renew({})
        self._entries = ()

    async def open_session(self, stage: Stage, session_id: str) -> LibrarySession:
        """Start a process, and fill its empty store with the entries."""
        await self.close()
        self._cell.renew({})
        self._worker = await Worker.start(
            self._command(),
            name=self._program.name,
            env=self._environ(),
            cwd=self._root,
            secrets=(self._endpoint.secret,),
            limits=self._settings.limits,
            folders=(self._folder,),
        )
        opening = {
            "base_url": f"http://127.0.0.1:{PORT_INSIDE}/v1" if self.confined else self._endpoint.base_url,
            "api_key": self._endpoint.secret,
            "model": self._endpoint.model,
            "session": session_id,
            "folder": self._home,
            "review": self._settings.review,
            "entries": [entry.model_dump() for entry in self._entries],
        }
        self._keep(await self._worker.request(opening, timeout_s=START_TIMEOUT_S))
        return LibrarySession(session_id, self._worker, self._keep, self._settings.turn_timeout_s)

    def capture(self) -> Tree:
        """Every entry of the store, and what the library left in its folder besides the store itself."""
        return {**entries.as_tree(self._entries), **self._left()}

    def _left(self) -> Tree:
        return read_tree(self._folder, f"{SESSION}/", skip=["store"], bounds=self._settings.limits.bounds)

    async def wipe(self) -> WipeReport:
        """Remove everything that the library wrote; the entries fill the next session's store."""
        await self.close()
        removed = tuple(sorted(f"{SESSION}/{printable(path)}" for path in list_files(self._folder)))
        self._cell.renew({})
        left = tuple(sorted(f"{SESSION}/{printable(path)}" for path in list_files(self._folder)))
        return WipeReport(removed=removed, kept=tuple(entries.as_tree(self._entries)), survivors=left)

    def restore_durable(self, tree: Tree) -> None:
        """Take the entries of a captured tree."""
        self._entries = tuple(entries.from_tree(tree))

    async def close(self) -> None:
        """End the process, if one runs."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.stop()

    def _keep(self, answer: dict[str, Any]) -> None:
        self._entries = tuple(Entry.model_validate(entry) for entry in answer["entries"])

    @property
    def _folder(self) -> Path:
        return self._root / SESSION

    @property
    def _home(self) -> str:
        return HOME_INSIDE if self.confined else str(self._folder)

    def _environ(self) -> dict[str, str]:
        shared = {"LANG": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
        return {**shared, "HOME": self._home, "TMPDIR": self._home, **self._program.variables}

    def _command(self) -> list[str]:
        environment = ENVIRONMENT_INSIDE if self.confined else str(self._program.environment)
        python = f"{environment}/bin/python"
        child = CHILD_INSIDE if self.confined else str(self._program.child)
        folder = str(Path(SERVE_INSIDE if self.confined else SERVE).parent)
        command = [python, "-I", "-B", "-c", START.format(folder=folder, child=child)]
        if not self.confined:
            return command
        assert self._endpoint.socket is not None
        mounts = [Mount(path, str(path)) for path in base_python(self._program.environment)]
        mounts += [
            Mount(self._program.environment, ENVIRONMENT_INSIDE),
            Mount(self._program.child, CHILD_INSIDE),
            Mount(SERVE, SERVE_INSIDE),
            Mount(self._folder, HOME_INSIDE, writable=True),
        ]
        return confined_command(
            command,
            mounts=mounts,
            etc=self._root / "etc",
            home=HOME_INSIDE,
            cwd=HOME_INSIDE,
            way_out=Exit(self._endpoint.socket, python),
            owner=self._owner,
            limits=self._settings.limits,
        )
