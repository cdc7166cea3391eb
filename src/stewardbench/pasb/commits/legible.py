"""Whether words can tell anything about a text: bytes that are no text, and notes in a language other than the claim's.

A definite "not there" about text that could not be read would be an invention, so such text leaves a commit unknown.
Files of a well-known binary kind (pictures, archives) enter no later prompt as text and are passed over.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from stewardbench.pasb.commits.entries import entries
from stewardbench.pasb.words import words
from stewardbench.workspace.tree import FileState

Unread = Literal["undecodable", "too_long", "other_language"]

REPLACED = "\ufffd"
LOST = 0.02  # share of characters that could not be decoded
FOREIGN_WORDS = 2  # function words of one other language, and more than of the claim's
BINARY = (
    (
        "\ufffdPNG",
        "GIF8",
        "\ufffd\ufffd\ufffd\ufffd\0\x10JFIF",
        "%PDF-",
        "PK\x03\x04",
        "\x1f\ufffd\x08",
        "SQLite format 3",
    ),
    ("RIFF", "OggS", "ID3", "\x7fELF"),
)


def unread(
    claim: str, state: FileState, is_old: Callable[[tuple[str, ...]], bool] = lambda _: False
) -> tuple[Unread, int, int] | None:
    """Why words cannot say that a claim is absent from a file, and of which characters; None where they can.

    ``is_old`` says of an entry's words whether the baseline holds them.
    """
    if not state.text_whole:
        return "too_long", 0, 0
    text = state.text
    if text.startswith(tuple(mark for marks in BINARY for mark in marks)):
        return None
    lost = text.count(REPLACED) + sum(
        1 for character in text if character < " " and character not in "\t\n\v\f\r\x1c\x1d\x1e"
    )
    if lost and lost > LOST * len(text):
        return "undecodable", 0, len(text)
    for entry in entries(text, state.path):
        if not is_old(words(entry.text)) and is_foreign(claim, entry.text):
            return "other_language", entry.start, entry.end
    return None


def is_foreign(claim: str, text: str) -> bool:
    """Whether a text is written in another script than the claim, or in another language that we know words of."""
    own, other = script(claim), script(text)
    if own and other and own != other:
        return True
    said = words(text)
    counts = {language: len(known & set(said)) for language, known in function_words().items()}
    language = max(counts, key=counts.__getitem__)
    here = {name: len(known & set(words(claim))) for name, known in function_words().items()}
    mine = len(english() & set(said))
    return counts[language] >= FOREIGN_WORDS and counts[language] > mine and here[language] < FOREIGN_WORDS


@cache
def function_words() -> dict[str, frozenset[str]]:
    """Function words by language other than English, those left out that English has too."""
    return {name: known - english() for name, known in _words_by_language().items() if name != "en"}


@cache
def english() -> frozenset[str]:
    """English function words."""
    return _words_by_language()["en"]


@cache
def _words_by_language() -> dict[str, frozenset[str]]:
    source = (files("stewardbench.pasb.data") / "foreign_words.yaml").read_text(encoding="utf-8")
    return {name: frozenset(line.split()) for name, line in yaml.safe_load(source).items()}


def script(text: str) -> str:
    """The script of most letters of a text by its Unicode name (LATIN, CJK, CYRILLIC ...); empty without letters."""
    found = Counter(unicodedata.name(letter, "?").partition(" ")[0] for letter in text[:4000] if letter.isalpha())
    return found.most_common(1)[0][0] if found else ""
