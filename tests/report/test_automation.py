"""What the page on scripts and continuous integration promises: the example's commands, the exit codes, completion."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from stewardbench.cli import app

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "examples" / "continuous_integration" / "stewardbench.yml"
COMMAND = str(Path(sysconfig.get_path("scripts"), "stewardbench"))


def commands() -> list[list[str]]:
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["pasb"]["steps"]
    lines = [" ".join(step.get("run", "").split()) for step in steps]
    return [line.partition(" > ")[0].split() for line in lines if line.startswith("stewardbench ")]


def test_every_command_of_the_workflow_exists_with_its_options() -> None:
    assert [words[1] for words in commands()] == ["run", "compare", "summary"]
    for words in commands():
        path = words[1:3] if words[1] == "run" else words[1:2]
        shown = CliRunner().invoke(app, [*path, "--help"])
        assert shown.exit_code == 0
        for option in (word for word in words if word.startswith("--")):
            assert re.search(rf"{option}\b", shown.output), option


def test_the_workflow_fails_closed_and_keeps_what_was_measured() -> None:
    assert any("--fail-if" in words for words in commands())
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["pasb"]["steps"]
    assert not any("continue-on-error" in step or "|| true" in step.get("run", "") for step in steps)
    assert [step.get("if") for step in steps][-2:] == ["always()", "always()"]


@pytest.mark.parametrize(("typed", "word"), [("stewardbench age", "agents"), ("stewardbench agents che", "check")])
def test_completion_completes_in_bash(typed: str, word: str) -> None:
    env = {**os.environ, "_STEWARDBENCH_COMPLETE": "complete_bash", "COMP_WORDS": typed}
    env["COMP_CWORD"] = str(len(typed.split()) - 1)
    done = subprocess.run([COMMAND], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [word], done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_shown_for_a_shell(shell: str) -> None:
    env = {**os.environ, "_STEWARDBENCH_COMPLETE": f"source_{shell}"}
    done = subprocess.run([COMMAND], env=env, capture_output=True, text=True, check=False)
    assert "_STEWARDBENCH_COMPLETE" in done.stdout, done.stderr
