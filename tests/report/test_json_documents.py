"""`report --json` and `summary --json`: one document, the tables' own numbers, nothing beside it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from made_runs import write_run
from typer.testing import CliRunner, Result

from made_outcomes import random_outcomes
from stewardbench.cli import app
from stewardbench.pasb.measure.metrics import by

OLD_RUNS = Path(__file__).parents[1] / "old_runs"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("json")
    return [write_run(root / name, made) for name, made in by(random_outcomes(21), "run_id").items()]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def document(*arguments: object) -> dict[str, Any]:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    return found


def test_the_report_document_holds_every_number_of_every_table_and_writes_nothing(
    folders: list[Path], tmp_path: Path
) -> None:
    before = sorted(folders[0].rglob("*"))
    found = document("report", *folders, "--json")
    assert sorted(folders[0].rglob("*")) == before
    assert found["schema"] == "report-json/1"
    out = tmp_path / "out"
    again = document("report", *folders, "--json", "--out", out)
    assert again == found
    written = {path.stem: path for path in (out / "tables").glob("*.csv")}
    assert set(found["tables"]) == set(written)
    for name, table in found["tables"].items():
        with written[name].open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == len(table["rows"])
        for told, stored in zip(table["rows"], rows, strict=True):
            assert list(told) == table["columns"] == list(stored)
            assert [plain(cell) for cell in told.values()] == [plain(cell) for cell in stored.values()], name


def plain(cell: object) -> object:
    """A cell as a value that both forms share: a sheet knows texts alone."""
    if cell is None or cell == "":
        return None
    text = str(cell).lower() if isinstance(cell, bool) else str(cell)
    try:
        return float(text)
    except ValueError:
        return text.removeprefix("'")


@pytest.mark.parametrize(
    "key", ["title", "definition", "paper", "harness_check", "keys", "across", "notes", "benchmark"]
)
def test_the_documented_keys_of_a_table_are_there(folders: list[Path], key: str) -> None:
    assert all(key in table for table in document("report", folders[0], "--json")["tables"].values())


def test_the_summary_document_says_what_was_measured_and_the_main_table(folders: list[Path]) -> None:
    found = document("summary", folders[0], "--json")
    assert found["schema"] == "summary-json/1"
    (one,) = found["runs"]
    assert set(one) == {"folder", "run_id", "benchmark", "created_at", "settings", "measured", "table"}
    assert set(one["measured"]) == {"asked", "valid", "scored", "unscored", "invalid", "exit_code", "line"}
    table = document("report", folders[0], "--json")["tables"][one["table"]["id"]]
    assert one["table"]["rows"] == table["rows"]
    assert one["table"]["rows"]


@pytest.mark.parametrize("name", sorted(path.parent.name for path in OLD_RUNS.glob("*/run.json")))
def test_runs_of_earlier_versions_have_both_documents(name: str) -> None:
    assert document("report", OLD_RUNS / name, "--json")["tables"]
    assert document("summary", OLD_RUNS / name, "--json")["runs"][0]["measured"]["valid"] >= 0


def test_without_json_the_summary_is_for_people(folders: list[Path]) -> None:
    result = run("summary", folders[0])
    assert result.exit_code == 0, result.output
    assert "syc" in result.output
    assert "(n " in result.output


def test_a_folder_that_is_no_run_is_an_error_and_prints_no_document(tmp_path: Path) -> None:
    for command in ("report", "summary"):
        result = run(command, tmp_path, "--json")
        assert result.exception is not None
        assert result.stdout == ""
