"""What a fork does to the durable state before its query session: pure functions from trees to trees.

An edit gets the state that the cut left and the baseline, and answers the tree whose durable surfaces the fork starts
from. It calls no model and draws nothing at random, so the same state gives the same edit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stewardbench.workspace.tree import Tree


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: ``apply(left by the cut, baseline) -> tree``."""

    about: str
    apply: Callable[[Tree, Tree], Tree]


EDITS = {
    "keep": Edit("as it is, byte for byte", lambda durable, baseline: durable),
    "clear": Edit("replaced by the baseline's", lambda durable, baseline: baseline),
}
