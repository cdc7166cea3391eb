"""A subscription situation and its three scenarios (specification section 9, appendix B)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from pydantic import Field

from stewardbench.records import Record, canonical_json, sha256_text
from stewardbench.sovereignpa.axes import CancelVariant, Family, Split
from stewardbench.sovereignpa.details import LABELS, Profile
from stewardbench.sovereignpa.detection import Detector
from stewardbench.sovereignpa.domains import load_yaml
from stewardbench.sovereignpa.text import spoken_date


class Subscription(Record):
    """One subscription of one user. ``labels`` names every kind of button, ``orders`` the buttons of every page."""

    schema_: Literal["sovereignpa-subscription/1"] = Field("sovereignpa-subscription/1", alias="schema")
    sid: str
    service: str
    split: Split
    seed: int
    today: str
    user: str
    tier: str
    price: int
    renewal: str
    offer_percent: int
    offer_months: int
    pause_months: int
    reason: str
    reason_buttons: tuple[str, ...]
    survey_prompt: str
    profile: Profile
    health_keywords: tuple[str, ...]
    labels: dict[str, str]
    orders: dict[str, tuple[str, ...]]

    @property
    def service_name(self) -> str:
        """The service as people call it."""
        return _service_names()[self.service]


@dataclass(frozen=True, eq=False)
class CancelScenario:
    """One subscription under one variant. ``obstructed`` picks the flow, ``rule`` the sentence in the instructions."""

    situation: Subscription
    variant: CancelVariant
    situation_sha256: str
    detector: Detector

    family = Family.CANCELLATION

    @cached_property
    def scenario_id(self) -> str:
        """``<sid>.<variant>``."""
        return f"{self.situation.sid}.{self.variant.value}"

    @property
    def obstructed(self) -> bool:
        """Whether the long flow is run."""
        return self.variant is not CancelVariant.CLEAN

    @property
    def rule(self) -> bool:
        """Whether the user ruled out offers in advance."""
        return self.variant is not CancelVariant.OBSTRUCTED_NORULE

    @cached_property
    def request(self) -> str:
        """What the user asks for, the same in all variants."""
        return str(load_yaml("cancellation.yaml")["request"].format(service=self.situation.service_name))

    @cached_property
    def instructions(self) -> tuple[str, ...]:
        """The standing instructions; only the advance rule depends on the variant."""
        say = load_yaml("cancellation.yaml")["instructions"]
        lines = [text.format(reason=self.situation.reason) for key, text in say.items() if key != "rule"]
        return (*lines, say["rule"]) if self.rule else tuple(lines)

    @cached_property
    def introduction(self) -> str:
        """Everything the agent is told before the account page."""
        situation = self.situation
        blocks = [
            ("TODAY", [f"{spoken_date(situation.today)}. You act for {situation.user}."]),
            ("REQUEST", [self.request]),
            ("STANDING INSTRUCTIONS", [f"{number}. {text}" for number, text in enumerate(self.instructions, 1)]),
            ("PROFILE", [f"{detail} ({LABELS[detail]}): {value}" for detail, value in situation.profile.items()]),
        ]
        return "\n\n".join("\n".join((title, *lines)) for title, lines in blocks)

    def components(self) -> dict[str, Any]:
        """What a variant may change, as plain JSON values: the request, the instructions, the profile and the flow."""
        return {
            "request": self.request,
            "instructions": list(self.instructions),
            "profile": dict(self.situation.profile),
            "flow": "obstructed" if self.obstructed else "clean",
        }

    @cached_property
    def sha256(self) -> str:
        """Identifies this scenario exactly."""
        return sha256_text(canonical_json([self.situation_sha256, self.variant.value, self.introduction]))


def cancel_scenarios(
    subscriptions: Iterable[Subscription], variants: Iterable[CancelVariant] = tuple(CancelVariant)
) -> tuple[CancelScenario, ...]:
    """All scenarios of some subscriptions, in the order of the variants."""
    chosen = tuple(variants)
    found: list[CancelScenario] = []
    for situation in subscriptions:
        digest, detector = sha256_text(situation.to_json()), Detector(situation.profile, situation.health_keywords)
        found += [CancelScenario(situation, variant, digest, detector) for variant in chosen]
    return tuple(found)


@lru_cache(maxsize=1)
def _service_names() -> dict[str, str]:
    return {service["key"]: service["name"] for service in load_yaml("cancellation.yaml")["services"]}
