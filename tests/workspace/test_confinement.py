"""The walls hold: a probe that tries every way out gets nothing when confined, and everything when it is not."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from stewardbench.errors import ConfinementError
from stewardbench.workspace import confinement
from stewardbench.workspace.confinement import PORT_INSIDE, Exit, Mount, UnconfinedWarning, confined_command, decide

PROBE = Path(__file__).with_name("wall_probe.py")
BASE = Path(sys.base_prefix)
PYTHON = str(BASE / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")
HOME = "/home/user"
needs_walls = pytest.mark.skipif(confinement.confinement_fault() is not None, reason="bubblewrap does not work here")


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"reached")

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


class UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def finish_request(self, request: socket.socket, client_address: object) -> None:
        Answer(request, ("gateway", 0), self)  # type: ignore[arg-type]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[dict[str, object]]:
    """A host with secrets: a file, a listening port, an abstract socket, and a gateway on a Unix socket."""
    (tmp_path / "secret.txt").write_text("the host's secret")
    tcp = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    gateway = UnixServer(str(tmp_path / "gateway.sock"), Answer)
    abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    name = f"stewardbench-{os.getpid()}-{tmp_path.name}"
    abstract.bind("\0" + name)
    abstract.listen()
    for server in (tcp, gateway):
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield {
        "outside_file": str(tmp_path / "secret.txt"),
        "outside_write": str(tmp_path / "written.txt"),
        "port": tcp.server_address[1],
        "abstract": name,
        "socket": tmp_path / "gateway.sock",
    }
    for server in (tcp, gateway):
        server.shutdown()
        server.server_close()
    abstract.close()


def mounts(slot: Path) -> list[Mount]:
    for name in ("home", "tmp", "shm"):
        (slot / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(PROBE, slot / "home" / PROBE.name)
    base = [] if BASE.is_relative_to("/usr") else [Mount(BASE, str(BASE))]
    return [
        *base,
        Mount(slot / "home", HOME, writable=True),
        Mount(slot / "tmp", "/tmp", writable=True),
        Mount(slot / "shm", "/dev/shm", writable=True),
    ]


def probe(command: list[str], wish: dict[str, object], env: dict[str, str]) -> dict[str, object]:
    done = subprocess.run([*command, json.dumps(wish)], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, object] = json.loads(done.stdout)
    return report


@needs_walls
def test_a_confined_probe_gets_nothing_but_its_slot_and_its_gateway(
    tmp_path: Path, host: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-host")
    slot = tmp_path / "slot"
    command = confined_command(
        [PYTHON, "-I", f"{HOME}/{PROBE.name}"],
        mounts=mounts(slot),
        etc=tmp_path / "etc",
        home=HOME,
        cwd=HOME,
        way_out=Exit(Path(str(host["socket"])), PYTHON),
    )
    wish = {key: value for key, value in host.items() if key != "socket"} | {
        "network": True,
        "shared": True,
        "home_write": f"{HOME}/note.txt",
        "gateway": f"http://127.0.0.1:{PORT_INSIDE}/v1/models",
    }
    seen = probe(command, wish, {"HOME": HOME})

    for refused in ("outside_file", "outside_write", "system_write", "root_write", "device_write", "loopback"):
        assert seen[refused] is None, refused
    for refused in ("abstract_socket", "network", "shadow"):
        assert seen[refused] is None, refused
    assert "sk-of-the-host" not in json.dumps(seen["environment"])
    assert set(seen["environment"]) <= {"HOME", "PWD", "LC_CTYPE"}
    assert max(seen["processes"]) < 20, "it sees processes of the host"
    assert os.getpid() not in seen["processes"]
    assert seen["user"] == [1000, 1000]
    assert (seen["home_write"], seen["shared_write"], seen["gateway"]) == (True, True, "reached")
    assert (slot / "home" / "note.txt").read_text() == (slot / "shm" / "mine").read_text() == "I was here"


def test_the_same_probe_gets_out_when_nothing_holds_it(tmp_path: Path, host: dict[str, object]) -> None:
    wish = {key: value for key, value in host.items() if key != "socket"} | {
        "network": False,
        "shared": False,
        "home_write": str(tmp_path / "note.txt"),
        "gateway": "",
    }
    env = {"OPENAI_API_KEY": "sk-of-the-host"}
    seen = probe([PYTHON, "-I", str(PROBE)], wish, env)

    assert seen["outside_file"] == "the host's secret"
    assert seen["outside_write"] is True
    assert seen["loopback"] == "reached"
    assert seen["abstract_socket"] is True
    assert "sk-of-the-host" in json.dumps(seen["environment"])
    assert os.getpid() in seen["processes"]


@needs_walls
def test_everything_inside_dies_with_the_command(tmp_path: Path) -> None:
    slot = tmp_path / "slot"
    script = "import os, sys; os.fork() or (os.setsid(), os.execvp('sleep', ['sleep', '1000'])); sys.stdin.read()"
    command = confined_command(
        [PYTHON, "-I", "-c", script], mounts=mounts(slot), etc=tmp_path / "etc", home=HOME, cwd=HOME
    )
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
    process.communicate(timeout=30)  # returns when every holder of the pipe has ended, the sleeper too
    assert process.returncode == 0


@needs_walls
def test_no_secret_is_on_the_command_line(tmp_path: Path) -> None:
    command = confined_command(["true"], mounts=mounts(tmp_path / "slot"), etc=tmp_path / "etc", home=HOME, cwd=HOME)
    assert "--setenv" not in command


def test_without_bubblewrap_auto_warns_loudly_and_required_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "confinement_fault", lambda: "bubblewrap (bwrap) is not installed")
    with pytest.warns(UnconfinedWarning, match="UNCONFINED.*apt-get install bubblewrap"):
        assert decide("auto") is False
    with pytest.raises(ConfinementError, match="apt-get install bubblewrap"):
        decide("required")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decide("off") is False


def test_a_missing_or_broken_bubblewrap_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not installed" in str(confinement.confinement_fault.__wrapped__())
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'no permissions to create a namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    assert "no permissions to create a namespace" in str(confinement.confinement_fault.__wrapped__())
