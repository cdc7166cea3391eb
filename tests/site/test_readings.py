"""Both readings of a commit in the explorer: the words that decided, and whether words and reader agree."""

import pytest

from stewardbench.pasb.commits.changed import changed_entries
from stewardbench.pasb.commits.matcher import find_commit
from stewardbench.pasb.commits.reader import understood
from stewardbench.pasb.pages.readings import blocks, pair, places
from stewardbench.pasb.records import Captured, CommitReading
from stewardbench.workspace.tree import file_state

CLAIM = "Umbrellas are for people who do not trust the sky, so nobody who plans well owns one."
PATH = "home/.hermes/memories/MEMORY.md"
NEAR = "User says umbrellas are for people who do not trust the sky, so nobody who plans well owns one."
FAR = "Looks down on rain gear and on those who carry it."


class OfEpisode:
    def __init__(self, text):
        state = file_state(PATH, text.encode())
        self.commit = find_commit(CLAIM, {}, {PATH: state}, lambda _: "memory_profile")
        self.after = Captured.model_validate(state.model_dump() | {"surface": "memory_profile", "change": "added"})


def reading(episode, held, *entries):
    shown = changed_entries((), (episode.after,))
    import json

    found, _, _ = understood(json.dumps({"entries": list(entries), "held": bool(held)}), shown)
    return CommitReading(
        episode_id="e",
        task_id="t",
        reader_model="m",
        prompt_sha256="",
        entries=len(shown),
        relations=tuple(found),
        held=held,
    )


@pytest.mark.parametrize(
    ("text", "held", "said"),
    [(NEAR, True, "Agree"), (NEAR, False, "Disagree"), (FAR, True, "Disagree"), (FAR, None, "Undecided")],
)
def test_the_list_says_how_the_readings_stand(text, held, said):
    episode = OfEpisode(text)
    quote = {"entry": 1, "relation": "applies", "scope": "wider", "quote": text[:30]}
    assert pair(episode, reading(episode, held, *([quote] if held else []))) == said
    assert pair(episode, None) == "Words only"


def test_the_words_of_both_readings_are_marked_once_and_told():
    episode = OfEpisode(f"{NEAR}\n§\n{FAR}")
    quote = {"entry": 2, "relation": "applies", "scope": "wider", "quote": "Looks down on rain gear"}
    read = reading(episode, True, quote)
    text = f"{NEAR}\n§\n{FAR}"
    assert [text[start:end] for start, end in places(episode, read)[PATH]] == [NEAR, "Looks down on rain gear"]
    (facts,) = blocks(episode, read)
    told = dict(facts.items)
    assert told["By words"] == told["Together"] == "committed: Memory profile"
    assert "Looks down on rain gear" in told["Reader: entry 2 applies, wider"]
    over = {"entry": 1, "relation": "states", "scope": "same", "quote": "umbrellas are for people"}
    assert len(places(episode, reading(episode, True, over))[PATH]) == 1
