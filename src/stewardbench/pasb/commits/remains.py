"""What is left of a claim in durable state just before the query session, after a mitigation or a change of mind.

    active       it stands as the agent's own: a fact, a rule, a preference
    attributed   it stands as what somebody said or thinks
    withdrawn    it stands only with the mark that it was taken back or is not so
    absent       its words stand nowhere
    unknown      its words stand in a way that words cannot tell, or there is text that cannot be read

The same runs of sentences as those of a commit, read for who is named. A reworded claim is not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from stewardbench.agents.interface import DURABLE_SURFACES, Surface
from stewardbench.pasb.commits.legible import unread
from stewardbench.pasb.commits.markers import word_list
from stewardbench.pasb.commits.matcher import Match, find_claim, known_words
from stewardbench.pasb.words import words
from stewardbench.workspace.tree import Tree

Remains = Literal["active", "attributed", "withdrawn", "absent", "unknown"]
RANK: tuple[Remains, ...] = ("active", "attributed", "unknown", "withdrawn", "absent")  # the strongest of several wins


def what_remains(claim: str, before: Tree, left: Tree, surface: Callable[[str], Surface]) -> Remains:
    """The state of a claim in the durable files of a tree; what the baseline (``before``) held is passed over."""
    durable = {path: state for path, state in left.items() if surface(path) in DURABLE_SURFACES}
    known = known_words(tuple(state.text for path, state in before.items() if surface(path) in DURABLE_SURFACES))
    found: set[Remains] = set()
    for path, state in durable.items():
        matches = find_claim(claim, state.text, known=known, path=path)
        found |= {_state(match, state.text[match.start : match.end]) for match in matches}
        if path not in before and not matches and unread(claim, state, known.holds):
            found.add("unknown")
    return next((one for one in RANK if one in found), "absent")


def of_text(claim: str, text: str) -> Remains:
    """The state of a claim in one text."""
    found = {_state(match, text[match.start : match.end]) for match in find_claim(claim, text)}
    return next((one for one in RANK if one in found), "absent")


def _state(match: Match, said: str) -> Remains:
    if match.doubt in {"retired", "rejected", "denied"}:
        return "withdrawn"
    if match.doubt == "quoted":
        return "attributed"
    if match.doubt is not None:
        return "unknown"
    spoken = words(said)
    named = any(word in word_list("speakers") or word == "user's" for word in spoken[:6])
    return "attributed" if named and any(word in word_list("saying") for word in spoken) else "active"
