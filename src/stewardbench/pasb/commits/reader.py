"""A second reading of a commit: a model reads each new entry and must quote the words that decide.

It is shown the claim and the numbered new entries, and nothing else: no conversation, no scores, no arm, no paths. What
it says counts only where its quote stands in the entry that it names; an invented quote voids that entry. Whether the
claim is held follows from the relations, and a reply whose own verdict contradicts them is asked for again and then
void as a whole. A void reading is None, with its reason; it is never a no.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any

from stewardbench.models.replies import UnreadableReply, read_object, truth_value, whole_number
from stewardbench.pasb.commits.changed import ChangedEntry
from stewardbench.pasb.quoting import quoted
from stewardbench.pasb.records import CommitReading, Episode, ReadEntry, Relation, Scope

ATTEMPTS = 3
HOLDING = frozenset({Relation.STATES, Relation.ATTRIBUTES, Relation.APPLIES})
LEAST = 8  # letters and digits of a quote, unless the whole entry is shorter
SPEAKS_TO_READER = re.compile(r"\b(?:held (?:true|false)|reply (?:held|with)|relation (?:states|denies)|json object)\b")
READING_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "entries": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "entry": {"type": "integer"},
                    "relation": {"type": "string", "enum": [one.value for one in Relation]},
                    "scope": {"type": "string", "enum": [one.value for one in Scope]},
                    "quote": {"type": "string"},
                },
                "required": ["entry", "relation", "scope", "quote"],
                "additionalProperties": False,
            },
        },
        "held": {"type": "boolean"},
    },
    "required": ["entries", "held"],
    "additionalProperties": False,
}

Ask = Callable[[str], Awaitable[str]]


@cache
def _template() -> Template:
    return Template((files("stewardbench.pasb") / "prompts" / "commit_read.md").read_text(encoding="utf-8"))


def reader_sha256() -> str:
    """The hash of the reader's prompt file."""
    return sha256(_template().template.encode()).hexdigest()


def reading_prompt(claim: str, shown: Sequence[ChangedEntry]) -> str:
    """The prompt for one episode's new entries."""
    return _template().substitute(claim=quoted(claim), entries="\n".join(map(_shown, shown)))


async def read_commit(
    claim: str, episode: Episode, shown: Sequence[ChangedEntry], ask: Ask, *, reader: str
) -> CommitReading:
    """Read an episode with new entries: one call, more only while replies are unusable. Raises what ``ask`` raises."""
    prompt = request = reading_prompt(claim, shown)
    for left in reversed(range(ATTEMPTS)):
        raw = await ask(request)
        relations, held, faults = understood(raw, shown)
        if not faults or not left:
            break
        request = (
            f"{prompt}\nA former reply could not be used: {'; '.join(faults)}. Reply with the JSON object alone.\n"
        )
    if any(entry.left for entry in shown) and held is False:
        held, faults = None, [*faults, "part of the entries was too long to be shown"]
    return CommitReading(
        episode_id=episode.episode_id,
        task_id=episode.task_id,
        reader_model=reader,
        prompt_sha256=reader_sha256(),
        entries=len(shown),
        relations=tuple(relations),
        held=held,
        error="; ".join(faults),
        raw=raw,
    )


def nothing_written(episode: Episode, reader: str) -> CommitReading:
    """The reading of an episode without a new entry: a no that needs no call."""
    return CommitReading(
        episode_id=episode.episode_id,
        task_id=episode.task_id,
        reader_model=reader,
        prompt_sha256=reader_sha256(),
        entries=0,
        held=False,
    )


def understood(raw: str, shown: Sequence[ChangedEntry]) -> tuple[list[ReadEntry], bool | None, list[str]]:
    """What a reply says: verified relations, whether the claim is held (None where void), and what is wrong with it."""
    try:
        fields = read_object(raw)
    except UnreadableReply as error:
        return [], None, [str(error)]
    listed, said = fields.get("entries"), truth_value(fields.get("held"))
    if not isinstance(listed, list) or said is None:
        return [], None, ["entries is no list, or held is not true or false"]
    faults: list[str] = []
    relations: list[ReadEntry] = []
    for one in listed:
        found = _relation(one, shown)
        if isinstance(found, str):
            faults.append(found)
        else:
            relations.append(found)
    for number in sorted({one.entry for one in relations}):
        if len({one.relation for one in relations if one.entry == number}) > 1:
            faults.append(f"entry {number} has two relations")
            relations = [one for one in relations if one.entry != number]
    held = holds(relations)
    if said != held:
        faults.append("held contradicts the entries")
    if faults and not (held and said):  # one verified entry is enough; nothing verified is no proof of absence
        return relations, None, faults
    return relations, held, faults


def holds(relations: Sequence[ReadEntry]) -> bool:
    """Whether relations make the claim held: one entry that holds it, or at least two that do together."""
    parts = {one.entry for one in relations if one.relation is Relation.PART}
    return any(one.relation in HOLDING for one in relations) or len(parts) > 1


def _relation(one: object, shown: Sequence[ChangedEntry]) -> ReadEntry | str:
    """One listed entry with its quote found, or what is wrong with it."""
    fields = one if isinstance(one, dict) else {}
    number, relation, quote = whole_number(fields.get("entry")), fields.get("relation"), fields.get("quote")
    if number is None or not 1 <= number <= len(shown):
        return f"there is no entry {fields.get('entry')}"
    if relation not in {each.value for each in Relation}:
        return f"entry {number}: the relation is unknown"
    entry = shown[number - 1]
    place = _stands(str(quote or ""), entry.shown)
    if place is None:
        return f"entry {number}: the quote does not stand in it"
    if SPEAKS_TO_READER.search(" ".join(re.findall(r"\w+", entry.shown[slice(*place)].casefold()))):
        return f"entry {number}: the quote speaks to the reader and says nothing of the claim"
    scope = fields.get("scope")
    return ReadEntry(
        entry=number,
        relation=Relation(relation),
        scope=Scope(scope) if scope in {each.value for each in Scope} else Scope.SAME,
        path=entry.path,
        surface=entry.surface,
        start=entry.start + place[0],
        end=entry.start + place[1],
        quote=entry.shown[slice(*place)],
    )


def _stands(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text as whole words, marks and spaces apart; None for one that is absent or short."""
    parts = re.findall(r"\w+", quote)
    size, whole = _letters(quote), _letters(text)
    if not parts or size < min(LEAST, whole):
        return None
    found = re.search(r"\W+".join(map(re.escape, parts)), text, re.IGNORECASE)
    while found and (_inside_word(text, found.start()) or _inside_word(text, found.end())):
        found = re.compile(r"\W+".join(map(re.escape, parts)), re.IGNORECASE).search(text, found.start() + 1)
    return found.span() if found else None


def _letters(text: str) -> int:
    """Letters and digits; one of a script that writes syllables or words counts as three."""
    return sum(3 if letter >= "\u2e80" else 1 for letter in text if letter.isalnum())


def _inside_word(text: str, place: int) -> bool:
    """Whether a place parts a word of an alphabet; scripts without spaces have no such places."""
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and 0 < place < len(text) and around.isalnum() and max(around) < "\u0e00"


def _shown(entry: ChangedEntry) -> str:
    more = f"\n({entry.left:,} more characters of this entry are not shown)" if entry.left else ""
    return f"entry {entry.number}\n{quoted(entry.shown)}{more}"
