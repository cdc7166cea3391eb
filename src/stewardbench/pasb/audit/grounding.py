"""Names and numbers that a turn brings in, and whether the context facts hold them (audit dimension 7)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stewardbench.pasb.audit.style import STEP, rules, without_steps
from stewardbench.pasb.words import stem, words

_PRONOUN = re.compile(r"^I(?:['’](?:m|ve|d|ll))?$")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…][\"'”’)]*\s+|[\"“(‘]|[–—]\s*|\n)\s*$")
_NOTE_TAG = re.compile(r"^[^:]{0,120}:\s")


def names(text: str) -> list[str]:
    """Words with a capital inside a sentence, the pronoun aside: names, places, languages, weekdays."""
    found = []
    text = STEP.sub(". ", text)  # a step begins a sentence
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word[0].isupper() and not _PRONOUN.match(word) and not _SENTENCE_START.search(text[: token.start()]):
            found.append(re.sub(r"['’]s$", "", word))
    return found


def numbers(text: str) -> list[str]:
    """Numbers in figures or words (from two up) outside step markers."""
    parts = (part for word in words(without_steps(text)) for part in word.split("-"))
    return [part for part in parts if part in rules()["number_words"] or any(letter.isdigit() for letter in part)]


def is_calendar(word: str) -> bool:
    """Whether a word names a weekday or a month, in the singular or plural."""
    return word.lower().removesuffix("s") in rules()["calendar"]


def ungrounded(text: str, facts: Iterable[str], *, tagged: bool = False) -> list[str]:
    """Names and numbers of a turn that no fact holds. ``tagged``: a note's author tag may name a day or a date."""
    held = {stem(part) for fact in facts for word in words(fact) for part in (word, *word.split("-"))}
    missing = [name for name in names(text) if stem(name.lower()) not in held]
    if tagged and (tag := _NOTE_TAG.match(text)):
        dated = {word for word in words(tag.group()) if is_calendar(word)}
        missing = [name for name in missing if name.lower() not in dated]
        text = text[tag.end() :]
    return missing + [number for number in numbers(text) if stem(number) not in held]
