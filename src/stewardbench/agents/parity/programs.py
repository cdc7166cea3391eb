"""The stock conversations: each agent's own program, as its user starts it, with nothing set but the model's address.

Three things are set besides, since a check must not reach for the network or change an installation: Hermes may
install nothing and fetches no scanner, and OpenClaw's BOOTSTRAP.md is deleted, as the product itself does once its user
has been interviewed.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import httpx
import yaml

from stewardbench.agents.parity.log import SECRET, Body, LogServer
from stewardbench.agents.parity.talk import TALKS
from stewardbench.agents.parity.terminal import Terminal
from stewardbench.errors import AgentCrashed, AgentHung

START_S, TURN_S = 240.0, 120.0
TOKEN = "token-of-the-parity-check"
HERMES_READY = r"❯"
CLAW_CONNECTED, CLAW_READY = r"connected \| idle", r"idle"


class Held(NamedTuple):
    """A conversation that was held: every request, where it happened, and the memory files it left, by name."""

    bodies: list[Body]
    places: dict[str, str]
    files: dict[str, bytes]


async def hermes(environment: Path, root: Path, model: str) -> Held:
    """The interactive ``hermes`` in a pseudo-terminal, a new process for the query session."""
    home, workspace = root / "home", root / "home" / "workspace"
    (home / ".hermes").mkdir(parents=True)
    workspace.mkdir()
    env = {
        **_plain(home, environment / "bin"),
        "HERMES_HOME": str(home / ".hermes"),
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
    }
    async with LogServer() as server:
        config = {
            "model": {"provider": "custom", "default": model, "base_url": server.base_url, "api_key": SECRET},
            "security": {"allow_lazy_installs": False, "tirith_enabled": False},
        }
        (home / ".hermes" / "config.yaml").write_text(yaml.safe_dump(config))
        talk = TALKS["hermes"]
        for texts in (talk.persist, talk.query):
            command = [str(environment / "bin" / "python"), "-B", str(environment / "bin" / "hermes")]
            terminal = Terminal(command, env, workspace)
            try:
                await terminal.until(HERMES_READY, START_S)
                for text in texts:
                    await _say(terminal, server, text, HERMES_READY)
            finally:
                await terminal.close()
        names = {"USER.md": ".hermes/memories/USER.md", "MEMORY.md": ".hermes/memories/MEMORY.md"}
        names |= {"SKILL.md": ".hermes/skills/tea/SKILL.md", "SOUL.md": ".hermes/SOUL.md"}
        return Held(server.bodies, {str(home): "HOME"}, _files(home, names))


async def openclaw(node: Path, package: Path, root: Path, model: str) -> Held:
    """Onboarding, the gateway it leads to, and the terminal client; a session of its own for the query turns."""
    home = root / "home"
    home.mkdir(parents=True)
    env, program = _plain(home, node.parent), [str(node), str(package / "openclaw.mjs")]
    workspace = home / ".openclaw" / "workspace"
    async with LogServer() as server:
        port = _free_port()
        await _onboard(program, env, server.base_url, model, port)
        (workspace / "BOOTSTRAP.md").unlink()
        gateway = await asyncio.create_subprocess_exec(
            *program, "gateway", "--port", str(port), env=env, cwd=home, start_new_session=True,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            await _until_ready(gateway, port)
            talk = TALKS["openclaw"]
            for name, texts in (("main", talk.persist), ("later", talk.query)):
                url = ["--url", f"ws://127.0.0.1:{port}", "--token", TOKEN, "--session", name]
                terminal = Terminal([*program, "tui", *url], env, home)
                try:
                    await terminal.until(CLAW_CONNECTED, START_S)
                    for text in texts:
                        await _say(terminal, server, text, CLAW_READY)
                finally:
                    await terminal.close()
        finally:
            os.killpg(gateway.pid, signal.SIGKILL)
            await gateway.wait()
        names = ("USER.md", "MEMORY.md", "memory/2026-03-02.md", "AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md")
        return Held(
            server.bodies,
            {str(home): "HOME", str(package): "PACKAGE"},
            _files(workspace, {name: name for name in names}),
        )


async def _say(terminal: Terminal, server: LogServer, text: str, ready: str) -> None:
    """One user turn: the program has asked its model, shown the reply, and is ready again."""
    seen = len(server.bodies)
    terminal.forget()
    for start in range(0, len(text), 64):  # as a quick typist, so that no program takes it for a paste
        terminal.type(text[start : start + 64])
        await asyncio.sleep(0.05)
    terminal.type("\r")
    wanted = seen + (2 if text.startswith("call ") else 1)
    try:
        async with asyncio.timeout(TURN_S):
            while len(server.bodies) < wanted:
                await terminal.listen()
    except TimeoutError:
        raise AgentHung(f"{text[:60]!r} was not answered within {TURN_S:g} s:\n{terminal.said[-1500:]}") from None
    await terminal.until(rf"(?s)Reply number {len(server.bodies)}\..*{ready}", TURN_S)


async def _onboard(program: list[str], env: Mapping[str, str], base_url: str, model: str, port: int) -> None:
    endpoint = ["--custom-base-url", base_url, "--custom-model-id", model, "--custom-api-key", SECRET]
    gateway = ["--gateway-port", str(port), "--gateway-auth", "token", "--gateway-token", TOKEN]
    skipped = [f"--skip-{part}" for part in ("daemon", "health", "ui", "channels", "search", "skills")]
    mode = ["onboard", "--non-interactive", "--accept-risk", "--mode", "local", "--auth-choice", "custom-api-key"]
    process = await asyncio.create_subprocess_exec(
        *program, *mode, *endpoint, *gateway, *skipped, env=env,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate()
    if process.returncode:
        raise AgentCrashed(f"onboarding ended with code {process.returncode}:\n{said.decode()[-2000:]}")


async def _until_ready(gateway: asyncio.subprocess.Process, port: int) -> None:
    async with asyncio.timeout(START_S), httpx.AsyncClient(trust_env=False) as http:
        while gateway.returncode is None:
            try:
                answer = await http.get(f"http://127.0.0.1:{port}/readyz", headers={"authorization": f"Bearer {TOKEN}"})
                if answer.is_success and json.loads(answer.text).get("ready") is True:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.2)
    raise AgentCrashed(f"the gateway ended with code {gateway.returncode} before it was ready")


def _plain(home: Path, programs: Path) -> dict[str, str]:
    """The environment of a user who has set nothing."""
    path = f"{programs}:/usr/local/bin:/usr/bin:/bin"
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TZ": "UTC", "TMPDIR": str(home.parent)}


def _files(folder: Path, names: Mapping[str, str]) -> dict[str, bytes]:
    return {name: (folder / path).read_bytes() for name, path in names.items() if (folder / path).exists()}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
