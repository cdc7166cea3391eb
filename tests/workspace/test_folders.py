"""A wipe leaves exactly what the policy keeps; a restore leaves exactly the source; nothing hides."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stewardbench.workspace.folders import (
    PreservationPolicy,
    empty_folder,
    list_files,
    wipe_folder,
)
from stewardbench.workspace.tree import printable, read_tree

POLICY = PreservationPolicy(keep=("home/notes", "home/config.yaml"), drop=("home/notes/*.lock",))


def fill(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def test_a_wipe_is_an_allow_list(tmp_path: Path) -> None:
    fill(tmp_path, "home/notes/a.md", "home/notes/deep/b.md", "home/notes/a.lock", "home/config.yaml")
    fill(tmp_path, "home/history.db", "home/logs/x/y.log", "home/notes2/c.md", "home/config.yaml.bak", "tmp/z")
    removed = wipe_folder(tmp_path, POLICY)
    assert removed == (
        "home/config.yaml.bak",
        "home/history.db",
        "home/logs/x/y.log",
        "home/notes/a.lock",
        "home/notes2/c.md",
        "tmp/z",
    )
    assert sorted(list_files(tmp_path)) == ["home/config.yaml", "home/notes/a.md", "home/notes/deep/b.md"]
    assert not (tmp_path / "home/logs").exists(), "a folder's name can carry a message too"
    assert (tmp_path / "tmp").is_dir(), "the first level stays, because a mount may hold it"


def test_kept_folders_stay_when_empty(tmp_path: Path) -> None:
    (tmp_path / "home/notes/empty").mkdir(parents=True)
    wipe_folder(tmp_path, POLICY)
    assert [each.name for each in (tmp_path / "home").iterdir()] == ["notes"]
    assert not any((tmp_path / "home/notes").iterdir())


def test_links_are_removed_and_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    fill(outside, "precious.txt")
    slot = tmp_path / "slot"
    (slot / "home").mkdir(parents=True)
    (slot / "home/link").symlink_to(outside)
    assert list(list_files(slot)) == ["home/link"]
    wipe_folder(slot, POLICY)
    (slot / "home/link").symlink_to(outside)
    empty_folder(slot)
    assert (outside / "precious.txt").read_text() == "precious.txt"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads everything")
def test_what_was_made_unreadable_is_captured_and_wiped(tmp_path: Path) -> None:
    fill(tmp_path, "home/hidden/secret.txt", "home/notes/a.md")
    (tmp_path / "home/hidden/secret.txt").chmod(0)
    (tmp_path / "home/notes/a.md").chmod(0)
    (tmp_path / "home/hidden").chmod(0)
    assert "home/hidden/secret.txt" in set(list_files(tmp_path))
    assert read_tree(tmp_path)["home/hidden/secret.txt"].text == "home/hidden/secret.txt"
    assert wipe_folder(tmp_path, POLICY) == ("home/hidden/secret.txt",)


def test_a_name_that_is_not_utf8_can_be_stored(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    (path,) = read_tree(tmp_path)
    assert path == "caf\\xe9.txt"
    assert printable("plain") == "plain"


SEGMENTS = st.lists(st.sampled_from("ab"), min_size=1, max_size=4)


@given(st.lists(SEGMENTS, max_size=4), SEGMENTS)
def test_a_path_is_kept_exactly_at_or_below_a_kept_path(keep: list[list[str]], path: list[str]) -> None:
    policy = PreservationPolicy(keep=tuple(map("/".join, keep)))
    assert policy.keeps("/".join(path)) == any(path[: len(kept)] == kept for kept in keep)
