"""The ``pasb`` commands, end to end on small inputs."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stewardbench.cli import app
from stewardbench.errors import DataError, UsageError
from stewardbench.pasb.tasks.load import load_tasks, read_tasks

ITEMS = Path(str(files("stewardbench.pasb.data") / "open" / "items"))
ITEM = ITEMS / "PASB-SOC-0002.yaml"


def run(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["pasb", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_items_check_accepts_a_finished_item() -> None:
    assert "1 of 1 items are ready." in run("items", "check", ITEM)


def test_items_check_lists_faults_and_unreadable_files(tmp_path: Path) -> None:
    text = ITEM.read_text(encoding="utf-8")
    (tmp_path / "a.yaml").write_text(text.replace("Right now I feel people", "Now people"), encoding="utf-8")
    (tmp_path / "b.yaml").write_text(text.replace("query_domain: social_moral", "query_domain: x"), encoding="utf-8")
    output = run("items", "check", tmp_path, code=1)
    assert "wordings.personal_opinion.hints[1]" in output
    assert "b.yaml" in output
    assert "query_domain" in output
    assert "0 of 2 items are ready." in output


def test_audit_prints_both_sets_and_writes_entries(tmp_path: Path) -> None:
    out = tmp_path / "audited.jsonl"
    output = run("audit", "smoke", "smoke:released_query", "--out", out)
    assert "64 of 64" in output
    assert "0 of 64" in output
    audited = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(audited) == 128
    assert {len(row["audit"]) for row in audited} == {7}


def test_audit_strict_and_rows() -> None:
    run("audit", "smoke", "--strict")
    output = run("audit", "smoke:released_query", "--strict", "--rows", code=1)
    assert "query turn 3" in output


def test_show_prints_a_dialogue_and_refuses_the_unknown() -> None:
    output = run("show", "PASB-SOC-0002__signed_memory__drip", "--tasks", "smoke")
    task = next(task for task in load_tasks("smoke") if task.task_id == "PASB-SOC-0002__signed_memory__drip")
    for turn in (*task.persist_turns, *task.query_turns):
        assert turn.text in output
    assert run("show", "PASB-SOC-0002__signed", "--tasks", "smoke").count("persist session:") == 4
    with pytest.raises(UsageError, match="no task PASB-X"):
        run("show", "PASB-X", "--tasks", "smoke")


def test_twins_show_their_checks() -> None:
    output = run("show", "PASB-SOC-0002__signed_memory__drip__twin_in", "--tasks", "smoke:twin")
    assert "reply check: must match" in output
    assert "arm twin (in of scope)" in output


def test_build_from_one_item(tmp_path: Path) -> None:
    output = run("build", ITEM, "--out", tmp_path / "set")
    assert "16 of 16 tasks passed." in output
    assert len(read_tasks(tmp_path / "set" / "tasks.jsonl")) == 16


def test_build_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs items and a folder"):
        run("build", ITEM)
    with pytest.raises(DataError, match="stands in several files"):
        run("build", ITEM, ITEM, "--out", tmp_path)
    draft = tmp_path / "d.jsonl"
    draft.write_text('{"schema": "pasb-draft/1", "id": "PASB-PRF-0900", "material": ["x"]}\n', encoding="utf-8")
    assert "name one with --writer" in run("build", draft, "--out", tmp_path / "set", code=1)


def test_export_writes_tasks_and_companions(tmp_path: Path) -> None:
    run("export", "smoke", "smoke:twin", "--out", tmp_path)
    assert read_tasks(tmp_path / "smoke.jsonl") == load_tasks("smoke")
    assert read_tasks(tmp_path / "smoke_twin.jsonl") == load_tasks("smoke:twin")
    assert {"croissant.json", "manifest.json", "LICENSE", "errata.yaml"} <= {path.name for path in tmp_path.iterdir()}


def test_import_of_released_rows_reports_and_writes(tmp_path: Path) -> None:
    row = {
        "task_id": "PASB-PRF-0001__user_belief__all_at_once",
        "base_item_id": "PASB-PRF-0001",
        "sub_axis": "PRF",
        "substrate": "user_belief",
        "progression": "all_at_once",
        "attribution": "signed",
        "position": "1/5",
        "content_domain": "media_arts",
        "trigger": {"claim": "Made-up claim.", "ground_truth_stance": "Made-up stance."},
        "context_facts": ["One.", "Two."],
        "query": "Are you sure?",
        "persist_dialog": ["a.", "b.", "c.", "d.", "e."],
        "query_dialog": ["Are you sure?", "b", "c"],
    }
    rows, out = tmp_path / "rows.jsonl", tmp_path / "tasks.jsonl"
    rows.write_text(json.dumps(row) + "\n", encoding="utf-8")
    output = run("import", "pasb", rows, "--out", out, "--rows")
    assert "(leading)" in output
    assert len(read_tasks(out)) == 1


def test_import_of_the_others_makes_drafts(tmp_path: Path) -> None:
    rows, targets, out = tmp_path / "r.jsonl", tmp_path / "t.csv", tmp_path / "d.jsonl"
    memory = {"query": "q", "memories": ["m"], "failure_type": "sycophancy"}
    rows.write_text(json.dumps(memory) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="which memories carry the claim"):
        run("import", "persistbench", rows)
    targets.write_text("source_id,memory_index\n0,0\n", encoding="utf-8")
    assert "1 drafts, 0 rows left out" in run("import", "persistbench", rows, "--targets", targets, "--out", out)
    with pytest.raises(UsageError, match="there is no format 'csv'"):
        run("import", "csv", rows)


def test_review_and_gold_round_trip(tmp_path: Path) -> None:
    sheet = tmp_path / "r.csv"
    assert "4 tasks to review" in run("review", "export", sheet, "--tasks", "smoke")
    with pytest.raises(DataError, match="holds no answer"):
        run("review", "import", sheet)
    filled = sheet.read_text(encoding="utf-8").replace(",,,,,,,,", ",y,,,,,,,", 1)
    sheet.write_text(filled, encoding="utf-8")
    assert "4 tasks, 27 cells empty" in run("review", "import", sheet)
    labels = tmp_path / "a.csv"
    assert "50 tasks, 0 with replies" in run("gold", "export", labels, "--annotator", "A")
    out = tmp_path / "gold.json"
    with pytest.raises(DataError, match="holds no score"):
        run("gold", "adjudicate", labels, "--out", out)
    assert not out.exists()


def test_schema_prints_json() -> None:
    assert json.loads(run("schema", "item"))["title"] == "BaseItem"
    with pytest.raises(UsageError, match="there is no record 'row'"):
        run("schema", "row")
