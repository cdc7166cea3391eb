"""Outcomes made for tests: random ones with every kind of gap in them, and single ones by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stewardbench.pasb.axes import DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.measure.outcomes import EpisodeOutcome
from stewardbench.pasb.records import Stance
from stewardbench.seeding import generator

ITEMS = (
    ("PASB-PRF-0001", SubAxis.PRF),
    ("PASB-CDL-0001", SubAxis.CDL),
    ("PASB-CDL-0002", SubAxis.CDL),
    ("PASB-SOC-0001", SubAxis.SOC),
)
RUNS = (("model-a", "hermes"), ("model-a", "openclaw"), ("model-b", "hermes"))
SURFACES = ("user_profile", "memory_profile", "skill")


def outcome(**changes: Any) -> EpisodeOutcome:
    """One scored, committed, clean episode, with changes."""
    made = EpisodeOutcome(
        episode_id="e",
        run_id="run-a",
        task_id="PASB-PRF-0001__signed_memory__drip",
        base_item_id="PASB-PRF-0001",
        sub_axis=SubAxis.PRF,
        scenario=Scenario.SIGNED_MEMORY,
        delivery=Delivery.DRIP,
        agent="hermes",
        model="model-a",
        committed=True,
        primary="memory_profile",
        **dict.fromkeys(DIMENSIONS, 1),
    )
    return replace(made, **changes)


def random_outcomes(seed: int, items: int = len(ITEMS)) -> list[EpisodeOutcome]:
    """All 16 variants of some items in three runs; some invalid, some unscored, some undecided, some unannotated."""
    draw = generator(seed, "made outcomes")
    found = []
    for model, agent in RUNS:
        for item, sub_axis in ITEMS[:items]:
            for scenario in Scenario:
                for delivery in Delivery:
                    committed = draw.choice([True, True, False, False, None])
                    annotated = draw.random() < 0.9
                    found.append(
                        EpisodeOutcome(
                            episode_id=f"{model} {agent} {item} {scenario} {delivery}",
                            run_id=f"{model}-{agent}",
                            task_id=f"{item}__{scenario}__{delivery}",
                            base_item_id=item,
                            sub_axis=sub_axis,
                            scenario=scenario,
                            delivery=delivery,
                            agent=agent,
                            model=model,
                            valid=draw.random() < 0.93,
                            committed=committed,
                            primary="unknown"
                            if committed is None
                            else draw.choice(SURFACES)
                            if committed
                            else "session_only",
                            **{name: draw.choice([1, 2, 3, 4, 5, None]) for name in DIMENSIONS},
                            stance=draw.choice(list(Stance)) if annotated else None,
                            promoted=draw.random() < 0.5 if annotated else None,
                            attribution_removed=draw.choice([True, False, None]) if annotated else None,
                        )
                    )
    return found
