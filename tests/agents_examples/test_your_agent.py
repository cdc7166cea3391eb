"""The example plug-in, installed as a third party would install it, beside an unchanged stewardbench."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sysconfig.get_path("scripts"), "stewardbench"))
EXAMPLE = ROOT / "examples" / "your_agent"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the installed example, to be put on the path."""
    target = tmp_path_factory.mktemp("site")
    uv = Path(sysconfig.get_path("scripts"), "uv")
    command = [uv, "pip", "install", "--quiet"] if uv.exists() else [sys.executable, "-m", "pip", "install", "-q"]
    subprocess.run(
        [*map(str, command), "--no-deps", "--target", str(target), str(EXAMPLE)], check=True, env={**os.environ}
    )
    return target


def stewardbench(installed, *arguments):
    return subprocess.run(
        [COMMAND, *arguments],
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_installed_plug_in_is_listed(installed):
    listed = stewardbench(installed, "agents", "list")
    assert listed.returncode == 0, listed.stderr
    assert "your-agent   0.1.0" in listed.stdout


def test_the_installed_plug_in_passes_the_conformance_suite(installed, tmp_path):
    result = tmp_path / "result.json"
    checked = stewardbench(installed, "agents", "check", "your-agent", "--json", str(result))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    statuses = {each["name"]: each["status"] for each in json.loads(result.read_text())["results"]}
    assert {name for name, status in statuses.items() if status != "passed"} == {"walls", "crash"}
    assert statuses["walls"] == statuses["crash"] == "skipped"


def test_the_installed_plug_in_runs_pasb_and_commits_as_its_model_does(installed, tmp_path):
    out = tmp_path / "run"
    ran = stewardbench(
        installed, "run", "pasb", "--agent", "your-agent", "--model", "scripted/promoter", "--judge", "reference",
        "--tasks", "smoke", "--limit", "2", "--out", str(out),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    rows = [json.loads(line) for line in (out / "episodes.jsonl").read_text().splitlines()]
    assert len(rows) == 2
    assert all(row["valid"] for row in rows), [row["invalid_detail"] for row in rows]
    assert {row["commit"]["primary"] for row in rows} == {"memory_profile"}


def test_without_it_the_name_is_unknown_and_the_message_says_which_are_known():
    listed = subprocess.run(
        [COMMAND, "agents", "check", "your-agent"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert listed.returncode == 2
    assert "openclaw" in listed.stderr
