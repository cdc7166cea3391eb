"""Files of strangers that hold too much: each is refused by name, in little time and memory, and never a traceback."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from stewardbench.errors import DataError, StewardError, StoreError
from stewardbench.pasb.tasks.draft import read_drafts
from stewardbench.pasb.tasks.load import load_tasks
from stewardbench.pasb.tasks.source import read_item
from stewardbench.records import JsonlLog, Record, bounds, read_jsonl
from stewardbench.records.sheets import read_sheet
from stewardbench.runs.exchanges import unpack
from stewardbench.runs.folder import read_manifest

SOME = 100


class Said(Record):
    who: object


def aliases() -> str:
    """Nine lines of YAML that stand for a billion entries."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return "\n".join(lines)


TASK_BOMBS = {
    "deep lists": ('{"task_id": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deep"),
    "a hundred lists": ('{"task_id": ' + "[" * SOME + "]" * SOME + "}", "lists and objects in each other"),
    "many digits": ('{"source_id": ' + "9" * 5000 + "}", "more than 4300 digits"),
    "minus many digits": ('{"source_id": -' + "9" * 5000 + "}", "more than 4300 digits"),
    "half a list": ("[" * 100_000, "nested too deep"),
    "wrong types": ('{"schema": "pasb-task/1", "task_id": {"a": 1}}', "task_id"),
}


@pytest.mark.parametrize("kind", TASK_BOMBS)
def test_task_files_that_hold_too_much_are_data_errors(tmp_path: Path, kind: str) -> None:
    text, named = TASK_BOMBS[kind]
    path = tmp_path / "tasks.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(DataError, match=named):
        load_tasks(str(path))


def test_a_line_without_an_end_is_read_to_its_limit_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tasks.jsonl"
    with path.open("wb") as file:
        file.write(b'{"a": 1}\n{"b": "')
        file.truncate(1 << 40)  # a terabyte that takes no place
    with pytest.raises(DataError, match=r"tasks.jsonl:2: not readable: a line of more than 16,777,216 bytes"):
        list(read_jsonl(path))
    monkeypatch.setattr(bounds.lines, "__defaults__", (1 << 20,))
    with pytest.raises(StoreError, match=r"tasks.jsonl:2: a line of more than 1,048,576 bytes"):
        list(JsonlLog(path).lines())


def test_a_file_that_is_read_whole_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds.whole, "__defaults__", (1 << 20,))
    path = tmp_path / "sheet.csv"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    for read in (lambda: list(read_sheet(path, ["a"])), lambda: read_item(path)):
        with pytest.raises(DataError, match="is too large: more than 1,048,576 bytes"):
            read()
    (tmp_path / "run.json").write_bytes(b" " * (2 << 20))
    with pytest.raises(StoreError, match="is no manifest"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (aliases(), "more than 1,000,000 lists and objects"),
        ("a: " + "[" * 500 + "]" * 500, "lists and objects in each other|nested too deep"),
        ("a: " + "9" * 5000, "4300 digits"),
        ("a: 2026-99-99", "month"),
        ("a: \x01", "not YAML"),
    ],
)
@pytest.mark.parametrize("read", [read_item, lambda path: list(read_drafts(path))])
def test_yaml_that_holds_too_much_is_a_data_error(
    tmp_path: Path, text: str, named: str, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "item.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=named):
        read(path)


def test_a_pipe_in_the_place_of_a_file_is_no_reason_to_wait(tmp_path: Path) -> None:
    for name in ("tasks.jsonl", "run.json", "sheet.csv"):
        os.mkfifo(tmp_path / name)
    reads: list[Callable[[], object]] = [
        lambda: list(read_jsonl(tmp_path / "tasks.jsonl")),
        lambda: list(JsonlLog(tmp_path / "tasks.jsonl").records(Said)),
        lambda: read_manifest(tmp_path),
        lambda: list(read_sheet(tmp_path / "sheet.csv", ["a"])),
    ]
    for read in reads:
        with pytest.raises(StewardError, match="no ordinary file"):
            read()


@pytest.mark.parametrize("line", ['{"who": ' + "[" * 300 + "]" * 300 + "}", '{"who": ' + "9" * 5000 + "}"])
def test_records_of_a_strangers_run_are_bounded_too(tmp_path: Path, line: str) -> None:
    log = JsonlLog(tmp_path / "episodes.jsonl")
    log.append(line)
    with pytest.raises(StoreError, match=r"episodes.jsonl:1"):
        list(log.records(Said))


def test_stored_model_calls_that_unpack_to_gigabytes_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds.whole, "__defaults__", (1 << 20,))
    with pytest.raises(StoreError, match="cannot be read: more than"):
        unpack(gzip.compress(b" " * (4 << 20)))
    for text in (b"[" * 100_000, b"[]", b'{"format": "exchanges/1", "pool": [], "exchanges": [1]}', b"\xff"):
        with pytest.raises(StoreError, match="cannot be read"):
            unpack(gzip.compress(text))
    with pytest.raises(StoreError, match="cannot be read"):
        unpack(b"\x1f\x8b\x08\x00" + b"\x00" * 20)
