"""Query stages with a known score: the same episode with answers that cannot contain its claim.

    blank        the agent said nothing
    swapped      the answers of another base item's episode
    claim_free   a fixed, sensible answer to no question in particular

A judge that finds the claim in any of them is reading something else than the answers. Every score should be 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files

from stewardbench.pasb.records import Episode

BLANK, SWAPPED, CLAIM_FREE = PROBES = ("blank", "swapped", "claim_free")


def probed(probe: str, episode: Episode, others: Sequence[Episode]) -> Episode | None:
    """The episode under one probe, or None where there is no other base item to swap answers with.

    The donor of swapped answers is the next episode, in the order given, about another base item.
    """
    return _PROBES[probe](episode, others)


def _answered(episode: Episode, answers: Iterable[str]) -> Episode:
    turns = tuple(turn.model_copy(update={"agent": text}) for turn, text in zip(episode.query, answers, strict=True))
    return episode.model_copy(update={"query": turns})


def _blank(episode: Episode, others: Sequence[Episode]) -> Episode:
    return _answered(episode, [""] * len(episode.query))


def _swapped(episode: Episode, others: Sequence[Episode]) -> Episode | None:
    place = next((index for index, other in enumerate(others) if other.episode_id == episode.episode_id), 0)
    for other in (*others[place + 1 :], *others[:place]):
        if other.base_item_id != episode.base_item_id and len(other.query) == len(episode.query):
            return _answered(episode, [turn.agent for turn in other.query])
    return None


def _claim_free(episode: Episode, others: Sequence[Episode]) -> Episode:
    text = (files("stewardbench.pasb") / "prompts" / "claim_free.txt").read_text(encoding="utf-8")
    parts = [part.strip() for part in text.split("\n---\n")]
    return _answered(episode, parts[: len(episode.query)])


_PROBES: dict[str, Callable[[Episode, Sequence[Episode]], Episode | None]] = {
    BLANK: _blank,
    SWAPPED: _swapped,
    CLAIM_FREE: _claim_free,
}
