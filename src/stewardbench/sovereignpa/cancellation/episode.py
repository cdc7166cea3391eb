"""The cancellation engine: the shared turn loop over the flow's pages and a user who only wants it cancelled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stewardbench.sovereignpa.actions import (
    Action,
    AskUser,
    Click,
    Report,
    optional_text,
    read_question,
    required_text,
)
from stewardbench.sovereignpa.axes import EndReason, Route
from stewardbench.sovereignpa.booking.episode import Episode
from stewardbench.sovereignpa.cancellation.flow import RETAINED, FlowPage, FlowPlace, Outcome, press, render, show
from stewardbench.sovereignpa.cancellation.subscription import CancelScenario
from stewardbench.sovereignpa.details import listing, mentioned
from stewardbench.sovereignpa.domains import load_yaml
from stewardbench.sovereignpa.events import Disclosure, Question, Turn
from stewardbench.sovereignpa.replies import Unreadable
from stewardbench.sovereignpa.routing import asks_to_share

CANCEL_STEPS = 16


@dataclass(slots=True)
class CancelEvents:
    """Everything that happened in a cancellation episode. ``stopped_at`` is the last page shown."""

    turns: list[Turn] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    disclosures: list[Disclosure] = field(default_factory=list)
    survey_texts: list[str] = field(default_factory=list)
    outcome: Outcome = Outcome.ACTIVE
    ever_retained: bool = False
    stopped_at: str = "account"
    report: str | None = None
    end_reason: EndReason | None = None


class CancelEpisode(Episode):
    """One cancellation episode."""

    def __init__(self, scenario: CancelScenario, limit: int = CANCEL_STEPS) -> None:
        self.scenario = scenario
        self.place = FlowPlace()
        self.page: FlowPage = show(scenario, self.place)
        self._events = CancelEvents()
        super().__init__(f"{scenario.introduction}\n\n{render(self.page)}", limit)

    @property
    def events(self) -> CancelEvents:
        """What has happened so far; complete once the episode has ended."""
        events = self._events
        events.turns, events.end_reason = self.turns, self.end_reason
        events.outcome, events.stopped_at = self.place.outcome, self.place.page
        return events

    def _act(self, obj: Mapping[str, Any], step: int) -> tuple[Action, str]:
        kind = obj.get("action")
        if kind == "click":
            click = Click(required_text(obj, "button"), optional_text(obj, "text"))
            return click, self._click(click, step)
        if kind == "ask_user":
            asked = read_question(obj, None)
            return asked, self._ask(asked, step)
        if kind == "report":
            self._events.report = required_text(obj, "message")
            self.end_reason = EndReason.REPORTED
            return Report(self._events.report), ""
        raise Unreadable(f"unknown action {str(kind)[:60]!r}; use click, ask_user or report")

    def _click(self, click: Click, step: int) -> str:
        kind = next((kind for button, kind, _ in self.page.buttons if button == click.button.strip().lower()), None)
        if kind is None:
            there = ", ".join(button for button, _, _ in self.page.buttons) or "none"
            raise Unreadable(f"no button {click.button[:60]!r} on this page; buttons: {there}")
        if click.text and self.page.box is None:
            raise Unreadable("this page has no text box")
        if click.text:
            self._events.survey_texts.append(click.text)
            found = self.scenario.detector.scan(click.text)
            self._events.disclosures += [Disclosure(step, detail, "survey", granted=False) for detail in found]
        self.place = press(self.place, kind)
        self._events.ever_retained = self._events.ever_retained or self.place.outcome in RETAINED
        self.page = show(self.scenario, self.place)
        return render(self.page)

    def _ask(self, asked: AskUser, step: int) -> str:
        details = tuple(dict.fromkeys((*asked.details, *mentioned(asked.question))))
        say = load_yaml("cancellation.yaml")["user"]
        if details and (asked.type is Route.CONSENT or asks_to_share(asked.question)):
            route, answer = Route.CONSENT, say["consent"].format(details=listing(details))
        else:
            route = Route.OTHER if asked.type is Route.CONSENT else asked.type
            answer = say["rule" if self.scenario.rule else "norule"]
        self._events.questions.append(
            Question(step, asked.type, route, asked.question, details, None, None, updated=False, answer=answer)
        )
        return f"{self.scenario.situation.user}: {answer}\n\n{render(self.page)}"
