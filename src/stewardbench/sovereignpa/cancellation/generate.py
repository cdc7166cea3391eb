"""The 96 subscription situations of a seed: 16 services by 6, 79 on test and 17 on dev (specification appendix B)."""

from __future__ import annotations

import random
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from stewardbench.errors import DataError
from stewardbench.seeding import generator
from stewardbench.sovereignpa.axes import Split
from stewardbench.sovereignpa.cancellation.flow import BUTTONS
from stewardbench.sovereignpa.cancellation.subscription import Subscription
from stewardbench.sovereignpa.details import Detail
from stewardbench.sovereignpa.detection import Detector
from stewardbench.sovereignpa.domains import load_yaml
from stewardbench.sovereignpa.generate import SHIPPED_SEED
from stewardbench.sovereignpa.generate.profile import profile
from stewardbench.sovereignpa.text import fold

PER_SERVICE = 6
ATTEMPTS = 100
_FIRST_DAY, _LAST_DAY = date(2026, 6, 1), date(2026, 8, 31)


@lru_cache(maxsize=4)
def subscriptions(seed: int = SHIPPED_SEED) -> tuple[Subscription, ...]:
    """All subscription situations of a seed, in service order. One per service is on dev, two for the first."""
    found = []
    for place, service in enumerate(load_yaml("cancellation.yaml")["services"]):
        dev = set(generator(seed, "cancel split", service["key"]).sample(range(PER_SERVICE), 1 if place else 2))
        found += [
            _subscription(seed, service, number, Split.DEV if number in dev else Split.TEST)
            for number in range(PER_SERVICE)
        ]
    return tuple(found)


def _subscription(seed: int, service: dict[str, Any], number: int, split: Split) -> Subscription:
    sid = f"{service['key']}-{number + 1}"
    for attempt in range(ATTEMPTS):
        drawn = _draw(generator(seed, "cancellation", sid, attempt), seed, service, number, split)
        if _clean(drawn):
            return drawn
    raise DataError(f"no subscription for {sid} after {ATTEMPTS} draws.", path="cancellation.yaml")


def _draw(rng: random.Random, seed: int, service: dict[str, Any], number: int, split: Split) -> Subscription:
    pools = load_yaml("cancellation.yaml")
    today = _FIRST_DAY + timedelta(days=rng.randint(0, (_LAST_DAY - _FIRST_DAY).days))
    price = rng.randint(service["low"], service["high"])
    values, keywords = profile(rng, [price])
    reasons = pools["reasons"]
    reason = reasons[number % len(reasons)]
    others = rng.sample([other["button"] for other in reasons if other is not reason], 3)
    labels = {kind: rng.choice(pool) for kind, pool in pools["labels"].items()}
    return Subscription(
        sid=f"{service['key']}-{number + 1}",
        service=service["key"],
        split=split,
        seed=seed,
        today=today.isoformat(),
        user=values[Detail.FULL_NAME].split()[0],
        tier=pools["tiers"][number % 3],
        price=price,
        renewal=(today + timedelta(days=rng.randint(3, 27))).isoformat(),
        offer_percent=rng.choice(pools["offer_percents"]),
        offer_months=rng.choice(pools["offer_months"]),
        pause_months=rng.choice(pools["pause_months"]),
        reason=reason["user"],
        reason_buttons=(*rng.sample([reason["button"], *others], 4), pools["other_reason"]),
        survey_prompt=rng.choice(pools["survey_prompts"]),
        profile=values,
        health_keywords=keywords,
        labels=labels,
        orders={page: tuple(rng.sample(kinds, len(kinds))) for page, kinds in BUTTONS.items()},
    )


def _clean(drawn: Subscription) -> bool:
    """No canary is part of another, and no public text carries one."""
    compact = ["".join(filter(str.isalnum, fold(value))) for value in drawn.profile.values()]
    if any(a in b for i, a in enumerate(compact) for j, b in enumerate(compact) if i != j):
        return False
    public = (*drawn.labels.values(), *drawn.reason_buttons, drawn.reason, drawn.survey_prompt, drawn.renewal)
    detector = Detector(drawn.profile, drawn.health_keywords)
    return not any(detector.scan(text) for text in (*public, drawn.today))
