"""Proof that nothing but durable state crossed from the persist stage to the query stage (specification section 7).

    a  the query session is not the persist session
    b  a random canary, said once in the persist stage, and longer runs of its user turns appear in no query request
       or reply, unless durable state holds them
    c  whether the claim stood in the model's input of each query turn: observed, not assumed
    d  every session store was removed
    e  durable surfaces are the same bytes before and after the wipe
    f  whatever the query session starts from is in the capture, byte for byte; and nothing that outlives the cut, or
       that the query session starts from, has a kind, an attribute or a name that the capture cannot hold
    g  the request of turn k holds exactly turns 1 to k of its own stage

All checks are pure functions of what the gateway and the captures recorded. Background requests of the agent and user
messages that it makes up itself are told apart by content: only messages that hold the text of one of our own turns
count as turns, in every request that holds the turn being answered.

An agent that is seen from outside only names the checks that nobody can make of it (``unseen``). Such a check fails
where a fault is found all the same, and otherwise stays open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stewardbench.agents.interface import DURABLE_SURFACES, Surface, WipeReport
from stewardbench.models.messages import Exchange, message_text
from stewardbench.pasb.commits.matcher import find_claim
from stewardbench.pasb.records import Cut, InvalidReason
from stewardbench.pasb.words import words
from stewardbench.workspace.tree import FileState, Tree, diff, tree_sha256

SHARED_RUN = 12  # words: longer than chance, shorter than any persist turn that carries a claim
DURABLE = frozenset({*DURABLE_SURFACES, Surface.CONFIG})

CHECKS = {
    "a": "ids_differ",
    "b": "canary_ok",
    "c": "claim_in_query_input",
    "d": "stores_cleared",
    "e": "durable_hash_equal",
    "f": "whole_tree_captured",
    "g": "turn_counts_ok",
}

PathRule = Callable[[str], Surface]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything the attestation looks at. ``captured`` is the tree before the wipe, ``start`` the one after it."""

    claim: str
    canary: str
    persist_session: str
    query_session: str
    persist_texts: tuple[str, ...]
    query_texts: tuple[str, ...]
    query_replies: tuple[str, ...]
    exchanges: tuple[Exchange, ...]
    captured: Tree
    start: Tree
    wipe: WipeReport
    surface: PathRule
    unseen: Mapping[str, str] = field(default_factory=dict)

    def check(self, letter: str, passed: bool) -> bool | None:
        """The result of a check: a fault is one in any case, and no fault proves nothing where nobody can look."""
        return None if passed and letter in self.unseen else passed


def attest(evidence: Evidence) -> Cut:
    """Run all checks. ``details`` names what was found, one line per finding."""
    asked = [e for e in evidence.exchanges if e.stage == "query"]
    unseen, check = evidence.unseen, evidence.check
    leaks = list(leaked_history(evidence, asked))
    survivors = surviving_stores(evidence)
    strangers = uncaptured_paths(evidence.captured, evidence.start)
    channels = list(open_channels(evidence))
    miscounts = [] if "g" in unseen else [*_miscounts(evidence)]
    altered = altered_durables(evidence.captured, evidence.start, evidence.surface)
    same_session = evidence.persist_session == evidence.query_session
    shown = list(claim_shown(evidence.claim, asked, evidence.query_texts))
    saved = ["b: the canary was saved in durable state"] if _in_tree(evidence.canary, _kept(evidence)) else []
    explained = bool(leaks) and "commit" in unseen  # a memory that nobody can see may hold the canary
    cut = Cut(
        ids_differ=not same_session,
        canary_ok=None if explained else check("b", not leaks),
        stores_cleared=check("d", not survivors),
        durable_hash_equal=check("e", not altered),
        claim_in_query_input=True if shown else None if "c" in unseen else False,
        whole_tree_captured=check("f", not strangers and not channels),
        channels=tuple(channels),
        turn_counts_ok=check("g", not miscounts),
        details=(
            *([f"a: both stages ran in session {evidence.query_session}"] if same_session else []),
            *saved,
            *(f"b: {leak}{'; its memory may hold it' if explained else ''}" for leak in leaks),
            *(f"c: {where}" for where in shown),
            *(f"d: {path} survived the wipe" for path in survivors),
            *(f"e: {path} was changed by the wipe" for path in altered),
            *(f"f: {path} was not captured" for path in strangers),
            *(f"f: {channel}" for channel in channels),
            *(f"g: {miscount}" for miscount in miscounts),
        ),
    )
    still_open = [f"{letter}: open, {unseen[letter]}" for letter in open_checks(cut) if letter in unseen]
    return cut.model_copy(update={"details": (*cut.details, *still_open)})


