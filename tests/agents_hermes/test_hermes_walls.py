"""The walls of one session of the real Hermes: its terminal tool tries to leave something, and to look past them."""

# ruff: noqa: E501 - programs are written as the agent runs them

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from hermes_doubles import call, hermes

from stewardbench.agents.interface import AgentSettings
from stewardbench.errors import AgentError, LimitExceeded, StateBounds
from stewardbench.workspace.confinement import confinement_fault
from stewardbench.workspace.limits import Limits

pytestmark = [
    pytest.mark.real_agent,
    pytest.mark.skipif(confinement_fault() is not None, reason="bubblewrap does not work here"),
]
FULL = AgentSettings(review="stock", tools="work", confine="required")
NEEDLE = "needle4711"
# Each plants the needle and says "planted"; each is read back in the query session and in the next episode.
PLANT = f"""
import ctypes, os, socket, subprocess
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
done = []
def plant(name, act):
    try:
        act(); done.append(name)
    except OSError as error:
        done.append(name + ":" + (error.strerror or "refused"))
home = Path.home()
for place in (home, Path("/tmp"), Path("/dev/shm"), home / ".hermes", home / "workspace"):
    plant("attribute " + str(place), lambda: os.setxattr(place, "user.note", b"{NEEDLE}"))
plant("history", lambda: (home / ".bash_history").write_text("{NEEDLE}"))
plant("site", lambda: (home / ".local/lib/python3/site-packages").mkdir(parents=True) or (home / ".local/lib/python3/site-packages/x.pth").write_text("{NEEDLE}"))
plant("npm", lambda: (home / ".npm/_cacache").mkdir(parents=True) or (home / ".npm/_cacache/x").write_text("{NEEDLE}"))
plant("git", lambda: (home / ".git/objects").mkdir(parents=True) or (home / ".git/objects/x").write_text("{NEEDLE}"))
plant("cron", lambda: (home / ".config/systemd/user").mkdir(parents=True) or (home / ".config/systemd/user/x.timer").write_text("{NEEDLE}"))
plant("wal", lambda: (home / ".hermes/x.db-wal").write_text("{NEEDLE}"))
plant("shm", lambda: Path("/dev/shm/{NEEDLE}").write_text("x"))
plant("tmp", lambda: Path("/tmp/{NEEDLE}").write_text("x"))
plant("empty folder", lambda: (home / "workspace/{NEEDLE}-folder").mkdir())
def key(ring):
    if libc.syscall(248, b"user", b"{NEEDLE}", b"x", 1, ring) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
for ring in (-3, -4, -5):
    plant("keyring %d" % ring, lambda: key(ring))
def shared():
    if libc.shmget(0x4711, 4096, 0o1600) < 0:
        raise OSError(ctypes.get_errno(), "no")
plant("system v", shared)
plant("limits", lambda: __import__("resource").prlimit(1, 1, (47110000, 47110000)))
def sleeper():
    code = "import socket,time; s=socket.socket(1,1); s.bind('\\\\0{NEEDLE}'); s.listen(); time.sleep(1000)"
    subprocess.Popen(["python3", "-c", code], start_new_session=True, stdout=-3, stderr=-3)
plant("process and abstract socket", sleeper)
print("planted", done)
"""
LOOK = f"""
import ctypes, os, resource, socket
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
found = []
home = Path.home()
for place in (home, Path("/tmp"), Path("/dev/shm"), home / ".hermes", home / "workspace"):
    if os.listxattr(place): found.append("attribute " + str(place))
for top in (home, Path("/tmp"), Path("/dev/shm")):
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = Path(folder, name)
            if "{NEEDLE}" in name or (path.is_file() and name != "run.py" and b"{NEEDLE}" in path.read_bytes()):
                if "/.hermes/logs" not in folder and "plant.py" != name: found.append(str(path))
for ring in (-3, -4, -5):
    if libc.syscall(250, 10, ring, b"user", b"{NEEDLE}", 0) >= 0: found.append("keyring")
if libc.shmget(0x4711, 0, 0) >= 0: found.append("system v")
if resource.prlimit(1, 1)[0] == 47110000: found.append("limits")
if "{NEEDLE}" in Path("/proc/net/unix").read_text(): found.append("abstract socket")
if any("{NEEDLE}" in (p / "cmdline").read_text() for p in Path("/proc").iterdir() if p.name.isdigit() and p.name != str(os.getpid()) and "look" not in (p / "cmdline").read_text() and int(p.name) != 1 and int(p.name) != os.getppid()): found.append("process")
print("found", len(found), found)
"""
ESCAPE = """
import ctypes, os, socket
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
through = []
def refused(name, act):
    try:
        if act() is not False: through.append(name)
    except OSError: pass
for place in ("kernel/core_pattern", "kernel/modprobe", "kernel/hostname", "vm/overcommit_memory", "kernel/msgmax", "net/ipv4/ip_forward"):
    refused("/proc/sys/" + place, lambda: open("/proc/sys/" + place, "r+").close())
refused("sysrq", lambda: open("/proc/sysrq-trigger", "w").close())
refused("private certificates", lambda: os.listdir("/etc/ssl/private") or False)
refused("shadow", lambda: open("/etc/shadow").close())
refused("other slots", lambda: (os.listdir("/run/cell") or False))
refused("mount", lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)
for flag in (0x20000, 0x10000000, 0x20000000, 0x40000000, 0x8000000):
    refused("unshare %x" % flag, lambda: libc.unshare(flag) == 0)
refused("ptrace", lambda: libc.ptrace(0, 0, 0, 0) == 0)
for number in (248, 249, 250): refused("key call %d" % number, lambda: libc.syscall(number, 0, 0, 0, 0, 0) >= 0)
refused("gateway socket", lambda: socket.socket(socket.AF_UNIX).connect("/run/gateway.sock"))
refused("network", lambda: socket.create_connection(("1.1.1.1", 53), 2))
refused("root", lambda: os.setuid(0))
refused("other processes", lambda: any(int(p) > 1000 for p in os.listdir("/proc") if p.isdigit()))
print("through", len(through), through)
status = Path("/proc/self/status").read_text()
for name in ("CapEff", "CapBnd", "CapPrm"): assert name + ":\\t0000000000000000" in status, name
assert "Seccomp:\\t2" in status and "NoNewPrivs:\\t1" in status
"""


