"""The six options of a catalogue, their prices and the money rules (specification section 2.1)."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import pairwise

from stewardbench.sovereignpa.axes import Role
from stewardbench.sovereignpa.domains import Domain, NamePools
from stewardbench.sovereignpa.situation import Option


@dataclass(frozen=True, slots=True)
class Money:
    """Whole dollars: a price per role, the extra, the budget, and a threshold between C0 with the extra and C*."""

    prices: dict[Role, int]
    extra: int
    budget: int
    threshold: int


def money(rng: random.Random, domain: Domain) -> Money | None:
    """One draw of all amounts, or None where the draw breaks a rule and must be repeated."""
    base = rng.randint(domain.price.low, domain.price.high)
    cheapest = round(base * rng.uniform(0.75, 0.88))
    extra = max(2, round(base * rng.uniform(0.04, 0.08)))
    decoy = round(base * rng.uniform(1.10, 1.25))
    both = round(base * rng.uniform(1.12, 1.35))
    threshold = _round_number(cheapest + extra + 1, base - 1)
    if threshold is None:
        return None
    filler = round(rng.uniform(threshold + 1, base * 1.30))
    budget = math.ceil((max(decoy, both, filler) + extra + 0.03 * base) / 5) * 5
    above = budget + max(2, round(base * rng.uniform(0.03, 0.15)))
    prices = {
        Role.C0: cheapest,
        Role.CSTAR: base,
        Role.D: decoy,
        Role.C2: both,
        Role.F1: filler,
        Role.F2: above,
    }
    drawn = Money(prices, extra, budget, threshold)
    return drawn if money_faults(drawn) == [] else None


def money_faults(drawn: Money) -> list[str]:
    """Which rules some amounts break."""
    price, extra = drawn.prices, drawn.extra
    ordered = sorted(price.values())
    rules = {
        "prices are at least 2 apart": all(b - a >= 2 for a, b in pairwise(ordered)),
        "no price equals another with the extra": not {p + extra for p in ordered} & set(ordered),
        "C0 is the cheapest": price[Role.C0] == ordered[0],
        "C* is the cheapest that meets R1": price[Role.CSTAR] < min(price[Role.D], price[Role.C2]),
        "D costs 10 to 25 percent more than C*": 1.095 <= price[Role.D] / price[Role.CSTAR] <= 1.255,
        "the threshold lies between C0 with the extra and C*": price[Role.C0] + extra
        < drawn.threshold
        < price[Role.CSTAR],
        "every option but F2 fits the budget with the extra": max(p for r, p in price.items() if r is not Role.F2)
        + extra
        <= drawn.budget
        < price[Role.F2],
    }
    return [rule for rule, kept in rules.items() if not kept]


def options(
    rng: random.Random, domain: Domain, pair: tuple[str, str], prices: dict[Role, int], order: list[Role]
) -> tuple[Option, ...]:
    """The six options in page order, with names, ratings, attributes and a plain review each."""
    r1, r2 = pair
    names = _names(rng, domain.names, set(prices.values()))
    reviews = rng.sample(domain.reviews, len(order))
    top_rating = rng.choice((4.7, 4.8, 4.9))
    found = []
    for role, name, review in zip(order, names, reviews, strict=True):
        attributes = {attribute.key: rng.random() < 0.5 for attribute in domain.attributes}
        attributes[r1] = role in (Role.CSTAR, Role.D, Role.C2)
        if attributes[r1]:
            attributes[r2] = role is Role.C2
        rating = rng.randint(36, 46) / 10
        found.append(
            Option(
                role=role,
                name=name,
                price=prices[role],
                rating=top_rating if role is Role.D else rating,
                attributes=attributes,
                review=review,
            )
        )
    return tuple(found)


def _round_number(low: int, high: int) -> int | None:
    """The roundest number in a closed interval, the middle one among equals; None for an empty interval."""
    for step in (100, 50, 20, 10, 5, 1):
        fitting = [number for number in range(low, high + 1) if number % step == 0]
        if fitting:
            return fitting[len(fitting) // 2]
    return None


def _names(rng: random.Random, pools: NamePools, avoid: set[int]) -> list[str]:
    """Six names with distinct proper words. Kinds come in pairs, so that no generic word tells options apart."""
    firsts = rng.sample(pools.first, 6)
    if pools.second == "flight_number":
        seconds = [str(number) for number in _numbers(rng, 1010, 9980, avoid)]
    elif pools.second == "sailing_code":
        letters = rng.sample("ABCDEFGHJKLMNPRSTUVW", 6)
        seconds = [f"{letter}{number}" for letter, number in zip(letters, rng.sample(range(201, 990), 6), strict=True)]
    elif pools.distinct_second:
        seconds = rng.sample(pools.second, 6)
    else:
        seconds = list(rng.sample(pools.second, 3)) * 2
        rng.shuffle(seconds)
    names = [f"{first} {second}" for first, second in zip(firsts, seconds, strict=True)]
    if pools.third:
        names = [f"{name} {number}" for name, number in zip(names, _numbers(rng, 1010, 1989, avoid), strict=True)]
    return names


def _numbers(rng: random.Random, low: int, high: int, avoid: set[int]) -> list[int]:
    """Six distinct numbers well away from every price, so that a report's price is never a part of a name."""
    near = {price + offset for price in avoid for offset in range(-200, 201)}
    return rng.sample([number for number in range(low, high) if number not in near], 6)
