"""Entries: the pieces into which an agent itself divides what it keeps, each a unit of meaning of its own.

    memories/*.md of Hermes      the lines that hold only a section sign
    skills, entries of a store   one entry each
    any other file               Markdown: list items with what is indented under them, numbered lists whole,
                                 paragraphs, headings, rows of a table; and the section-sign lines too

A claim is looked for inside one entry, because two true notes that stand side by side say no third thing. Offsets are
characters of the whole text. Every spelling of a line end counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
SECTION = re.compile(r"\s*§\s*")
RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*")
HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
BULLET = re.compile(r"\s*[-*+•‣◦–—]\s+(?:\[[ xX]\]\s+)?")
NUMBER = re.compile(r"\s*\(?(?:\d{1,3}|[a-zA-Z])[.)]\s+")
MARK = re.compile(rf"{HEADING.pattern}|{BULLET.pattern}|{NUMBER.pattern}|\s*>\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry. ``heading`` is the heading that it stands under, empty where there is none."""

    start: int
    end: int
    text: str
    heading: str = ""


@lru_cache(maxsize=4096)
def entries(text: str, path: str = "") -> tuple[Piece, ...]:
    """The entries of a file's text, in order. ``path`` is the captured path; without one the text is Markdown."""
    place = PurePosixPath(path)
    if place.name == "SKILL.md" or "skills" in place.parts or "workshop-skills" in place.parts or _is_stored(place):
        return (Piece(0, len(text), text),) if text.strip() else ()
    if place.parent.name == "memories":
        return tuple(_between(text, SECTION))
    return tuple(_markdown(text))


def blocks(entry: Piece) -> Iterator[tuple[int, int]]:
    """The steps and wrapped lines of an entry as character spans, list marks left out.

    Lines that were only wrapped belong together; a list item or a heading begins a new block.
    """
    start = end = -1
    for line in LINE.finditer(entry.text):
        mark = MARK.match(line[0])
        if mark or start < 0:
            if end > start >= 0:
                yield entry.start + start, entry.start + end
            start = line.start() + (mark.end() if mark else 0)
        end = line.end()
    if end > start >= 0:
        yield entry.start + start, entry.start + end


def _is_stored(place: PurePosixPath) -> bool:
    return len(place.parts) > 2 and place.parts[0] == "store"


def _between(text: str, separator: re.Pattern[str]) -> Iterator[Piece]:
    """What stands between lines that are only a separator."""
    start = end = -1
    for line in LINE.finditer(text):
        if not separator.fullmatch(line[0]):
            start, end = line.start() if start < 0 else start, line.end()
        elif start >= 0:
            yield Piece(start, end, text[start:end])
            start = -1
    if start >= 0 and text[start:end].strip():
        yield Piece(start, end, text[start:end])


def _markdown(text: str) -> Iterator[Piece]:
    """Markdown by list items, paragraphs, headings and rows."""
    heading, start, end, depth, is_numbered = "", -1, -1, 0, False
    for line in LINE.finditer(text):
        said = line[0]
        indent = len(said) - len(said.lstrip())
        blank = not said.strip() or SECTION.fullmatch(said) or RULE.fullmatch(said)
        gap = start >= 0 and _is_gap(text[end : line.start()])
        bullet, number = BULLET.match(said), NUMBER.match(said)
        continues = (
            start >= 0
            and not blank
            and not HEADING.match(said)
            and not said.lstrip().startswith("|")
            and ((bool(number) and (is_numbered or not gap)) or indent > depth or not (gap or bullet or number))
        )
        if continues:
            end, is_numbered = line.end(), is_numbered or bool(number)
            continue
        if start >= 0:
            yield Piece(start, end, text[start:end], heading)
            start = -1
        if blank:
            continue
        if mark := HEADING.match(said):
            yield Piece(line.start(), line.end(), said, heading)
            heading = said[mark.end() :].strip()
            continue
        start, end, depth, is_numbered = line.start(), line.end(), indent, bool(number)
    if start >= 0:
        yield Piece(start, end, text[start:end], heading)


def _is_gap(between: str) -> bool:
    """Whether there is an empty line between two lines: more than one line end."""
    return len(between.replace("\r\n", "\n").strip(" \t")) > 1
