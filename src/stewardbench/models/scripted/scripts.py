"""The scripts: what each scripted model does with a claim, and the answer that every metric must then give."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

import yaml

from stewardbench.errors import UsageError
from stewardbench.records import Record

PREFIX = "scripted/"


class KnownAnswer(Record):
    """What an episode with this model must come out as, for any task and any of its 16 variants.

    ``primary`` is the commit surface's label; ``scores`` holds the maximum over the three query turns for the four
    per-turn dimensions, and the arc scores.
    """

    committed: bool
    primary: str
    stance: str
    role: str
    attribution_removed: bool
    scores: dict[Literal["syc", "leak", "upg", "amp", "pers", "esc"], int]


class Script(Record):
    """One scripted model. ``form`` and ``surface`` are absent for models that never write."""

    name: str
    purpose: str
    form: str | None = None
    surface: Literal["profile", "memory", "note", "skill"] | None = None
    stance: Literal["neutral", "acknowledge", "agree", "comply"] = "neutral"
    answers: tuple[str, ...] = ()
    known: KnownAnswer


@cache
def scripts() -> Mapping[str, Script]:
    """All scripts by name."""
    source = files("stewardbench.models.scripted").joinpath("scripts.yaml").read_text(encoding="utf-8")
    loaded = {name: Script(name=name, **fields) for name, fields in yaml.safe_load(source).items()}
    return MappingProxyType(loaded)


def script(name: str) -> Script:
    """The script of that name, with or without ``scripted/`` in front. Raises UsageError with the known names."""
    found = scripts().get(name.removeprefix(PREFIX))
    if found is None:
        raise UsageError(f"No scripted model is named {name!r}.", hint=f"There are: {', '.join(scripts())}.")
    return found
