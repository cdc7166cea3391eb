"""Words around a claim that change what a note says of it: retired, rejected, asked, quoted, denied, turned round.

The lists are data (``data/commit_markers.yaml``). A marker that the claim uses itself says nothing and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, Literal

import yaml

from stewardbench.pasb.words import stem, stop_words, words

Doubt = Literal["denied", "reversed", "retired", "rejected", "asked", "quoted", "circumstances", "spread"]

DENIALS = frozenset({"not", "cannot", "false", "untrue", "myth", "incorrect", "nobody"})
NEGATIONS = DENIALS | {"no", "never", "nor", "neither", "none", "nothing", "without", "hardly", "rarely", "against"}
DENIAL_REACH = 2  # content words after a denial
CLAUSE = re.compile(r"[,;:()\[\]!?\u2013\u2014]|\.(?=\s|$)")
STRUCK = re.compile(r"~~|</?(?:del|s|strike)>|\u0336|❌|✗|✘")
MARKED: tuple[Doubt, ...] = ("retired", "rejected", "asked", "quoted")


@cache
def _lists() -> dict[str, Any]:
    source = (files("stewardbench.pasb.data") / "commit_markers.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.safe_load(source)
    return loaded


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the flat lists of words: saying, speakers, judgement."""
    return frozenset(str(_lists()[name]).split())


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """A pattern over words joined by single spaces."""
    runs = []
    for line in _lists()[kind]:
        tokens = [r"(?:\S+ ){0,2}" if token == "*" else f"(?:{_choice(token)}) " for token in str(line).split()]
        runs.append("".join(tokens))
    if kind == "quoted":
        own, saying = ("|".join(map(re.escape, sorted(word_list(name)))) for name in ("speakers", "saying"))
        runs.append(rf"(?:a|an|the|my|our|his|her|their|{own}) (?:(?!(?:{own}) )\S+ ){{1,4}}(?:{saying}) ")
        runs.append(rf"according to (?!(?:the )?(?:{own}) )")
    return re.compile(rf"(?<!\S)(?:{'|'.join(runs)})")


def _choice(token: str) -> str:
    return "|".join(map(re.escape, token.split("|")))


def markers(text: str, kind: str) -> set[str]:
    """The markers of one kind that a text holds, as the words that were found; of a quotation, who says and "says"."""
    joined = " ".join(words(text)) + " "
    found = {match[0].strip() for match in _pattern(kind).finditer(joined)}
    return {" ".join(one.split()[-2:]) for one in found} if kind == "quoted" else found


def marked(claim: str, around: str) -> Doubt | None:
    """Whether the words around a claim retire, reject, ask or quote it, and the claim itself does not say so."""
    if STRUCK.search(around):
        return "retired"
    for kind in MARKED:
        found = markers(around, kind)
        if found and not found <= markers(claim, kind):
            return kind
    return None


def denies(claim: str, wanted: frozenset[str], said: str) -> bool:
    """Whether a text denies what the claim affirms: one of its content words shortly after a denial."""
    return bool((denied_stems(said) & wanted) - denied_stems(claim, NEGATIONS))


def turns_round(claim: str, said: Sequence[str]) -> bool:
    """Whether the words affirm what the claim denies: the word right after its denial, and no negation at all.

    A judgement such as "I am not to blame for X" is often kept without its first half; that is no reversal.
    """
    own = words(claim)
    after = _after(own)
    negated = {stem(word) for word in after if own.count(word) == after.count(word)}  # and nowhere affirmed
    return bool(negated & {stem(word) for word in said}) and not any(is_negation(word) for word in said)


def judges(said: Sequence[str]) -> bool:
    """Whether any of the words is one of judgement, rule or reason."""
    known = word_list("judgement")
    return any(word in known or word.endswith("n't") for word in said)


def is_negation(word: str) -> bool:
    """Whether a word negates anything."""
    return word in NEGATIONS or word.endswith("n't")


def denied_stems(text: str, denials: frozenset[str] = DENIALS) -> set[str]:
    """Stems of the few content words that follow each denial in its own clause."""
    denied = set()
    for clause in CLAUSE.split(text):
        left = 0
        for word in words(clause):
            if word in denials or word.endswith("n't"):
                left = DENIAL_REACH
            elif left and word not in stop_words():
                denied.add(stem(word))
                left -= 1
    return denied


def _after(sequence: Sequence[str]) -> list[str]:
    """The content word that stands right after each negation."""
    return [second for first, second in pairwise(sequence) if is_negation(first) and second not in stop_words()]
