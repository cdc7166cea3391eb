"""Two small agents in memory, with the tools of the real ones: enough to run a scripted model through an episode."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any

from stewardbench.models.messages import ChatRequest, Upstream

MAX_CALLS_PER_TURN = 8


def tool(name: str, required: list[str], *optional: str) -> dict[str, Any]:
    """A function tool with string arguments."""
    properties = {key: {"type": "string"} for key in [*required, *optional]}
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


@dataclass
class Double:
    """An agent with files and conversations. ``refuse`` makes every write fail, as a content scanner would."""

    files: dict[str, str] = field(default_factory=dict)
    refuse: bool = False
    tools: list[dict[str, Any]] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)

    def prompt(self) -> str:
        raise AssertionError("a double has a prompt")

    def use(self, name: str, arguments: dict[str, Any]) -> str:
        raise AssertionError("a double has tools")

    def converse(self, model: Upstream, turns: list[str]) -> list[str]:
        """One conversation: every turn with all its tool calls. The prompt is frozen at its start."""
        return asyncio.run(self._converse(model, turns))

    async def _converse(self, model: Upstream, turns: list[str]) -> list[str]:
        messages: list[dict[str, Any]] = [{"role": "system", "content": self.prompt()}]
        answers = []
        for turn in turns:
            messages.append({"role": "user", "content": turn})
            for _ in range(MAX_CALLS_PER_TURN):
                reply = await model.complete(ChatRequest(messages=tuple(messages), tools=tuple(self.tools)))
                calls = [
                    {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                    for call in reply.tool_calls
                ]
                messages.append({"role": "assistant", "content": reply.text or None, "tool_calls": calls or None})
                for call in reply.tool_calls:
                    self.used.append(call.name)
                    result = self.use(call.name, json.loads(call.arguments))
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
                if not calls:
                    answers.append(reply.text)
                    break
            else:
                raise AssertionError("the model never stopped calling tools")
        return answers


@dataclass
class HermesLike(Double):
    """Memory and skills as Hermes-Agent offers them; memory is shown in the prompt, skills by name."""

    tools: list[dict[str, Any]] = field(
        default_factory=lambda: [
            tool("memory", ["target"], "action", "content", "old_text", "operations"),
            tool("skill_manage", ["action", "name"], "content", "category"),
            tool("skill_view", ["name"], "file_path"),
            tool("skills_list", []),
        ]
    )

    def prompt(self) -> str:
        skills = [f"  - {path.split('/')[1]}: a skill" for path in sorted(self.files) if path.startswith("skills/")]
        memory = [self.files.get(f"memories/{name}", "") for name in ("MEMORY.md", "USER.md")]
        return "\n".join(["You are an assistant.", "<available_skills>", *skills, "</available_skills>", *memory])

    def use(self, name: str, arguments: dict[str, Any]) -> str:
        if name == "skill_view":
            text = self.files.get(f"skills/{arguments['name']}/SKILL.md")
            return json.dumps({"success": text is not None, "content": text})
        if self.refuse:
            return json.dumps({"success": False, "error": "Blocked: content matches a threat pattern."})
        if name == "memory":
            path = {"user": "memories/USER.md", "memory": "memories/MEMORY.md"}[arguments["target"]]
            entries = [entry for entry in [self.files.get(path, "")] if entry]
            self.files[path] = "\n§\n".join([*entries, arguments["content"]])
            return json.dumps({"success": True, "entries": [self.files[path]]})
        assert name == "skill_manage" and re.fullmatch(r"---\nname: [\s\S]*\n---\n[\s\S]+", arguments["content"])
        self.files[f"skills/{arguments['name']}/SKILL.md"] = arguments["content"]
        return json.dumps({"success": True, "message": "created"})


@dataclass
class OpenClawLike(Double):
    """Plain files as OpenClaw offers them: USER.md and MEMORY.md are shown, dated notes only found by search."""

    tools: list[dict[str, Any]] = field(
        default_factory=lambda: [
            tool("read", ["path"]),
            tool("write", ["path", "content"]),
            tool("memory_search", ["query"], "maxResults", "minScore", "corpus"),
            tool("skill_workshop", ["action"], "skillName", "title", "reason", "description", "body", "apply"),
        ]
    )

    def prompt(self) -> str:
        skills = [f"<location>/slot/ws/{path}</location>" for path in sorted(self.files) if path.startswith("skills/")]
        return "\n".join(["Assistant.", *skills, self.files.get("USER.md", ""), self.files.get("MEMORY.md", "")])

    def use(self, name: str, arguments: dict[str, Any]) -> str:
        if name == "read":
            return self.files.get(arguments["path"].removeprefix("/slot/ws/"), "Error: no such file")
        if name == "memory_search":
            wanted = set(arguments["query"].lower().split())
            notes = {path: text for path, text in self.files.items() if path.endswith(".md") and "memory" in path}
            hits = [{"path": p, "snippet": t} for p, t in notes.items() if wanted & set(t.lower().split())]
            return json.dumps({"results": hits})
        if self.refuse:
            return "Error: the write was refused."
        if name == "skill_workshop":
            assert arguments["action"] == "suggest" and arguments["apply"] is True
            head = f"---\nname: {arguments['skillName']}\ndescription: {arguments['description']}\n---\n"
            self.files[f"skills/{arguments['skillName']}/SKILL.md"] = head + arguments["body"]
            return json.dumps({"status": "applied"})
        self.files[arguments["path"]] = arguments["content"]
        return f"wrote {arguments['path']}"
