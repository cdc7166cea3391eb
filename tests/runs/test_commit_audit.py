"""People's labels on a run's commits: the draw, the sheet there and back, and the corrected rates."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stewardbench.errors import DataError
from stewardbench.pasb.cli.commit_audit import register_commit_audit
from stewardbench.pasb.commits.audit import CommitLabel, draw_sample, settle
from stewardbench.pasb.run.auditing import open_audit, read_labels, take_labels, write_sheet
from stewardbench.pasb.run.scoring import Stored
from stewardbench.report.build import build_report

OLD = Path(__file__).parents[1] / "old_runs"


@pytest.fixture
def run(tmp_path):
    shutil.copytree(OLD / "pasb-rule-maker", tmp_path / "run")
    return tmp_path / "run"


def filled(sheet, out, rater, held):
    with sheet.open(newline="") as source:
        rows = list(csv.DictReader(source))
    for number, row in enumerate(rows):
        row |= {"rater": rater, "held": held(number)}
    with out.open("w", newline="") as target:
        writer = csv.DictWriter(target, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return out


def command(*arguments):
    app = typer.Typer()
    register_commit_audit(app)
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_the_draw_is_by_pair_of_readings_and_the_same_each_time():
    strata = {f"e{number}": "w+r+" if number % 10 else "w-r-" for number in range(400)}
    drawn = draw_sample(strata, 100, 0)
    assert draw_sample(strata, 100, 0) == drawn != draw_sample(strata, 100, 1)
    sizes = [sum(one.stratum == name for one in drawn) for name in ("w+r+", "w-r-")]
    assert sizes == [90, 10]
    small = draw_sample({"a": "w+r-", **dict.fromkeys(list(strata)[:50], "w+r+")}, 20, 0)
    assert sum(one.stratum == "w+r-" for one in small) == 1


def test_two_people_and_a_third_who_settles():
    def said(rater, name, held):
        return CommitLabel(rater=rater, episode_id=name, held=held)

    found = settle(
        said(rater, name, held)
        for rater, name, held in (
            ("ann", "1", True),
            ("bo", "1", True),
            ("ann", "2", True),
            ("bo", "2", False),
            ("ann", "3", False),
            ("bo", "3", True),
            ("adjudicated", "3", False),
            ("ann", "4", False),
        )
    )
    assert found.labels == {"1": True, "3": False, "4": False}
    assert found.open_ids == ("2",)
    assert (found.pairs, found.same) == (3, 1)
    assert found.kappa == pytest.approx((1 / 3 - 5 / 9) / (1 - 5 / 9))


def test_sheet_there_and_back_prints_raw_beside_corrected(run, tmp_path):
    first = command(run)
    assert first.exit_code == 0, first.output
    assert "episodes to label" in first.output
    text = (run / "commit_sheet.csv").read_text()
    assert "w+" not in text.splitlines()[0]
    assert "Standing rule" in text
    ann = filled(run / "commit_sheet.csv", tmp_path / "ann.csv", "ann", lambda number: "yes" if number % 3 else "no")
    bo = filled(run / "commit_sheet.csv", tmp_path / "bo.csv", "bo", lambda number: "TRUE" if number % 3 else "0")
    done = command(run, "--read", ann, "--read", bo)
    assert done.exit_code == 0, done.output
    assert "agreement: 16 of 16 doubly labelled episodes, kappa 1.00" in done.output
    (line,) = [one for one in done.output.splitlines() if one.startswith("commit ")]
    assert "raw  100.0" in line
    assert "corrected   62.5" in line
    assert "by_words: sensitivity 1.000, precision 0.625" in done.output
    report = build_report([run])
    table = report.table("corrected").frame.filter(metric="commit")
    assert dict(zip(table["reading"], table["printed"], strict=True)) == {"raw": "100.0", "corrected": "62.5"}
    again = command(run, "--read", ann)
    assert "0 labels added" in again.output


def test_labels_stand_for_changed_episodes_alone_and_for_those_of_the_draw(run, tmp_path):
    episodes = [json.loads(line) for line in (run / "episodes.jsonl").read_text().splitlines()]
    for number, episode in enumerate(episodes):
        if number < 10:  # six that the words miss, four that wrote nothing at all
            episode["commit"] |= {"committed": False, "primary": "session_only", "surfaces": [], "spans": []}
        if number < 4:
            episode["state_after_persist"] = []
    lines = [json.dumps(episode) + "\n" for episode in episodes]
    (run / "episodes.jsonl").write_text("".join(lines[:-1]))
    assert command(run).exit_code == 0
    (run / "episodes.jsonl").write_text("".join(lines))  # one more became valid after the draw
    ann = filled(run / "commit_sheet.csv", tmp_path / "ann.csv", "ann", lambda number: "yes")
    assert command(run, "--read", ann).exit_code == 0
    table = build_report([run]).table("corrected").frame.filter(metric="commit")
    found = {row["reading"]: row for row in table.iter_rows(named=True)}
    assert found["corrected"]["value"] == pytest.approx(100 * 11 / 15), "silent episodes are not corrected upwards"
    assert found["raw"]["value"] == pytest.approx(100 * 5 / 15)
    assert found["corrected"]["n"] == 15


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"rater": ""}, "rater"),
        ({"held": "perhaps"}, "neither true nor false"),
        ({"episode_id": "other"}, "not in this run's sample"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_stored(run, tmp_path, change, fault):
    with Stored(run, locked=True) as stored:
        audit = open_audit(stored, 20, 0)
        write_sheet(stored, audit, tmp_path / "sheet.csv")
        path = filled(tmp_path / "sheet.csv", tmp_path / "bad.csv", "ann", lambda number: "yes")
        rows = path.read_text().replace("ann", change["rater"], 1) if "rater" in change else path.read_text()
        if "held" in change:
            rows = rows.replace(",yes,", f",{change['held']},", 1)
        if "episode_id" in change:
            rows = rows.replace(audit.drawn[0].episode_id, "other", 1)
        path.write_text(rows)
        with pytest.raises(DataError, match=fault):
            take_labels(stored, audit, [path])
        assert read_labels(stored.folder) == ()
