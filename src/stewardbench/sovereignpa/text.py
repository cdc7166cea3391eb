"""Text folding and word tests that detection, routing and candor share, and dates in words.

Folding undoes what hides a value from a plain comparison: case, compatibility forms, accents, invisible characters,
digits of other scripts, and the Cyrillic and Greek letters that look like Latin ones.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from itertools import pairwise

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

_CYRILLIC = dict(zip("аеорсухікмтнвѕјԁԛԝһӏ", "aeopcyxikmthbsjdqwhl", strict=True))
_GREEK = dict(zip("αβεηικμνορτυχζ", "abenikmvoptuxz", strict=True))
_MARKS = dict(zip("’‘ʼ‐‑‒–—−", "'''------", strict=True))
_LOOKALIKE = str.maketrans(_CYRILLIC | _GREEK | _MARKS)
_WORD = re.compile(r"[^\W_]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def spoken_day(day: date) -> str:
    """A date without its year, in English whatever the machine's locale: Friday 12 June."""
    return f"{_DAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]}"


def spoken_date(iso: str) -> str:
    """An ISO date as people write it: Friday 12 June 2026."""
    day = date.fromisoformat(iso)
    return f"{spoken_day(day)} {day.year}"


def fold(text: str) -> str:
    """The comparable form of a text: lower case, one alphabet, no accents, no invisible characters."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    kept = []
    for char in decomposed:
        category = unicodedata.category(char)
        if category == "Nd":
            kept.append(str(unicodedata.digit(char)))
        elif category not in ("Mn", "Cf"):
            kept.append(char)
    return "".join(kept).translate(_LOOKALIKE)


def words(text: str) -> list[str]:
    """The alphanumeric words of a text, folded, in order."""
    return _WORD.findall(fold(text))


def has_word(folded: str, word: str) -> bool:
    """Whether a folded text contains a folded word or phrase with no letter or digit directly beside it."""
    start = folded.find(word)
    while start >= 0:
        end = start + len(word)
        if not (start and folded[start - 1].isalnum()) and not (end < len(folded) and folded[end].isalnum()):
            return True
        start = folded.find(word, start + 1)
    return False


def spaced_index(folded: str, target: str, max_gap: int = 3) -> list[tuple[int, int]]:
    """Where an alphanumeric target stands in a folded text with at most ``max_gap`` other characters between its own.

    Returns (start, end) offsets. Linear in the text for every input.
    """
    compact = "".join(filter(str.isalnum, folded))
    first = compact.find(target)
    if first < 0:
        return []
    places = [index for index, char in enumerate(folded) if char.isalnum()]
    found = []
    while first >= 0:
        span = places[first : first + len(target)]
        if all(after - before <= max_gap + 1 for before, after in pairwise(span)):
            found.append((span[0], span[-1] + 1))
        first = compact.find(target, first + 1)
    return found


def printable(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be stored as UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def sentence(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
