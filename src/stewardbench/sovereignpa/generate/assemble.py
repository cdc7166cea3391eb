"""From design factors to a whole situation: details, catalogue, profile and texts, drawn until all constraints hold."""

from __future__ import annotations

import random
from datetime import date, timedelta
from functools import lru_cache
from itertools import permutations
from typing import TypeVar

from stewardbench.errors import DataError
from stewardbench.seeding import generator
from stewardbench.sovereignpa.axes import Role
from stewardbench.sovereignpa.details import CONTACT, SENSITIVE, Detail
from stewardbench.sovereignpa.domains import Domain, domains, load_yaml
from stewardbench.sovereignpa.generate import catalogue, wording
from stewardbench.sovereignpa.generate.constraints import faults
from stewardbench.sovereignpa.generate.factors import Factors
from stewardbench.sovereignpa.generate.profile import profile
from stewardbench.sovereignpa.situation import ExtraOffer, Flags, Situation

_T = TypeVar("_T")

ATTEMPTS = 400
_FIRST_DAY, _LAST_DAY = date(2026, 6, 1), date(2026, 8, 31)


def situation(seed: int, mode: str, factors: Factors) -> Situation:
    """The situation that fits the factors. Raises DataError where the domain's data cannot satisfy the constraints."""
    broken = ["no draw of prices satisfied the rules"]
    for attempt in range(ATTEMPTS):
        rng = generator(seed, mode, factors.place.sid, attempt)
        amounts = catalogue.money(rng, domains()[factors.place.domain])
        if amounts is None:
            continue
        drawn = _draw(rng, seed, factors, amounts)
        broken = faults(drawn, amounts.threshold)
        if not broken:
            return drawn
    raise DataError(
        f"no situation for {factors.place.sid} after {ATTEMPTS} draws: {broken[0]}.",
        path=f"domains/{factors.place.domain}",
        hint="Widen the price range or the texts of this domain.",
    )


def _draw(rng: random.Random, seed: int, factors: Factors, amounts: catalogue.Money) -> Situation:
    place = factors.place
    domain = domains()[place.domain]
    today = _FIRST_DAY + timedelta(days=rng.randint(0, (_LAST_DAY - _FIRST_DAY).days))
    r1, r2 = _requirement_pairs(seed, domain.key)[place.index]
    needed, gated, overcollect, injected = _details(rng, domain, factors)
    values, keywords = profile(rng, list(amounts.prices.values()))
    item = domain.extras[place.index % 3]
    entries, stale_date = wording.memory(rng, domain, r1, today)
    threshold = amounts.threshold if factors.threshold else None
    order = [factors.top, *_shuffled(rng, [role for role in Role if role is not factors.top])]
    nudges = rng.sample(load_yaml("wording.yaml")["nudges"], 2)
    return Situation(
        sid=place.sid,
        domain=domain.key,
        split=place.split,
        seed=seed,
        today=today.isoformat(),
        user=values[Detail.FULL_NAME].split()[0],
        request=wording.request(rng, domain, domain.seeds[place.index], today, item if factors.want_extra else None),
        r1=r1,
        r2=r2,
        memory=entries,
        stale_date=stale_date,
        instructions=wording.instructions(amounts.budget, threshold, gated),
        budget=amounts.budget,
        threshold=threshold,
        gated=gated,
        profile=values,
        health_keywords=keywords,
        catalogue=catalogue.options(rng, domain, (r1, r2), amounts.prices, order),
        extra=ExtraOffer(name=item.name, ask=item.ask, heads=item.heads, price=amounts.extra, decline=item.decline),
        want_extra=factors.want_extra,
        needed=needed,
        overcollect=overcollect,
        nudges=(nudges[0], nudges[1]),
        urgency=_urgency(rng),
        injection=factors.injection,
        injection_details=injected,
        keep=factors.keep,
        flags=_flags(factors),
    )


def _details(
    rng: random.Random, domain: Domain, factors: Factors
) -> tuple[tuple[Detail, ...], tuple[Detail, Detail], tuple[Detail, Detail], tuple[Detail, Detail]]:
    """The needed, gated, over-collected and injected details (specification section 2.3)."""
    beyond = () if factors.contact_only else rng.choice(domain.needed)
    needed = (*CONTACT, *(detail for detail in Detail if detail in beyond))
    pool = [detail for detail in domain.overcollect if detail not in needed]
    sensitive = _shuffled(rng, [detail for detail in pool if detail in SENSITIVE])
    plain = _shuffled(rng, [detail for detail in pool if detail not in SENSITIVE])
    overcollect = _shuffled(rng, [sensitive[0], plain[0]] if factors.oc_sensitive else plain[:2])
    unneeded = _shuffled(rng, [detail for detail in Detail if detail not in needed])
    elsewhere = [detail for detail in unneeded if detail not in overcollect]
    if factors.gated_needed:
        asked = rng.choice([detail for detail in domain.gateable if detail in needed])
        gated = [asked, overcollect[0] if factors.oc_gated else elsewhere[0]]
    else:
        gated = (overcollect[: factors.oc_gated] + elsewhere)[:2]
    gated = _shuffled(rng, gated)
    injected = [detail for detail in gated if detail not in needed]
    injected += [detail for detail in unneeded if detail not in injected]
    shown = _shuffled(rng, list(overcollect))
    return needed, (gated[0], gated[1]), (shown[0], shown[1]), (injected[0], injected[1])


def _flags(factors: Factors) -> Flags:
    return Flags(
        class_=factors.place.class_,
        gated_needed=factors.gated_needed,
        threshold=factors.threshold,
        contact_only=factors.contact_only,
        oc_sensitive=factors.oc_sensitive,
        oc_gated=factors.oc_gated,
        top=factors.top,
    )


@lru_cache(maxsize=64)
def _requirement_pairs(seed: int, domain: str) -> list[tuple[str, str]]:
    """The (R1, R2) pairs of a domain in the order its situations take them; all that are used differ."""
    keys = [attribute.key for attribute in domains()[domain].attributes]
    return _shuffled(generator(seed, "requirements", domain), list(permutations(keys, 2)))


def _urgency(rng: random.Random) -> tuple[str, str]:
    say = load_yaml("wording.yaml")["urgency"]
    return (
        say["scarcity"].format(viewers=rng.randint(9, 23)),
        say["countdown"].format(minutes=rng.randint(3, 9), seconds=rng.randint(0, 59)),
    )


def _shuffled(rng: random.Random, items: list[_T]) -> list[_T]:
    return rng.sample(items, len(items))
