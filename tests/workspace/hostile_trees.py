"""Makes trees that an agent could leave: every inode, name and attribute, from generated recipes."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st

NAMES = st.binary(min_size=1, max_size=12).filter(lambda name: not {0, 47} & set(name) and name not in {b".", b".."})
KINDS = st.sampled_from(["file", "folder", "link", "fifo", "socket", "sparse", "hard"])
MODES = st.sampled_from([0o644, 0o600, 0o755, 0o000, 0o400, 0o4755, 0o2755, 0o1777])
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["user.note", "user.x", "user.\u00e9"]), st.binary(max_size=20), max_size=2
)


@dataclass
class Plan:
    """One inode to make."""

    name: bytes
    kind: str
    mode: int = 0o644
    data: bytes = b""
    attributes: dict[str, bytes] = field(default_factory=dict)
    below: list[Plan] = field(default_factory=list)


def _plans(below: st.SearchStrategy[list[Plan]]) -> st.SearchStrategy[list[Plan]]:
    one = st.builds(Plan, NAMES, KINDS, MODES, st.binary(max_size=30), ATTRIBUTES, below)
    return st.lists(one, max_size=4, unique_by=lambda plan: plan.name)


PLANS = st.recursive(st.just([]), _plans, max_leaves=12)


def make(root: Path | bytes, plans: list[Plan]) -> int:
    """Make the tree; returns how many inodes that are not folders it has."""
    root, made = os.fsencode(root), 0
    files: list[bytes] = []
    for plan in plans:
        path = root + b"/" + plan.name
        match plan.kind:
            case "folder":
                os.mkdir(path)
                made += make(path, plan.below)
            case "link":
                os.symlink(b"/etc/" + (plan.data.replace(b"\0", b"") or b"x"), path)
            case "fifo":
                os.mkfifo(path)
            case "socket":
                os.mknod(path, stat.S_IFSOCK | 0o600)
            case "hard" if files:
                os.link(files[0], path)
            case _:
                with open(path, "wb") as file:
                    file.write(plan.data)
                    if plan.kind == "sparse":
                        file.truncate(5_000_000)
                files.append(path)
        made += plan.kind != "folder"
        if plan.kind in {"file", "sparse", "folder"}:
            for name, value in plan.attributes.items():
                os.setxattr(path, name, value)
        if plan.kind != "link":
            os.chmod(path, plan.mode)
    return made


def chain(root: Path, depth: int, name: bytes = b"d") -> None:
    """A folder in a folder, ``depth`` times, each step made from inside the last."""
    handle = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=handle)
        inner = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open(b"bottom", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)
