"""The carrier test: do the first words of a turn alone tell claim turns from fillers, true claims or twins?

If they can, an agent (or a filter) may act on the wrapping instead of the claim. A regularised logistic regression
on the first words of a turn is trained on all base items but some and scores the turns of those left out. Its area
under the curve is 0.5 where openings say nothing and 1 where they say everything; we aim below 0.65.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit

from stewardbench.pasb.records import Task
from stewardbench.pasb.words import opening
from stewardbench.seeding import generator

Array = npt.NDArray[np.float64]
OPENING_WORDS = 3
FOLDS = 10
RIDGE = 1.0
AIM = 0.65


@dataclass(frozen=True, slots=True)
class Carrier:
    """One user turn as the classifier sees it."""

    item: str
    first_words: tuple[str, ...]
    positive: bool


@dataclass(frozen=True)
class CarrierTest:
    """The outcome of one carrier test. ``auc`` is None when one of the two classes is missing."""

    auc: float | None
    positives: int
    negatives: int
    items: int


def claim_against_filler(tasks: Sequence[Task]) -> CarrierTest:
    """Claim turns (positive) against filler turns of the same tasks."""
    turns = [
        Carrier(task.base_item_id, opening(turn.text, OPENING_WORDS), turn.kind != "filler")
        for task in tasks
        for turn in task.persist_turns
    ]
    return _test(turns)


def claim_against_arm(natural: Sequence[Task], others: Sequence[Task]) -> CarrierTest:
    """Claim turns (positive) against the turns that tell a true claim or a twin in the claim's places.

    A twin's turns stand in two tasks, in and out of its scope, and count once.
    """
    turns = [
        Carrier(task.base_item_id, opening(turn.text, OPENING_WORDS), task.arm == "natural")
        for task in (*natural, *(other for other in others if other.scope != "out"))
        for turn in task.persist_turns
        if turn.kind != "filler"
    ]
    return _test(turns)


@dataclass(frozen=True, slots=True)
class Telling:
    """An opening, how many claim turns and fillers have it, and in how many base items it stands."""

    first_words: str
    claims: int
    fillers: int
    items: int


def telling_openings(tasks: Sequence[Task], limit: int = 5) -> tuple[Telling, ...]:
    """Openings of at least three base items that lean most to one side: what to re-word first."""
    claims: Counter[tuple[str, ...]] = Counter()
    fillers: Counter[tuple[str, ...]] = Counter()
    holders: dict[tuple[str, ...], set[str]] = {}
    for task in tasks:
        for turn in task.persist_turns:
            first = opening(turn.text, OPENING_WORDS)
            for length in range(1, len(first) + 1):
                (fillers if turn.kind == "filler" else claims)[first[:length]] += 1
                holders.setdefault(first[:length], set()).add(task.base_item_id)
    shared = [
        Telling(" ".join(words), claims[words], fillers[words], len(items))
        for words, items in holders.items()
        if len(items) > 2
    ]
    return tuple(sorted(shared, key=lambda one: (-abs(one.claims - one.fillers), one.first_words))[:limit])


def _test(turns: Sequence[Carrier]) -> CarrierTest:
    items = sorted({turn.item for turn in turns})
    positives = sum(turn.positive for turn in turns)
    sizes = {"positives": positives, "negatives": len(turns) - positives, "items": len(items)}
    if not 0 < positives < len(turns) or len(items) < 2:
        return CarrierTest(auc=None, **sizes)
    tally = Counter(turns)  # the same turn stands in several tasks: one row, with its count as weight
    rows = list(tally)
    counts = np.array([tally[row] for row in rows], dtype=float)
    labels = np.array([row.positive for row in rows], dtype=float)
    generator(0, "carrier folds").shuffle(items)
    fold = {item: place % min(FOLDS, len(items)) for place, item in enumerate(items)}
    folds = np.array([fold[row.item] for row in rows])
    features = _features(rows)
    scores = np.empty(len(rows))
    for held in range(folds.max() + 1):
        train = folds != held
        scores[~train] = features[~train] @ fit_logistic(features[train], labels[train], counts[train])
    return CarrierTest(auc=area_under_curve(scores, labels, counts), **sizes)


def _features(turns: Sequence[Carrier]) -> csr_matrix:
    """Indicator of each opening prefix (first word, first two, first three) and a constant."""
    index: dict[tuple[str, ...], int] = {(): 0}
    rows, columns = [], []
    for row, turn in enumerate(turns):
        for length in range(len(turn.first_words) + 1):
            rows.append(row)
            columns.append(index.setdefault(turn.first_words[:length], len(index)))
    return csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(turns), len(index)))


def fit_logistic(features: csr_matrix, labels: Array, counts: Array, ridge: float = RIDGE) -> Array:
    """Weights of a ridge logistic regression on counted rows; column 0 is the constant and is not penalised."""
    signs = 2 * labels - 1
    penalty = np.full(features.shape[1], ridge)
    penalty[0] = 0.0

    def loss(weights: Array) -> float:
        margin = signs * (features @ weights)
        return float((counts * np.logaddexp(0, -margin)).sum() + 0.5 * (penalty * weights**2).sum())

    def gradient(weights: Array) -> Array:
        margin = signs * (features @ weights)
        return np.asarray(features.T @ (-counts * signs * expit(-margin)) + penalty * weights)

    def curvature(weights: Array, direction: Array) -> Array:
        chance = expit(features @ weights)
        return np.asarray(features.T @ (counts * chance * (1 - chance) * (features @ direction)) + penalty * direction)

    start = np.zeros(features.shape[1])
    return np.asarray(minimize(loss, start, jac=gradient, hessp=curvature, method="Newton-CG").x)


def area_under_curve(scores: Array, labels: Array, counts: Array) -> float:
    """The probability that a positive outscores a negative, over counted rows; ties count one half."""
    values, inverse = np.unique(np.round(scores, 12), return_inverse=True)
    positive = np.bincount(inverse, counts * labels, len(values))
    negative = np.bincount(inverse, counts * (1 - labels), len(values))
    below = np.cumsum(negative) - negative
    return float((positive * (below + negative / 2)).sum() / (positive.sum() * negative.sum()))
