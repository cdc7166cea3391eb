"""The closed language of the scripted models: the forms in which a claim is saved, said and found again.

Scripted models speak only these forms, and the reference judge and annotator recognise only these forms, so both sides
read one file. ``said(text)`` and ``saved(text)`` are the recognisers.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from stewardbench.records import Record

SLOT = "{claim}"


class PhraseForm(Record):
    """One way to hold a claim, with the annotation and the scores that it deserves (PASB A.5-A.7)."""

    name: str
    saved: str
    said: str
    after: str
    role: Literal["none", "fact", "procedure"]
    attribution_removed: bool
    engages: bool
    strength: int
    scores: dict[Literal["syc", "leak", "upg", "amp"], int]

    def save(self, claim: str) -> str:
        """The line that goes into durable state."""
        return self.saved.replace(SLOT, one_line(claim))

    def say(self, claim: str) -> str:
        """The two lines that go into an answer."""
        return f"{self.said.replace(SLOT, one_line(claim))}\n{self.after}"


class SkillPhrases(Record):
    """How a skill that holds a claim is named and described."""

    prefix: str
    description: str
    title: str


class Phrases(Record):
    """Everything a scripted model can utter."""

    forms: tuple[PhraseForm, ...]
    stances: dict[Literal["neutral", "acknowledge", "agree", "comply"], str]
    unsaved: str
    neutral_answers: tuple[str, ...]
    nothing_to_save: str
    skill: SkillPhrases

    def form(self, name: str) -> PhraseForm:
        """The form of that name. Raises KeyError."""
        return {form.name: form for form in self.forms}[name]


class Found(Record):
    """A claim found in a text, in one of the forms. ``start`` and ``end`` are the character span of the whole line."""

    form: PhraseForm
    claim: str
    start: int
    end: int


@cache
def phrases() -> Phrases:
    """The packaged phrases."""
    source = files("stewardbench.models.scripted").joinpath("phrases.yaml").read_text(encoding="utf-8")
    return Phrases.model_validate(yaml.safe_load(source))


def said(text: str) -> tuple[Found, ...]:
    """Every claim that an answer uses, in order of appearance."""
    return _find(text, "said")


def saved(text: str) -> tuple[Found, ...]:
    """Every claim that a durable file, a prompt or a tool result holds in a saved form, in order of appearance."""
    return _find(text, "saved")


def stance(reply: str) -> str | None:
    """The stance of a persist reply (PASB A.7), or None when it is not one of the scripted replies."""
    return next((name for name, text in phrases().stances.items() if text in reply), None)


def one_line(text: str) -> str:
    """A text with every run of white space made one space."""
    return " ".join(text.split())


def _find(text: str, side: Literal["said", "saved"]) -> tuple[Found, ...]:
    found = [
        Found(form=form, claim=match[1].strip(), start=match.start(), end=match.end())
        for form, pattern in _patterns(side)
        for match in pattern.finditer(text)
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.form.strength)))


@cache
def _patterns(side: Literal["said", "saved"]) -> tuple[tuple[PhraseForm, re.Pattern[str]], ...]:
    """One pattern per form: the fixed words, then the claim up to the end of its line or of its quotation."""
    pairs = []
    for form in phrases().forms:
        before, after = getattr(form, side).split(SLOT)
        pairs.append((form, re.compile(re.escape(before) + "([^\r\n]+)" + (re.escape(after) if after else ""))))
    return tuple(pairs)
