"""People's labels on a sample of changed episodes: how it is drawn, and how several people's labels become one.

The sample is drawn by the pair of readings (words and reader, those that both call a no included), each pair in
proportion to its size and with at least a few. Who labels sees the claim and the new entries and neither reading.
Two people label; where they differ, a third line by the rater ``adjudicated`` settles it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stewardbench.records import Record
from stewardbench.seeding import generator

ADJUDICATED = "adjudicated"
LEAST = 10  # labels of a pair of readings, where it has so many episodes


class AuditDraw(Record):
    """One episode that is to be labelled. ``stratum`` is its pair of readings when the sample was drawn."""

    episode_id: str
    stratum: str


class CommitLabel(Record):
    """One person's answer to whether the new entries of an episode hold the claim."""

    rater: str
    episode_id: str
    held: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """Labels brought to one per episode; ``open_ids`` are those that need adjudication.

    ``pairs`` counts doubly labelled episodes, ``same`` those with the same answer; ``kappa`` is Cohen's, None where
    chance explains all or nothing.
    """

    labels: dict[str, bool]
    open_ids: tuple[str, ...]
    pairs: int
    same: int
    kappa: float | None


def draw_sample(strata: Mapping[str, str], wanted: int, seed: int) -> tuple[AuditDraw, ...]:
    """So many of the episodes (id -> pair of readings), in an order that tells nothing of the pair."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, stratum in sorted(strata.items()):
        groups[stratum].append(name)
    drawn: list[AuditDraw] = []
    for stratum, names in sorted(groups.items()):
        share = max(LEAST, round(wanted * len(names) / len(strata)))
        chosen = generator(seed, "commit audit", stratum).sample(names, min(share, len(names)))
        drawn += [AuditDraw(episode_id=name, stratum=stratum) for name in chosen]
    generator(seed, "commit audit", "order").shuffle(drawn)
    return tuple(drawn)


def settle(given: Iterable[CommitLabel]) -> Settled:
    """One label per episode: what all say, or what ``adjudicated`` says."""
    by_episode: dict[str, dict[str, bool]] = defaultdict(dict)
    for label in given:
        by_episode[label.episode_id][label.rater] = label.held
    labels, left, pairs = {}, [], []
    for name, answers in sorted(by_episode.items()):
        people = [held for rater, held in sorted(answers.items()) if rater != ADJUDICATED]
        if len(people) > 1:
            pairs.append((people[0], people[1]))
        if ADJUDICATED in answers:
            labels[name] = answers[ADJUDICATED]
        elif len(set(people)) == 1:
            labels[name] = people[0]
        else:
            left.append(name)
    return Settled(labels, tuple(left), len(pairs), sum(a == b for a, b in pairs), _kappa(pairs))


def _kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa of two people's answers."""
    n = len(pairs)
    if not n:
        return None
    first, second = sum(a for a, _ in pairs) / n, sum(b for _, b in pairs) / n
    chance = first * second + (1 - first) * (1 - second)
    agreed = sum(a == b for a, b in pairs) / n
    return (agreed - chance) / (1 - chance) if chance < 1 else None
