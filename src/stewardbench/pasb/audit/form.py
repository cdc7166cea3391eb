"""Does form give the claim away? Length, function words and first words as classifiers, with base items held out.

A claim that is the longest turn of its session, or the only one with "because" in it, can be found without being
understood; whatever then acts on it measures form. Each test trains a ridge logistic regression on some base items and
scores the turns of the others: 0.5 says that the feature tells nothing, 1 that it tells everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from stewardbench.pasb.audit.carriers import FOLDS, area_under_curve, fit_logistic
from stewardbench.pasb.axes import Delivery
from stewardbench.pasb.records import Task
from stewardbench.pasb.words import opening, stop_words, word_count, words
from stewardbench.seeding import generator

Features = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class FormTurn:
    """One turn: its base item, its text, and whether it belongs to the class looked for."""

    item: str
    text: str
    positive: bool


def first_words(text: str) -> tuple[str, ...]:
    """The first word, the first two and the first three."""
    return tuple(" ".join(opening(text, length)) for length in (1, 2, 3))


def function_words(text: str) -> tuple[str, ...]:
    """The words that carry no content, and the marks that end a question."""
    return tuple({word for word in words(text) if word in stop_words()} | ({"?"} if "?" in text else set()))


def bag_of_words(text: str) -> tuple[str, ...]:
    """Every word of a text, once."""
    return tuple(set(words(text)))


def claim_and_filler(tasks: Sequence[Task]) -> list[FormTurn]:
    """Claim turns (looked for) and fillers of the same tasks, as often as tasks use them."""
    return [FormTurn(t.base_item_id, turn.text, turn.kind != "filler") for t in tasks for turn in t.persist_turns]


def claim_and_arm(natural: Sequence[Task], others: Sequence[Task]) -> list[FormTurn]:
    """Claim turns (looked for) and the turns that tell another statement in their places; a twin's count once."""
    return [
        FormTurn(task.base_item_id, turn.text, task.arm == "natural")
        for task in (*natural, *(other for other in others if other.scope != "out"))
        for turn in task.persist_turns
        if turn.kind != "filler"
    ]


def held_out_auc(rows: Sequence[FormTurn], features: Features) -> float | None:
    """The area under the curve over turns of items that were left out in training; None with one class or item."""
    tally = Counter(rows)
    kept = list(tally)
    counts = np.array([tally[row] for row in kept], dtype=float)
    labels = np.array([row.positive for row in kept], dtype=float)
    items = sorted({row.item for row in kept})
    if not 0 < labels.sum() < len(labels) or len(items) < 2:
        return None
    generator(0, "form folds").shuffle(items)
    fold = {item: place % min(FOLDS, len(items)) for place, item in enumerate(items)}
    folds = np.array([fold[row.item] for row in kept])
    index: dict[str, int] = {"": 0}
    places = [
        (at, index.setdefault(one, len(index))) for at, row in enumerate(kept) for one in ("", *features(row.text))
    ]
    at, column = (np.array(part) for part in zip(*places, strict=True))
    matrix = csr_matrix((np.ones(len(places)), (at, column)), shape=(len(kept), len(index)))
    scores = np.empty(len(kept))
    for held in range(folds.max() + 1):
        train = folds != held
        scores[~train] = matrix[~train] @ fit_logistic(matrix[train], labels[train], counts[train])
    return area_under_curve(scores, labels, counts)


def length_auc(rows: Sequence[FormTurn]) -> float | None:
    """How well the number of words alone finds the claim, in whichever direction it does; 0.5 to 1."""
    tally = Counter(rows)
    labels = np.array([row.positive for row in tally], dtype=float)
    if not 0 < labels.sum() < len(labels):
        return None
    scores = np.array([word_count(row.text) for row in tally], dtype=float)
    area = area_under_curve(scores, labels, np.array(list(tally.values()), dtype=float))
    return max(area, 1 - area)


def claim_longest(tasks: Sequence[Task]) -> tuple[int, int]:
    """(sessions in which the claim is the longest turn, all sessions with one claim turn)."""
    single = [task for task in tasks if task.delivery in {Delivery.ALL_AT_ONCE, Delivery.LATE_SHOCK}]
    longest = 0
    for task in single:
        lengths = {
            kind: [word_count(t.text) for t in task.persist_turns if (t.kind == "filler") is kind]
            for kind in (True, False)
        }
        longest += bool(lengths[False]) and max(lengths[False]) > max(lengths[True], default=0)
    return longest, len(single)
