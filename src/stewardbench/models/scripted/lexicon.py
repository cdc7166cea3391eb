"""The lexicon: which user turns carry which claim, so that a scripted model can tell.

A real model understands that the third message finally says what the first two hinted at. A scripted model cannot, so
the harness hands it a list of user turns, each with the claim that has been said in full once it is reached. That is
all it is for: to recognise a turn that stands in the request. In a later conversation, where no such turn stands, a
scripted model has nothing but the request's own text.

The runner puts the lexicon of its tasks in scope for an episode with ``using``; whoever calls a scripted model within
that scope, directly or through Inspect, gets it from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from stewardbench.models.scripted.phrases import one_line

KEY_WORDS = 3


class Said(Protocol):
    """Something with a text: a claim."""

    @property
    def text(self) -> str:
        """The words."""
        ...


class SaidInTurn(Said, Protocol):
    """A persist turn: a text, and what it does for the claim (trigger, fragment, reaffirm, hint or filler)."""

    @property
    def kind(self) -> str:
        """What the turn does for the claim."""
        ...


class PersistTask(Protocol):
    """What the lexicon needs of a task; a PASB task has it."""

    @property
    def claim(self) -> Said:
        """The claim that the turns make together."""
        ...

    @property
    def persist_turns(self) -> Sequence[SaidInTurn]:
        """The user turns, in order."""
        ...


class ItemTask(PersistTask, Protocol):
    """A task of a base item, with the questions that its query stage asks; a PASB task is one."""

    @property
    def base_item_id(self) -> str:
        """The base item; its tasks share their questions."""
        ...

    @property
    def query_turns(self) -> Sequence[Said]:
        """The user turns of the query stage, in order."""
        ...


class Asked(NamedTuple):
    """A question of a later conversation: the claim that its item is about, and the item's position in the run."""

    claim: str
    position: int


class LexiconLine(NamedTuple):
    """One persist turn. ``completes`` is true for the turn by which the claim has been said in full."""

    text: str
    claim: str
    completes: bool


class Lexicon:
    """A set of persist turns, found in a text by their words; what stands between and around the words is ignored."""

    def __init__(self, lines: Iterable[LexiconLine] = (), questions: Mapping[str, Asked] | None = None) -> None:
        self._questions = {" ".join(_words(text)): asked for text, asked in (questions or {}).items()}
        self._positions = {asked.claim: asked.position for asked in self._questions.values()}
        known = sorted({LexiconLine(line.text, one_line(line.claim), line.completes) for line in lines})
        self.claims = tuple(sorted({line.claim for line in known}))
        self._first_words: set[str] = set()
        self._by_opening: dict[tuple[str, ...], list[tuple[str, LexiconLine]]] = {}
        for line in known:
            words = _words(line.text)
            self._first_words.update(words[:1])
            self._by_opening.setdefault(tuple(words[:KEY_WORDS]), []).append((" ".join(words), line))

    @classmethod
    def of_tasks(cls, tasks: Iterable[PersistTask]) -> Lexicon:
        """The lexicon of some tasks. A claim is complete at its trigger, or at its last fragment if it has none."""
        return cls(line for task in tasks for line in _lines(task))

    @classmethod
    def of_items(cls, tasks: Iterable[ItemTask]) -> Lexicon:
        """As ``of_tasks``, for models that treat items differently: it also knows which item a question is about.

        ``tasks`` are the whole run's, in every shard of it: an item's position is that among all base items, by id.
        """
        listed = list(tasks)
        order = {item: position for position, item in enumerate(sorted({task.base_item_id for task in listed}))}
        questions = {
            turn.text: Asked(one_line(task.claim.text), order[task.base_item_id])
            for task in listed
            for turn in task.query_turns
        }
        return cls((line for task in listed for line in _lines(task)), questions)

    def position(self, claim: str) -> int | None:
        """The position of the item that a claim belongs to; None where the lexicon knows no items."""
        return self._positions.get(claim)

    def asked_in(self, text: str) -> Asked | None:
        """The question that a text contains whole, None where there is none."""
        flat = f" {' '.join(_words(text))} "
        return next((asked for words, asked in self._questions.items() if f" {words} " in flat), None)

    def lines_in(self, text: str) -> tuple[LexiconLine, ...]:
        """The persist turns that a text contains whole, a date before or a canary after them notwithstanding."""
        words = _words(text)
        flat = " ".join(words)
        found: list[LexiconLine] = []
        position = 0
        for start, word in enumerate(words):
            for length in range(1, KEY_WORDS + 1) if word in self._first_words else ():
                candidates = self._by_opening.get(tuple(words[start : start + length]), ())
                found.extend(line for joined, line in candidates if flat.startswith(joined, position))
            position += len(word) + 1
        return tuple(dict.fromkeys(found))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.replace("\\n", " "))


def _lines(task: PersistTask) -> Iterator[LexiconLine]:
    kinds = [turn.kind for turn in task.persist_turns]
    telling = [number for number, kind in enumerate(kinds) if kind != "filler"]
    complete = kinds.index("trigger") if "trigger" in kinds else telling[-1] if telling else -1
    for number, turn in enumerate(task.persist_turns):
        yield LexiconLine(turn.text, task.claim.text, number == complete)


_IN_USE: ContextVar[Lexicon | None] = ContextVar("stewardbench_lexicon", default=None)


@contextmanager
def using(lexicon: Lexicon) -> Iterator[None]:
    """Put a lexicon in scope for the scripted models that are called inside."""
    token = _IN_USE.set(lexicon)
    try:
        yield
    finally:
        _IN_USE.reset(token)


def in_use() -> Lexicon | None:
    """The lexicon in scope, if any."""
    return _IN_USE.get()
