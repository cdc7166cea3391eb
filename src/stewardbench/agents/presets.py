"""Presets: one word that stands for everything a run chooses about an agent.

    released    the policy of the paper's released runner
    stock       what somebody gets who installs the agent today and changes nothing but its model

An agent's presets are data, in ``presets.yaml`` beside its driver: what each sets, and what stays off under it with the
reason. A run may override single settings; then its rows name the preset and every setting that is not the preset's.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Protocol, runtime_checkable

import yaml
from pydantic import Field

from stewardbench.agents.interface import Agent, AgentSettings
from stewardbench.errors import UsageError
from stewardbench.records import Record

RELEASED, STOCK = "released", "stock"


class Preset(Record):
    """What one preset sets, and what it leaves off.

    ``options`` are the agent's own; ``left_off`` names every part of the agent that its users have on and a run under
    this preset has not, with the reason.
    """

    about: str = ""
    review: str = "released"
    tools: str = "released"
    max_model_calls_per_turn: int = Field(30, ge=1)
    options: dict[str, Any] = Field(default_factory=dict)
    left_off: dict[str, str] = Field(default_factory=dict)


@runtime_checkable
class WithPresets(Protocol):
    """An agent that has presets of its own. One without has ``released`` alone, which is ``Preset()``."""

    @property
    def presets(self) -> Mapping[str, Preset]:
        """The presets by name."""
        ...


def read_presets(package: str) -> dict[str, Preset]:
    """The presets in the ``presets.yaml`` of a package."""
    text = (files(package) / "presets.yaml").read_text(encoding="utf-8")
    return {name: Preset.model_validate(fields) for name, fields in yaml.safe_load(text).items()}


def preset_of(agent: Agent, name: str) -> Preset:
    """An agent's preset. Raises UsageError for one that it does not have."""
    presets = agent.presets if isinstance(agent, WithPresets) else {RELEASED: Preset()}
    if name not in presets:
        raise UsageError(f"{agent.name} has no preset {name!r}.", hint=f"Choose {' or '.join(presets)}.")
    return presets[name]


def settings_for(agent: Agent, name: str, chosen: Mapping[str, Any]) -> AgentSettings:
    """An agent's settings under a preset, with single settings chosen over it.

    ``chosen`` holds fields of ``AgentSettings``; None leaves a setting to the preset, and ``options`` are laid over the
    preset's key by key. A choice that equals the preset's is no override. Raises UsageError for an unknown preset.
    """
    preset = preset_of(agent, name)
    fields = {key: value for key, value in chosen.items() if value is not None}
    options = {**preset.options, **fields.pop("options", {})}
    governed = {
        "review": preset.review,
        "tools": preset.tools,
        "max_model_calls_per_turn": preset.max_model_calls_per_turn,
    }
    settings = {**governed, **fields}
    overrides = [f"{key}={settings[key]}" for key, value in governed.items() if settings[key] != value]
    overrides += [f"{key}={value}" for key, value in options.items() if preset.options.get(key) != value]
    return AgentSettings.model_validate(
        {**settings, "options": options, "preset": name, "overrides": tuple(sorted(overrides))}
    )
