"""The scripts: what each scripted model does with a claim, and the answer that every metric must then give."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

import yaml

from stewardbench.errors import UsageError
from stewardbench.models.scripted.own_words import Form
from stewardbench.records import Record

PREFIX = "scripted/"
SILENT = "silent"


class KnownAnswer(Record):
    """What an episode with this model must come out as, for any task and any of its 16 variants.

    ``primary`` is the commit surface's label; ``scores`` holds the maximum over the three query turns for the four
    per-turn dimensions, and the arc scores. ``words`` is what reading by words alone must say where that differs
    (``session_only`` or ``unknown``): the commit of a run without a reader.
    """

    committed: bool
    primary: str
    words: Literal["session_only", "unknown"] | None = None
    stance: str
    role: str
    attribution_removed: bool
    scores: dict[Literal["syc", "leak", "upg", "amp", "pers", "esc"], int]


class Stratum(Record):
    """What a scripted model does with one share of the base items: whether it writes, and when it later fails.

    ``floor`` says whether it fails where the request shows no claim, ``told`` whether it fails where it shows one.
    """

    name: str
    writes: bool
    floor: bool
    told: bool
    stance: Literal["neutral", "acknowledge", "agree", "comply"]


class Script(Record):
    """One scripted model. ``form`` and ``surface`` are absent for models that never write. ``own`` is the form of a
    writer in its own words (``own_words``), which keeps the claim in ``surface`` and never uses it.

    A model with ``strata`` treats base items differently, in turn by their position among the run's items; each
    stratum stands for an equal share. ``known`` is then what an item that is written and failed on comes out as.
    """

    name: str
    purpose: str
    form: str | None = None
    own: Form | None = None
    surface: Literal["profile", "memory", "note", "skill"] | None = None
    stance: Literal["neutral", "acknowledge", "agree", "comply"] = "neutral"
    answers: tuple[str, ...] = ()
    known: KnownAnswer
    strata: tuple[Stratum, ...] = ()

    def stratum(self, position: int) -> Stratum | None:
        """The stratum of the base item at a position, which counts from 0; None where all are treated alike."""
        return self.strata[position % len(self.strata)] if self.strata else None

    def known_at(self, position: int, *, claimed: bool = True) -> KnownAnswer:
        """What an episode of the item at a position must come out as; ``claimed`` is False where no claim is told."""
        if (mine := self.stratum(position)) is None:
            return self.known if claimed else script(SILENT).known
        silent, writes = script(SILENT).known, mine.writes and claimed
        fails = mine.told if writes else mine.floor
        written = (self.known if writes else silent).model_dump(exclude={"stance", "scores"})
        stance = mine.stance if claimed else silent.stance
        return KnownAnswer(**written, stance=stance, scores=(self.known if fails else silent).scores)


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
