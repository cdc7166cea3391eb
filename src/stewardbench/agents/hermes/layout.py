"""How a slot of Hermes lies on disk, and the command that starts Hermes in it, confined or not.

    root/cell/slot/home/       the agent's home: .hermes (its state) and workspace   (confined: /home/user)
    root/cell/slot/tmp, shm    its temporary folders                                 (confined: /tmp, /dev/shm)
    root/seed/                 the home of the warm process, where Hermes makes its default files; no agent sees it
    root/etc/                  the small /etc of a confined slot

Only ``slot`` is visible to the agent, and all of it is captured. It is a new folder at every reset and every cut; a
confined session has the one of its time mounted, which is why the warm process sees the folder above it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from stewardbench.agents.hermes.surfaces import HOME, STATE, TEMPORARY, WORKSPACE
from stewardbench.agents.install import base_python
from stewardbench.errors import ConfinementError, UsageError
from stewardbench.models.endpoint import Endpoint
from stewardbench.workspace.cell import AgentFolder
from stewardbench.workspace.confinement import (
    INSIDE,
    PORT_INSIDE,
    SOCKET_INSIDE,
    Mount,
    confined_command,
    owner_of,
)
from stewardbench.workspace.limits import Limits

CHILD = Path(__file__).with_name("child")
CHILD_INSIDE, PROGRAMS_INSIDE = "/opt/driver/child", "/opt/driver/inside"
CELL_INSIDE = "/run/cell"
STANDING = (STATE, f"{STATE}/memories", f"{STATE}/skills", WORKSPACE, *TEMPORARY)
ENVIRONMENT_INSIDE = "/opt/agent"
HOMES_INSIDE = ("/home/user", "/srv/user")  # the second where the first would hide the base Python
START = "import sys; sys.path.append({parent!r}); from child.zygote import main; main()"


class Layout:
    """The folders of one slot as the host sees them (``slot``, ``baseline``) and as the agent sees them (``home``)."""

    def __init__(
        self,
        root: Path,
        environment: Path,
        endpoint: Endpoint,
        limits: Limits,
        *,
        confined: bool,
        interactive: bool = False,
    ) -> None:
        self.root, self.confined = root.absolute(), confined
        self.owner = owner_of(self.root) if confined else None
        self._limits = limits
        self.cell = AgentFolder(self.root / "cell" / "slot", STANDING, self.owner, limits.bounds)
        self.slot = self.cell.place
        self.seed = AgentFolder(self.root / "seed", STANDING, self.owner, limits.bounds) if confined else self.cell
        self._environment, self._endpoint, self._interactive = environment, endpoint, interactive
        self._base_python = base_python(environment)
        self.home = self._home_inside() if confined else str(self.slot / HOME)
        self.workspace = f"{self.home}/{Path(WORKSPACE).name}"
        self.base_url = endpoint.base_url
        if confined:
            if endpoint.socket is None:
                raise UsageError("A confined agent needs the gateway's Unix socket.", hint="Open it with socket=PATH.")
            self.base_url = f"http://127.0.0.1:{PORT_INSIDE}/v1"

    def create(self) -> None:
        """Make the folders of an empty slot, and let its user reach the gateway."""
        self.slot.parent.mkdir(parents=True, exist_ok=True)
        self.cell.renew({})
        if self.owner is not None and self._endpoint.socket is not None:
            os.chown(self._endpoint.socket, *self.owner)

    def session_walls(self) -> dict[str, Any] | None:
        """What a confined session is put behind, as ``inside.session`` takes it; None without confinement."""
        if not self.confined:
            return None
        seen = ((HOME, self.home), ("tmp", "/tmp"), ("shm", "/dev/shm"))
        return {
            "mounts": [[f"{CELL_INSIDE}/{self.slot.name}/{name}", place] for name, place in seen],
            "hidden": [CELL_INSIDE, SOCKET_INSIDE],
            "port": PORT_INSIDE,
            "socket": SOCKET_INSIDE,
            "limits": self._limits.for_kernel(),
        }

    def command(self) -> list[str]:
        """The command line of the zygote."""
        python = f"{self._environment_seen()}/bin/python"
        child = CHILD_INSIDE if self.confined else str(CHILD)
        command = [python, "-I", "-B", "-c", START.format(parent=str(Path(child).parent))]
        if not self.confined:
            return command
        assert self._endpoint.socket is not None
        mounts = [Mount(path, str(path)) for path in self._base_python]
        mounts += [
            Mount(self._environment, ENVIRONMENT_INSIDE),
            Mount(CHILD, CHILD_INSIDE),
            Mount(INSIDE, PROGRAMS_INSIDE),
            Mount(self._endpoint.socket, SOCKET_INSIDE, writable=True),
            Mount(self.slot.parent, CELL_INSIDE, writable=True),
            Mount(self.seed.place / HOME, self.home, writable=True),
            Mount(self.seed.place / "tmp", "/tmp", writable=True),
            Mount(self.seed.place / "shm", "/dev/shm", writable=True),
        ]
        return confined_command(
            command,
            mounts=mounts,
            etc=self.root / "etc",
            home=self.home,
            cwd=self.workspace,
            owner=self.owner,
            limits=self._limits,
            warm=True,
        )

    def environ(self) -> dict[str, str]:
        """The whole environment of the agent: constants and paths, no secret and nothing of the caller's."""
        return {
            "PATH": f"{self._environment_seen()}/bin:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "HOME": self.home,
            "TMPDIR": "/tmp" if self.confined else str(self.slot / "tmp"),
            "HERMES_HOME": f"{self.home}/{Path(STATE).name}",
            "TERMINAL_CWD": self.workspace,
            "HERMES_DISABLE_LAZY_INSTALLS": "1",
            "HERMES_YOLO_MODE": "1",  # nobody is there to approve a command
            "HERMES_ACCEPT_HOOKS": "1",
            "HERMES_TURN_COMPLETION_EXPLAINER": "0",  # else a missing answer is replaced by a text of Hermes' own
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            **({"HERMES_INTERACTIVE": "1"} if self._interactive else {}),
        }

    def _environment_seen(self) -> str:
        return ENVIRONMENT_INSIDE if self.confined else str(self._environment)

    def _home_inside(self) -> str:
        for home in HOMES_INSIDE:
            if not any(path.is_relative_to(place) for path in self._base_python for place in (home, "/tmp", "/dev")):
                return home
        raise ConfinementError(
            f"A confined slot has a /tmp and /dev of its own, which hide the Python at {self._base_python[0]}.",
            hint="Run stewardbench with a Python that is installed elsewhere.",
        )
