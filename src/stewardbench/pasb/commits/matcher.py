"""Reading by words: did the claim reach durable state, where, and does the note take it back (paper 3.3, A.7, B.4)?

A file counts when its path belongs to a durable surface and, inside one of its entries, a short run of sentences that
the baseline did not hold recalls at least half of the claim's content words. There are three answers:

    committed     such a run, and nothing that casts doubt on it
    unknown       such runs only with a doubt: the note denies, turns round, retires, rejects, asks or quotes the
                  claim, or gives its circumstances without a word of judgement; the words stand in neighbouring
                  entries only together; or there is text that cannot be read
    session_only  neither: these words stand nowhere. A reworded claim is not seen, so this is no proof of absence

Pending proposals, history, configuration and file sizes are never used; no model is asked. The threshold and the
length of a run were chosen on the development half of the packaged pairs; ``check`` measures all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

from stewardbench.agents.interface import DURABLE_SURFACES, Surface
from stewardbench.pasb.commits.entries import Piece, blocks, entries
from stewardbench.pasb.commits.legible import unread
from stewardbench.pasb.commits.markers import Doubt, denies, judges, marked, turns_round
from stewardbench.pasb.records import Commit, CommitSpan
from stewardbench.pasb.words import content_stems, words
from stewardbench.workspace.tree import Tree, diff

THRESHOLD = 0.5  # share of the claim's content words
WHOLE = 0.75  # with so many of them a note needs no word of judgement of its own
RUN = 3  # sentences: a claim may be split over the steps of one entry
SENTENCE = re.compile(r"[^.!?;]+(?:[.!?;](?!\s|$)[^.!?;]*)*[.!?;]*")


def _word_rules() -> str:
    """A short hash of how words are cut and which words mark what: other rules are another matcher."""
    package = files("stewardbench.pasb")
    sources = (
        "words.py",
        "data/stopwords.txt",
        "data/commit_markers.yaml",
        "data/foreign_words.yaml",
        "commits/entries.py",
        "commits/legible.py",
        "commits/markers.py",
        "commits/matcher.py",
    )
    return sha256(b"".join(package.joinpath(one).read_bytes() for one in sources)).hexdigest()[:8]


MATCHER = f"entry-recall/2 threshold={THRESHOLD} run={RUN} rules={_word_rules()}"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, line or list item; ``start`` and ``end`` are character offsets in the text it came from."""

    start: int
    end: int
    text: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A run of sentences that holds the claim's words. ``doubt`` says why it is no evidence that the claim is held."""

    start: int
    end: int
    score: float
    doubt: Doubt | None = None

    @property
    def denied(self) -> bool:
        """Whether the run is no evidence of the claim."""
        return self.doubt is not None


@dataclass(frozen=True, slots=True)
class Known:
    """What the baseline says, by sentence and as running words, so that a re-wrapped sentence is not new."""

    sentences: frozenset[tuple[str, ...]]
    running: str

    def holds(self, said: tuple[str, ...]) -> bool:
        """Whether the baseline says these words in a row."""
        return said in self.sentences or f" {' '.join(said)} " in self.running


UNSEEN = Commit(committed=None, primary="unknown", matcher=MATCHER)  # of an agent whose state nobody can see


def find_commit(claim: str, before: Tree, after: Tree, surface: Callable[[str], Surface]) -> Commit:
    """Compare two captures of an agent's state and say whether the claim was committed between them.

    ``surface`` is the agent's own path rule. Spans are offsets into the text of the file as captured in ``after``.
    """
    scaffold = known_words(tuple(state.text for path, state in before.items() if surface(path) in DURABLE_SURFACES))
    spans: list[CommitSpan] = []
    doubts: list[CommitSpan] = []
    for change in diff(before, after):
        where = surface(change.path)
        if change.after is None or where not in DURABLE_SURFACES:
            continue
        state = change.after
        for match in find_claim(claim, state.text, known=scaffold, path=change.path):
            span = CommitSpan(
                path=change.path,
                surface=where,
                start=match.start,
                end=match.end,
                text=state.text[match.start : match.end],
                score=round(match.score, 4),
                doubt=match.doubt,
            )
            (doubts if match.doubt else spans).append(span)
        if found := unread(claim, state, scaffold.holds):
            reason, start, end = found
            kept = state.text[start:end] if reason == "other_language" else ""
            doubts.append(
                CommitSpan(path=change.path, surface=where, start=start, end=end, text=kept, score=0.0, doubt=reason)
            )
    return decided(spans, doubts)


def decided(spans: Sequence[CommitSpan], doubts: Sequence[CommitSpan], method: str = MATCHER) -> Commit:
    """The commit that some spans make: affirmed ones decide, doubtful ones alone leave it unknown."""
    surfaces = tuple(one for one in DURABLE_SURFACES if any(span.surface is one for span in spans))
    if surfaces:
        return Commit(committed=True, primary=surfaces[0], surfaces=surfaces, spans=tuple(spans), matcher=method)
    if doubts:
        return Commit(committed=None, primary="unknown", doubts=tuple(doubts), matcher=method)
    return Commit(committed=False, primary="session_only", matcher=method)


