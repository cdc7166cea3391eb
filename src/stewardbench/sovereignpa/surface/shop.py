"""The web shop of one episode: what a request does, and the HTML that answers it.

    GET  /                 the results page with the user's message panel      (booking)
    GET  /option/opt3      a listing opened: one ``view_option``
    GET  /checkout/opt3    the form for an option; free, as the text protocol shows the form from the start
    POST /book             the form sent: one ``book``
    GET  /account          the current page of the cancellation flow           (cancellation)
    POST /click            a button pressed: one ``click``
    POST /ask              a question to the user: one ``ask_user``
    POST /report           the final message: one ``report``

Templates see the agent's view of a scenario and nothing hidden.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from stewardbench.sovereignpa.axes import Route
from stewardbench.sovereignpa.booking.episode import BookingEpisode
from stewardbench.sovereignpa.booking.pages import option_page
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.details import LABELS, Detail
from stewardbench.sovereignpa.text import sentence, spoken_date

Form = Mapping[str, Sequence[str]]
"""A sent form: every field's name with its values."""


MIDTASK = "One more thing before you finish: "  # how every mid-task message begins


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What a request is answered with: HTML, or the path to go on to."""

    status: int
    html: str = ""
    location: str = ""


@dataclass
class Shop:
    """One episode as a web site. ``chat`` holds what was said between agent and user, oldest first."""

    episode: BookingEpisode | CancelEpisode
    chat: list[tuple[str, str]] = field(default_factory=list)
    notice: str = ""

    @property
    def home(self) -> str:
        """The path of the first page."""
        return "/" if isinstance(self.episode, BookingEpisode) else "/account"

    def get(self, path: str) -> PageAnswer:
        """Answer a GET request."""
        if self.episode.ended and path != "/end":
            return PageAnswer(303, location="/end")
        if path == "/end":
            return PageAnswer(200, _render("end.html.j2", reason=self.episode.end_reason))
        if isinstance(self.episode, CancelEpisode):
            return self._account(self.episode) if path == "/account" else _missing()
        kind, _, option = path.strip("/").partition("/")
        if kind == "":
            return PageAnswer(200, self._booking(self.episode, "results.html.j2"))
        if option not in self.episode.scenario.options or kind not in {"option", "checkout"}:
            return _missing()
        if kind == "option":
            self._act({"action": "view_option", "option": option})
        return PageAnswer(200, self._booking(self.episode, f"{kind}.html.j2", page=self._option(self.episode, option)))

    def post(self, path: str, form: Form) -> PageAnswer:
        """Answer a POST request: carry out its action and go back to where it leads."""
        if self.episode.ended:
            return PageAnswer(303, location="/end")
        actions = {"/book": self._book, "/click": self._click, "/ask": self._ask, "/report": self._report}
        if path not in actions:
            return _missing()
        self._act(actions[path](form))
        return PageAnswer(303, location="/end" if self.episode.ended else self.home)

    def _act(self, action: Mapping[str, Any]) -> None:
        """One action of the episode. What the user says goes into the chat, what the platform says into the notice."""
        said = self.episode.step(json.dumps(action, ensure_ascii=False))
        self.notice = ""
        if said is None:
            return
        user = self.episode.scenario.situation.user
        body, mark, message = said.partition(f"\n\n{user}: {MIDTASK}")
        if self.episode.turns[-1].error or action["action"] == "book":
            self.notice = body
        elif action["action"] == "ask_user":
            answer = body.removeprefix(f"{user}: ").partition("\n\nPAGE: ")[0]
            self.chat += [("You", str(action["question"])), (user, answer)]
        if mark:
            self.chat.append((user, MIDTASK + message))

    def _booking(self, episode: BookingEpisode, template: str, **more: Any) -> str:
        seen = episode.scenario.observation
        return _render(
            template,
            seen=seen,
            today=spoken_date(seen.today),
            labels=LABELS,
            reviews=dict(seen.reviews),
            extra_name=sentence(seen.extra.name),
            options=[(listing.id, listing.name) for listing in seen.results.listings],
            **self._common(),
            **more,
        )

    def _option(self, episode: BookingEpisode, option: str) -> Any:
        scenario = episode.scenario
        return option_page(option, scenario.options[option], scenario.domain, scenario.observation)

    def _account(self, episode: CancelEpisode) -> PageAnswer:
        page = episode.page
        introduction = [block.partition("\n")[::2] for block in episode.scenario.introduction.split("\n\n")]
        html = _render("account.html.j2", page=page, introduction=introduction, options=[], **self._common())
        return PageAnswer(200, html)

    def _common(self) -> dict[str, Any]:
        return {
            "chat": self.chat,
            "notice": self.notice,
            "routes": list(Route),
            "details": list(Detail),
            "labels_all": LABELS,
        }

    def _book(self, form: Form) -> dict[str, Any]:
        fields = {name.removeprefix("field:"): values[0] for name, values in form.items() if name.startswith("field:")}
        return {
            "action": "book",
            "option": _first(form, "option"),
            "fields": {name: value for name, value in fields.items() if value},
            "addons": list(form.get("addons", ())),
            "notes": _first(form, "notes"),
        }

    def _click(self, form: Form) -> dict[str, Any]:
        text = _first(form, "text")
        return {"action": "click", "button": _first(form, "button"), **({"text": text} if text else {})}

    def _ask(self, form: Form) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "action": "ask_user",
            "type": _first(form, "type"),
            "question": _first(form, "question"),
            "details": list(form.get("details", ())),
        }
        if _first(form, "option"):
            asked |= {"option": _first(form, "option"), "addons": list(form.get("addons", ()))}
        return asked

    def _report(self, form: Form) -> dict[str, Any]:
        return {"action": "report", "message": _first(form, "message")}


def _first(form: Form, name: str) -> str:
    values = form.get(name, ())
    return values[0] if values else ""


def _missing() -> PageAnswer:
    return PageAnswer(404, _render("missing.html.j2"))


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("stewardbench.sovereignpa.surface"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
