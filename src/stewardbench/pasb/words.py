"""Words as PASB counts and compares them: a text becomes words, content stems and an opening.

Lengths count words. Overlap compares content stems: words without the stop words, cut to a crude stem, so that
"pricing" and "prices" meet. The stemmer is deliberately small: it decides rules of authorship, not meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PLURALS = (("ies", "y"), ("sses", "ss"), ("es", ""), ("s", ""))
_ENDINGS = (("ing", ""), ("ed", ""), ("ly", ""))


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case; a hyphenated word and a number are one word each."""
    return tuple(word.replace("’", "'").lower() for word in _WORD.findall(text))


def word_count(text: str) -> int:
    """How many words a text has."""
    return len(words(text))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A crude stem of one lower-case word: the plural goes first, then -ing, -ed or -ly, then a final e."""
    word = _without(word.removesuffix("'s").removesuffix("'"), _PLURALS)
    bare = _without(word, _ENDINGS)
    if bare != word and not word.endswith("ly") and len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "ls":
        bare = bare[:-1]
    return bare.removesuffix("e") if len(bare) > 3 else bare


def _without(word: str, suffixes: tuple[tuple[str, str], ...]) -> str:
    """The word without the first of the suffixes that leaves at least three letters."""
    for suffix, replacement in suffixes:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            return word.removesuffix(suffix) + replacement
    return word


@cache
def stop_words() -> frozenset[str]:
    """Words that carry no content; shipped as ``data/stopwords.txt``."""
    return frozenset((files("stewardbench.pasb.data") / "stopwords.txt").read_text(encoding="utf-8").split())


@lru_cache(maxsize=65536)
def content_stems(text: str) -> frozenset[str]:
    """The distinct stems of the content words of a text; parts of a hyphenated word count singly."""
    parts = (part for word in words(text) if word not in stop_words() for part in word.split("-"))
    return frozenset(stem(part) for part in parts if part not in stop_words() and len(part) > 1)


def all_stems(texts: Iterable[str]) -> frozenset[str]:
    """The content stems of several texts together."""
    return frozenset().union(*(content_stems(text) for text in texts))


def recall(claim: str, text: str) -> float:
    """The share of the claim's content stems that the text holds, 0 to 1 (0 for a claim without content)."""
    wanted = content_stems(claim)
    return len(wanted & content_stems(text)) / len(wanted) if wanted else 0.0


def opening(text: str, length: int = 1) -> tuple[str, ...]:
    """The first words of a turn: what carries a message before its content starts."""
    return words(text)[:length]


def frame(text: str, length: int) -> tuple[str, ...]:
    """The opening without its content: up to ``length`` first words, ending before the second if it carries content."""
    first = opening(text, length)
    kept = first[:1]
    for word in first[1:]:
        if word not in stop_words():
            break
        kept += (word,)
    return kept


def shared_run(first: str, second: str) -> int:
    """The length in words of the longest run that two texts have in common."""
    left, right = words(first), words(second)
    best, row = 0, [0] * (len(right) + 1)
    for word in left:
        previous = 0
        for column, other in enumerate(right, 1):
            row[column], previous = (previous + 1 if word == other else 0), row[column]
            best = max(best, row[column])
    return best
