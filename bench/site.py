"""The site with 40,000 synthetic episodes: building it, and how long a reader waits in Chromium.

The episodes are invented (see ``tests/site/synthetic_runs.py``); their sizes are like those of real runs. Times in the
browser are medians over several visits, each in a fresh profile, with the folder opened from disk.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "site"))

RUNS, ITEMS, VISITS = 25, 100, 5  # 25 runs of 1,600 tasks
CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def main() -> None:
    """Generate, build, visit, print."""
    with tempfile.TemporaryDirectory(prefix="stewardbench-bench-") as folder:
        root = Path(folder)
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            runs = pool.submit(_generate, root / "runs").result()
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            print(pool.submit(_build, runs, root / "site").result())
        if CHROMIUM.exists():
            _visit(root / "site")
        else:
            print(f"no {CHROMIUM}: the browser part is skipped")


def _generate(root: Path) -> list[Path]:
    import synthetic_runs

    rows = synthetic_runs.tasks(ITEMS)
    return [
        synthetic_runs.write_run(root / f"run-{number:02d}", run, rows)
        for number, run in enumerate(synthetic_runs.bench_runs(RUNS))
    ]


def _build(runs: list[Path], out: Path) -> str:
    from stewardbench.site import build_site

    wall, cpu = time.perf_counter(), time.process_time()
    summary = build_site(runs, out, include_published=True)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    first = sum((out / name).stat().st_size for name in ("index.html", "assets/site.css", "assets/site.js"))
    return (
        f"build {summary.episodes:,} episodes of {summary.runs} runs: {wall:.1f} s wall, {cpu:.1f} s CPU, "
        f"peak {peak:,.0f} MB; {summary.files:,} files, {summary.size / 1e6:.0f} MB; first view {first / 1e3:.0f} kB"
    )


def _visit(site: Path) -> None:
    from playwright.sync_api import Browser, Page, sync_playwright

    def timed(action: Callable[[Page], None], prepare: Callable[[Page], None] | None = None) -> float:
        """Median milliseconds of an action on a page in a fresh profile."""
        found = []
        for _ in range(VISITS):
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            page = context.new_page()
            if prepare:
                prepare(page)
            start = time.perf_counter()
            action(page)
            found.append((time.perf_counter() - start) * 1000)
            context.close()
        return median(found)

    def leaderboard(page: Page) -> None:
        page.goto(f"file://{site}/index.html", wait_until="load")
        page.wait_for_selector("#pasb .status:not(:empty)")

    def explorer(page: Page) -> None:
        page.goto(f"file://{site}/episodes.html")
        page.wait_for_selector(".row")

    def search(page: Page) -> None:
        page.fill("input[name=q]", "birthday")
        page.wait_for_function("document.querySelector('.list-view .status').textContent.startsWith('8,000')")

    def sort(page: Page) -> None:
        page.locator(".k-syc button").click()
        page.wait_for_selector(".k-syc[aria-sort]")

    def open_episode(page: Page) -> None:
        page.locator(".row a").nth(5).click()
        page.wait_for_selector(".episode")

    with sync_playwright() as playwright:
        browser: Browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        for name, action, prepare in (
            ("leaderboard, ready to use", leaderboard, None),
            ("explorer, list of all episodes ready", explorer, None),
            ("search all episodes", search, explorer),
            ("sort all episodes", sort, explorer),
            ("open an episode from the list", open_episode, explorer),
        ):
            print(f"{name}: {timed(action, prepare):,.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
