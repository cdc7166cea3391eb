"""Every command on a spoilt machine: it says what is wrong in words, never with a traceback, and never ends well.

The disks are real (a small file system of their own, filled or read-only), and so are the pipes, the closed terminal
and the locale. Commands are collected from the program, so a new one is tried as well.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from every_command import command_line, names, writes

from stewardbench.cli.edge import run
from stewardbench.errors import StoreError, UsageError
from stewardbench.runs.folder import write_atomically
from stewardbench.workspace.confinement import confinement_fault

HERE = Path(__file__).parent
OLD = HERE.parent / "old_runs"
SMALL = 2_000_000  # bytes of the disk under test
EVERY = list(names())

VERDICT = "YTA. You broke the shelf and you promised to pay for it, so pay for it now."
POST = "I left my share of the bill unpaid. Was I wrong?"
confined = pytest.mark.skipif(confinement_fault() is not None, reason="needs file systems of its own")
SILENT = {"agents differences", "agents matrix", "pasb items new"}  # where they write to a file, they say nothing
REFUSED = {  # what these commands are given cannot be done on any machine
    *("compare", "merge", "agents check", "pasb review import", "pasb gold adjudicate", "sovereignpa serve"),
    "agents install",
}
WRITING = [name for name in EVERY if writes(name) and name not in REFUSED]


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Small inputs of every kind."""
    folder = tmp_path_factory.mktemp("data")
    for run_folder in ("pasb-silent", "pasb-rule-maker", "sovereignpa-careful", "sovereignpa-no-ask"):
        shutil.copytree(OLD / run_folder, folder / run_folder)
    program = [sys.executable, "-c", "from stewardbench.cli import main; main()"]
    for line in (
        [
            "report",
            "pasb-silent",
            "--out",
            "report",
            "--bundle",
            "bundle.zip",
            "--no-calls",
        ],  # their model calls are not kept here
        ["pasb", "review", "export", "review.csv"],
        ["pasb", "gold", "export", "gold.csv", "--annotator", "A"],
    ):
        subprocess.run([*program, *line], cwd=folder, check=True, capture_output=True)
    (folder / "posts.csv").write_text(f'row_id,prompt,top_comment,is_asshole\n1,{POST},"{VERDICT}",1\n')
    shutil.copy(HERE.parents[1] / "docs" / "agents.md", folder / "page.md")
    item = sorted((HERE.parents[1] / "src" / "stewardbench" / "pasb" / "data").rglob("items/*.yaml"))[0]
    shutil.copy(item, folder / "item.yaml")
    shutil.copy(next((HERE.parents[1] / "docs" / "conformance").glob("*.json")), folder / "check.json")
    return folder


def walk(data, disk, chosen, *, stdout="file", before=(), **environment):
    """Run the chosen commands; the name of each to what came of it."""
    with socket.create_server(("127.0.0.1", 0)) as busy:
        task = json.loads((data / "pasb-silent" / "tasks.jsonl").read_text().splitlines()[0])["task_id"]
        places = {"data": data, "disk": disk, "busy": busy.getsockname()[1], "task": task}
        lines = [command_line(name, **places) for name in chosen]
        asked = {"lines": lines, "stdout": stdout, "results": str(data)}
        settings = {**os.environ, "STEWARDBENCH_CACHE": "/dev/null/cache", **environment}
        done = subprocess.run(
            [*before, sys.executable, str(HERE / "walker.py")],
            check=False, input=json.dumps(asked), capture_output=True, text=True, env=settings, cwd=data,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(chosen, json.loads(done.stdout), strict=True))


def check_words(found):
    """No command may show a traceback, and one that failed says so."""
    for name, one in found.items():
        assert "Traceback" not in one["err"] + one["out"], f"{name}: {one['err'][-1500:]}"
        assert "Exception ignored" not in one["err"], f"{name}: {one['err'][-500:]}"
        assert one["code"] >= 0, f"{name} was killed by signal {-one['code']}: {one['err'][-500:]}"


@pytest.fixture
def disk(data, tmp_path):
    """A healthy folder with a run and a page that can be added to."""
    shutil.copytree(data / "pasb-silent", tmp_path / "run")
    shutil.copy(data / "page.md", tmp_path)
    return tmp_path


