"""A run split into shards that ran apart, were killed and resumed, and were merged: the tables of the undivided run."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stewardbench.errors import StewardError, StoreError, UsageError
from stewardbench.report.build import build_report
from stewardbench.report.part import Settings
from stewardbench.runs.folder import RunFolder, read_manifest
from stewardbench.runs.jobs import Shard, part_of, shard
from stewardbench.runs.merge import merge
from stewardbench.sovereignpa.run import store as sovereignpa_store
from stewardbench.sovereignpa.run.evaluation import open_run
from stewardbench.sovereignpa.run.settings import sovereignpa_settings

PARTS = 5
DYING = """
import os, signal, sys
from stewardbench.records import JsonlLog
from stewardbench.sovereignpa.run import runner
runner.BATCH = 3
extend, left = JsonlLog.extend, [2]
def dying(self, lines):
    if left[0] == 0:
        with self.path.open("ab") as file:
            file.write(lines[0].encode()[:100])
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    extend(self, lines)
JsonlLog.extend = dying
from stewardbench.cli import main
main()
"""


def run_command(out: Path, part: str = "", *, dying: bool = False) -> int:
    start = ["-c", DYING if dying else "from stewardbench.cli import main; main()"]
    options = ["--shard", part] if part else []
    command = ["run", "sovereignpa", "--agent", "no-ask", "--sample", "60", "--out", str(out), *options]
    return subprocess.run([sys.executable, *start, *command], capture_output=True, check=False).returncode


def tables(folder: Path) -> dict[str, str]:
    """Every table's text, with the run's own name made neutral."""
    report = build_report([folder], Settings(draws=200))
    return {table.id: table.csv().replace(read_manifest(folder).run_id, "RUN") for table in report.tables}


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run, and the same in five shards of which the first two were killed while they wrote."""
    folder = tmp_path_factory.mktemp("split")
    assert run_command(folder / "whole") == 0
    for number in range(1, PARTS + 1):
        part = f"{number}/{PARTS}"
        if number <= 2:
            assert run_command(folder / f"part{number}", part, dying=True) == -signal.SIGKILL
        assert run_command(folder / f"part{number}", part) == 0
    return folder


def parts(folder: Path) -> list[Path]:
    return [folder / f"part{number}" for number in range(1, PARTS + 1)]


def test_killed_and_merged_shards_give_the_tables_of_one_run(split: Path, tmp_path: Path) -> None:
    found = merge(list(reversed(parts(split))), tmp_path / "merged")
    whole = (split / "whole" / "episodes.jsonl").read_bytes()
    assert (tmp_path / "merged" / "episodes.jsonl").read_bytes() == whole
    assert found.attempts == whole.count(b"\n")
    assert tables(tmp_path / "merged") == tables(split / "whole")
    manifest = read_manifest(tmp_path / "merged")
    assert "shard" not in manifest.settings
    assert manifest.settings_sha256 == read_manifest(split / "whole").settings_sha256


def test_a_merged_run_resumes_like_any_other(split: Path, tmp_path: Path) -> None:
    merge(parts(split), tmp_path / "merged")
    log = tmp_path / "merged" / "episodes.jsonl"
    before = log.read_bytes()
    assert run_command(tmp_path / "merged") == 0
    assert log.read_bytes() == before
    log.write_bytes(b"".join(before.splitlines(keepends=True)[:-4]))
    assert run_command(tmp_path / "merged") == 0
    assert sorted(log.read_bytes().splitlines()) == sorted(before.splitlines())


def copied(split: Path, folder: Path) -> list[Path]:
    for part in parts(split):
        shutil.copytree(part, folder / part.name)
    return parts(folder)


def changed(folder: Path, **values: object) -> None:
    manifest = json.loads((folder / "run.json").read_text())
    for key, value in values.items():
        place = manifest["settings"] if key in manifest["settings"] else manifest
        place[key] = value
    (folder / "run.json").write_text(json.dumps(manifest))


def refused(folders: list[Path], out: Path, kind: type[StewardError], message: str) -> None:
    with pytest.raises(kind, match=message):
        merge(folders, out)
    assert not out.exists()


