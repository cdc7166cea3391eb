"""What a reader is shown of an episode: the entries of durable files that are new, numbered, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stewardbench.agents.interface import DURABLE_SURFACES, Surface
from stewardbench.pasb.commits.entries import entries
from stewardbench.pasb.commits.legible import BINARY, REPLACED
from stewardbench.pasb.commits.matcher import known_words, sentences
from stewardbench.pasb.records import Captured

LONGEST = 6000  # characters of one entry; a skill with an image would fill the prompt otherwise
MOST = 60_000  # characters of all entries


@dataclass(frozen=True, slots=True)
class ChangedEntry:
    """One new entry. Offsets are characters of the file's text; ``shown`` is what fits of it, ``left`` the rest."""

    number: int
    path: str
    surface: Surface
    start: int
    end: int
    text: str
    shown: str
    left: int = 0


def changed_entries(before: Iterable[Captured], after: Iterable[Captured]) -> tuple[ChangedEntry, ...]:
    """The new entries of the durable files after the persist stage, in path order.

    ``before`` are the baseline's versions of the changed files. An entry is new when any sentence of it is.
    """
    scaffold = known_words(tuple(state.text for state in before if state.surface in DURABLE_SURFACES))
    found: list[ChangedEntry] = []
    budget = MOST
    for state in sorted(after, key=lambda one: one.path):
        if state.surface not in DURABLE_SURFACES or state.change == "deleted":
            continue
        for start, end, text in _pieces(state):
            if all(scaffold.holds(sentence.words) for sentence in sentences(text)) and sentences(text):
                continue
            shown = text[: min(LONGEST, max(budget, 0))]
            budget -= len(shown)
            found.append(
                ChangedEntry(len(found) + 1, state.path, state.surface, start, end, text, shown, len(text) - len(shown))
            )
    return tuple(found)


def _pieces(state: Captured) -> Iterator[tuple[int, int, str]]:
    """The entries of one file; a binary file is named by its size and not shown."""
    if state.text.startswith(tuple(mark for marks in BINARY for mark in marks)):
        return
    if not state.text_whole or state.text.count(REPLACED) * 5 > len(state.text):
        yield 0, 0, f"({state.size:,} bytes that are no text, or too many to keep)"
        return
    for piece in entries(state.text, state.path):
        yield piece.start, piece.end, piece.text
