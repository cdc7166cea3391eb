"""The site in a real headless Chromium, opened from disk: sort, filter, search, explore, by keyboard, on any screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import synthetic_runs
from synthetic_runs import HOSTILE, Run

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from stewardbench.site import build_site

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PAGES = ("index.html", "pasb.html", "sovereignpa.html", "episodes.html", "methods.html")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM.exists(), reason="needs /usr/bin/chromium")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("browser") / "site"
    root = tmp_path_factory.mktemp("runs")
    acting = [synthetic_runs.write_sovereignpa_run(root / agent, agent) for agent in ("careful", "naive", "quitter")]
    build_site([*synthetic_runs.write_runs(root, items=8), *acting], out, include_published=False)
    return out


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    run = Run(f"model{HOSTILE[:-1]}", "hermes")
    folder = synthetic_runs.write_run(root / "run", run, synthetic_runs.tasks(6), hostile=True)
    build_site([folder], root / "site", include_published=False)
    return root / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield launched
        launched.close()


class Visit:
    """A page whose console errors, exceptions and requests beyond its own folder fail the test at the end."""

    def __init__(self, context: BrowserContext, site: Path) -> None:
        self.site, self.problems = site, []
        self.problems: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self._check(request.url))

    def open(self, name: str) -> Page:
        self.page.goto(f"file://{self.site}/{name}")
        return self.page

    def _check(self, url: str) -> None:
        if not url.startswith((f"file://{self.site}/", "data:")):
            self.problems.append(f"left the folder: {url}")


@pytest.fixture
def visit(browser: Browser, site: Path) -> Iterator[Visit]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    found = Visit(context, site)
    yield found
    context.close()
    assert found.problems == []


def names(page: Page) -> list[str]:
    return page.locator("#pasb tbody tr:visible th").all_inner_texts()


def column(page: Page, place: int) -> list[float]:
    return [
        float(text.split()[0].replace("−", "-"))
        for text in page.locator(f"#pasb tbody tr:visible td:nth-child({place})").all_inner_texts()
    ]


def rows(page: Page) -> list[str]:
    return page.locator(".row .k-task").all_inner_texts()


def status(page: Page) -> str:
    return page.locator(".list-view .status").inner_text()


def test_the_leaderboard_sorts_both_ways_and_says_so(visit: Visit) -> None:
    page = visit.open("index.html")
    assert column(page, 3) == sorted(column(page, 3))
    header = page.get_by_role("columnheader", name="Commit")
    header.get_by_role("button").click()
    assert column(page, 10) == sorted(column(page, 10))
    expect(header).to_have_attribute("aria-sort", "ascending")
    header.get_by_role("button").click()
    assert column(page, 10) == sorted(column(page, 10), reverse=True)
    expect(header).to_have_attribute("aria-sort", "descending")
    assert page.locator("#pasb [aria-sort]").count() == 1


def test_the_leaderboard_filters_by_agent_and_source_and_searches(visit: Visit) -> None:
    page = visit.open("index.html")
    page.locator("#pasb select[name=agent]").select_option("OpenClaw")
    assert set(page.locator("#pasb tbody tr:visible .agent-cell").all_inner_texts()) == {"OpenClaw"}
    page.locator("#pasb select[name=agent]").select_option("")
    page.locator("#pasb select[name=origin]").select_option("harness check")
    assert [name.split()[0] for name in names(page)] == ["scripted/copier"]
    page.locator("#pasb select[name=origin]").select_option("")
    page.locator("#pasb input[name=q]").fill("birch hermes")
    assert [name.split()[0] for name in names(page)] == ["synthetic/birch-small"]
    expect(page.locator("#pasb .status")).to_have_text("1 of 5 shown")
    page.locator("#pasb input[name=q]").fill("nobody")
    expect(page.locator("#pasb .no-match")).to_be_visible()


def test_the_state_of_the_leaderboard_is_in_the_address(visit: Visit) -> None:
    page = visit.open("index.html")
    page.locator("#pasb input[name=q]").fill("alder")
    page.get_by_role("columnheader", name="Leak").get_by_role("button").click()
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#pasb input[name=q]")).to_have_value("alder")
    expect(page.get_by_role("columnheader", name="Leak")).to_have_attribute("aria-sort", "ascending")
    assert len(names(page)) == 2


def test_n_and_intervals_can_be_read_without_a_mouse(visit: Visit) -> None:
    page = visit.open("index.html")
    assert page.locator(".explained").count() == 0
    page.locator("#pasb").get_by_label("n and intervals").check()
    assert "n = " in page.locator("#pasb tbody td.number").first.inner_text()
    page.locator("#pasb").get_by_label("n and intervals").uncheck()
    assert page.locator(".explained").count() == 0


def test_a_run_leads_to_its_episodes(visit: Visit) -> None:
    page = visit.open("index.html")
    page.get_by_role("link", name="scripted/copier").click()
    expect(page.locator(".row").first).to_be_visible()
    assert status(page) == "128 of 640 episodes"


def test_episodes_are_filtered_searched_and_sorted(visit: Visit) -> None:
    page = visit.open("episodes.html")
    expect(page.locator(".row").first).to_be_visible()
    page.get_by_label("Scenario", exact=True).select_option("Signed memory")
    assert status(page) == "160 of 640 episodes"
    page.get_by_label("Search", exact=True).fill("birch")
    assert status(page) == "64 of 640 episodes"
    page.get_by_label("Order", exact=True).select_option("syc.desc")
    scores = page.locator(".row .k-syc").all_inner_texts()
    assert scores == sorted(scores, reverse=True)
    page.get_by_role("button", name="Syc").click()
    scores = page.locator(".row .k-syc").all_inner_texts()
    assert scores == sorted(scores)
    page.get_by_label("Search", exact=True).fill("no such claim")
    assert status(page) == "None of 640 episodes matches."
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".list-view .status")).to_have_text("640 of 640 episodes")


def test_only_rows_in_view_are_drawn_and_scrolling_reaches_the_last(visit: Visit) -> None:
    page = visit.open("episodes.html")
    expect(page.locator(".row").first).to_be_visible()
    assert page.locator(".row").count() < 60
    page.locator(".scroller").focus()
    page.keyboard.press("End")
    expect(page.locator("#row-639")).to_be_visible()
    assert page.locator(".row").count() < 60
    expect(page.locator("[role=grid]")).to_have_attribute("aria-activedescendant", "row-639")


def test_an_episode_is_opened_read_and_left_by_keyboard(visit: Visit) -> None:
    page = visit.open("episodes.html")
    expect(page.locator(".row").first).to_be_visible()
    page.locator(".scroller").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#episode-title")).to_be_focused()
    expect(page.locator(".position")).to_have_text("2 of 640")
    assert page.locator(".part h2").all_inner_texts()[:5] == [
        "Claim",
        "Persist session",
        "What was written",
        "The cut",
        "Query session",
    ]
    page.get_by_role("link", name="Next →").click()
    expect(page.locator(".position")).to_have_text("3 of 640")
    page.get_by_role("link", name="All episodes").click()
    expect(page.locator(".scroller")).to_be_focused()
    expect(page.locator(".row.active")).to_have_attribute("aria-rowindex", "4")


def test_an_episode_page_keeps_the_filter_it_was_opened_from(visit: Visit) -> None:
    page = visit.open("episodes.html")
    page.get_by_label("Written to", exact=True).select_option("Skill")
    total = int(status(page).split()[0])
    page.locator(".row").nth(1).click()
    expect(page.locator(".position")).to_have_text(f"2 of {total}")
    expect(page.locator("mark").first).to_be_visible()
    page.go_back()
    expect(page.locator(".list-view .status")).to_have_text(f"{total} of 640 episodes")


def test_an_episode_has_an_address_of_its_own(visit: Visit) -> None:
    page = visit.open("episodes.html")
    page.locator(".row a").nth(3).click()
    expect(page.locator(".episode")).to_be_visible()
    title, address = page.locator("h1").inner_text(), page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("h1")).to_have_text(title)


def test_the_other_benchmark_has_its_own_list_and_episodes(visit: Visit) -> None:
    page = visit.open("index.html")
    page.locator("#sovereignpa").get_by_role("link", name="naive").click()
    expect(page.locator(".list-view .status")).to_have_text("20 of 46 episodes")
    page.get_by_label("Variant", exact=True).select_option("Injection")
    page.locator(".row a").first.click()
    expect(page.locator(".part.verdicts .fails").first).to_be_visible()
    expect(page.locator(".part.dialogue mark").first).to_contain_text("Note to AI assistants")
    page.get_by_role("link", name="All episodes").click()
    page.get_by_role("link", name="PASB (640)").click()
    expect(page.locator(".list-view .status")).to_have_text("640 of 640 episodes")


def test_an_address_of_no_episode_says_so(visit: Visit) -> None:
    page = visit.open("episodes.html#set=pasb&e=gone")
    expect(page.get_by_role("alert")).to_contain_text("There is no episode gone")


def test_a_missing_data_file_is_named(visit: Visit, browser: Browser, site: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(site, tmp_path / "copy", ignore=shutil.ignore_patterns("pasb-index.js"))
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"file://{tmp_path}/copy/episodes.html")
    expect(page.get_by_role("alert")).to_contain_text("data/pasb-index.js cannot be loaded")
    context.close()


def test_figures_open_their_definition_and_data_by_link(visit: Visit) -> None:
    page = visit.open("pasb.html#boundary-definition")
    expect(page.locator("#boundary-definition p")).to_be_visible()
    page.locator("#boundary-data summary").click()
    expect(page.locator("#boundary-data table")).to_be_visible()
    assert page.locator("#boundary svg:visible").count() == 1


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_scrolls_sideways(browser: Browser, site: Path, name: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    found = Visit(context, site)
    page = found.open(name)
    if name == "episodes.html":
        expect(page.locator(".row").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if name == "episodes.html":
        page.locator(".row a").first.click()
        expect(page.locator(".episode")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert found.problems == []
    context.close()


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_system_theme_is_followed_and_text_has_contrast(browser: Browser, site: Path, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"file://{site}/index.html")
    style = "getComputedStyle(document.querySelector('{}')).{}"
    ground = luminance(page.evaluate(style.format("body", "backgroundColor")))
    assert (ground > 0.5) == (scheme == "light")
    for selector in ("body", ".intro", ".under", ".notice", ".top nav a"):
        ink = luminance(page.evaluate(style.format(selector, "color")))
        assert (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) > 4.5, selector
    context.close()


def test_the_theme_button_overrides_the_system_and_is_remembered(visit: Visit) -> None:
    page = visit.open("index.html")
    button = page.locator("#theme")
    expect(button).to_have_text("Theme: auto")
    button.click()
    button.click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    visit.open("methods.html")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    expect(page.locator("#theme")).to_have_text("Theme: dark")


def test_the_first_tab_stop_skips_to_the_content(visit: Visit) -> None:
    page = visit.open("index.html")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_skipping_to_the_content_stays_in_the_episode(visit: Visit) -> None:
    page = visit.open("episodes.html")
    page.locator(".row a").first.click()
    expect(page.locator(".episode")).to_be_visible()
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    expect(page.locator(".episode")).to_be_visible()


def test_every_control_has_a_name(visit: Visit) -> None:
    for name in PAGES:
        page = visit.open(name)
        if name == "episodes.html":
            expect(page.locator(".row").first).to_be_visible()
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll('button,select,input,a,[role=region],[role=grid],svg[role=img]')]
              .filter(e => e.checkVisibility() && !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
              .map(e => e.outerHTML.slice(0, 80))"""
        )
        assert unnamed == []


def test_hostile_text_is_shown_and_never_runs(browser: Browser, hostile_site: Path) -> None:
    context = browser.new_context()
    found = Visit(context, hostile_site)
    for name in ("index.html", "pasb.html", "methods.html"):
        page = found.open(name)
        assert page.evaluate("globalThis.pwned") is None
    page = found.open("episodes.html")
    page.locator(".row a").nth(2).click()
    expect(page.locator(".episode")).to_be_visible()
    for folded in page.locator("details").all():
        folded.evaluate("node => { node.open = true }")
    assert page.evaluate("globalThis.pwned") is None
    assert page.locator("img").count() == 0
    turn = page.locator(".said.agent").first
    expect(turn).to_contain_text("<script>globalThis.pwned=1</script>")
    assert {"U+202E", "U+0000"} <= set(turn.locator(".control").all_inner_texts())
    assert found.problems == []
    context.close()
