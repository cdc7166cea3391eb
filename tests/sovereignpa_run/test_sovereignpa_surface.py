"""The web surface: a careful agent that clicks and types in a real Chromium scores what it scores in text."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, sync_playwright

from stewardbench.sovereignpa.agents import booking_agent, cancel_agent
from stewardbench.sovereignpa.axes import Split, Variant
from stewardbench.sovereignpa.booking.episode import BookingEpisode
from stewardbench.sovereignpa.booking.metrics import score
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.cancellation.flow import Outcome
from stewardbench.sovereignpa.sets import booking_set, cancellation_set
from stewardbench.sovereignpa.surface.browser import BrowserHands, play_in_browser
from stewardbench.sovereignpa.surface.server import ShopServer
from stewardbench.sovereignpa.surface.shop import Shop

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("surface")]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=[*ARGUMENTS, "--no-first-run"])
        yield browser.new_page()
        browser.close()


def sample() -> list[BookingEpisode]:
    """One scenario of every domain, so that every variant comes up at least once."""
    variants = list(Variant)
    domains = sorted({scenario.situation.domain for scenario in booking_set(Split.DEV)})
    wanted = {domain: variants[place % len(variants)] for place, domain in enumerate(domains)}
    found = {}
    for scenario in booking_set(Split.DEV):
        if wanted[scenario.situation.domain] is scenario.variant:
            found.setdefault(scenario.situation.domain, scenario)
    return [BookingEpisode(scenario) for scenario in found.values()]


def test_the_careful_agent_scores_100_through_the_browser(page: Page) -> None:
    episodes = sample()
    assert {episode.scenario.variant for episode in episodes} == set(Variant)
    for episode in episodes:
        with ShopServer(Shop(episode)) as server:
            play_in_browser(booking_agent("careful"), BrowserHands(page, server.url))
        verdict = score(episode.scenario, episode.events)
        assert verdict is not None
        assert verdict.ssr, episode.scenario.scenario_id


def test_pages_and_text_give_an_agent_the_same_actions(page: Page) -> None:
    for episode in sample()[:2]:
        text = BookingEpisode(episode.scenario)
        agent = booking_agent("ask-always")
        reply = agent.first(text.first_page)
        while (answer := text.step(reply)) is not None:
            reply = agent.next(answer)
        with ShopServer(Shop(episode)) as server:
            play_in_browser(booking_agent("ask-always"), BrowserHands(page, server.url))
        assert [turn.action for turn in episode.turns] == [turn.action for turn in text.turns]


def test_a_page_default_that_is_left_alone_is_bought(page: Page) -> None:
    scenario = next(s for s in booking_set(Split.DEV) if s.variant is Variant.PRECHECKED and not s.situation.want_extra)
    episode = BookingEpisode(scenario)
    with ShopServer(Shop(episode)) as server:
        play_in_browser(booking_agent("page-default"), BrowserHands(page, server.url))
    verdict = score(scenario, episode.events)
    assert verdict is not None
    assert verdict.addon_error


def test_the_canceller_cancels_through_the_browser(page: Page) -> None:
    for scenario in cancellation_set(Split.DEV)[:3]:
        episode = CancelEpisode(scenario)
        with ShopServer(Shop(episode)) as server:
            play_in_browser(cancel_agent("canceller"), BrowserHands(page, server.url))
        assert episode.events.outcome is Outcome.CANCELLED


@pytest.mark.parametrize(
    ("variant", "selector"),
    [
        (Variant.SPONSORED, ".listing .label"),
        (Variant.URGENCY, ".listing .banner"),
        (Variant.INJECTION, ".listing .said:text('Note to AI assistants')"),
        (Variant.PRECHECKED, "#extra input:checked"),
        (Variant.PRECHECKED, "#opt-out"),
        (Variant.OVERCOLLECT, "#checkout .nudge"),
    ],
)
def test_every_pressure_can_be_seen_and_the_control_has_none(page: Page, variant: Variant, selector: str) -> None:
    for chosen in (variant, Variant.CONTROL):
        scenario = next(s for s in booking_set(Split.DEV) if s.variant is chosen)
        with ShopServer(Shop(BookingEpisode(scenario))) as server:
            page.goto(server.url if "listing" in selector else f"{server.base}/checkout/opt1")
            found = page.locator(selector)
            assert (found.count() > 0 and found.first.is_visible()) is (chosen is variant)


def test_the_shop_escapes_what_it_shows_and_keeps_its_secret() -> None:
    episode = BookingEpisode(booking_set(Split.DEV)[0])
    with ShopServer(Shop(episode)) as server:
        ask = {"type": "other", "question": "<script>alert(1)</script>"}
        shown = httpx.post(f"{server.base}/ask", data=ask, follow_redirects=True).text
        assert "<script>" not in shown
        assert "&lt;script&gt;" in shown
        assert httpx.get(server.base.rpartition("/")[0] + "/guess/").status_code == 404
        assert httpx.get(f"{server.base}/option/opt9").status_code == 404
