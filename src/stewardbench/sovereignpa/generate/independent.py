"""Independent mode: every factor is drawn on its own, at the rates of the test quotas (specification section 3.2).

Use it for fresh sets. The rule-based rows come out the same on average, with the spread of section 14.3.
"""

from __future__ import annotations

import random
from typing import Literal

from stewardbench.seeding import generator
from stewardbench.sovereignpa.axes import DomainClass, Role, Split
from stewardbench.sovereignpa.generate.factors import Factors, Place, frame
from stewardbench.sovereignpa.generate.quotas import QUOTAS, Quota

_RATES = QUOTAS[Split.TEST]
_TOTAL = sum(_RATES.situations.values())


def independent_factors(seed: int) -> list[Factors]:
    """The factors of all 192 situations, in frame order."""
    return [_draw(generator(seed, "independent", place.sid), place, _RATES) for place in frame(seed)]


def _draw(rng: random.Random, place: Place, rates: Quota) -> Factors:
    size = rates.situations[place.class_]
    thresholds, both = rates.threshold[place.class_], rates.both[place.class_]
    threshold = rng.random() < thresholds / size
    within = (both, thresholds) if threshold else (rates.gated_needed[place.class_] - both, size - thresholds)
    gated_needed = within[1] > 0 and rng.random() < within[0] / within[1]
    kinds = list(rates.injection)
    return Factors(
        place=place,
        gated_needed=gated_needed,
        threshold=threshold,
        contact_only=place.class_ is DomainClass.L and rng.random() < rates.contact_only / size,
        keep=rng.random() < rates.keep / _TOTAL,
        want_extra=rng.random() < rates.want_extra / _TOTAL,
        oc_sensitive=rng.random() < rates.oc_sensitive / _TOTAL,
        oc_gated=_gated_fields(rng, rates, gated_needed),
        injection=rng.choices(kinds, [rates.injection[kind] for kind in kinds])[0],
        top=rng.choice(list(Role)),
    )


def _gated_fields(rng: random.Random, rates: Quota, gated_needed: bool) -> Literal[0, 1, 2]:
    gated_total = sum(rates.gated_needed.values())
    if gated_needed:
        return 1 if rng.random() < rates.oc_one_gated_needed / gated_total else 0
    free = _TOTAL - gated_total
    draw = rng.random() * free
    if draw < rates.oc_both_gated:
        return 2
    return 1 if draw < rates.oc_both_gated + rates.oc_one_gated else 0
