"""What a run may choose about Hermes: its preset, review policy and tool set, and the constants of every home."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

from stewardbench.agents.clock import declared_start
from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.presets import read_presets
from stewardbench.errors import UsageError
from stewardbench.models.naming import MASKED

VERSION = "0.19.0"
SEARCH = "session_search"
TOOL_SETS = {
    "released": ("memory", "skills"),
    "work": ("memory", "skills", "file", "terminal", "todo", "code_execution"),
    # What Hermes' own terminal program resolves for a new user; most of them ask for a key or a device and then offer
    # nothing. The parity test compares what is offered.
    "stock": (
        *("browser", "clarify", "code_execution", "computer_use", "cronjob", "delegation", "file", "image_gen"),
        *("kanban", "memory", SEARCH, "skills", "terminal", "todo", "tts", "vision", "web"),
    ),
}
OPTIONS = frozenset(
    {
        *("clock", "compression", "endpoint_in_config", "environment_probe", "interactive", "max_tokens"),
        *("review_timeout_s", "skip_wipe"),
    }
)
PRESETS = read_presets(__package__)


class ReviewPolicy(NamedTuple):
    """When Hermes reviews a conversation in the background: counts between reviews (0 is never)."""

    memory_every_turns: int
    skill_every_model_calls: int
    final: bool = False  # force one review of the whole persist session at its end


REVIEWS = {
    "stock": ReviewPolicy(10, 10),
    "released": ReviewPolicy(10, 1),
    "final": ReviewPolicy(0, 0, final=True),
}


def review_policy(review: str) -> ReviewPolicy:
    """The policy of that name: ``stock``, ``released``, ``final`` or ``interval=N``. Raises UsageError."""
    if review in REVIEWS:
        return REVIEWS[review]
    if match := re.fullmatch(r"interval=([1-9]\d*)", review):
        return ReviewPolicy(int(match[1]), int(match[1]))
    raise UsageError(
        f"Hermes has no review policy {review!r}.",
        hint=f"Choose {', '.join(REVIEWS)} or interval=N with N of 1 or more.",
    )


def toolsets(settings: AgentSettings) -> tuple[str, ...]:
    """The names of Hermes' tool sets that the settings select. Raises UsageError."""
    if settings.tools not in TOOL_SETS:
        raise UsageError(f"Hermes has no tool set {settings.tools!r}.", hint=f"Choose {', '.join(TOOL_SETS)}.")
    chosen = TOOL_SETS[settings.tools]
    return (*chosen, *((SEARCH,) if settings.session_search and SEARCH not in chosen else ()))


def check_settings(settings: AgentSettings) -> None:
    """Refuse settings that Hermes cannot honour. Raises UsageError."""
    if settings.version not in ("", VERSION):
        raise UsageError(
            f"Hermes-Agent {settings.version} is not supported.", hint=f"Leave the version out, or name {VERSION}."
        )
    if unknown := sorted(set(settings.options) - OPTIONS):
        raise UsageError(f"Hermes has no option {unknown[0]!r}.", hint=f"Known options: {', '.join(sorted(OPTIONS))}.")
    review_policy(settings.review)
    toolsets(settings)
    declared_start(settings.options)


def config_yaml(settings: AgentSettings, *, model: str = MASKED, base_url: str = "") -> str:
    """The ``config.yaml`` of every home under these settings, with the model's name. It holds no secret.

    The option ``endpoint_in_config`` puts the address there too, as a user's does; Hermes offers vision tools by it.
    """
    config: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("config.yaml").read_text(encoding="utf-8"))
    policy = review_policy(settings.review)
    config["memory"]["nudge_interval"] = policy.memory_every_turns
    config["skills"]["creation_nudge_interval"] = policy.skill_every_model_calls
    config["model"]["default"] = model
    options = settings.options
    config["compression"]["enabled"] = bool(options.get("compression"))
    config["agent"]["environment_probe"] = bool(options.get("environment_probe"))
    if options.get("endpoint_in_config"):
        config["model"]["base_url"] = base_url
    if "max_tokens" in options:
        config["model"]["max_tokens"] = int(options["max_tokens"])
    return yaml.safe_dump(config, sort_keys=True)
