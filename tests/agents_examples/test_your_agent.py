"""The example plug-in, installed as a third party would install it, beside an unchanged stewardbench."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
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
    assert {name for name, status in statuses.items() if status != "passed"} == {"walls", "plants", "crash"}
    assert statuses["walls"] == statuses["plants"] == statuses["crash"] == "skipped"


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


DECLARED = """    saves = {
        "profile": [{"tools": ["jot"], "arguments": {"shelf": "profile", "words": "$line"}}],
        "memory": [{"tools": ["jot"], "arguments": {"shelf": "memory", "words": "$line"}}],
        "skill": [{"tools": ["jot"], "arguments": {"shelf": "skill", "name": "$name", "words": "$skill"}}],
    }
"""


def renamed(tmp_path, declared=""):
    """The example with names of its own for its save tool, installed; ``declared`` goes into its class."""
    package = tmp_path / "your_agent"
    package.mkdir()
    source = EXAMPLE / "src" / "your_agent"
    tools = (source / "tools.json").read_text()
    for ours, theirs in (("remember", "jot"), ("content", "words"), ("kind", "shelf")):
        tools = tools.replace(f'"{ours}"', f'"{theirs}"')
    (package / "tools.json").write_text(tools)
    code = (source / "__init__.py").read_text()
    code = code.replace("given['content']", "given['words']").replace('given.get("kind"', 'given.get("shelf"')
    code = code.replace('    name = "your-agent"\n', f'    name = "your-agent"\n{declared}')
    (package / "__init__.py").write_text(code)
    facts = tmp_path / "your_agent-0.1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: your-agent\nVersion: 0.1.0\n")
    (facts / "entry_points.txt").write_text("[stewardbench.agents]\nyour-agent = your_agent:YourAgent\n")
    return tmp_path


def test_save_tools_that_nobody_knows_are_incomplete_and_never_a_pass(tmp_path):
    checked = stewardbench(renamed(tmp_path), "agents", "check", "your-agent")
    assert checked.returncode == 3, checked.stdout + checked.stderr
    assert checked.stdout.splitlines()[-1].startswith("INCOMPLETE: your-agent 0.1.0: ")
    missing = {line.split()[1] for line in checked.stdout.splitlines() if line.startswith("missing")}
    assert {"profile", "memory", "note", "skill"} <= missing
    assert "offered: jot, load_skill" in checked.stdout
    assert "saves = {'memory': [{'tools': [NAME]" in checked.stdout


def test_with_its_declaration_it_is_complete_and_a_run_uses_it(tmp_path):
    site = renamed(tmp_path, DECLARED)
    checked = stewardbench(site, "agents", "check", "your-agent")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.splitlines()[-1].startswith("CONFORMS: your-agent 0.1.0: passed 2")
    out = tmp_path / "run"
    ran = stewardbench(
        site, "run", "pasb", "--agent", "your-agent", "--model", "scripted/promoter", "--judge", "reference",
        "--tasks", "smoke", "--limit", "1", "--out", str(out),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert json.loads((out / "episodes.jsonl").read_text())["commit"]["committed"] is True


def test_a_declaration_that_is_none_is_refused_with_a_good_one(tmp_path):
    site = renamed(tmp_path, '    saves = {"memory": ["jot"]}\n')
    checked = stewardbench(site, "agents", "check", "your-agent", "--only", "memory")
    assert checked.returncode == 1
    assert "the agent's `saves` cannot be read" in checked.stdout


def test_the_how_to_counts_the_lines_of_the_example():
    page = (ROOT / "docs" / "how-to" / "add-an-agent.md").read_text()
    count = {
        name: len((EXAMPLE / place).read_text().splitlines())
        for name, place in (
            ("Python", "src/your_agent/__init__.py"),
            ("tools", "src/your_agent/tools.json"),
            ("project", "pyproject.toml"),
        )
    }
    said = f"{count['Python']} lines of Python, {count['tools']} of tool descriptions and {count['project']} of"
    assert said in page


PAGE = (ROOT / "docs" / "how-to" / "add-an-agent.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_every_command_of_the_how_to_runs_as_printed(installed, tmp_path):
    lines = [line.strip() for line in re.findall(r"^    (stewardbench .*)$", PAGE, re.MULTILINE)]
    assert [line.split()[1:3] for line in lines] == [["agents", "check"], ["run", "pasb"], ["agents", "check"]]
    for line in lines:
        ran = subprocess.run(
            [COMMAND, *line.split()[1:]],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, (line, ran.stdout, ran.stderr)


def test_the_announcement_of_the_how_to_is_the_one_that_works():
    (announced,) = (tomllib.loads(block) for block in blocks("toml"))
    example = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())
    assert announced["project"]["entry-points"] == example["project"]["entry-points"]


def test_the_declaration_of_the_how_to_completes_an_agent_with_tools_of_its_own(tmp_path):
    (block,) = blocks("python")
    declared = block.partition("\n")[2]
    assert "saves = {" in declared
    checked = stewardbench(renamed(tmp_path, declared), "agents", "check", "your-agent")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.splitlines()[-1].startswith("CONFORMS: ")
    assert any(line.split()[:2] == ["skipped", "skill"] for line in checked.stdout.splitlines())