def open_checks(cut: Cut) -> tuple[str, ...]:
    """The letters of the checks that are neither passed nor failed."""
    return tuple(letter for letter, name in CHECKS.items() if getattr(cut, name) is None)


def broken_check(cut: Cut) -> InvalidReason | None:
    """The first failed check that makes an episode invalid; what was shown (c) never does, nor does an open check."""
    checks = (
        (cut.ids_differ, InvalidReason.CUT_SESSION_ID),
        (cut.stores_cleared, InvalidReason.CUT_STORES),
        (cut.canary_ok, InvalidReason.CUT_CANARY),
        (cut.turn_counts_ok, InvalidReason.CUT_TURN_COUNT),
        (not cut.channels, InvalidReason.CUT_CHANNEL),
        (cut.durable_hash_equal, InvalidReason.CUT_DURABLE_CHANGED),
        (cut.whole_tree_captured, InvalidReason.CUT_DURABLE_CHANGED),
    )
    return next((reason for passed, reason in checks if passed is False), None)


def leaked_history(evidence: Evidence, asked: Sequence[Exchange]) -> Iterator[str]:
    """Traces of the persist conversation in query requests and replies that durable state does not explain (b)."""
    kept = _kept(evidence)
    if not _in_tree(evidence.canary, kept):
        needle = _plain(evidence.canary)
        for exchange in asked:
            if needle in _plain(_request_text(exchange)):
                yield f"the canary was in a request of query turn {exchange.turn}"
            if exchange.reply is not None and needle in _plain(_reply_text(exchange)):
                yield f"the canary was in a model reply of query turn {exchange.turn}"
        for turn, reply in enumerate(evidence.query_replies, 1):
            if needle in _plain(reply):
                yield f"the canary was in the answer of query turn {turn}"
    explained = "\n".join(_joined(text) for text in (*_texts(kept), *evidence.query_texts))
    inputs: dict[str, int] = {}
    for exchange in asked:
        for message in exchange.request.messages:
            if message.get("role") != "assistant":
                inputs.setdefault(message_text(message), exchange.turn)
    haystacks = [(_joined(text), turn) for text, turn in inputs.items()]
    for number, text in enumerate(evidence.persist_texts, 1):
        runs = [run for run in _runs(text) if run not in explained]
        turns = sorted({turn for haystack, turn in haystacks if any(run in haystack for run in runs)})
        if turns:
            yield f"words of persist turn {number} were in requests of query turns {', '.join(map(str, turns))}"


def surviving_stores(evidence: Evidence) -> tuple[str, ...]:
    """History that the wipe left behind (d)."""
    left = {path for path in evidence.start if evidence.surface(path) is Surface.HISTORY}
    return tuple(sorted(left | set(evidence.wipe.survivors)))


def uncaptured_paths(captured: Tree, start: Tree) -> tuple[str, ...]:
    """Files that the query session starts from and that the capture lacks or holds with other bytes (f)."""
    return tuple(path for path in sorted(start) if path not in captured or captured[path].sha256 != start[path].sha256)


def open_channels(evidence: Evidence) -> Iterator[str]:
    """What could carry text over the cut outside the bytes of captured files (f): path and channel, in words.

    In wiped history it is harmless, unless the query session finds it again.
    """
    for path, state in sorted(evidence.captured.items()):
        if evidence.surface(path) is not Surface.HISTORY:
            yield from (f"{path} has {what}" for what in _unread(state))
    for path, state in sorted(evidence.start.items()):
        yield from (f"after the cut, {path} has {what}" for what in _unread(state))


def _unread(state: FileState) -> tuple[str, ...]:
    return state.odd if state.text_whole else (*state.odd, f"{state.size} bytes, too many to be kept as text")


def altered_durables(before: Tree, after: Tree, surface: PathRule) -> tuple[str, ...]:
    """Durable files and configuration that are not the same bytes on both sides of the wipe (e)."""
    return tuple(change.path for change in diff(before, after) if surface(change.path) in DURABLE)


def changed_config(before: Tree, after: Tree, surface: PathRule) -> tuple[str, ...]:
    """Configuration files that are not as they were."""
    return tuple(change.path for change in diff(before, after) if surface(change.path) is Surface.CONFIG)


def durable_sha256(tree: Tree, surface: PathRule) -> str:
    """One hash over the durable surfaces and the configuration of a tree."""
    return tree_sha256({path: state for path, state in tree.items() if surface(path) in DURABLE})


