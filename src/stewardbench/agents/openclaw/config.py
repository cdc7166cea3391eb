"""What OpenClaw is told: one declared policy, written as its configuration file and recorded with every run.

The default policy is the released one: active-memory off, skill-workshop on, approval automatic, heuristic review at
every turn. ``stock`` leaves the workshop as a new user finds it: in 2026.5.28 that is off. ``plugin-defaults`` turns it
on with its own defaults (proposals wait for approval, an LLM reviewer after 15 turns), ``interval=N`` lets the LLM
reviewer run every N turns with automatic approval, ``off`` turns it off in every release.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.openclaw.releases import Release
from stewardbench.agents.presets import STOCK
from stewardbench.errors import UsageError
from stewardbench.models import embedding

MODEL_KEY = "ASSISTANT_MODEL_KEY"  # the file names the variables, so that no secret is ever written to disk
GATEWAY_KEY = "OPENCLAW_GATEWAY_TOKEN"
CONTEXT_TOKENS = 128_000  # as onboarding writes it
# Onboarding writes 4,096 for an address of one's own, which cuts long answers, and more of them under some models;
# users of a named provider get the provider's limit.
OUTPUT_TOKENS = 32_768

SEEING = re.compile(  # the names that onboarding takes for models that read images
    r"\b(gpt-(4o|4\.1|[5-9])|o[134]|claude-([34]|haiku|opus|sonnet)|gemini|glm-4v|internvl|llava|minicpm-v|mllama|pixtral"
    r"|qwen[\w.-]*vl|vision)\b|(^|[-_/])vl([-_/]|$)"
)
MEMORY_TOOLS = ["memory_search", "memory_get", "skill_workshop"]
RELEASED_TOOLS = ["group:fs", *MEMORY_TOOLS, "session_status"]
TRANSCRIPT_TOOLS = ["sessions_list", "sessions_history", "sessions_search"]
DENIED_TOOLS = [
    *["sessions_send", "sessions_spawn", "sessions_yield", "subagents", "agents_list", "gateway", "cron", "nodes"],
    *["message", "browser", "canvas", "tts", "web_search", "web_fetch"],
]
DENIED_CORE_TOOLS = [  # the names that later releases added
    *["sessions", "agents_wait", "conversations_list", "conversations_send", "conversations_turn", "transcripts"],
    *["openclaw", "plugins", "automations"],
]


@dataclass(frozen=True)
class Place:
    """Where the gateway's own process finds its folders and its model."""

    home: str
    tmp: str
    logs: str
    model_url: str
    clock: str = ""  # the file that moves its dates; empty for the machine's time

    @property
    def state(self) -> str:
        """The state folder, at the product's own default."""
        return f"{self.home}/.openclaw"

    @property
    def workspace(self) -> str:
        """The agent's workspace, at the product's own default."""
        return f"{self.state}/workspace"


def document(release: Release, settings: AgentSettings, place: Place, model: str) -> dict[str, Any]:
    """The configuration file of one gateway. Raises UsageError for an unknown review policy or tool set.

    ``settings.options["config"]`` is merged over the result, key by key, for experiments of one's own.
    """
    config = _common(release, settings, place, model)
    merge(config, _workshop(release, settings.review))
    if settings.tools == STOCK:
        _as_onboarding_leaves_it(config, release)
    elif release.workshop_plugin:
        merge(config, {"agents": {"defaults": {"memorySearch": _search(place)}}})
    else:
        search = {"provider": "none", "sources": ["memory"], "rememberAcrossConversations": False}
        merge(config, {"memory": {"search": search}, "tools": {"toolSearch": False}, "telemetry": {"enabled": False}})
        merge(config, {"models": {"catalogRefresh": {"enabled": False}}, "skills": {"allowBundled": ["skill-creator"]}})
        allowed = [*config["plugins"]["allow"], "admin-http-rpc"]  # for the idle barrier
        merge(config, {"plugins": {"allow": allowed, "entries": {"admin-http-rpc": {"enabled": True}}}})
    return merge(config, settings.options.get("config", {}))


def _as_onboarding_leaves_it(config: dict[str, Any], release: Release) -> None:
    # On, or the prompt shows no HEARTBEAT.md where there is one. Too rare to fire in an episode.
    merge(config, {"agents": {"defaults": {"heartbeat": {"every": "24h"}}}})
    if not config["plugins"]["entries"].get("skill-workshop"):
        del config["plugins"]  # the product's own choice of plug-ins
    if release.workshop_plugin:
        merge(config, {"session": {"dmScope": "per-channel-peer"}})
        return
    entries: dict[str, Any] = {
        name: {"config": {"sessionCatalog": {"enabled": False}}} for name in ("anthropic", "codex")
    }
    entries["admin-http-rpc"] = {"enabled": True}  # for the idle barrier
    merge(
        config,
        {"plugins": {"entries": entries}, "hooks": {"internal": {"entries": {"session-memory": {"enabled": True}}}}},
    )
    merge(config, {"telemetry": {"enabled": False}, "models": {"catalogRefresh": {"enabled": False}}})


def provider_name(url: str) -> str:
    """What onboarding calls the provider at an address: ``custom-127-0-0-1-8080``."""
    return f"custom-{re.sub(r'[^a-z0-9]+', '-', urlsplit(url).netloc.lower())}"


def inputs(model: str) -> list[str]:
    """What onboarding takes a model to read, by its name alone: those known for images are offered an image tool."""
    return ["text", "image"] if SEEING.search(model.lower()) else ["text"]


