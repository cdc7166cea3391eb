"""Near-duplicates: claims that say the same, and runs of words that recur over base items (template seams)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stewardbench.pasb.audit.lexicon import lexicon
from stewardbench.pasb.records import Task
from stewardbench.pasb.words import content_stems, words

NEAR = 0.6  # cosine at which two claims count as near-duplicates
RUN = 6  # words in a recurring run


@dataclass(frozen=True)
class Pair:
    """Two base items and the cosine of their claims' idf-weighted content stems, 0 to 1."""

    first: str
    second: str
    similarity: float


def closest_claims(tasks: Sequence[Task], limit: int = 5) -> tuple[Pair, ...]:
    """The most similar pairs of claims, best first."""
    weigh = lexicon(tasks)
    claims = {task.base_item_id: task.claim.text for task in tasks}
    vectors = {item: {stem: weigh.idf(stem) for stem in content_stems(text)} for item, text in claims.items()}
    norms = {item: math.sqrt(sum(value**2 for value in vector.values())) for item, vector in vectors.items()}
    items = sorted(vectors)
    pairs = [
        Pair(first, second, _dot(vectors[first], vectors[second]) / (norms[first] * norms[second] or 1.0))
        for place, first in enumerate(items)
        for second in items[place + 1 :]
    ]
    return tuple(sorted(pairs, key=lambda pair: (-pair.similarity, pair.first, pair.second))[:limit])


def _dot(left: dict[str, float], right: dict[str, float]) -> float:
    return sum(value * right[stem] for stem, value in left.items() if stem in right)


@dataclass(frozen=True)
class RecurringRun:
    """A run of words and how many base items use it in a persist or query turn."""

    text: str
    items: int


def recurring_runs(tasks: Sequence[Task], limit: int = 5, length: int = RUN) -> tuple[RecurringRun, ...]:
    """Runs of words that stand in the turns of at least two base items, most shared first."""
    holders: dict[tuple[str, ...], set[str]] = {}
    seen: set[tuple[str, str]] = set()
    for task in tasks:
        persist = [turn.text for turn in task.persist_turns]
        for text in (*persist, *(turn.text for turn in task.query_turns)):
            if (task.base_item_id, text) in seen:
                continue
            seen.add((task.base_item_id, text))
            sequence = words(text)
            for start in range(len(sequence) - length + 1):
                holders.setdefault(sequence[start : start + length], set()).add(task.base_item_id)
    counts = Counter({run: len(items) for run, items in holders.items() if len(items) > 1})
    shared = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(RecurringRun(" ".join(run), count) for run, count in shared[:limit])