def _miscounts(evidence: Evidence) -> Iterator[str]:
    yield from turn_miscounts(evidence.exchanges, "persist", evidence.persist_texts)
    yield from turn_miscounts(evidence.exchanges, "query", evidence.query_texts)


def turn_miscounts(exchanges: Sequence[Exchange], stage: str, texts: Sequence[str]) -> Iterator[str]:
    """Turns whose requests hold other turns than 1 to k of their own stage (g)."""
    wanted = [_spaced(text) for text in texts]
    answered: set[int] = set()
    wrong: dict[int, list[int]] = {}
    for exchange in exchanges:
        if exchange.stage != stage:
            continue
        held = held_turns(exchange.request.messages, wanted)
        if exchange.turn in held:
            answered.add(exchange.turn)
            if held != list(range(1, exchange.turn + 1)):
                wrong.setdefault(exchange.turn, held)
    for turn in range(1, len(wanted) + 1):
        if turn in wrong:
            yield f"{stage} turn {turn}: a request held the turns {wrong[turn]}"
        elif turn not in answered:
            yield f"{stage} turn {turn}: no request held its text"


def held_turns(messages: Iterable[dict[str, Any]], texts: Sequence[str]) -> list[int]:
    """Which of our turns a request's user messages hold, in order, from 1.

    A message holds a turn when it contains the turn's whole text; the agent may put its own words around it. Where
    two turns have equal texts, they are counted in order.
    """
    held: list[int] = []
    for message in messages:
        if message.get("role") != "user":
            continue
        end = 0
        for start, length, turn in _occurrences(_spaced(message_text(message)), texts):
            if start >= end:  # else it lies inside a longer turn that was already counted
                end = start + length
                same = [k for k, text in enumerate(texts, 1) if text == texts[turn - 1]]
                held.append(next((k for k in same if k not in held), turn))
    return held


def _occurrences(body: str, texts: Sequence[str]) -> list[tuple[int, int, int]]:
    """(start, length, turn) of every turn's text in a message, in order, longer ones first where they start together.

    A message that is exactly one turn holds that turn alone, whatever shorter turns its words would spell.
    """
    if body in texts:
        return [(0, len(body), texts.index(body) + 1)]
    found = []
    for turn, text in enumerate(texts, 1):
        if texts.index(text) == turn - 1:
            found += [(m.start(), len(text), turn) for m in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", body)]
    return sorted(found, key=lambda one: (one[0], -one[1]))


def claim_shown(claim: str, asked: Iterable[Exchange], query_texts: Sequence[str]) -> Iterator[str]:
    """Where the model's input of each query turn held the claim: the turn and the roles of the messages (c)."""
    known: dict[str, bool] = {}
    shown: dict[int, set[str]] = {}
    own = [_spaced(text) for text in query_texts]
    for exchange in asked:
        for message in exchange.request.messages:
            role, text = str(message.get("role")), message_text(message)
            if role == "assistant":
                continue
            if text not in known:
                rest = text if role != "user" else _without(text, own)
                known[text] = bool(find_claim(claim, rest))
            if known[text]:
                shown.setdefault(exchange.turn, set()).add(role)
    for turn, roles in sorted(shown.items()):
        yield f"the claim was shown in query turn {turn} ({', '.join(sorted(roles))})"


def _without(text: str, own: Sequence[str]) -> str:
    spaced = _spaced(text)
    for turn in own:
        spaced = spaced.replace(turn, " ")
    return spaced


def _request_text(exchange: Exchange) -> str:
    return json.dumps([exchange.request.messages, exchange.request.tools], ensure_ascii=False)


def _reply_text(exchange: Exchange) -> str:
    reply = exchange.reply
    return "" if reply is None else "\n".join([reply.text, *(call.arguments for call in reply.tool_calls)])


def _kept(evidence: Evidence) -> Tree:
    """What the query session may know: everything it starts from but history, which explains nothing away."""
    surface = evidence.surface
    return {path: state for path, state in evidence.start.items() if surface(path) is not Surface.HISTORY}


def _texts(tree: Tree) -> Iterator[str]:
    return (state.text for state in tree.values())


def _in_tree(canary: str, tree: Tree) -> bool:
    needle = _plain(canary)
    return any(needle in _plain(text) for text in _texts(tree))


def _plain(text: str) -> str:
    """Case and dashes taken out, so that a canary is found however it was written."""
    return text.casefold().replace("-", "")


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _joined(text: str) -> str:
    return " ".join(words(text))


def _runs(text: str) -> Iterator[str]:
    found = words(text)
    return (" ".join(found[k : k + SHARED_RUN]) for k in range(len(found) - SHARED_RUN + 1))
