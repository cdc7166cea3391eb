"""The shared vocabulary: canonical JSON, append-only files that survive a kill, blobs, run folders, seeds."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stewardbench.errors import DataError, StoreError
from stewardbench.records import BlobStore, JsonlLog, read_jsonl
from stewardbench.runs.folder import RunFolder, run_folders
from stewardbench.seeding import derive, generator


def test_an_append_after_a_torn_line_keeps_every_whole_record(tmp_path: Path) -> None:
    log = JsonlLog(tmp_path / "episodes.jsonl")
    log.append('{"a":1}')
    log.append('{"a":2}')
    with log.path.open("ab") as file:
        file.write(b'{"a":3, "half')
    assert [text for _, text in log.lines()] == ['{"a":1}', '{"a":2}']
    log.append('{"a":4}')
    assert [text for _, text in log.lines()] == ['{"a":1}', '{"a":2}', '{"a":4}']


def test_a_torn_first_line_is_dropped(tmp_path: Path) -> None:
    log = JsonlLog(tmp_path / "episodes.jsonl")
    log.path.write_bytes(b"half")
    log.append("{}")
    assert [text for _, text in log.lines()] == ["{}"]


def test_a_full_disk_is_a_clear_error_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = JsonlLog(tmp_path / "episodes.jsonl")
    log.append('{"a":1}')

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        log.append('{"a":2}')
    monkeypatch.undo()
    log.append('{"a":3}')
    assert [text for _, text in log.lines()] == ['{"a":1}', '{"a":3}']


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b'{"a":1}\n{"a":\n', 2, "not JSON"),
        (b"[1]\n", 1, "expected an object"),
        (b'{"a":"\xff"}\n', 1, "not UTF-8"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, content: bytes, line: int, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        list(read_jsonl(path))
    assert caught.value.line == line


def test_a_changed_blob_is_noticed(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    digest = store.put(b"memory")
    assert store.put(b"memory") == digest
    assert store.get(digest) == b"memory"
    (tmp_path / digest[:2] / digest).write_bytes(b"Memory")
    with pytest.raises(StoreError, match="does not match"):
        store.get(digest)


def test_two_runs_cannot_share_a_folder(tmp_path: Path) -> None:
    with (
        RunFolder.open(tmp_path, "pasb", {"model": "m"}),
        pytest.raises(StoreError, match="another run"),
    ):
        RunFolder.open(tmp_path, "pasb", {"model": "m"})


def test_resume_names_the_setting_that_changed(tmp_path: Path) -> None:
    RunFolder.open(tmp_path, "pasb", {"model": "m", "workers": 1}).close()
    RunFolder.open(tmp_path, "pasb", {"model": "m", "workers": 4}).close()
    with pytest.raises(StoreError, match="model: was 'm', now 'n'"):
        RunFolder.open(tmp_path, "pasb", {"model": "n", "workers": 1})
    with pytest.raises(StoreError, match="holds a pasb run"):
        RunFolder.open(tmp_path, "sovereignpa", {"model": "m"})


@given(st.integers(), st.text(), st.text())
def test_seeds_depend_on_their_words_alone(seed: int, item: str, purpose: str) -> None:
    assert derive(seed, item, purpose) == derive(seed, item, purpose)
    assert generator(seed, item, purpose).random() == generator(seed, item, purpose).random()


def test_seeds_of_different_purposes_differ() -> None:
    assert len({derive(0, "item", purpose) for purpose in ("canary", "order", "price")}) == 3


def test_a_folder_of_runs_stands_for_its_runs(tmp_path: Path) -> None:
    for name in ("openclaw", "hermes"):
        RunFolder.open(tmp_path / "both" / name, "pasb", {"agent": name}).close()
    both = [tmp_path / "both" / "hermes", tmp_path / "both" / "openclaw"]
    assert run_folders([tmp_path / "both"]) == both
    assert run_folders(both) == both
    assert run_folders([tmp_path / "none"]) == [tmp_path / "none"]