def test_a_missing_a_doubled_and_a_foreign_part_are_named(split: Path, tmp_path: Path) -> None:
    out, all_parts = tmp_path / "out", parts(split)
    refused([], out, UsageError, "nothing to merge")
    refused(all_parts[:-1], out, UsageError, "shard 5/5 is not given")
    refused([*all_parts, all_parts[0]], out, UsageError, "given twice")
    refused([split / "whole"], out, UsageError, "no shard of a run")
    refused([*all_parts, split / "whole"], out, UsageError, "different splits")
    shutil.copytree(all_parts[0], tmp_path / "again")
    refused([*all_parts, tmp_path / "again"], out, UsageError, "are both shard 1/5")
    refused([tmp_path], out, StoreError, "not a run folder")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"agent": "careful"}, r"other settings \(agent: 'no-ask' and 'careful'"),
        ({"benchmark": "pasb"}, "runs of sovereignpa and pasb"),
        ({"versions": {"stewardbench": "0.0.1"}}, r"other versions \("),
        ({"run_id": "another"}, "parts of different runs"),
        ({"shard": "5/6"}, "different splits"),
    ],
)
def test_what_does_not_belong_together_is_named(
    split: Path, tmp_path: Path, values: dict[str, object], message: str
) -> None:
    folders = copied(split, tmp_path)
    changed(folders[-1], **values)
    refused(folders, tmp_path / "out", UsageError, message)


def test_other_tasks_are_named(split: Path, tmp_path: Path) -> None:
    folders = copied(split, tmp_path)
    with (folders[2] / "tasks.jsonl").open("a") as file:
        file.write("{}\n")
    refused(folders, tmp_path / "out", UsageError, "other tasks")


def test_overlapping_and_doubled_episodes_are_named(split: Path, tmp_path: Path) -> None:
    folders = copied(split, tmp_path)
    own = (folders[0] / "episodes.jsonl").read_text()
    (folders[0] / "episodes.jsonl").write_text(own + own.splitlines(keepends=True)[0])
    refused(folders, tmp_path / "out", StoreError, "stands twice")
    (folders[0] / "episodes.jsonl").write_text(own)
    with (folders[1] / "episodes.jsonl").open("a") as file:
        file.write(own.splitlines(keepends=True)[0])
    refused(folders, tmp_path / "out", StoreError, "is in .*part1 and in .*part2")


def test_a_part_in_use_and_a_place_that_is_taken_are_refused(split: Path, tmp_path: Path) -> None:
    with RunFolder.reopen(parts(split)[3]):
        refused(parts(split), tmp_path / "out", StoreError, "another run is using")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").touch()
    with pytest.raises(StoreError, match="exists already"):
        merge(parts(split), tmp_path / "taken")
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["mine.txt"]


def test_a_shard_resumes_only_as_itself(tmp_path: Path) -> None:
    settings = sovereignpa_settings(agent="no-ask", sample=12)
    with open_run(settings, tmp_path / "part", shard=Shard(number=1, of=2)) as run:
        run.play_rules()
    for other in (None, Shard(number=2, of=2)):
        with pytest.raises(StoreError, match="shard: was '1/2'"), open_run(settings, tmp_path / "part", shard=other):
            pass
    with RunFolder.read(tmp_path / "part") as folder:
        assert len(list(sovereignpa_store.stored(folder))) == len(run.jobs)


@given(st.lists(st.integers(), unique=True), st.integers(1, 20))
def test_parts_are_disjoint_and_make_the_whole(jobs: list[int], count: int) -> None:
    split = [part_of(jobs, Shard(number=number, of=count)) for number in range(1, count + 1)]
    assert sorted(job for part in split for job in part) == sorted(jobs)
    assert max(map(len, split)) - min(map(len, split)) <= 1
    assert part_of(jobs, None) == tuple(jobs)


@pytest.mark.parametrize("text", ["3", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/3", "1/", "/3", "1,3"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a part of a run"):
        shard(text)


def test_shards_are_read_back() -> None:
    assert shard("") is None
    assert str(shard("3/10")) == "3/10"
