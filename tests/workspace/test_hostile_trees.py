"""Whatever an agent leaves is read whole, named where it is odd, carried only where it is plain, and removed."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_trees import PLANS, Plan, chain, make
from hypothesis import HealthCheck, given, settings

from stewardbench.errors import StateBounds
from stewardbench.workspace import removal
from stewardbench.workspace.cell import AgentFolder, Content
from stewardbench.workspace.folders import empty_folder, list_files
from stewardbench.workspace.inodes import Bounds, walk
from stewardbench.workspace.tree import read_tree, signature

MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@contextlib.contextmanager
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        removal.remove(folder)


@MANY
@given(PLANS)
def test_every_inode_is_read_once_and_reading_changes_nothing(plans: list[Plan]) -> None:
    with place() as root:
        made = make(root, plans)
        tree = read_tree(root)
        assert sum(state.kind != "folder" for state in tree.values()) == made
        assert read_tree(root) == tree
        assert len(list(list_files(root))) == made


@MANY
@given(PLANS)
def test_only_plain_files_and_links_cross_a_cut_and_all_of_them(plans: list[Plan]) -> None:
    with place() as root:
        cell = AgentFolder(root / "cell", ["kept"])
        cell.renew({"kept/a.md": Content(b"a", 0o600)})
        make(root / "cell", [Plan(b"kept2", "folder", 0o755, below=plans)])
        make(root / "cell" / "kept", [Plan(b"inner", "folder", 0o755, below=plans)])
        before = read_tree(root / "cell")
        gone = cell.cut(lambda path: path.startswith("kept/"))
        after = read_tree(root / "cell")
        assert not any(state.odd for state in after.values())
        kept = {path: state for path, state in before.items() if path.startswith("kept/")}
        plain = {path: state for path, state in kept.items() if state.kind in {"file", "link"} and not state.raw}
        whole = {path: state.sha256 for path, state in plain.items()}
        assert {path: state.sha256 for path, state in after.items()} == whole
        for path, state in plain.items():
            if not state.odd:
                assert signature(after[path]) == signature(state)
        assert len(gone) + len(after) == sum(state.kind != "folder" for state in before.values())
        assert sorted(each.name for each in root.iterdir()) == ["cell"]


@MANY
@given(PLANS)
def test_everything_is_removed_and_nothing_outside_is_touched(plans: list[Plan]) -> None:
    with place() as root:
        (root / "outside").mkdir()
        (root / "outside/file").write_text("stays")
        (root / "in").mkdir()
        (root / "in/link").symlink_to(root / "outside")
        make(root / "in", [plan for plan in plans if plan.name != b"link"])
        (root / "in").chmod(0)
        removal.remove(root / "in")
        assert [each.name for each in root.iterdir()] == ["outside"]
        assert (root / "outside/file").read_text() == "stays"


PLAIN = Plan(b"f", "file", 0o644, b"same")
SEEN = {
    "an extended attribute": Plan(b"f", "file", 0o644, b"same", {"user.note": b"x"}),
    "another value": Plan(b"f", "file", 0o644, b"same", {"user.note": b"yy"}),
    "permission bits": Plan(b"f", "file", 0o600, b"same"),
    "special mode bits": Plan(b"f", "file", 0o4755, b"same"),
    "a name that is not UTF-8": Plan(b"f\xe9", "file", 0o644, b"same"),
    "its twin that prints alike": Plan(b"f\\xe9", "file", 0o644, b"same"),
    "a pipe": Plan(b"f", "fifo"),
    "a socket": Plan(b"f", "socket"),
    "a link": Plan(b"f", "link", data=b"same"),
    "a folder's attribute": Plan(b"f", "folder", 0o755, b"", {"user.note": b"x"}),
}


def test_trees_that_differ_anywhere_differ_as_values(tmp_path: Path) -> None:
    trees = []
    for number, plan in enumerate([PLAIN, *SEEN.values()]):
        (tmp_path / str(number)).mkdir()
        make(tmp_path / str(number), [plan])
        trees.append({path: signature(state) for path, state in read_tree(tmp_path / str(number)).items()})
    assert all(one != other for k, one in enumerate(trees) for other in trees[:k])


def test_two_names_that_print_alike_do_not_hide_each_other(tmp_path: Path) -> None:
    make(tmp_path, [Plan(b"f\xe9", "file", data=b"one"), Plan(b"f\\xe9", "file", data=b"two")])
    tree = read_tree(tmp_path)
    assert sorted(state.text for state in tree.values()) == ["one", "two"]
    assert sorted(state.raw for state in tree.values()) == ["", "66e9"]


def test_oddities_are_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    os.link(tmp_path / "a", tmp_path / "b")
    os.setxattr(tmp_path, "user.note", b"root")
    os.mkfifo(tmp_path / "pipe")
    tree = read_tree(tmp_path, "home/")
    assert tree["home/a"].odd == tree["home/b"].odd == ("2 names (hard links)",)
    assert tree["home/pipe"].odd == ("a named pipe",)
    assert tree["home"].odd == ("the extended attribute user.note of 4 bytes",)
    assert tree["home"].kind == "folder"


@pytest.mark.skipif(not shutil.which("setfacl"), reason="setfacl is not installed")
def test_access_control_lists_are_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    subprocess.run(["setfacl", "-m", "u:1234:r", str(tmp_path / "a")], check=True)
    assert read_tree(tmp_path)["a"].odd == ("an access control list (system.posix_acl_access)",)


def test_an_access_control_list_made_by_hand_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")

    def entry(tag: int, allowed: int, who: int = 0xFFFFFFFF) -> bytes:
        return struct.pack("<HHI", tag, allowed, who)

    value = struct.pack("<I", 2) + entry(1, 6) + entry(2, 4, 4711) + entry(4, 4) + entry(16, 4) + entry(32, 4)
    try:
        os.setxattr(tmp_path / "a", "system.posix_acl_access", value)
    except OSError as error:
        pytest.skip(f"no access control lists here: {error}")
    assert read_tree(tmp_path)["a"].odd == ("an access control list (system.posix_acl_access)",)


@pytest.mark.parametrize("depth", [1200, 5000])
def test_folders_of_any_depth_are_a_named_bound_and_are_removed(tmp_path: Path, depth: int) -> None:
    chain(tmp_path, depth, b"d" * 200)
    with pytest.raises(StateBounds, match="more than 64 folders inside each other"):
        read_tree(tmp_path)
    empty_folder(tmp_path)
    assert not any(tmp_path.iterdir())


def test_a_path_longer_than_the_kernel_takes_is_read(tmp_path: Path) -> None:
    chain(tmp_path, 30, b"n" * 250)
    (path,) = read_tree(tmp_path)
    assert len(path) > 7000
    cell = AgentFolder(tmp_path / "cell", [])
    cell.renew({})
    chain(tmp_path / "cell", 30, b"n" * 250)
    cell.cut(lambda path: False)
    assert not any((tmp_path / "cell").iterdir())


def test_a_hundred_gigabytes_of_hole_are_a_named_bound(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(100 << 30)
    with pytest.raises(StateBounds, match="bytes in all"):
        read_tree(tmp_path)


def test_too_many_entries_are_a_named_bound(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / str(number)).touch()
    with pytest.raises(StateBounds, match="more than 20 files"):
        list(walk(tmp_path, Bounds(entries=20)))


MEASURE = """
import resource, sys, tracemalloc
from pathlib import Path
from stewardbench.workspace.tree import read_tree
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
tree = read_tree(Path(sys.argv[1]))
print(len(tree), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def measured(folder: Path) -> tuple[int, int]:
    """Entries read, and megabytes that reading added to the peak of a fresh process."""
    said = subprocess.run([sys.executable, "-c", MEASURE, str(folder)], capture_output=True, text=True, check=True)
    count, megabytes = map(int, said.stdout.split())
    return count, megabytes


def test_a_sparse_file_and_ten_thousand_files_are_read_in_bounded_memory(tmp_path: Path) -> None:
    (tmp_path / "sparse").mkdir()
    (tmp_path / "many").mkdir()
    with (tmp_path / "sparse/file").open("wb") as file:
        file.truncate(1_500_000_000)
    for number in range(10_000):
        (tmp_path / "many" / str(number)).write_text("a note\n" * 20)
    sparse, many = measured(tmp_path / "sparse"), measured(tmp_path / "many")
    assert (sparse[0], many[0]) == (1, 10_000)
    assert sparse[1] < 16, "megabytes"
    assert many[1] < 64, "megabytes"


def test_holes_stay_holes_over_a_cut(tmp_path: Path) -> None:
    cell = AgentFolder(tmp_path / "cell", ["kept"])
    cell.renew({})
    with (tmp_path / "cell/kept/sparse").open("wb") as file:
        file.write(b"head")
        file.truncate(500_000_000)
    before = read_tree(tmp_path / "cell")
    cell.cut(lambda path: True)
    assert read_tree(tmp_path / "cell") == before
    assert (tmp_path / "cell/kept/sparse").stat().st_blocks * 512 < 10_000_000


def test_a_new_folder_has_nothing_of_the_old_one(tmp_path: Path) -> None:
    cell = AgentFolder(tmp_path / "cell", ["kept", "tmp"])
    cell.renew({"kept/a.md": Content(b"a")})
    old = cell.place.stat()
    for folder in ("", "kept", "tmp"):
        os.setxattr(cell.place / folder, "user.note", b"needle")
        (cell.place / folder).chmod(0o777)
    os.setxattr(cell.place / "kept/a.md", "user.note", b"needle")
    cell.cut(lambda path: True)
    for folder in ("", "kept", "tmp", "kept/a.md"):
        assert os.listxattr(cell.place / folder) == []
    assert stat.S_IMODE(cell.place.stat().st_mode) == 0o755
    assert cell.place.stat().st_ino != old.st_ino


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser sets the immutable flag")
def test_immutable_files_are_named_and_removed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/file").write_text("x")
    if (
        shutil.which("chattr") is None
        or subprocess.run(["chattr", "+i", str(tmp_path / "in/file")], check=False).returncode
    ):
        pytest.skip("no flags on this file system")
    assert read_tree(tmp_path / "in")["file"].odd == ("the inode flags 0x10",)
    removal.remove(tmp_path / "in")
    assert not (tmp_path / "in").exists()


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    chain(tmp_path, 70)
    for _ in range(3):
        held = len(list(Path("/proc/self/fd").iterdir()))
        with pytest.raises(StateBounds):
            read_tree(tmp_path)
        assert len(list(Path("/proc/self/fd").iterdir())) == held
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 70
