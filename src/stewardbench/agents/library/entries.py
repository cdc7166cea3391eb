"""Entries of a store, as records and as captured files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Literal

from stewardbench.agents.interface import Surface
from stewardbench.errors import AgentError
from stewardbench.records import Record
from stewardbench.workspace.tree import Tree, file_state

STORE = "store"
SURFACES = {"profile": Surface.PROFILE, "memory": Surface.MEMORY, "skill": Surface.SKILL}


class Entry(Record):
    """One thing that a store holds. ``key`` is its name within its kind."""

    kind: Literal["profile", "memory", "skill"]
    key: str
    text: str


def surface(path: str) -> Surface:
    """The surface of a captured path: entries by their kind, and all that the library writes itself is history."""
    parts = PurePosixPath(path).parts
    return SURFACES.get(parts[1], Surface.HISTORY) if len(parts) > 2 and parts[0] == STORE else Surface.HISTORY


def as_tree(entries: Iterable[Entry]) -> Tree:
    """One virtual file per entry, its text the file's content."""
    states = (
        file_state(f"{STORE}/{entry.kind}/{entry.key}", entry.text.encode("utf-8", "replace")) for entry in entries
    )
    return {state.path: state for state in states}


def from_tree(tree: Tree) -> Iterator[Entry]:
    """The entries that a captured tree holds. Raises AgentError for text that is not the bytes that were captured."""
    for path, state in tree.items():
        if surface(path) is Surface.HISTORY:
            continue
        if len(state.text.encode("utf-8", "replace")) != state.size:
            raise AgentError(f"{path}: cannot be restored, because it is not UTF-8 text.")
        kind, key = path.split("/", 2)[1:]
        yield Entry.model_validate({"kind": kind, "key": key, "text": state.text})
