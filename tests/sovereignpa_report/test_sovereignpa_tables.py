"""SovereignPA tables from real run folders of the rule-based agents, whose every number is known."""

from __future__ import annotations

import asyncio
from pathlib import Path

import polars as pl
import pytest

from stewardbench.errors import StoreError
from stewardbench.report.build import Report, Settings, build_report
from stewardbench.report.bundle import write_bundle
from stewardbench.report.verify import verify_bundle
from stewardbench.sovereignpa.report.rows import read_episodes
from stewardbench.sovereignpa.report.study import Study
from stewardbench.sovereignpa.run.evaluation import run_sovereignpa
from stewardbench.sovereignpa.run.settings import sovereignpa_settings

AGENTS = ("careful", "ask-always", "no-ask", "stale-follower", "naive", "retained")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("runs")
    for name in AGENTS:
        asyncio.run(run_sovereignpa(sovereignpa_settings(agent=name, split="dev"), root / name))
    return [root / name for name in AGENTS]


@pytest.fixture(scope="module")
def report(folders: list[Path]) -> Report:
    return build_report(folders, Settings(published=True, draws=500))


def cell(report: Report, table: str, **labels: str) -> dict[str, object]:
    frame = report.table(table).frame.filter(*(pl.col(name) == value for name, value in labels.items()))
    assert len(frame) == 1, frame
    return frame.row(0, named=True)


def test_the_main_table_holds_the_known_rates_with_n(report: Report) -> None:
    careful = cell(report, "sovereignpa_main", system="careful", metric="ssr", origin="own")
    assert (careful["printed"], careful["k"], careful["n"], careful["clusters"]) == ("100.0", 410, 410, 41)
    naive = cell(report, "sovereignpa_main", system="naive", metric="candor_failure", origin="own")
    assert naive["printed"] == "100.0"
    asked = cell(report, "sovereignpa_main", system="ask-always", metric="burden", origin="own")
    assert 2.0 < float(str(asked["value"])) < 2.2
    assert asked["wilson_low"] is None


def test_recall_counts_required_questions_not_episodes(report: Report) -> None:
    careful = cell(report, "sovereignpa_ask_recall", system="careful", metric="ask_recall")
    by_slot = [
        cell(report, "sovereignpa_ask_recall", system="careful", metric=f"{slot}_recall")["n"]
        for slot in ("preference", "consent", "approval")
    ]
    assert careful["n"] == sum(by_slot)  # type: ignore[arg-type]
    assert by_slot[0] == 41
    assert cell(report, "sovereignpa_ask_recall", system="no-ask", metric="ask_recall")["printed"] == "0.0"


def test_a_stale_follower_loses_every_stale_scenario_and_nothing_else(report: Report) -> None:
    stale = cell(report, "sovereignpa_effects", system="stale-follower", variant="stale", metric="ssr")
    assert (stale["printed"], stale["n_plus"], stale["n_minus"], stale["ties"]) == ("-100.0", 0, 41, 0)
    other = cell(report, "sovereignpa_effects", system="stale-follower", variant="injection", metric="ssr")
    assert (other["printed"], other["ties"], other["p"]) == ("+0.0", 41, 1.0)
    pressed = report.table("sovereignpa_pressures").frame.filter(
        (pl.col("system") == "stale-follower") & (pl.col("variant") == "stale") & (pl.col("side") == "change")
    )
    assert pressed["printed"].to_list() == ["+100.0"]


def test_questions_become_necessary_under_ambiguity(report: Report) -> None:
    found = cell(report, "sovereignpa_effects", system="ask-always", variant="ambiguous", metric="burden")
    assert float(str(found["value"])) < -1


def test_published_correlations_are_recomputed_from_the_printed_table(report: Report) -> None:
    rows = report.table("sovereignpa_correlations").frame
    published = dict(rows.filter(pl.col("origin") == "published").select("pair", "rho").iter_rows())
    assert (published["ssr and burden"], published["ssr and ask recall"]) == (-0.66, 0.90)


def test_cancellations_by_how_they_ended(report: Report) -> None:
    kept = cell(report, "sovereignpa_cancellation", system="retained", variant="obstructed_norule", metric="retained")
    assert (kept["printed"], kept["n"]) == ("100.0", 17)
    false = cell(report, "sovereignpa_cancellation", system="careful", variant="clean", metric="false_success")
    assert (false["printed"], false["n"], false["unscored"]) == ("n/a", 0, 17)


def test_an_invalid_episode_shrinks_n_and_is_counted(folders: list[Path], tmp_path: Path) -> None:
    source, target = folders[0], tmp_path / "broken"
    target.mkdir()
    (target / "run.json").write_bytes((source / "run.json").read_bytes())
    lines = (source / "episodes.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    lines[0] = (
        lines[0].replace('"valid":true', '"valid":false').replace('"end_reason":"reported"', '"end_reason":"error"')
    )
    (target / "episodes.jsonl").write_text("".join(lines), encoding="utf-8")
    booking, cancelling = read_episodes([target])
    study = Study(booking, cancelling)
    assert (len(study.booking), len(study.valid)) == (410, 409)
    found = build_report([target], Settings(draws=50)).table("sovereignpa_invalid_reasons").frame
    assert found.select("family", "reason", "tasks").rows() == [("booking", "not recorded", 1)]


def test_a_damaged_line_is_named(folders: list[Path], tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes((folders[0] / "run.json").read_bytes())
    (tmp_path / "episodes.jsonl").write_text('{"source":{"agent":"careful"}}\n', encoding="utf-8")
    with pytest.raises(StoreError, match=r"episodes\.jsonl:1:metrics"):
        read_episodes([tmp_path])


def test_every_figure_is_drawn(report: Report) -> None:
    drawn = {figure.id: figure for figure in report.figures}
    assert set(drawn) == {
        "sovereignpa_plane",
        "sovereignpa_effects",
        "sovereignpa_by_variant",
        "sovereignpa_cancellation",
    }
    assert "careful" in drawn["sovereignpa_by_variant"].svg()


def test_a_bundle_of_sovereignpa_runs_verifies(folders: list[Path], tmp_path: Path) -> None:
    settings = Settings(draws=200)
    path = write_bundle(folders[:2], build_report(folders[:2], settings), settings, tmp_path / "bundle.zip")
    assert not verify_bundle(path).problems
