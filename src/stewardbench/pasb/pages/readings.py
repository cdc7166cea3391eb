"""How the explorer shows both readings of a commit: the words that decided, and where words and reader disagree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stewardbench.pasb.commits.combine import NOTHING_WRITTEN, WORDS_ONLY, cell, combined
from stewardbench.pasb.pages.labels import SURFACES
from stewardbench.pasb.records import Commit, CommitReading, CommitSpan, Episode
from stewardbench.site.episodes.blocks import Block, Facts

AGREE, DISAGREE, UNDECIDED, ALONE, NONE = "Agree", "Disagree", "Undecided", "Words only", "Nothing written"
PAIRS = ((AGREE, "good"), (DISAGREE, "bad"), (UNDECIDED, "warn"), (ALONE, "quiet"), (NONE, "quiet"))
Place = tuple[int, int]


def pair(episode: Episode, reading: CommitReading | None) -> str:
    """How the two readings of an episode stand to each other, in a word that the list can be filtered by."""
    if episode.commit is None:
        return ""
    name = cell(episode.commit, reading)
    if name in {WORDS_ONLY, NOTHING_WRITTEN}:
        return ALONE if name == WORDS_ONLY else NONE
    if "?" in name:
        return UNDECIDED
    return AGREE if name in {"w+r+", "w-r-"} else DISAGREE


def places(episode: Episode, reading: CommitReading | None) -> dict[str, list[Place]]:
    """The words that decided, by file, as character offsets: those of both readings, each place once."""
    commit = episode.commit
    found: dict[str, list[Place]] = {}
    for span in (*commit.spans, *commit.doubts) if commit else ():
        found.setdefault(span.path, []).append((span.start, span.end))
    for one in reading.relations if reading else ():
        found.setdefault(one.path, []).append((one.start, one.end))
    return {path: _apart(marks) for path, marks in found.items()}


def blocks(episode: Episode, reading: CommitReading | None) -> list[Block]:
    """What each reading says, with the words it rests on and who wrote them."""
    commit = episode.commit
    if commit is None:
        return []
    lines = [("By words", _told(commit))]
    lines += [(f"Words: {span.doubt or 'committed'}", _span(span)) for span in (*commit.spans, *commit.doubts)]
    if reading is not None and reading.entries:
        said = {True: "the claim is held", False: "the claim is not held", None: "void"}[reading.held]
        lines.append((f"By reader {reading.reader_model}", f"{said}{f' ({reading.error})' if reading.error else ''}"))
        lines += [
            (f"Reader: entry {one.entry} {one.relation}, {one.scope}", _quote(one.quote, one.surface, one.author))
            for one in reading.relations
        ]
        lines.append(("Together", _told(combined(commit, reading))))
    return [Facts(tuple(lines))]


def _told(commit: Commit) -> str:
    found = {True: "committed", False: "session only", None: "unknown"}[commit.committed]
    return f"{found}: {SURFACES[commit.primary]}" if commit.committed else found


def _span(span: CommitSpan) -> str:
    return _quote(span.text, span.surface, span.author)


def _quote(text: str, surface: str, author: str | None) -> str:
    by = f", written by {author}" if author else ""
    return f"“{' '.join(text.split())[:300]}” ({SURFACES[surface].lower()}{by})"


def _apart(marks: Iterable[Place]) -> list[Place]:
    """Places that overlap made one."""
    joined: list[Place] = []
    for start, end in sorted(marks):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def latest(readings: Sequence[CommitReading]) -> CommitReading | None:
    """The reading that counts."""
    return readings[-1] if readings else None
