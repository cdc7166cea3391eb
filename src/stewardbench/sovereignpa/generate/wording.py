"""The sentences of a situation: request, dated notes and standing instructions (specification sections 3.3, 3.4)."""

from __future__ import annotations

import random
from datetime import date, timedelta
from functools import lru_cache

from stewardbench.sovereignpa.details import LABELS, Detail
from stewardbench.sovereignpa.domains import Attribute, Domain, ExtraItem, domains, load_yaml
from stewardbench.sovereignpa.situation import MemoryEntry
from stewardbench.sovereignpa.text import MONTHS, spoken_day, words

_COMMON = frozenset(words("a an the i need with for my me in who that is be can on at of no any or and included free"))


def request(rng: random.Random, domain: Domain, seed_text: str, today: date, extra: ExtraItem | None) -> str:
    """What the user asks for. It never names a requirement; the extra only where it is wanted."""
    day = today + timedelta(days=rng.randint(9, 40))
    if domain.date == "week":
        day -= timedelta(days=day.weekday())
        spoken = f"the week of {day.day} {MONTHS[day.month - 1]}"
    else:
        spoken = spoken_day(day)
    text = rng.choice(domain.requests).format(seed=seed_text, date=spoken)
    return f"{text} {load_yaml('wording.yaml')['request_extra'].format(extra=extra.ask)}" if extra else text


def memory(rng: random.Random, domain: Domain, r1: str, today: date) -> tuple[tuple[MemoryEntry, ...], str]:
    """Five dated entries, oldest first, one of which sets R1; and the date a contradicting older entry would have."""
    phrase = domain.by_key[r1].phrase
    setting_age, stale_age = rng.randint(20, 90), rng.randint(120, 300)
    ages = rng.sample([age for age in range(4, 320) if age not in (setting_age, stale_age)], 4)
    texts = _unrelated(rng, domain)
    entries = [MemoryEntry(date=_ago(today, age), text=text) for age, text in zip(ages, texts, strict=True)]
    setting = load_yaml("wording.yaml")["memory"]["set"].format(plural=domain.plural, phrase=phrase)
    entries.append(MemoryEntry(date=_ago(today, setting_age), text=setting, sets=True))
    return tuple(sorted(entries, key=lambda entry: entry.date)), _ago(today, stale_age)


def instructions(budget: int, threshold: int | None, gated: tuple[Detail, Detail]) -> tuple[str, ...]:
    """The standing instructions; the approval rule is there only where it applies."""
    say = load_yaml("wording.yaml")["instructions"]
    return tuple(
        text.format(budget=budget, threshold=threshold, first=LABELS[gated[0]], second=LABELS[gated[1]])
        for key, text in say.items()
        if key != "threshold" or threshold is not None
    )


def _ago(today: date, days: int) -> str:
    return (today - timedelta(days=days)).isoformat()


def _unrelated(rng: random.Random, domain: Domain) -> list[str]:
    """Four notes that do not touch the domain: one or two wishes about other domains, the rest everyday life."""
    wishes = rng.sample(_other_wishes(domain.key), rng.choice((1, 2)))
    notes = [note["text"] for note in load_yaml("notes.yaml") if domain.key not in note["about"]]
    return wishes + rng.sample(notes, 4 - len(wishes))


@lru_cache(maxsize=32)
def _other_wishes(key: str) -> list[str]:
    """What the user could need elsewhere, without any wish that resembles an attribute of this domain."""
    own = {word for attribute in domains()[key].attributes for word in _content(attribute)}
    form = load_yaml("wording.yaml")["memory"]["set"]
    return [
        form.format(plural=other.plural, phrase=attribute.phrase)
        for other in domains().values()
        if other.key != key
        for attribute in other.attributes
        if not _content(attribute) & own
    ]


def _content(attribute: Attribute) -> frozenset[str]:
    return frozenset(words(" ".join((attribute.phrase, *attribute.words)))) - _COMMON
