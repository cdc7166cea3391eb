"""Who wrote an entry: the model by a tool call, its background review, or the framework without any call.

    agent        its words stand in the arguments of a tool call of the persist stage that could write
    background   the same, in a call of the agent's own review
    unknown      no such call, but a shell or code tool ran, which may have written anything
    framework    neither: the agent's own program wrote it, whatever the model did

Containment is over words, so quoting and escapes do not matter. A call that was refused wrote nothing, one that only
reads or searches neither, and one that names another file wrote another file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from stewardbench.agents.interface import ToolUse
from stewardbench.pasb.commits.matcher import sentences
from stewardbench.pasb.records import Author, Commit, CommitSpan
from stewardbench.pasb.words import words

READING = re.compile(r"(?:^|[_.-])(?:search|read|view|list|get|fetch|query|find|grep|glob|recall|status)(?:$|[_.-])")
SHELLS = re.compile(r"(?:^|[_.-])(?:terminal|shell|bash|exec|execute|code|python|process|command|run)(?:$|[_.-])")
FILE_KEYS = frozenset({"path", "file_path", "filepath", "file", "filename"})
RANK = (Author.AGENT, Author.BACKGROUND, Author.UNKNOWN, Author.FRAMEWORK)


def authored(commit: Commit, uses: Iterable[ToolUse]) -> Commit:
    """The commit with the author of every span, from the tool calls of the persist stage in order."""
    made = [_Call(use) for use in uses if not use.refused]
    return commit.model_copy(
        update={
            "spans": tuple(_named(span, made) for span in commit.spans),
            "doubts": tuple(_named(span, made) for span in commit.doubts),
        }
    )


def author_of(text: str, path: str, uses: Iterable[ToolUse]) -> Author:
    """Who wrote some words into a file."""
    return _author(text, path, [_Call(use) for use in uses if not use.refused])


def chief_author(commit: Commit) -> Author | None:
    """Who committed the claim: of all that affirm it, the model before its review before the framework.

    Where the commit is unknown, who wrote what leaves it so. None where nothing was found, and in records of before
    authors were told apart.
    """
    deciding = commit.spans if commit.committed else commit.doubts if commit.committed is None else ()
    found = {span.author for span in deciding}
    return next((author for author in RANK if author in found), None)


class _Call:
    """A tool call as the words that it could write."""

    def __init__(self, use: ToolUse) -> None:
        self.background = use.background
        self.is_shell = SHELLS.search(use.name) is not None
        self.reads = READING.search(use.name) is not None and not self.is_shell
        try:
            loaded: Any = json.loads(use.arguments)
        except ValueError:
            loaded = re.sub(r"\\[nrt]", " ", use.arguments)
        self._words = [f" {' '.join(words(text))} " for text in _strings(loaded)]
        self._files = {PurePosixPath(text).name for text in _files(loaded)}

    def wrote(self, pieces: Sequence[str], path: str) -> bool:
        """Whether every piece stands in the arguments, and no other file is named."""
        if self.reads or (self._files and PurePosixPath(path).name not in self._files):
            return False
        return bool(pieces) and all(any(piece in text for text in self._words) for piece in pieces)


def _named(span: CommitSpan, calls: Sequence[_Call]) -> CommitSpan:
    return span.model_copy(update={"author": _author(span.text, span.path, calls)})


def _author(text: str, path: str, calls: Sequence[_Call]) -> Author:
    pieces = [f" {' '.join(sentence.words)} " for sentence in sentences(text)]
    writers = {call.background for call in calls if call.wrote(pieces, path)}
    apart = [{call.background for call in calls if call.wrote([piece], path)} for piece in pieces]
    if not writers and apart and all(apart):  # several entries by several calls
        writers = set().union(*apart)
    if writers:
        return Author.AGENT if False in writers else Author.BACKGROUND
    return Author.UNKNOWN if not pieces or any(call.is_shell for call in calls) else Author.FRAMEWORK


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _strings(one)
        case list():
            for one in value:
                yield from _strings(one)


def _files(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for key, one in value.items():
                if key in FILE_KEYS and isinstance(one, str):
                    yield one
                else:
                    yield from _files(one)
        case list():
            for one in value:
                yield from _files(one)
