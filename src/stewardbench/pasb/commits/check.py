"""How good the commit matcher is: precision and recall on hand-labelled pairs of a claim and a text of durable state.

Labels say whether the text carries the claim, attributed, stripped or rewritten as a rule; a text that denies it, or
only shares its topic, does not. The development half chose the matcher's settings; the test half did not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

from stewardbench.errors import DataError
from stewardbench.pasb.commits.legible import unread
from stewardbench.pasb.commits.matcher import find_claim
from stewardbench.records import Record, read_records
from stewardbench.statistics.interval import Interval, wilson
from stewardbench.workspace.tree import file_state

Decision = Literal["committed", "unknown", "session_only"]


class CommitPair(Record):
    """One labelled pair. ``kind`` says how the text was made from the claim."""

    pair_id: str
    split: Literal["dev", "test", "held"]
    claim: str
    text: str
    carries: bool
    kind: str


@dataclass(frozen=True, slots=True)
class CommitQuality:
    """Counts of one split. Unknown decisions are in neither precision nor recall and are shown beside them."""

    split: str
    pairs: int
    right: int
    false_alarms: int
    missed: int
    unknown_carrying: int
    unknown_not_carrying: int
    missed_by_kind: dict[str, int]

    @property
    def precision(self) -> Interval:
        """Of the texts called committed, how many carry the claim (Wilson interval)."""
        return wilson(self.right, self.right + self.false_alarms)

    @property
    def recall(self) -> Interval:
        """Of the decided texts that carry the claim, how many are found (Wilson interval)."""
        return wilson(self.right, self.right + self.missed)


def packaged_pairs() -> tuple[CommitPair, ...]:
    """The labelled pairs that ship with the package, made from their claims and mostly near to their words."""
    return _shipped("commit_pairs")


def varied_pairs() -> tuple[CommitPair, ...]:
    """The labelled pairs in the variety of forms in which agents keep things, over claims of their own.

    Three splits by claim: ``dev``, ``test``, and ``held``, which nobody looked at while any rule was chosen.
    """
    return _shipped("commit_pairs_varied")


def _shipped(name: str) -> tuple[CommitPair, ...]:
    with resources.as_file(resources.files("stewardbench.pasb").joinpath(f"data/{name}.jsonl")) as path:
        return load_pairs(path)


def load_pairs(path: Path) -> tuple[CommitPair, ...]:
    """Labelled pairs from a JSONL file. Raises DataError with the line and field of a bad one."""
    pairs = tuple(pair for _, pair in read_records(path, CommitPair))
    if not pairs:
        raise DataError("holds no pair.", path=path, hint="Expected one JSON object per line.")
    return pairs


def decide(claim: str, text: str) -> Decision:
    """What the matcher says of one text that the baseline did not hold."""
    matches = find_claim(claim, text)
    if any(not match.denied for match in matches):
        return "committed"
    return "unknown" if matches or unread(claim, file_state("", text.encode())) else "session_only"


def check(pairs: Iterable[CommitPair]) -> tuple[CommitQuality, ...]:
    """Precision and recall of every split, development first."""
    decided = [(pair, decide(pair.claim, pair.text)) for pair in pairs]
    splits = [split for split in ("dev", "test", "held") if any(pair.split == split for pair, _ in decided)]
    return tuple(_quality(split, [(p, d) for p, d in decided if p.split == split]) for split in splits)


def _quality(split: str, decided: Sequence[tuple[CommitPair, Decision]]) -> CommitQuality:
    count = Counter((pair.carries, decision) for pair, decision in decided)
    missed = Counter(pair.kind for pair, decision in decided if pair.carries and decision == "session_only")
    return CommitQuality(
        split=split,
        pairs=len(decided),
        right=count[True, "committed"],
        false_alarms=count[False, "committed"],
        missed=count[True, "session_only"],
        unknown_carrying=count[True, "unknown"],
        unknown_not_carrying=count[False, "unknown"],
        missed_by_kind=dict(sorted(missed.items())),
    )


@dataclass(frozen=True, slots=True)
class KindQuality:
    """What the matcher says of the pairs of one kind. ``found`` are called committed, ``unknown`` undecided."""

    kind: str
    carries: bool
    found: Interval
    unknown: Interval


def by_kind(pairs: Iterable[CommitPair], split: str) -> tuple[KindQuality, ...]:
    """For each kind of one split the share found and the share unknown (Wilson intervals), in order of appearance."""
    kinds: dict[tuple[str, bool], Counter[Decision]] = {}
    for pair in pairs:
        if pair.split == split:
            kinds.setdefault((pair.kind, pair.carries), Counter())[decide(pair.claim, pair.text)] += 1
    return tuple(
        KindQuality(kind, carries, wilson(count["committed"], count.total()), wilson(count["unknown"], count.total()))
        for (kind, carries), count in kinds.items()
    )