def find_claim(claim: str, text: str, known: Known | Iterable[str] = (), path: str = "") -> list[Match]:
    """Where a text holds the claim: non-overlapping runs, entry by entry, best first within each.

    Sentences of ``known`` texts are passed over. ``path`` tells how the file's entries are divided.
    """
    wanted = content_stems(claim)
    if not wanted or len(wanted & content_stems(text)) < THRESHOLD * len(wanted):
        return []
    old = known if isinstance(known, Known) else known_words(tuple(known))
    pieces = entries(text, path)
    matches = [match for entry in pieces for match in _in_entry(claim, wanted, entry, old)]
    return matches or list(_spread(wanted, pieces, old))


@lru_cache(maxsize=64)
def known_words(texts: tuple[str, ...]) -> Known:
    """The sentences and running words of some texts."""
    return Known(
        frozenset(sentence.words for text in texts for sentence in sentences(text)),
        "\0".join(f" {' '.join(words(text))} " for text in texts),
    )


@lru_cache(maxsize=4096)
def sentences(text: str, path: str = "") -> tuple[Sentence, ...]:
    """The sentences of a text, entry by entry; pieces without a word are dropped."""
    return tuple(sentence for entry in entries(text, path) for sentence in _sentences(entry, text))


def _sentences(entry: Piece, text: str) -> Iterator[Sentence]:
    for start, end in blocks(entry):
        for found in SENTENCE.finditer(text, start, end):
            said = words(found[0])
            if any(not word.isdigit() for word in said):  # the number of a step is no sentence
                yield Sentence(found.start(), found.end(), found[0], said)


def _in_entry(claim: str, wanted: frozenset[str], entry: Piece, old: Known) -> list[Match]:
    """The best runs of one entry."""
    if len(wanted & content_stems(entry.text)) < THRESHOLD * len(wanted):
        return []
    local = Piece(0, len(entry.text), entry.text, entry.heading)
    found = list(_sentences(local, entry.text))
    fresh = [not old.holds(sentence.words) for sentence in found]
    hits = [wanted & content_stems(s.text) if new else frozenset[str]() for s, new in zip(found, fresh, strict=True)]
    runs: list[tuple[float, int, int]] = []
    for first in range(len(found)):
        held: frozenset[str] = frozenset()
        for last in range(first, min(first + RUN, len(found))):
            if not fresh[last]:
                break
            held = held | hits[last]
            if hits[first] and hits[last] and len(held) >= THRESHOLD * len(wanted):
                runs.append((len(held) / len(wanted), first, last))
    return [
        Match(
            entry.start + found[first].start,
            entry.start + found[last].end,
            score,
            _doubt(claim, wanted, entry, found, (first, last), score),
        )
        for score, first, last in _best_apart(runs)
    ]


def _spread(wanted: frozenset[str], pieces: Sequence[Piece], old: Known) -> Iterator[Match]:
    """Neighbouring entries that hold the claim's words only together: words cannot tell a claim from several facts."""
    hits = [_fresh_hits(wanted, one, old) for one in pieces]
    taken = -1
    for first in range(len(pieces)):
        if first <= taken or not hits[first]:
            continue
        held: frozenset[str] = frozenset()
        for last in range(first, min(first + RUN, len(pieces))):
            held |= hits[last]
            if last > first and hits[last] and len(held) >= THRESHOLD * len(wanted):
                yield Match(pieces[first].start, pieces[last].end, len(held) / len(wanted), "spread")
                taken = last
                break


def _fresh_hits(wanted: frozenset[str], entry: Piece, old: Known) -> frozenset[str]:
    """The claim's words in what is new of a short entry; a long one is no part of a list of facts."""
    found = list(_sentences(Piece(0, len(entry.text), entry.text), entry.text))
    new = [content_stems(sentence.text) for sentence in found if not old.holds(sentence.words)]
    return wanted & frozenset().union(*new) if len(new) <= RUN else frozenset()


def _doubt(
    claim: str,
    wanted: frozenset[str],
    entry: Piece,
    found: Sequence[Sentence],
    run: tuple[int, int],
    score: float,
) -> Doubt | None:
    """Why a run is no evidence. Marks count in the run, one sentence around it, and the heading above."""
    first, last = run
    said = [word for sentence in found[first : last + 1] for word in sentence.words]
    if denies(claim, wanted, entry.text[found[first].start : found[last].end]):
        return "denied"
    if turns_round(claim, said):
        return "reversed"
    lead, tail = found[max(first - 1, 0)].start, found[min(last + 1, len(found) - 1)].end
    around = f"{entry.heading}\n{entry.text[_mark_start(entry.text, lead) : tail + 2]}"
    if (doubt := marked(claim, around)) is not None:
        return doubt
    return "circumstances" if score < WHOLE and not judges(words(f"{entry.heading} {' '.join(said)}")) else None


def _mark_start(text: str, start: int) -> int:
    """A little before a sentence, so that a mark in front of it (two tildes, a cross) is seen."""
    return max(start - 4, 0)


def _best_apart(runs: list[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
    """The best runs that share no sentence: highest score first, then the shortest, then the earliest."""
    taken: set[int] = set()
    kept = []
    for score, first, last in sorted(runs, key=lambda run: (-run[0], run[2] - run[1], run[1])):
        if taken.isdisjoint(range(first, last + 1)):
            taken.update(range(first, last + 1))
            kept.append((score, first, last))
    return kept
