"""Conformance runs on the test double of the protocol tests, and the released rows where a copy lies."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "protocol"))

RELEASED = Path(__file__).parents[3] / "shared" / "upstream" / "pasb" / "tasks.jsonl"


@pytest.fixture(scope="session")
def released():
    """The tasks of the public release; skips where there is no copy."""
    if not RELEASED.exists():
        pytest.skip("no copy of the released rows here")
    from stewardbench.pasb.tasks.load import load_tasks

    return load_tasks(f"released:{RELEASED}")
