"""The example benchmark, installed as a third party would install it, beside an unchanged stewardbench."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sysconfig.get_path("scripts"), "stewardbench"))
EXAMPLE = ROOT / "examples" / "your_benchmark"
JOBS = 24
KILLED_AFTER = 9


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the installed example, to be put on the path."""
    target = tmp_path_factory.mktemp("site")
    uv = Path(sysconfig.get_path("scripts"), "uv")
    command = [uv, "pip", "install", "--quiet"] if uv.exists() else [sys.executable, "-m", "pip", "install", "-q"]
    subprocess.run([*map(str, command), "--no-deps", "--target", str(target), str(EXAMPLE)], check=True)
    return target


def stewardbench(installed, *arguments, code=""):
    """The command with the example on its path; ``code`` is run in its process first."""
    start = f"{code}\nfrom stewardbench.cli import main\nmain()" if code else ""
    command = [sys.executable, "-c", start] if code else [COMMAND]
    return subprocess.run(
        [*command, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )


DIES = f"""
import os
from stewardbench.records import JsonlLog
extend, left = JsonlLog.extend, [{KILLED_AFTER}]
def dying(self, lines):
    extend(self, lines)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), 9)
JsonlLog.extend = dying
"""


@pytest.fixture(scope="module")
def runs(installed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for subject in ("keeper", "drifter"):
        arguments = ("run", "your-benchmark", "--subject", subject, "--out", folder / subject)
        killed = stewardbench(installed, *arguments, code=DIES)
        assert killed.returncode == -9
        assert len((folder / subject / "episodes.jsonl").read_text().splitlines()) == KILLED_AFTER
        resumed = stewardbench(installed, *arguments)
        assert resumed.returncode == 0, resumed.stderr
        assert f"{KILLED_AFTER} done earlier" in resumed.stderr
    return folder


def test_a_killed_run_loses_no_job_and_repeats_none(runs):
    for subject in ("keeper", "drifter"):
        lines = [json.loads(line) for line in (runs / subject / "episodes.jsonl").read_text().splitlines()]
        assert len({line["job"]["task"] for line in lines}) == len(lines) == JOBS


def test_it_reports_beside_the_others(installed, runs, tmp_path):
    out = tmp_path / "report"
    made = stewardbench(installed, "report", runs / "keeper", runs / "drifter", "--out", out, "--site")
    assert made.returncode == 0, made.stderr
    table = (out / "tables" / "limits_kept.csv").read_text().splitlines()
    assert {line.split(",")[2]: line.split(",")[4] for line in table[1:]} == {"keeper": "100.0", "drifter": "0.0"}
    assert (out / "rows_limits.parquet").exists()
    assert "Word limits" in (out / "site" / "index.html").read_text()
    assert (out / "site" / "limits.html").exists()
    assert (out / "site" / "data" / "your-benchmark-index.js").exists()


def test_it_compares_and_fails_a_gate(installed, runs):
    worse = stewardbench(installed, "compare", runs / "keeper", runs / "drifter", "--fail-if", "worse")
    assert worse.returncode == 3, worse.stdout + worse.stderr
    better = stewardbench(installed, "compare", runs / "drifter", runs / "keeper", "--fail-if", "worse")
    assert better.returncode == 0, better.stdout + better.stderr


def test_its_bundle_is_verified(installed, runs, tmp_path):
    bundle = tmp_path / "audit.zip"
    assert stewardbench(installed, "report", runs / "keeper", "--bundle", bundle).returncode == 0
    checked = stewardbench(installed, "verify", bundle)
    assert checked.returncode == 0, checked.stderr


def test_without_the_plug_in_its_runs_are_refused_by_name(runs):
    refused = subprocess.run([COMMAND, "report", str(runs / "keeper")], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "no benchmark called 'your-benchmark' is installed" in refused.stderr
    assert "Installed: pasb, sovereignpa" in refused.stderr


def test_the_example_is_as_short_as_it_says():
    lines = sum(path.read_text().count("\n") for path in EXAMPLE.rglob("*.py"))
    assert lines < 250
