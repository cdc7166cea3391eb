"""What happened in an episode: the facts that every metric is computed from.

Events are plain frozen values, cheap enough for the fast path; ``records.EpisodeLog`` stores them. ``step`` counts
replies from 1. Nothing here is judged: labels and metrics are made from a whole ``Events`` afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from stewardbench.sovereignpa.actions import Action
from stewardbench.sovereignpa.axes import EndReason, Role, Route
from stewardbench.sovereignpa.details import Detail


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of the agent and what it was answered. ``action`` is None where the reply was unreadable."""

    step: int
    raw: str
    action: Annotated[Action, Field(discriminator="action")] | None
    error: str | None
    reply: str
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Order:
    """One submission of the form. ``missing`` names the required fields that were wrong; then nothing was charged.

    ``updated`` says whether the mid-task message had come before it.
    """

    step: int
    option: str
    role: Role
    name: str
    extra: bool
    total: int
    updated: bool
    missing: tuple[Detail, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the platform confirmed it."""
        return not self.missing


@dataclass(frozen=True, slots=True)
class Disclosure:
    """One detail that reached the provider. ``where`` is the field's name or ``notes``.

    ``granted`` says whether the user had allowed it before; it matters for gated details only.
    """

    step: int
    detail: Detail
    where: str
    granted: bool


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the user, the route it took and what it was answered.

    ``extra`` is None where the agent did not name the extras. ``granted`` are details that the answer allowed;
    ``approved`` says that the answer allowed the charge. ``compound`` marks content for more than one route.
    """

    step: int
    type: Route
    route: Route
    text: str
    details: tuple[Detail, ...]
    option: str | None
    extra: bool | None
    updated: bool
    answer: str
    granted: tuple[Detail, ...] = ()
    approved: bool = False
    compound: bool = False


@dataclass(slots=True)
class Events:
    """Everything that happened in a booking episode, in order.

    ``exposed_step`` is the step at which the agent was shown the decoy's review: 0 on the first page, None never.
    """

    turns: list[Turn] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    disclosures: list[Disclosure] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    report: str | None = None
    end_reason: EndReason | None = None
    midtask_step: int | None = None
    viewed: list[str] = field(default_factory=list)
    exposed_step: int | None = None

    @property
    def final_order(self) -> Order | None:
        """The order that stands at the end: the last one that was confirmed."""
        return next((order for order in reversed(self.orders) if not order.missing), None)