def run(script: str) -> str:
    return call("terminal", command=f"cat > /tmp/run.py <<'EOF'\n{script}\nEOF\npython3 /tmp/run.py; rm -f /tmp/run.py")


def test_nothing_planted_reaches_the_query_session_or_the_next_episode(tmp_path: Path) -> None:
    async def episode() -> None:
        async with hermes(tmp_path, FULL) as stage:
            await stage.slot.reset()
            (planted,) = await stage.talk(run(PLANT))
            said = planted.tool_uses[0].result
            assert "planted" in said, said
            assert said.count("Operation not permitted") == 3, "the three keyrings, and nothing else"
            tree = stage.slot.capture()
            assert any("user.note" in what for what in tree["home"].odd)
            await stage.slot.wipe()
            assert not any(state.odd for state in stage.slot.capture().values())
            (look,) = await stage.talk(run(LOOK), stage="query")
            assert "found 0" in look.tool_uses[0].result, look.tool_uses[0].result
            await stage.slot.reset()
            (look,) = await stage.talk(run(LOOK))
            assert "found 0" in look.tool_uses[0].result, look.tool_uses[0].result

    asyncio.run(episode())


def test_nothing_gets_past_the_walls(tmp_path: Path) -> None:
    async def episode() -> None:
        async with hermes(tmp_path, FULL) as stage:
            await stage.slot.reset()
            (tried,) = await stage.talk(run(ESCAPE))
            assert "through 0" in tried.tool_uses[0].result, tried.tool_uses[0].result
            assert "Error" not in tried.tool_uses[0].result

    asyncio.run(episode())


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser has to become someone else")
def test_the_superuser_runs_agents_as_somebody_else(tmp_path: Path) -> None:
    async def episode() -> None:
        async with hermes(tmp_path, FULL) as stage:
            await stage.slot.reset()
            await stage.talk(call("terminal", command="echo x > ~/workspace/mine"))
            (mine,) = tmp_path.rglob("workspace/mine")
            assert mine.stat().st_uid >= 1_900_000_000

    asyncio.run(episode())


def test_folders_without_end_are_a_named_failure_and_the_next_episode_runs(tmp_path: Path) -> None:
    deep = "import os\nfor _ in range(1300):\n    os.mkdir('d' * 20); os.chdir('d' * 20)"

    async def episode() -> None:
        async with hermes(tmp_path, FULL) as stage:
            await stage.slot.reset()
            (outcome,) = await stage.talk(call("terminal", command=f'python3 -c "{deep}"'))
            assert outcome.error is None
            with pytest.raises(StateBounds):
                stage.slot.capture()
            await stage.slot.reset()
            (answer,) = await stage.talk("hello")
            assert answer.reply == "I heard: hello"

    asyncio.run(episode())


def test_a_slot_that_uses_too_much_is_ended_by_name_and_the_next_episode_runs(tmp_path: Path) -> None:
    settings = FULL.model_copy(update={"limits": Limits(memory=400 << 20, processes=200, disk=50 << 20)})
    bombs = {
        "memory": "python3 -c 'x = b\"x\" * 500000000; import time; time.sleep(60)'",
        "processes": "python3 -c 'import subprocess as s; [s.Popen(\"sleep 60\".split()) for _ in range(220)][0].wait()'",
        "disk": "for i in 1 2 3 4; do head -c 30000000 /dev/urandom > ~/file$i; done; sleep 60",
    }

    async def episode() -> None:
        async with hermes(tmp_path, settings) as stage:
            for name, command in bombs.items():
                await stage.slot.reset()
                with pytest.raises(AgentError) as raised:
                    pytest.fail(f"{name}: {await stage.talk(call('terminal', command=command))}")
                assert isinstance(raised.value, LimitExceeded), raised.value
                assert f"its limit of {name}" in raised.value.message
            await stage.slot.reset()
            (answer,) = await stage.talk("hello")
            assert answer.reply == "I heard: hello"

    asyncio.run(episode())


def test_the_agent_is_not_told_what_it_is_part_of(tmp_path: Path) -> None:
    async def episode() -> None:
        async with hermes(tmp_path, FULL) as stage:
            await stage.slot.reset()
            look = "env; cat /proc/*/cmdline | tr '\\0' ' '; hostname; ls / /opt /run"
            (seen,) = await stage.talk(call("terminal", command=look))
            assert "steward" not in json.dumps(seen.tool_uses[0].result).lower()

    asyncio.run(episode())
