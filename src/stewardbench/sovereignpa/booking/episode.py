"""The episode engine: one agent, one scenario, one reply at a time.

    episode = BookingEpisode(scenario)
    reply = agent.first(episode.first_page)
    while (page := episode.step(reply)) is not None:
        reply = agent.next(page)
    score = metrics.score(scenario, episode.events)

``step`` takes raw text; ``step_object`` takes an action that arrived as a native tool call, ``step_unreadable`` a reply
that held none. All three return the page to show next, or None when the episode has ended. An unreadable reply is
returned to the agent once with the reason; if the retry is unreadable too, the episode stops. ``abort`` ends an episode
that the provider or the harness broke: it is invalid and never scored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from stewardbench.sovereignpa.actions import Action, AskUser, Book, BookingAction, Report, ViewOption, read_action
from stewardbench.sovereignpa.axes import EndReason, Role
from stewardbench.sovereignpa.booking.pages import Pages
from stewardbench.sovereignpa.domains import load_yaml
from stewardbench.sovereignpa.events import Events, Turn
from stewardbench.sovereignpa.platform import confirmation, submit
from stewardbench.sovereignpa.replies import Unreadable, find_action
from stewardbench.sovereignpa.text import printable
from stewardbench.sovereignpa.user import User
from stewardbench.sovereignpa.variants import Scenario

BOOKING_STEPS = 20


class TextAgent(Protocol):
    """Anything that answers pages with replies. A new object per episode; both methods return raw reply text."""

    def first(self, page: str) -> str:
        """The reply to the first page."""
        ...

    def next(self, page: str) -> str:
        """The reply to a later page."""
        ...


class Episode(ABC):
    """The turn loop that both families share: parsing, the one retry, the step limit, the record of turns."""

    def __init__(self, first_page: str, limit: int) -> None:
        self.first_page = first_page
        self.limit = limit
        self.turns: list[Turn] = []
        self.end_reason: EndReason | None = None
        self.error = ""
        self._failed_last = False

    @property
    def ended(self) -> bool:
        """Whether no further reply is taken."""
        return self.end_reason is not None

    def step(self, raw: str, *, input_tokens: int = 0, output_tokens: int = 0) -> str | None:
        """Take one raw reply; the next page, or None at the end."""
        try:
            obj = find_action(raw)
        except Unreadable as error:
            return self.step_unreadable(raw, str(error), input_tokens=input_tokens, output_tokens=output_tokens)
        return self.step_object(obj, raw, input_tokens=input_tokens, output_tokens=output_tokens)

    def step_object(
        self, obj: Mapping[str, Any], raw: str, *, input_tokens: int = 0, output_tokens: int = 0
    ) -> str | None:
        """Take one action as an object with an ``action`` key."""
        self._check_open()
        number = len(self.turns) + 1
        try:
            action, page = self._act(obj, number)
        except Unreadable as error:
            return self.step_unreadable(raw, str(error), input_tokens=input_tokens, output_tokens=output_tokens)
        self._failed_last = False
        self.turns.append(Turn(number, printable(raw), action, None, page, input_tokens, output_tokens))
        return self._next_page(page)

    def step_unreadable(self, raw: str, error: str, *, input_tokens: int = 0, output_tokens: int = 0) -> str | None:
        """Take a reply that holds no action, with the reason."""
        self._check_open()
        page = "" if self._failed_last else _RETRY.format(error=error)
        if self._failed_last:
            self.end_reason = EndReason.PARSE_STOP
        self._failed_last = True
        self.turns.append(Turn(len(self.turns) + 1, printable(raw), None, error, page, input_tokens, output_tokens))
        return self._next_page(page)

    def abort(self, error: str) -> None:
        """End an episode that could not be carried on, for a reason outside the agent."""
        self._check_open()
        self.end_reason, self.error = EndReason.ERROR, error

    @abstractmethod
    def _act(self, obj: Mapping[str, Any], step: int) -> tuple[Action, str]:
        """Read and carry out an action; the page answers it. Raises Unreadable; sets ``end_reason`` to end."""

    def _next_page(self, page: str) -> str | None:
        if self.end_reason is None and len(self.turns) >= self.limit:
            self.end_reason = EndReason.STEP_LIMIT
        return None if self.ended else page

    def _check_open(self) -> None:
        if self.ended:
            raise ValueError(f"the episode has ended: {self.end_reason}")


class BookingEpisode(Episode):
    """One booking episode. ``shown`` are the pages the agent sees, by default the scenario's own text pages."""

    def __init__(self, scenario: Scenario, shown: Pages | None = None, limit: int = BOOKING_STEPS) -> None:
        self.scenario = scenario
        self.pages = shown or scenario.pages
        self.user = User(scenario)
        decoy = scenario.situation.option(Role.D).name
        self._review = dict(scenario.observation.reviews)[decoy]
        self._events = Events(exposed_step=0 if self._review in self.pages.first else None)
        super().__init__(self.pages.first, limit)

    @property
    def events(self) -> Events:
        """What has happened so far; complete once the episode has ended."""
        self._events.turns, self._events.end_reason = self.turns, self.end_reason
        return self._events

    def _act(self, obj: Mapping[str, Any], step: int) -> tuple[Action, str]:
        action = read_action(obj, self.scenario.menu)
        first = not any(turn.action is not None for turn in self.turns)
        page = self._answer(action, step)
        return action, self._interrupt(page, step) if first and not self.ended else page

    def _answer(self, action: BookingAction, step: int) -> str:
        events = self._events
        match action:
            case ViewOption(option):
                events.viewed.append(option)
                page = self.pages.options[option]
                if events.exposed_step is None and self._review in page:
                    events.exposed_step = step
                return page
            case AskUser():
                question = self.user.ask(action, step)
                events.questions.append(question)
                return f"{self.scenario.situation.user}: {question.answer}"
            case Book():
                order, sent = submit(self.scenario, action, step, self.user.updated, self.user.granted.__contains__)
                events.orders.append(order)
                events.disclosures += sent
                return confirmation(self.scenario, order)
            case Report(message):
                events.report = message
                self.end_reason = EndReason.REPORTED
                return ""

    def _interrupt(self, page: str, step: int) -> str:
        """The mid-task message comes with the answer to the first readable action, whatever that was."""
        message = self.scenario.observation.midtask
        if message is None:
            return page
        self.user.updated = self.scenario.updates
        self._events.midtask_step = step
        return f"{page}\n\n{message}"


def play(episode: Episode, agent: TextAgent) -> Episode:
    """Run an agent to the end of an episode, and return the episode."""
    reply = agent.first(episode.first_page)
    while (page := episode.step(reply)) is not None:
        reply = agent.next(page)
    return episode


_RETRY: str = load_yaml("wording.yaml")["parser"]["retry"]
