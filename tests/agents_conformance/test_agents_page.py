from pathlib import Path

import pytest
from typer.testing import CliRunner

from stewardbench.agents.conformance import CHECKS, ConformanceReport
from stewardbench.agents.conformance.matrix import markdown, put_into
from stewardbench.cli import app
from stewardbench.errors import DataError

DOCS = Path(__file__).parents[2] / "docs"
STORED = sorted((DOCS / "conformance").glob("*.json"))


def reports():
    return [ConformanceReport.model_validate_json(path.read_text()) for path in STORED]


def test_the_page_is_what_its_stored_results_say():
    page = (DOCS / "agents.md").read_text()
    assert put_into(page, markdown(reports())) == page


def test_every_stored_result_is_of_a_conforming_agent_and_of_checks_that_exist():
    known = {check.name: check.proves for check in CHECKS}
    assert {report.agent for report in reports()} >= {"hermes", "openclaw", "mem0", "langgraph", "your-agent"}
    for report in reports():
        assert report.conforms, report.agent
        assert {result.name: result.proves for result in report.results}.items() <= known.items()


def test_the_matrix_command_prints_and_fills_a_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- matrix -->\nold\n<!-- /matrix -->\nafter\n")
    printed = CliRunner().invoke(app, ["agents", "matrix", *map(str, STORED)])
    assert printed.exit_code == 0 and printed.stdout == markdown(reports())
    filled = CliRunner().invoke(app, ["agents", "matrix", *map(str, STORED), "--into", str(page)])
    assert filled.exit_code == 0
    assert page.read_text() == f"before\n<!-- matrix -->\n{markdown(reports())}<!-- /matrix -->\nafter\n"


@pytest.mark.parametrize("text", ["{}", "no json"])
def test_a_file_that_is_no_result_is_named(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    refused = CliRunner().invoke(app, ["agents", "matrix", str(tmp_path / "x.json")])
    assert isinstance(refused.exception, DataError) and "x.json" in str(refused.exception)


def test_a_page_without_marks_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("no marks\n")
    refused = CliRunner().invoke(app, ["agents", "matrix", *map(str, STORED), "--into", str(page)])
    assert isinstance(refused.exception, DataError)
    assert page.read_text() == "no marks\n"
