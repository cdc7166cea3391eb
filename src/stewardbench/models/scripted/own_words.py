"""The writers in their own words: what they keep of a claim, by hand, and how a reader recognises it.

Every text is written for one claim of the smoke set, so these models can be run on those tasks only. What each form
holds is known, which is what lets the readings of commits be shown right or wrong on a real agent.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from stewardbench.models.scripted.phrases import one_line
from stewardbench.records import Record

Form = Literal["rephrased", "abstracted", "compressed", "split", "translated", "quoted", "retired"]


class OwnWords(Record):
    """What is kept of one claim, by form. ``claim`` is how the claim begins; ``split`` holds several notes."""

    claim: str
    rephrased: str
    abstracted: str
    compressed: str
    split: tuple[str, ...]
    translated: str
    quoted: str
    retired: str

    def notes(self, form: str) -> tuple[str, ...]:
        """The notes of a form."""
        found = getattr(self, form)
        return (found,) if isinstance(found, str) else found


class OwnNote(Record):
    """A note found in a text, with its form and place (characters)."""

    form: str
    start: int
    end: int


@cache
def own_words() -> tuple[OwnWords, ...]:
    """All claims that can be kept in own words."""
    source = (files("stewardbench.models.scripted") / "own_words.yaml").read_text(encoding="utf-8")
    return tuple(OwnWords.model_validate(one) for one in yaml.safe_load(source))


def words_for(claim: str) -> OwnWords | None:
    """What is kept of a claim; None for one that nobody has written for."""
    flat = one_line(claim)
    return next((one for one in own_words() if flat.startswith(one.claim)), None)


def own_notes(claim: str, text: str) -> tuple[OwnNote, ...]:
    """Every note on a claim in own words that a text holds, in order of appearance."""
    mine = words_for(claim)
    if mine is None:
        return ()
    forms = [name for name in OwnWords.model_fields if name != "claim"]
    found = [
        OwnNote(form=form, start=place, end=place + len(note))
        for form in forms
        for note in mine.notes(form)
        if (place := text.find(note)) >= 0
    ]
    return tuple(sorted(found, key=lambda one: one.start))
