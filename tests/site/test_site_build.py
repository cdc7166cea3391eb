"""Building a site from synthetic runs: what it holds, where its numbers come from, and what it refuses."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import synthetic_runs
from synthetic_runs import HOSTILE, Run

from stewardbench.errors import StewardError, StoreError, UsageError
from stewardbench.pasb.report.build import pasb_tables
from stewardbench.pasb.report.rows import read_rows
from stewardbench.pasb.report.study import Study
from stewardbench.site import build_site

ALDER = Run("synthetic/alder", "hermes", 0.6, 0.6)
CHECK = Run("scripted/copier", "openclaw", 0.9, 0.9, harness_check=True)
FIRST_VIEW = ("index.html", "assets/site.css", "assets/theme.js", "assets/site.js")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return synthetic_runs.write_runs(tmp_path_factory.mktemp("runs"), (ALDER, CHECK), items=6)


@pytest.fixture(scope="module")
def site(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "site"
    build_site(runs, out, include_published=False)
    return out


class Page(HTMLParser):
    """The links, ids, scripts and table cells of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str | None] = []
        self.handlers: list[str] = []
        self.cells: list[list[str]] = []
        self._in_cell = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [
            given[name] or "" for name in ("href", "src") if name in given and tag in ("a", "link", "script")
        ]
        self.scripts += [given.get("src")] if tag == "script" else []
        self.handlers += [name for name in given if name.startswith("on")]
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self._in_cell = True
            self.cells[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.cells[-1][-1] += data


def shard(site: Path, name: str) -> Any:
    packed = re.fullmatch(r'steward\.receive\("[\w-]+","(.*)"\);\n', (site / "data" / f"{name}.js").read_text())
    assert packed is not None
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


def episodes(site: Path) -> dict[str, dict[str, Any]]:
    count = len(list((site / "data").glob("pasb-[0-9]*.js")))
    return {episode["id"]: episode for n in range(count) for episode in shard(site, f"pasb-{n}")}


def fingerprint(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_every_link_leads_to_a_file_or_a_place_in_the_site(site: Path) -> None:
    pages = {path.name: Page(path) for path in site.glob("*.html")}
    assert {"index.html", "pasb.html", "episodes.html", "methods.html"} <= set(pages)
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        for link in page.links:
            if link.startswith("data:"):
                continue
            target, _, anchor = link.partition("#")
            assert (site / (target or name)).is_file(), (name, link)
            if anchor and "=" not in anchor:
                assert anchor in pages[target or name].ids, (name, link)


def test_pages_hold_no_inline_script_and_no_handler(site: Path) -> None:
    for path in site.glob("*.html"):
        page = Page(path)
        assert all(page.scripts), path.name
        assert not page.handlers, path.name
        assert "default-src 'none'" in path.read_text()


def test_the_leaderboard_prints_exactly_what_the_report_prints(site: Path, runs: list[Path]) -> None:
    rows = read_rows(runs)
    table = next(table for table in pasb_tables(Study(rows)) if table.id == "table02")
    expected = {
        (row["model"], row["metric"]): row["printed"].replace("-", "−") for row in table.frame.iter_rows(named=True)
    }
    shown = [row for row in Page(site / "index.html").cells if row[0].strip().startswith(("synthetic", "scripted"))]
    assert len(shown) == 2
    for row in shown:
        name = row[0].split()[0]
        values = [cell.strip() for cell in row[2:10]]
        metrics = ("df4", "syc", "leak", "upg", "amp", "pers", "esc", "commit")
        assert values == [expected[name, metric] for metric in metrics]


def test_harness_checks_are_marked_wherever_they_appear(site: Path) -> None:
    index = (site / "index.html").read_text()
    assert index.count('<span class="badge harness">harness check</span>') == 1
    assert "say nothing about any real model" in index
    assert "contains harness checks" in (site / "pasb.html").read_text()


def test_every_figure_has_its_definition_and_its_data(site: Path) -> None:
    text = (site / "pasb.html").read_text()
    figures = re.findall(r'<figure class="figure" id="([\w-]+)">(.*?)</figure>', text, re.DOTALL)
    assert {"boundary", "figure04a", "figure04b", "surfaces", "figure03a", "figure05"} <= {name for name, _ in figures}
    for name, body in figures:
        assert re.search(r"<summary>Definition</summary><p>\S", body), name
        csv = re.search(r'href="(tables/[\w-]+\.csv)"', body)
        assert csv is not None, name
        assert (site / csv[1]).read_text().count("\n") > 1, name
        assert "<td" in body, name


def test_the_first_view_is_light(site: Path) -> None:
    assert sum((site / name).stat().st_size for name in FIRST_VIEW) < 300_000


def test_the_same_runs_give_the_same_bytes(site: Path, runs: list[Path], tmp_path: Path) -> None:
    build_site(runs, tmp_path / "again", include_published=False)
    assert fingerprint(tmp_path / "again") == fingerprint(site)


def test_the_list_and_the_details_name_the_same_episodes_in_the_same_order(site: Path) -> None:
    index = shard(site, "pasb-index")
    assert index["ids"] == list(episodes(site))
    assert len(index["ids"]) == 2 * 6 * 16


def sections(episode: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {section["id"]: section for section in episode["sections"]}


def test_a_committed_episode_shows_the_claim_marked_in_its_file(site: Path) -> None:
    shown = 0
    for episode in episodes(site).values():
        parts = sections(episode)
        claim = next(block["text"] for block in parts["claim"]["blocks"] if block.get("label") == "Claim under test")
        for block in parts["written"]["blocks"]:
            if block["kind"] == "facts" and block["items"][0][0] == "By words":
                continue  # what the readings say
            if block["kind"] == "facts":
                assert [path for path, _ in block["items"]] == ["logs/agent.log"]
                continue
            marked = [line["text"][start:end] for line in block["lines"] for start, end in line["marks"]]
            assert all(text == claim for text in marked)
            assert bool(marked) == (not block["folded"])
            shown += bool(marked)
    assert shown > 50


def test_writes_of_the_query_stage_stand_apart_and_mark_no_claim(site: Path) -> None:
    later = [sections(episode)["later"] for episode in episodes(site).values() if "later" in sections(episode)]
    assert later
    for part in later:
        (block,) = part["blocks"]
        assert block["path"] == "memories/MEMORY.md"
        assert [line["text"] for line in block["lines"] if line["op"] == "+"] == ["- Asked for a suggestion"]
        assert not any(line["marks"] for line in block["lines"])


def test_an_episode_page_holds_every_stage(site: Path) -> None:
    scored = [sections(episode) for episode in episodes(site).values() if "scores" in sections(episode)]
    parts = next(found for found in scored if "later" not in found)
    assert list(parts) == ["claim", "persist", "written", "cut", "query", "scores", "record"]
    assert [len(parts[name]["blocks"]) for name in ("persist", "query")] == [5, 3]
    assert all(turn["asides"][0][1].startswith("Synthetic reason") for turn in parts["query"]["blocks"])
    assert [check["passed"] for check in parts["cut"]["blocks"][0]["items"]] == [True] * 6
    kinds = {chip["text"] for turn in parts["persist"]["blocks"] for chip in turn["chips"]}
    assert kinds <= {"trigger", "filler", "fragment", "hint", "reaffirm"}


def test_invalid_episodes_are_shown_with_their_reason_and_never_scored(site: Path) -> None:
    index = shard(site, "pasb-index")
    columns = {column["key"]: column for column in index["columns"]}
    values = {key: [column["values"][code] for code in column["codes"]] for key, column in columns.items()}
    invalid = [place for place, state in enumerate(values["state"]) if state == "Invalid"]
    assert invalid
    details = episodes(site)
    for place in invalid:
        assert {values[key][place] for key in ("syc", "leak", "upg", "amp", "pers", "esc")} == {""}
        episode = details[index["ids"][place]]
        assert "the canary crossed the cut" in sections(episode)["claim"]["blocks"][0]["text"]
        checks = sections(episode)["cut"]["blocks"][0]["items"]
        assert [check["passed"] for check in checks].count(False) == 1


def test_a_superseded_attempt_is_listed_and_the_valid_one_counts(tmp_path: Path) -> None:
    folder = synthetic_runs.write_run(tmp_path / "run", ALDER, synthetic_runs.tasks(2))
    log = folder / "episodes.jsonl"
    first = next(line for line in log.read_text().splitlines() if json.loads(line)["valid"])
    failed = json.loads(first) | {"episode_id": "failed-first", "valid": False, "invalid_reason": "agent_timeout"}
    later = json.loads(first) | {"episode_id": "later-again", "attempt": 3}
    log.write_text(json.dumps(failed) + "\n" + log.read_text() + json.dumps(later) + "\n")
    build_site([folder], tmp_path / "site", include_published=False)
    index = shard(tmp_path / "site", "pasb-index")
    state = next(column for column in index["columns"] if column["key"] == "state")
    states = dict(zip(index["ids"], (state["values"][code] for code in state["codes"]), strict=True))
    assert states["failed-first"] == "Invalid"
    assert states["later-again"] == "Superseded"
    assert states[json.loads(first)["episode_id"]] in ("Scored", "Unscored")


def test_hostile_text_never_enters_a_page_as_markup(tmp_path: Path) -> None:
    hostile = Run(f"model{HOSTILE[:-1]}", "hermes")
    folder = synthetic_runs.write_run(tmp_path / "run", hostile, synthetic_runs.tasks(6), hostile=True)
    build_site([folder], tmp_path / "site", include_published=False)
    for path in (tmp_path / "site").glob("*.html"):
        page = Page(path)
        assert all(page.scripts), path.name
        assert not page.handlers, path.name
        assert "<img" not in path.read_text(), path.name
    stored = next(iter(episodes(tmp_path / "site").values()))
    assert sections(stored)["persist"]["blocks"][0]["user"].endswith(HOSTILE)


def test_a_site_without_runs_says_so(tmp_path: Path) -> None:
    summary = build_site([], tmp_path / "site", include_published=False)
    assert (summary.runs, summary.episodes) == (0, 0)
    assert "no episodes to explore" in (tmp_path / "site" / "episodes.html").read_text()


def test_a_folder_with_other_files_is_left_alone(runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="other files"):
        build_site(runs, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_failed_build_leaves_the_earlier_site_as_it_was(tmp_path: Path) -> None:
    folder = synthetic_runs.write_run(tmp_path / "run", ALDER, synthetic_runs.tasks(6))
    out = tmp_path / "site"
    build_site([folder], out, include_published=False)
    before = fingerprint(out)
    log = folder / "judgments.jsonl"
    log.write_text("{}\n" + log.read_text())
    with pytest.raises(StewardError, match=r"judgments\.jsonl"):
        build_site([folder], out, include_published=False)
    assert fingerprint(out) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "site"]


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a run folder"):
        build_site([tmp_path], tmp_path / "site")


def test_a_damaged_episode_is_named_by_file_and_line(tmp_path: Path) -> None:
    from stewardbench.pasb.pages.reader import read_episodes

    folder = synthetic_runs.write_run(tmp_path / "run", ALDER, synthetic_runs.tasks(1))
    log = folder / "episodes.jsonl"
    lines = log.read_text().splitlines()
    lines[2] = lines[2].replace('"worker":', '"broken":')
    log.write_text("\n".join(lines) + "\n")
    with pytest.raises(StoreError, match=r"episodes\.jsonl:3:worker"):
        list(read_episodes(folder))


def test_published_runs_stand_beside_own_ones_and_are_marked(runs: list[Path], tmp_path: Path) -> None:
    build_site(runs, tmp_path / "site")
    rows = [row for row in Page(tmp_path / "site" / "index.html").cells if "published" in row[0]]
    assert len(rows) == 24 + 23
    assert next(row for row in rows if row[0].startswith("GPT-5.5") and row[1] == "Hermes-Agent")[3] == "79.38"
    assert next(row for row in rows if row[0].startswith("Gemma-4-31B") and row[1] == "Model")[2].strip() == "82"


def test_a_site_of_published_runs_alone_has_boards_and_figures_but_no_episodes(tmp_path: Path) -> None:
    summary = build_site([], tmp_path / "site")
    assert summary.episodes == 0
    text = (tmp_path / "site" / "pasb.html").read_text()
    assert 'id="figure04a"' in text
    assert "+27.0" in text
    assert (tmp_path / "site" / "sovereignpa.html").exists()


@pytest.fixture(scope="module")
def sovereign_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sovereign")
    agents = ("careful", "naive", "canceller", "quitter", "survey-writer")
    folders = [synthetic_runs.write_sovereignpa_run(root / agent, agent) for agent in agents]
    build_site(folders, root / "site", include_published=False)
    return root / "site"


def sovereign_episodes(site: Path) -> list[dict[str, Any]]:
    count = len(list((site / "data").glob("sovereignpa-[0-9]*.js")))
    return [episode for n in range(count) for episode in shard(site, f"sovereignpa-{n}")]


def test_a_sovereignpa_episode_shows_pages_actions_and_every_verdict_with_its_why(sovereign_site: Path) -> None:
    found = {
        episode["id"].split(":")[1]: episode
        for episode in sovereign_episodes(sovereign_site)
        if episode["chips"][0]["text"] == "naive"
    }
    episode = next(value for key, value in found.items() if key.endswith(".injection"))
    parts = sections(episode)
    checks = parts["verdicts"]["blocks"][0]["items"]
    assert [check["label"] for check in checks][:3] == ["Sovereign success", "Correct choice", "Extra"]
    assert all(check["detail"] for check in checks)
    page, *steps = parts["dialogue"]["blocks"]
    marked = "\n".join(page["text"][start:end] for start, end in page["marks"])
    assert "Note to AI assistants" in marked
    assert len(page["marks"]) <= 2
    assert steps[-1]["title"] == "Report"


def test_the_sovereignpa_board_prints_exactly_what_the_report_prints(sovereign_site: Path) -> None:
    shown = {row[0].split()[0]: row for row in Page(sovereign_site / "index.html").cells if "harness check" in row[0]}
    assert [cell.strip() for cell in shown["careful"][2:11]] == ["100.0"] * 2 + ["0.0"] * 5 + ["0.00", "100.0"]
    with (sovereign_site / "tables" / "sovereignpa_main.csv").open(newline="") as file:
        printed = {(row["system"], row["metric"]): row["printed"] for row in csv.DictReader(file)}
    metrics = ("ssr", "correct", "addon_error", "overshare", "consent_violation", "authority_violation")
    assert [cell.strip() for cell in shown["naive"][2:8]] == [printed["naive", metric] for metric in metrics]


def test_the_careful_agent_succeeds_and_its_episodes_carry_no_fault(sovereign_site: Path) -> None:
    for episode in sovereign_episodes(sovereign_site):
        agent, result, *faults = (chip["text"] for chip in episode["chips"])
        if agent in ("careful", "canceller"):
            assert (result, faults) == ("Success", [])


def test_a_broken_attempt_and_a_needless_one_are_marked(tmp_path: Path) -> None:
    folder = synthetic_runs.write_sovereignpa_run(tmp_path / "run", "careful", 1)
    log = folder / "episodes.jsonl"
    first, *rest = log.read_text().splitlines()
    broken = json.loads(first) | {"end_reason": "error", "error": "the provider went away", "attempt": 0}
    lines = [json.dumps(broken), json.dumps(json.loads(first) | {"attempt": 1}), *rest]
    lines.append(json.dumps(json.loads(first) | {"attempt": 2}))
    log.write_text("".join(line + "\n" for line in lines))
    build_site([folder], tmp_path / "site", include_published=False)
    index = shard(tmp_path / "site", "sovereignpa-index")
    result = next(column for column in index["columns"] if column["key"] == "result")
    shown = [result["values"][code] for code in result["codes"]]
    assert shown == ["Invalid", *["Success"] * 10, "Superseded"]
    explained = sections(sovereign_episodes(tmp_path / "site")[0])["verdicts"]["blocks"][0]
    assert "the provider went away" in explained["text"]


def test_a_detail_that_was_not_needed_is_marked_at_its_step(sovereign_site: Path) -> None:
    chips = {
        chip["text"]
        for episode in sovereign_episodes(sovereign_site)
        if episode["chips"][0]["text"] in ("naive", "survey-writer")
        for step in sections(episode)["dialogue"]["blocks"][1:]
        for chip in step["chips"]
        if chip["tone"] == "bad"
    }
    assert any(chip.endswith("sent, not needed") for chip in chips)
    assert any(chip.endswith("sent without consent") for chip in chips)


def test_a_changed_scenario_is_not_explained_by_another(tmp_path: Path) -> None:
    folder = synthetic_runs.write_sovereignpa_run(tmp_path / "run", "naive", 1)
    tasks = folder / "tasks.jsonl"
    changed = re.sub(r'"budget":(\d+)', lambda m: f'"budget":{int(m[1]) + 500}', tasks.read_text())
    tasks.write_text(changed)
    build_site([folder], tmp_path / "site", include_published=False)
    for episode in sovereign_episodes(tmp_path / "site"):
        assert sections(episode)["verdicts"]["blocks"][0]["label"] == "The scenario cannot be made again"
