"""A file-memory agent: a profile, a memory and skills as files, one tool to save and one to load a skill.

files/USER.md                 profile     shown in every prompt
files/MEMORY.md               memory      shown in every prompt
files/skills/<name>/SKILL.md  skill       named in every prompt, loaded by a tool
transcripts/<session>.json    history     must not outlive the cut
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import httpx

from stewardbench.agents.interface import AgentSettings, Flush, Stage, Surface, ToolUse, TurnOutcome, WipeReport
from stewardbench.errors import AgentCrashed
from stewardbench.models.endpoint import Endpoint
from stewardbench.workspace.folders import PreservationPolicy, empty_folder, wipe_folder
from stewardbench.workspace.tree import Tree, read_tree, tree_sha256

KEPT = PreservationPolicy(keep=("files",))
BASELINE = {"files/USER.md": "# User\n", "files/MEMORY.md": "# Memory\n"}
TOOLS = json.loads(Path(__file__).with_name("tools.json").read_text())


class YourSession:
    def __init__(self, slot: YourSlot, session_id: str) -> None:
        self.session_id = session_id
        self._slot, self._messages = slot, [{"role": "system", "content": slot.prompt()}]

    async def send(self, text: str) -> TurnOutcome:
        started, uses, reply, error = time.perf_counter(), list[ToolUse](), "", None
        self._messages.append({"role": "user", "content": text})
        while True:  # the gateway refuses to go on when a turn asks its model too often
            answer = await self._slot.ask(self._messages)
            if isinstance(answer, str):  # the model failed: that is an error, never an answer
                reply, error = "", answer
                break
            self._messages.append(answer)
            reply = answer.get("content") or ""
            if not answer.get("tool_calls"):
                break
            for call in answer["tool_calls"]:
                name, arguments = call["function"]["name"], call["function"]["arguments"]
                result = self._slot.use(name, arguments)
                uses.append(ToolUse(name=name, arguments=arguments, result=result))
                self._messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        (self._slot.root / "transcripts").mkdir(exist_ok=True)
        (self._slot.root / "transcripts" / f"{self.session_id}.json").write_text(json.dumps(self._messages))
        return TurnOutcome(reply=reply, tool_uses=tuple(uses), elapsed_s=time.perf_counter() - started, error=error)

    async def settle(self) -> Flush:
        return Flush(policy="writes are made before the reply", waited_s=0, quiescent=True)

    async def close(self) -> None:
        self._messages = []


class YourSlot:
    confined = False  # this agent has no process and no tool that reaches beyond its own files

    def __init__(self, root: Path, endpoint: Endpoint, settings: AgentSettings) -> None:
        self.root, self.settings, self._endpoint = root, settings, endpoint
        self._http = httpx.AsyncClient(headers={"authorization": f"Bearer {endpoint.secret}"}, timeout=600)
        self._restore({path: text.encode() for path, text in BASELINE.items()})
        self.baseline_sha256 = tree_sha256(self.capture())

    async def reset(self) -> None:
        self._restore({path: text.encode() for path, text in BASELINE.items()})

    async def open_session(self, stage: Stage, session_id: str) -> YourSession:
        return YourSession(self, session_id)

    def capture(self) -> Tree:
        return read_tree(self.root)

    async def wipe(self) -> WipeReport:
        removed = wipe_folder(self.root, KEPT)
        return WipeReport(removed=removed, kept=tuple(self.capture()))

    def restore_durable(self, tree: Tree) -> None:
        self._restore({path: state.text.encode() for path, state in tree.items() if KEPT.keeps(path)})

    async def close(self) -> None:
        await self._http.aclose()

    def prompt(self) -> str:
        files = self.root / "files"
        skills = sorted(path.parent.name for path in files.glob("skills/*/SKILL.md"))
        shown = [(files / name).read_text() for name in ("USER.md", "MEMORY.md") if (files / name).exists()]
        return "\n\n".join(["You are a helpful assistant.", *shown, f"Skills: {', '.join(skills) or 'none'}"])

    async def ask(self, messages: list[dict[str, Any]]) -> dict[str, Any] | str:
        body = {"model": self._endpoint.model, "messages": messages, "tools": TOOLS}
        try:
            answer = await self._http.post(f"{self._endpoint.base_url}/chat/completions", json=body)
        except httpx.TransportError as error:
            raise AgentCrashed(f"your-agent lost its model: {error}") from error
        return answer.json()["choices"][0]["message"] if answer.is_success else f"HTTP {answer.status_code}"

    def use(self, name: str, arguments: str) -> str:
        try:
            given = json.loads(arguments)
            skill = self.root / "files" / "skills" / re.sub(r"\W+", "-", given.get("name") or "note") / "SKILL.md"
            if name == "load_skill":
                return skill.read_text()
            names = {"profile": self.root / "files" / "USER.md", "skill": skill}
            path = names.get(given.get("kind", "memory"), self.root / "files" / "MEMORY.md")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write(f"{given['content']}\n")
        except (ValueError, KeyError, AttributeError, OSError) as error:
            return f"Error: {error}"
        return "Saved."

    def _restore(self, files: dict[str, bytes]) -> None:
        empty_folder(self.root)
        for path, data in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(data)


class YourAgent:
    name = "your-agent"

    def version(self, settings: AgentSettings) -> str:
        return "0.1.0"

    def surface(self, path: str) -> Surface:
        if not KEPT.keeps(path):
            return Surface.HISTORY
        known = {"files/USER.md": Surface.PROFILE, "files/MEMORY.md": Surface.MEMORY}
        return Surface.SKILL if path.startswith("files/skills/") else known.get(path, Surface.OTHER)

    async def open_slot(self, root: Path, endpoint: Endpoint, settings: AgentSettings) -> YourSlot:
        return YourSlot(root, endpoint, settings)
