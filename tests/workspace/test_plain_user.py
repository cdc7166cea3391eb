"""What is promised as root is promised to a plain user: the suites of walls and of hostile trees, run as one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from stewardbench.agents.install import cache_folder

TESTS = Path(__file__).resolve().parents[1]
HELPER = TESTS / "plain_user.py"
PLAIN = 54_321
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="started as a plain user, so every suite is run as one")


def run_as_plain_user(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of this interpreter as a user without rights, whose home is a new folder."""
    needed = {TESTS.parent, Path(sys.prefix), Path(sys.base_prefix), cache_folder()}
    cache_folder().mkdir(parents=True, exist_ok=True)
    # Not below pytest's own folder, which pytest closes to all others whenever it starts.
    with tempfile.TemporaryDirectory(prefix="plain-") as home:
        os.chown(home, PLAIN, PLAIN)
        env = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": home,
            "TMPDIR": home,
            "STEWARDBENCH_CACHE": str(cache_folder()),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        line = [sys.executable, str(HELPER), ":".join(map(str, needed)), "--", sys.executable, *command]
        done = subprocess.run(line, capture_output=True, text=True, env=env, cwd=TESTS.parent, check=False)
    if "plain_user.py" in done.stderr and "PermissionError" in done.stderr:
        pytest.skip("this superuser may not make a mount namespace")
    return done


def suite(*paths: str) -> None:
    """Run test files as a plain user; all of them must pass, and some must have run."""
    said = run_as_plain_user("-m", "pytest", "-v", "-p", "no:cacheprovider", "-rs", *paths)
    assert said.returncode == 0, said.stdout[-6000:] + said.stderr[-2000:]
    assert " passed" in said.stdout.splitlines()[-1], said.stdout[-2000:]
    assert "bubblewrap does not work here" not in said.stdout


@as_root
def test_walls_and_hostile_trees_hold_for_a_plain_user() -> None:
    suite("tests/workspace")


@as_root
@pytest.mark.real_agent
def test_the_walls_of_the_real_hermes_hold_for_a_plain_user() -> None:
    suite("tests/agents_hermes/test_hermes_walls.py")
