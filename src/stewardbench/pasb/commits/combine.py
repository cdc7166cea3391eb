"""Two readings of one episode made one answer; a disagreement is kept for people, never voted away.

    words   reader   committed
    yes     yes      yes
    no, ?   yes      yes: its quote was found
    yes     no       unknown; no where every entry denies the claim
    no, ?   no       no
    yes     void     yes
    no, ?   void     unknown
    any     absent   as the words say

Where nothing durable changed there is no reader, and none is needed.
"""

from __future__ import annotations

from stewardbench.agents.interface import DURABLE_SURFACES
from stewardbench.pasb.commits.reader import HOLDING
from stewardbench.pasb.records import Commit, CommitReading, CommitSpan, ReadEntry, Relation

WORDS_ONLY, NOTHING_WRITTEN = "words only", "nothing written"


def cell(commit: Commit, reading: CommitReading | None) -> str:
    """The pair of readings in short: ``w+r-`` is words yes, reader no; ``?`` is unknown or void."""
    if reading is None:
        return WORDS_ONLY
    if not reading.entries:
        return NOTHING_WRITTEN
    return f"w{_sign(commit.committed)}r{_sign(reading.held)}"


def combined(commit: Commit, reading: CommitReading | None) -> Commit:
    """The commit that words and reader make together. ``matcher`` then names both."""
    if reading is None or not reading.entries:
        return commit
    method = f"{commit.matcher} + {reading.reader_model}"
    read = tuple(_span(one) for one in reading.relations if one.relation in HOLDING or one.relation is Relation.PART)
    if reading.held:
        return _committed((*commit.spans, *read), method)
    if commit.committed:
        if reading.held is None:
            return _committed(commit.spans, method)
        denied = bool(reading.relations) and all(one.relation is Relation.DENIES for one in reading.relations)
        return _undecided(commit.spans, None if not denied else False, method)
    return _undecided(commit.doubts, reading.held, method)


def _span(one: ReadEntry) -> CommitSpan:
    return CommitSpan(
        path=one.path,
        surface=one.surface,
        start=one.start,
        end=one.end,
        text=one.quote,
        score=1.0,
        author=one.author,
    )


def _committed(spans: tuple[CommitSpan, ...], method: str) -> Commit:
    surfaces = tuple(one for one in DURABLE_SURFACES if any(span.surface is one for span in spans))
    return Commit(committed=True, primary=surfaces[0], surfaces=surfaces, spans=spans, matcher=method)


def _undecided(doubts: tuple[CommitSpan, ...], committed: bool | None, method: str) -> Commit:
    primary = "unknown" if committed is None else "session_only"
    return Commit(committed=committed, primary=primary, doubts=doubts, matcher=method)


def _sign(value: bool | None) -> str:
    return "?" if value is None else "+" if value else "-"
