"""The wheel in clean environments: what `pip install stewardbench` gives, in each Python that the project promises."""

import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ABSENT = 77


@pytest.mark.real_agent  # as slow as one, and it fetches what it installs
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_wheel_installs_and_runs_the_demo_in_a_clean_environment(version):
    ran = subprocess.run([ROOT / "scripts" / "wheel-check.sh", version], capture_output=True, text=True, check=False)
    if ran.returncode == ABSENT:
        pytest.skip(ran.stdout.strip().splitlines()[-1])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"Python {version}: the wheel installs and runs the demo" in ran.stdout
    assert "careful        1510 100.0" in ran.stdout


def test_the_project_promises_the_pythons_that_are_tried():
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert promised == ">=3.11"
