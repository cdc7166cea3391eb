"""Shared inputs of the task tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.pasb.tasks.load import packaged_items

RELEASED = Path(__file__).parents[3] / "shared" / "upstream" / "pasb" / "tasks.jsonl"


@pytest.fixture(scope="session")
def item() -> BaseItem:
    """One finished base item."""
    return packaged_items("smoke")[0]


@pytest.fixture(scope="session")
def released_file() -> Path:
    """The public release, where a copy lies beside the repository."""
    if not RELEASED.exists():
        pytest.skip("no copy of the released rows here")
    return RELEASED
