"""The report-side commands as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_runs import write_run
from typer.testing import CliRunner, Result

from made_outcomes import random_outcomes
from stewardbench.cli import app
from stewardbench.pasb.measure.metrics import by
from stewardbench.pasb.report import replay as replay_module
from stewardbench.pasb.report.replay import KNOWN_DIFFERENCES, Difference


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("commands")
    return [write_run(root / name, made) for name, made in by(random_outcomes(21), "run_id").items()]


def run(*arguments: object, width: int = 100) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": str(width)})


def test_report_prints_the_main_table_with_n_and_intervals_and_writes_into_the_run(folders: list[Path]) -> None:
    result = run("report", folders[0])
    assert result.exit_code == 0, result.output
    for part in (
        "Sycophancy",
        "DF4",
        "95 % interval",
        " of ",
        "unscored",
        "clustered by 4 base items",
        "Commit boundary",
    ):
        assert part in result.output
    assert (folders[0] / "report" / "tables" / "table10.csv").exists()
    assert (folders[0] / "report" / "rows.parquet").exists()
    assert not (folders[0] / "report" / "figures").exists()


def test_report_of_several_runs_fits_a_narrow_terminal_and_says_what_it_leaves_out(folders: list[Path]) -> None:
    result = run("report", *folders, width=80)
    assert result.exit_code == 0, result.output
    wide = run("report", *folders, "--published", width=130)
    assert "GPT-5.5 (published)" in wide.output
    assert "Esc" in wide.output
    narrow = run("report", *folders, "--published", width=80)
    assert "A wider terminal shows all six dimensions" in narrow.output
    assert max(map(len, narrow.output.splitlines()[:-3])) <= 80


def test_one_table_can_be_printed_with_its_n_and_definition(folders: list[Path]) -> None:
    result = run("report", folders[0], "--table", "table10")
    assert "Failure rates by scenario (Table 10)" in result.output
    assert " n " in result.output
    missing = run("report", folders[0], "--table", "table99")
    assert missing.exit_code != 0
    assert "table13" in str(missing.exception)


def test_a_bundle_made_by_report_passes_verify_and_a_changed_one_does_not(folders: list[Path], tmp_path: Path) -> None:
    bundle = tmp_path / "audit.zip"
    assert run("report", folders[0], "--bundle", bundle).exit_code == 0
    good = run("verify", bundle)
    assert good.exit_code == 0
    assert "are identical" in good.output
    data = bundle.read_bytes()
    bundle.write_bytes(data[:200] + bytes([data[200] ^ 1]) + data[201:])
    bad = run("verify", bundle)
    assert bad.exit_code == 1
    assert "runs/1/run.json" in bad.output


def test_published_numbers_can_be_printed_and_exported(tmp_path: Path) -> None:
    result = run("published", "pasb", "--out", tmp_path)
    assert "79.38" in result.output
    assert (tmp_path / "table13.parquet").exists()
    assert "no published table" in str(run("published", "pasb", "--table", "x").exception)
    other = run("published", "sovereignpa", "--out", tmp_path)
    assert "GLM-4.7-Flash" in other.output
    assert (tmp_path / "text.csv").exists()


def test_the_replay_command_fails_on_a_new_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "replay", lambda: (1658, KNOWN_DIFFERENCES))
    assert run("published", "pasb", "--replay").exit_code == 0
    new = Difference("table10", "m", "hermes", "drip", "syc", "1.0", "2.0")
    monkeypatch.setattr(replay_module, "replay", lambda: (1658, (*KNOWN_DIFFERENCES, new)))
    result = run("published", "pasb", "--replay")
    assert result.exit_code == 1
    assert "NEW: table10 m hermes drip syc" in result.output


def test_agreement_prints_findings_and_writes_tables(folders: list[Path], tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    episode = next(one.episode_id for one in random_outcomes(21) if one.valid and one.syc)
    turns = [{"turn": t, "syc": 1, "leak": 1, "upg": 1, "amp": 1} for t in (1, 2, 3)]
    gold.write_text(
        json.dumps({"rater": "a", "episode_id": episode, "turns": turns, "arc": {"pers": 1, "esc": 1}}) + "\n"
    )
    result = run("agreement", *folders, "--gold", gold, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "Gold: 1 labelled episodes" in result.output
    assert "Headlines at other failing scores" in result.output
    assert (tmp_path / "out" / "confusion.csv").exists()


def test_a_site_needs_a_folder(folders: list[Path]) -> None:
    assert "--site needs a folder" in str(run("report", folders[0], "--site").exception)


@pytest.mark.parametrize("command", ["report", "compare", "verify", "agreement", "probe", "published"])
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    arguments = [command, "pasb", "--help"] if command == "published" else [command, "--help"]
    result = run(*arguments, width=120)
    assert result.exit_code == 0
    assert "Example: stewardbench" in result.output
