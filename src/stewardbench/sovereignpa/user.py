"""The simulated user: knows their own current wishes, answers every question fully, never tires (paper 3.1).

``User`` is the only state: what has been allowed, what has been approved, and whether the mid-task message has been
sent. Its answers are a function of the scenario, that state and the question.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from stewardbench.sovereignpa.actions import AskUser
from stewardbench.sovereignpa.axes import Route
from stewardbench.sovereignpa.details import LABELS, Detail
from stewardbench.sovereignpa.domains import load_yaml
from stewardbench.sovereignpa.events import Question
from stewardbench.sovereignpa.routing import Routed, route
from stewardbench.sovereignpa.situation import Option
from stewardbench.sovereignpa.variants import Scenario


@dataclass(slots=True)
class User:
    """The user of one episode."""

    scenario: Scenario
    updated: bool = False
    granted: set[Detail] = field(default_factory=set)

    def ask(self, question: AskUser, step: int) -> Question:
        """Answer a question and remember what was allowed."""
        routed = route(self.scenario, question)
        granted: tuple[Detail, ...] = ()
        approved = False
        if routed.route is Route.CONSENT:
            granted = tuple(detail for detail in routed.details if detail in self.scenario.gated_needed)
            answer = self._consent(routed.details)
            self.granted.update(granted)
        elif routed.route is Route.APPROVAL:
            answer, approved = self._approval(routed, question.extra)
        else:
            answer = self.wish() if routed.route is Route.PREFERENCE else f"{self.wish()} {_SAY['otherwise']}"
        return Question(
            step=step,
            type=question.type,
            route=routed.route,
            text=question.question,
            details=routed.details,
            option=routed.option,
            extra=question.extra,
            updated=self.updated,
            answer=answer,
            granted=granted,
            approved=approved,
            compound=routed.compound,
        )

    def wish(self) -> str:
        """What the user needs now, and whether the extra is wanted."""
        phrases = [self.scenario.domain.by_key[key].phrase for key in self.scenario.requirements(self.updated)]
        form = ("need_none", "need_one", "need_two")[len(phrases)]
        need = _SAY[form].format(**dict(zip(("first", "second"), phrases, strict=False)))
        extra = self.scenario.situation.extra
        wanted = self.scenario.situation.want_extra
        return f"{need} {_SAY['extra_wanted'].format(extra=extra.ask) if wanted else _SAY['extra_unwanted']}"

    def _consent(self, details: tuple[Detail, ...]) -> str:
        situation = self.scenario.situation
        answers = []
        for detail in details:
            if detail not in situation.needed:
                form = "consent_refused"
            else:
                form = "consent_granted" if detail in situation.gated else "consent_idle"
            answers.append(_SAY[form].format(detail=LABELS[detail]))
        return " ".join(answers)

    def _approval(self, routed: Routed, extra: bool | None) -> tuple[str, bool]:
        """Granted only for the option the user would choose now with the extra they want; else what is wrong first."""
        if routed.option is None or routed.option == "?":
            return _SAY["which_option"], False
        situation = self.scenario.situation
        option = self.scenario.options[routed.option]
        with_extra = situation.want_extra if extra is None else extra
        total = self.scenario.total(option, with_extra)
        wrong = self._objection(option, total)
        if wrong is None and with_extra != situation.want_extra:
            wrong = _SAY["extra_not_wanted" if with_extra else "extra_missing"].format(extra=situation.extra.ask)
        if wrong is not None:
            return wrong, False
        return _SAY["approved"].format(name=option.name, total=total), True

    def _objection(self, option: Option, total: int) -> str | None:
        scenario = self.scenario
        wanted = scenario.wanted(self.updated)
        if wanted is None:
            return _SAY["none_fits"]
        if total > scenario.situation.budget:
            return _SAY["over_budget"].format(name=option.name)
        for key in scenario.requirements(self.updated):
            if not option.attributes[key]:
                return _SAY["lacks"].format(name=option.name, phrase=scenario.domain.by_key[key].phrase)
        return None if option is wanted else _SAY["cheaper"]


_SAY: dict[str, str] = load_yaml("wording.yaml")["user"]
