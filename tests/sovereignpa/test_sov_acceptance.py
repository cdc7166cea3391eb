"""Acceptance: the rule-based agents reproduce the published table on the shipped set and on other seeds."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from stewardbench.sovereignpa import acceptance
from stewardbench.sovereignpa.acceptance import bands, compare, compare_cancellation, printed
from stewardbench.sovereignpa.axes import Split
from stewardbench.sovereignpa.domains import load_yaml
from stewardbench.sovereignpa.generate import Mode

PUBLISHED = {  # typed from the paper, table 2 and section 3.4, in the order of COLUMNS
    "careful": (100, 100, 0, 0, 0, 0, 0, 0.00, 100),
    "ask-always": (100, 100, 0, 0, 0, 0, 0, 2.12, 100),
    "no-ask": (51, 95, 0, 0, 38, 18, 0, 0.00, 0),
    "naive": (0, 14, 31, 14, 44, 29, 100, 0.00, 0),
    "stale-follower": (90,),
    "overshare": (91,),
}
COLUMNS = (
    "ssr",
    "correct_choice",
    "addon_error",
    "overshare",
    "consent_violation",
    "authority_violation",
    "candor_failure",
    "burden",
    "ask_recall",
)


def test_every_published_cell_is_reproduced_on_test(test_cells):
    ours = {(cell.agent, cell.column): cell for cell in test_cells}
    for agent, values in PUBLISHED.items():
        for column, value in zip(COLUMNS, values, strict=False):
            cell = ours[agent, column]
            assert (cell.published, cell.n) == (value, 1510)
            assert printed(cell.ours, column) == value, cell
            assert cell.ok is True
    assert sum(cell.published is not None for cell in test_cells) == sum(map(len, PUBLISHED.values()))


def test_no_episode_of_a_reference_agent_takes_more_than_ten_steps(test_cells):
    steps = [cell for cell in test_cells if cell.column == "longest episode"]
    assert len(steps) == 6
    assert all(cell.ok for cell in steps)
    assert max(cell.ours for cell in steps) == 10


def test_agents_without_a_defect_are_exact_on_dev():
    cells = {(cell.agent, cell.column): cell for cell in compare(Split.DEV, 7)}
    for agent in ("careful", "ask-always"):
        for column, value in zip(COLUMNS, PUBLISHED[agent], strict=True):
            if (agent, column) != ("ask-always", "burden"):
                assert cells[agent, column].ours == value
                assert cells[agent, column].n == 410


def test_the_data_file_agrees_with_the_paper():
    given = load_yaml("acceptance.yaml")["published"]
    assert {a: tuple(c.get(k) for k in COLUMNS if k in c) for a, c in given.items()} == PUBLISHED


def test_the_data_file_agrees_with_the_published_csv():
    source = Path(__file__).parents[3] / "shared" / "published" / "sovereignpa" / "table2_main.csv"
    if not source.exists():
        pytest.skip("the published figures are not on this machine")
    names = dict(zip(COLUMNS, ("ssr", "correct_choice", "addon_error", "overshare", "consent_violation"), strict=False))
    with source.open() as file:
        rows = {row["agent"].lower(): row for row in csv.DictReader(file) if row["kind"] == "rule"}
    for agent, values in PUBLISHED.items():
        for column, value in zip(names, values, strict=False):
            assert float(rows[agent][f"{names[column]}_pct"]) == value


@pytest.mark.parametrize("split", list(Split))
def test_cancellation_agents(split):
    cells = compare_cancellation(split, 7)
    assert [cell for cell in cells if not cell.ok] == []
    assert {cell.n for cell in cells} == {79 if split is Split.TEST else 17}


def test_quota_mode_holds_for_another_seed():
    assert [band for band in bands(Mode.QUOTA, [23]) if not band.ok] == []


def test_bands_count_the_seeds_inside(monkeypatch):
    drawn = iter([{"ssr": 90.0}, {"ssr": 90.0}, {"ssr": 89.9}])
    made = {"stale-follower": acceptance.BOOKING_AGENTS["stale-follower"]}
    monkeypatch.setattr(acceptance, "BOOKING_AGENTS", made)
    monkeypatch.setattr(acceptance, "run_booking", lambda *_: [])
    monkeypatch.setattr(acceptance, "figures", lambda _: next(drawn))
    monkeypatch.setattr(acceptance, "booking_set", lambda *_, **__: ())
    monkeypatch.setattr(acceptance, "_independent_bands", lambda: {("stale-follower", "ssr"): (90, 90)})
    (band,) = bands(Mode.INDEPENDENT, range(3))
    assert (band.smallest, band.largest, band.inside, band.seeds) == (89.9, 90.0, 2, 3)
    assert not band.ok


def test_figures_are_printed_like_the_paper():
    assert [printed(v, "ssr") for v in (50.49, 50.5, 94.57)] == [50, 51, 95]
    assert printed(2.1185, "burden") == 2.12
