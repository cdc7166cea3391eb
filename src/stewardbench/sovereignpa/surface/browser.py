"""Hands for an agent that reads and writes text: they read the shop's pages and work its forms in a real Chromium.

    first = hands.read()                      the results page and the form, as the text page that an agent knows
    page = hands.act(reply)                   one JSON action carried out; what came back, or None at the end

Everything is read from what the page shows and done by clicking and typing. Playwright is not needed by anything else
(``pip install stewardbench[browser]``, and a Chromium).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stewardbench.sovereignpa.booking.episode import TextAgent

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


class BrowserHands:
    """One browser page on a shop. ``url`` is the shop's first page, ``family`` is seen from what it shows."""

    def __init__(self, page: Page, url: str) -> None:
        self._page, self._url = page, url
        self._read_messages = 0
        page.goto(url)

    def read(self) -> str:
        """The first page as text, in the sections of the text protocol."""
        if self._page.locator("#flow").count():
            briefing = [self._section(section) for section in self._page.locator(".briefing").all()]
            return "\n\n".join([*briefing, self._flow()])
        heads = {
            "TODAY": self._texts("#today p"),
            "REQUEST": self._texts("#request p"),
            "STANDING INSTRUCTIONS": [f"{n}. {text}" for n, text in enumerate(self._texts("#instructions li"), 1)],
            "MEMORY (oldest first)": [
                f"[{entry.locator('time').inner_text()}] {entry.locator('span').inner_text()}"
                for entry in self._page.locator("#memory li").all()
            ],
            "PROFILE": self._profile(),
        }
        title = self._page.locator("#results").inner_text()
        heads[f"RESULTS PAGE: {title[:1].lower()}{title[1:]}"] = [*self._texts("#per"), *self._listings()]
        heads["CHECKOUT FORM (the same for every option)"] = self._form()
        return "\n\n".join("\n".join((head, *lines)) for head, lines in heads.items())

    def act(self, reply: str) -> str | None:
        """Carry out one action given as JSON; what the page then shows as text, or None when the task has ended."""
        action: dict[str, Any] = json.loads(reply)
        getattr(self, f"_{action['action']}")(action)
        if self._page.locator("#end").count():
            return None
        return "\n\n".join(part for part in (self._shown(), self._news()) if part)

    def _view_option(self, action: dict[str, Any]) -> None:
        self._page.goto(self._url)
        self._page.locator(f".listing[data-id={action['option']}] .name").click()

    def _book(self, action: dict[str, Any]) -> None:
        self._page.goto(self._url)
        self._page.locator(f".listing[data-id={action['option']}] .book").click()
        form = self._page.locator("#checkout")
        for name, value in action["fields"].items():
            form.locator(f"[name='field:{name}']").fill(value)
        if action.get("notes"):
            form.locator("[name=notes]").fill(action["notes"])
        if "addons" in action:
            form.locator("[name=addons]").set_checked(bool(action["addons"]))
        form.locator("button").click()

    def _click(self, action: dict[str, Any]) -> None:
        if action.get("text"):
            self._page.locator("#box").fill(action["text"])
        self._page.locator(f"#flow button[value={action['button']}]").click()

    def _ask_user(self, action: dict[str, Any]) -> None:
        form = self._opened("#ask")
        form.locator("[name=type]").select_option(action["type"])
        form.locator("[name=question]").fill(action["question"])
        for detail in action.get("details", ()):
            form.locator(f"[name=details][value={detail}]").check()
        if action.get("option"):
            form.locator("[name=option]").select_option(action["option"])
            form.locator("[name=addons]").set_checked(bool(action.get("addons")))
        form.locator("button").click()

    def _report(self, action: dict[str, Any]) -> None:
        form = self._opened("#report")
        form.locator("[name=message]").fill(action["message"])
        form.locator("button").click()

    def _opened(self, form: str) -> Locator:
        """A form of the message panel, unfolded."""
        panel = self._page.locator("details", has=self._page.locator(form))
        if panel.get_attribute("open") is None:
            panel.locator("summary").click()
        return self._page.locator(form)

    def _shown(self) -> str:
        """What the current page says: a notice, an opened listing, or a page of the account."""
        if self._page.locator("#option").count():
            return "\n".join([*self._texts("#option h1"), *self._texts("#facts li")])
        notice = "\n".join(self._texts("#notice"))
        return notice or (self._flow() if self._page.locator("#flow").count() else "")

    def _news(self) -> str:
        """Messages of the user that were not there before."""
        lines = self._page.locator("#chat p[data-who]").all()
        new = [line for line in lines[self._read_messages :] if line.get_attribute("data-who") != "You"]
        self._read_messages = len(lines)
        return "\n\n".join(
            f"{line.locator('strong').inner_text()}: {line.locator('span').inner_text()}" for line in new
        )

    def _flow(self) -> str:
        buttons = [f"[{b.get_attribute('value')}] {b.inner_text()}" for b in self._page.locator("#flow button").all()]
        box = [f"Text box (optional): {text}" for text in self._texts("label[for=box]")]
        title, text = self._texts("#flow h1"), self._texts("#text")
        return "\n".join([f"PAGE: {title[0]}", *text, *box, "Buttons:" if buttons else "No buttons.", *buttons])

    def _section(self, section: Locator) -> str:
        lines = [line.inner_text() for line in section.locator("p").all()]
        return "\n".join([section.locator("h2").inner_text(), *lines])

    def _profile(self) -> list[str]:
        names, values = self._page.locator("#profile dt").all(), self._texts("#profile dd")
        labels = [(name.get_attribute("data-name"), name.inner_text()) for name in names]
        return [f"{name} ({label}): {value}" for (name, label), value in zip(labels, values, strict=True)]

    def _listings(self) -> list[str]:
        lines = []
        for listing in self._page.locator(".listing").all():
            name, price = listing.locator(".name").inner_text(), listing.locator(".price").inner_text()
            line = f"[{listing.get_attribute('data-id')}] {name} | {price} | {listing.locator('.rating').inner_text()}"
            said = listing.locator(".said")
            lines.append(f'{line} | Top review: "{said.inner_text()}"' if said.count() else line)
            lines += [f"    {extra.inner_text()}" for extra in listing.locator(".label, .banner").all()]
        return lines

    def _form(self) -> list[str]:
        """The checkout form, read on the page of the first option, and back."""
        self._page.locator(".listing .book").first.click()
        lines = []
        for field in self._page.locator("#checkout input[type=text]").all():
            name = str(field.get_attribute("name")).removeprefix("field:")
            label = self._page.locator(f"label[for=f-{name}]").inner_text().rsplit(" ", 1)[0]
            nudge = field.locator("xpath=following-sibling::*[1][contains(@class,'nudge')]")
            pushed = f". {nudge.inner_text()}" if nudge.count() else ""
            lines.append(f"- {name} ({label[:1].lower()}{label[1:]}) - {field.get_attribute('data-kind')}{pushed}")
        extra = self._page.locator("#extra")
        mark = "x" if extra.locator("input").is_checked() else " "
        name, price = extra.locator(".extra-name").inner_text(), extra.locator(".extra-price").inner_text()
        lines.append(f"Extra: [{mark}] {name} {price}{' (selected)' if mark == 'x' else ''}")
        self._page.goto(self._url)
        return lines

    def _texts(self, selector: str) -> list[str]:
        return [element.inner_text() for element in self._page.locator(selector).all()]


def play_in_browser(agent: TextAgent, hands: BrowserHands) -> None:
    """Let an agent work the shop to the end of its episode."""
    reply = agent.first(hands.read())
    while (page := hands.act(reply)) is not None:
        reply = agent.next(page)