def environment(place: Place, path: str, model_key: str, gateway_key: str) -> dict[str, str]:
    """The gateway's whole environment; nothing of the caller's own is passed on."""
    return {
        "PATH": path,
        "HOME": place.home,
        "TMPDIR": place.tmp,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "DO_NOT_TRACK": "1",
        "OPENCLAW_STATE_DIR": place.state,
        "OPENCLAW_CONFIG_PATH": f"{place.state}/openclaw.json",
        "OPENCLAW_DISABLE_BONJOUR": "1",
        "OPENCLAW_EXEC_SHELL_SNAPSHOT": "0",
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "OPENCLAW_NO_RESPAWN": "1",
        "OPENCLAW_SKIP_CHANNELS": "1",
        "NODE_DISABLE_COMPILE_CACHE": "1",  # else 1,600 files in the temporary folder of every session
        "OPENCLAW_TRAJECTORY": "0",  # a debugging record of every prompt, 100 kB a turn
        MODEL_KEY: model_key,
        GATEWAY_KEY: gateway_key,
        **({"CLOCK_FILE": place.clock} if place.clock else {}),
    }


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Put ``over`` into ``base``, folder by folder; lists and plain values replace."""
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merge(base[key], value)
        else:
            base[key] = value
    return base


def _common(release: Release, settings: AgentSettings, place: Place, model: str) -> dict[str, Any]:
    described = {"id": model, "name": f"{model} (Custom Provider)", "reasoning": False, "input": inputs(model)}
    limits = {"contextWindow": CONTEXT_TOKENS, "maxTokens": int(settings.options.get("max_tokens", OUTPUT_TOKENS))}
    name = provider_name(place.model_url)
    cost = {"cost": dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)}
    provider = {"baseUrl": place.model_url, "apiKey": f"${{{MODEL_KEY}}}", "api": "openai-completions"}
    return {
        "gateway": {
            "mode": "local",
            "bind": "loopback",
            "auth": {"mode": "token", "token": f"${{{GATEWAY_KEY}}}"},
            # No browser, and no device key of the terminal client: the slot's loopback is its own, the token new.
            "controlUi": {"enabled": False, "dangerouslyDisableDeviceAuth": True},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "update": {"checkOnStart": False},
        "discovery": {"mdns": {"mode": "off"}},
        "cron": {"enabled": False},  # no heartbeat, no dreaming sweep, no weekly skill review
        "logging": {"file": f"{place.logs}/gateway.log", "level": "warn"},
        "models": {"mode": "replace", "providers": {name: {**provider, "models": [described | cost | limits]}}},
        "agents": {
            "defaults": {
                "workspace": place.workspace,
                "skipBootstrap": True,
                "model": {"primary": f"{name}/{model}"},
                "heartbeat": {"every": "0m"},
            }
        },
        "tools": _tools(release, settings),
        "plugins": {"allow": ["memory-core"], "entries": {"memory-core": {"enabled": True}}},
    }


def _tools(release: Release, settings: AgentSettings) -> dict[str, Any]:
    if settings.tools == STOCK:
        return {"profile": "coding" if release.workshop_plugin else "full"}
    offered = {"released": RELEASED_TOOLS, "memory": MEMORY_TOOLS, "work": [*RELEASED_TOOLS, "exec", "process"]}
    if settings.tools not in offered:
        raise UsageError(
            f"OpenClaw has no tool set {settings.tools!r}.", hint=f"Choose one of: {', '.join([*offered, STOCK])}."
        )
    denied = DENIED_TOOLS if release.workshop_plugin else DENIED_TOOLS + DENIED_CORE_TOOLS
    tools: dict[str, Any] = {"fs": {"workspaceOnly": True}, "allow": offered[settings.tools], "deny": denied}
    if settings.session_search:
        others = {"visibility": "agent"}  # else a session sees itself and what it started
        return {**tools, "allow": [*tools["allow"], *TRANSCRIPT_TOOLS], "sessions": others}
    return {**tools, "deny": [*denied, *TRANSCRIPT_TOOLS]}


def _search(place: Place) -> dict[str, Any]:
    remote = {"baseUrl": place.model_url, "apiKey": f"${{{MODEL_KEY}}}"}
    return {"provider": "openai-compatible", "model": embedding.NAME, "remote": remote}


def _workshop(release: Release, review: str) -> dict[str, Any]:
    if review in {"off", STOCK} and release.workshop_plugin:
        return {}
    if review == "off":
        return {"skills": {"workshop": {"autonomous": {"mode": "off"}}}}
    plugin: dict[str, Any]
    if review == "released":
        plugin = {"autoCapture": True, "approvalPolicy": "auto", "reviewMode": "heuristic", "reviewInterval": 1}
    elif review in {STOCK, "plugin-defaults"}:
        plugin = {}
    elif match := re.fullmatch(r"interval=([1-9]\d?|1\d\d|200)", review):
        plugin = {
            "autoCapture": True,
            "approvalPolicy": "auto",
            "reviewMode": "hybrid",
            "reviewInterval": int(match[1]),
        }
    else:
        raise UsageError(
            f"OpenClaw has no review policy {review!r}.",
            hint="Choose released, stock, plugin-defaults, interval=N (1-200) or off.",
        )
    if release.workshop_plugin:
        entry = {"enabled": True, **({"config": plugin} if plugin else {})}
        return {"plugins": {"allow": ["memory-core", "skill-workshop"], "entries": {"skill-workshop": entry}}}
    if review in {STOCK, "plugin-defaults"}:
        return {}
    return {"skills": {"workshop": {"autonomous": {"mode": "auto"}, "approvalPolicy": "auto"}}}