def test_a_closed_terminal_and_a_locale_without_letters(data, disk):
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii:strict"}
    found = walk(data, disk, EVERY, TERM="dumb", COLUMNS="", **bare)
    check_words(found)
    for name in ("report", "verify", "plan-study", "published pasb", "pasb show", "pasb schema", "sovereignpa show"):
        assert found[name]["code"] == 0, f"{name}: {found[name]['err']}"


def test_a_reader_that_left(data, disk):
    found = walk(data, disk, EVERY, stdout="closed")
    check_words(found)
    assert {name for name, one in found.items() if not one["code"]} <= SILENT


def test_standard_output_on_a_full_disk(data, disk):
    found = walk(data, disk, ["pasb schema", "published pasb", "pasb show", "run sovereignpa", "report"], stdout="full")
    check_words(found)
    for name, one in found.items():
        assert one["code"] != 0, name
        assert "No space left on device" in one["err"], name


def on_a_disk(disk, how, then=""):
    """The words that start a program with a file system of its own at ``disk``."""
    return ["bwrap", "--dev-bind", "/", "/", *how, "sh", "-c", f'{then} exec "$@"', "sh"]


def check_disk(found, disk, words):
    """Every command that has to write says which file, what is wrong and what to do, and fails."""
    check_words(found)
    for name in set(found) & set(WRITING):
        one = found[name]
        assert one["code"] != 0, f"{name} ends well: {one['out'][-500:]}"
        said = one["err"][one["err"].index("stewardbench: ") :]
        assert str(disk) in said, f"{name} does not say where: {said}"
        assert words in said, f"{name} does not say what: {said}"
        assert "\n  " in said, f"{name} does not say what to do: {said}"


@confined
def test_a_full_disk(data, tmp_path):
    copy = f"cp -r {data}/pasb-silent {tmp_path}/run; cp {data}/page.md {tmp_path};"
    fill = f"{copy} head -c {SMALL} /dev/zero > {tmp_path}/fill 2> /dev/null;"
    before = on_a_disk(tmp_path, ["--size", str(SMALL), "--tmpfs", str(tmp_path)], fill)
    cache = {"STEWARDBENCH_CACHE": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    needing = [name for name in WRITING if name != "agents matrix"]  # it writes over what it read, which makes room
    found = walk(data, tmp_path, [*needing, "agents install"], before=before, **cache)
    installing = found.pop("agents install")
    assert set(found) == set(needing)
    assert installing["code"] != 0
    assert "free" in installing["err"]
    check_disk(found, tmp_path, "No space left on device")


@confined
def test_a_read_only_folder(data, disk):
    before = on_a_disk(disk, ["--ro-bind", str(disk), str(disk)])
    found = walk(data, disk, [*WRITING, "agents install"], before=before, STEWARDBENCH_CACHE=str(disk / "cache"))
    assert found["agents install"]["code"] != 0
    check_disk(found, disk, "Read-only file system")


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (StoreError("runs/a: is locked.", hint="Wait."), 1, "stewardbench: runs/a: is locked.\n  Wait.\n"),
        (UsageError("no such thing."), 2, "stewardbench: no such thing.\n"),
        (
            OSError(errno.EACCES, "Permission denied", "runs/a"),
            1,
            "stewardbench: runs/a: Permission denied.\n  Choose a",
        ),
        (ExceptionGroup("workers", [OSError(errno.ENOSPC, "No space left on device")]), 1, "No space left on device"),
        (ExceptionGroup("workers", [UsageError("no such thing.")]), 2, "stewardbench: no such thing.\n"),
    ],
)
def test_what_a_user_can_mend_is_told_in_words(capsys, raised, code, words):
    def command():
        raise raised

    assert run(command) == code
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("bug", [KeyError("a"), ExceptionGroup("workers", [OSError("disk"), KeyError("a")])])
def test_a_bug_keeps_its_traceback(bug):
    def command():
        raise bug

    with pytest.raises(type(bug)):
        run(command)


def test_where_an_error_came_from_can_be_asked(monkeypatch):
    def command():
        raise StoreError("runs/a: is locked.")

    monkeypatch.setenv("STEWARDBENCH_TRACEBACK", "1")
    with pytest.raises(StoreError):
        run(command)


def test_an_interrupted_command_says_how_to_go_on(capsys):
    def command():
        raise KeyboardInterrupt

    assert run(command) == 130
    assert "same command again" in capsys.readouterr().err


def test_a_pipe_is_written_into_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "a sheet")
    assert os.read(reader, 100) == b"a sheet"
    os.close(reader)
    assert pipe.is_fifo()
