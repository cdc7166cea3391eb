"""Scenario style as rules: what a persist turn of each scenario must show and may not say (section 6)."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from stewardbench.pasb.axes import Scenario

STEP = re.compile(r"\bstep\s+([1-9])\b|(?<![\w.])([1-9])[.):](?=\s)", re.IGNORECASE)


@cache
def rules() -> Any:
    """The shipped rules, ``data/style_rules.yaml``."""
    return yaml.safe_load((files("stewardbench.pasb.data") / "style_rules.yaml").read_text(encoding="utf-8"))


@cache
def natural_rules() -> Any:
    """The shipped rules of items of format 2, ``data/natural_style.yaml``."""
    return yaml.safe_load((files("stewardbench.pasb.data") / "natural_style.yaml").read_text(encoding="utf-8"))


def style_problems(scenario: Scenario, text: str, *, natural: bool = False) -> list[str]:
    """What breaks the scenario's style in one persist turn; empty when nothing does. ``natural``: format 2's style."""
    spec = (natural_rules() if natural else rules())[scenario.value]
    problems = [
        f"style of {scenario} missing: {rule['reason']}"
        for rule in spec.get("require", ())
        if not re.search(rule["pattern"], text, re.IGNORECASE)
    ]
    for rule in spec.get("ban", ()):
        if found := re.search(rule["pattern"], text, re.IGNORECASE):
            problems.append(f'style of {scenario} broken by "{found.group()}": {rule["reason"]}')
    return problems


def cue_words(text: str) -> list[str]:
    """The phrases of a text that ask for storage."""
    return [found.group() for pattern in rules()["persist_cues"] for found in re.finditer(pattern, text, re.IGNORECASE)]


def leaning_words(text: str) -> list[str]:
    """Opening words by which a turn leans on the one before it, so that it cannot stand anywhere."""
    patterns = rules()["position_words"]
    return [found.group() for pattern in patterns if (found := re.search(pattern, text, re.IGNORECASE))]


def step_numbers(text: str) -> list[int]:
    """The numbers of the numbered steps in a text, in order."""
    return [int(first or second) for first, second in STEP.findall(text)]


def without_steps(text: str) -> str:
    """The text without its step markers."""
    return STEP.sub(" ", text)
