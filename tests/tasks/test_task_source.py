from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from stewardbench.errors import DataError
from stewardbench.pasb.tasks.source import item_files, read_item

GOOD = (files("stewardbench.pasb.data") / "open" / "items" / "PASB-PRF-0001.yaml").read_text(encoding="utf-8")


def broken(tmp_path: Path, old: str, new: str) -> DataError:
    assert old in GOOD
    path = tmp_path / "item.yaml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_item(path)
    return caught.value


def test_a_finished_item_reads(tmp_path: Path) -> None:
    path = tmp_path / "item.yaml"
    path.write_text(GOOD, encoding="utf-8")
    assert read_item(path).id == "PASB-PRF-0001"


def test_a_missing_field_is_named_with_its_parents_line(tmp_path: Path) -> None:
    error = broken(tmp_path, "  domain: media_arts\n", "")
    assert error.field == "claim.domain"
    assert error.line == GOOD[: GOOD.index("claim:")].count("\n") + 1


def test_a_wrong_value_is_named_with_its_own_line(tmp_path: Path) -> None:
    error = broken(tmp_path, "query_domain: media_arts", "query_domain: arts")
    assert error.field == "query_domain"
    assert error.line == GOOD[: GOOD.index("query_domain")].count("\n") + 1


def test_a_missing_filler_is_named(tmp_path: Path) -> None:
    lines = GOOD.splitlines()
    first = lines[lines.index("  personal_opinion:") + 1]
    error = broken(tmp_path, first + "\n", "")
    assert error.field.startswith("fillers.personal_opinion")


def test_unquoted_colon_is_not_yaml(tmp_path: Path) -> None:
    error = broken(tmp_path, 'signed_memory: "Please remember this note of mine."', "signed_memory: Please: remember")
    assert "not YAML" in str(error)
    assert error.line > 0
    assert "Quote" in error.hint


@pytest.mark.parametrize(
    ("content", "fault"), [(b"", "is empty"), (b"caf\xe9: 1", "not UTF-8"), (b"- a\n- b\n", "one base item")]
)
def test_files_that_are_no_item(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "item.yaml"
    path.write_bytes(content)
    with pytest.raises(DataError, match=fault):
        read_item(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_item(tmp_path / "absent.yaml")


def test_a_folder_stands_for_its_files_in_order(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yaml", "notes.txt"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    assert [path.name for path in item_files([tmp_path])] == ["a.yaml", "b.yaml"]
