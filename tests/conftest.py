"""What holds for every test: those that start real agents, browsers or processes of ours may be tried again.

They race with whatever else the machine does, so up to two more tries are allowed; pytest prints every one of them as a
rerun. All other tests get one try.
"""

from __future__ import annotations

import pytest

RERUNS = 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow reruns where processes are real."""
    for item in items:
        real = item.get_closest_marker("real_agent") or item.get_closest_marker("browser")
        if real or item.path.parent.name.startswith("agents_"):
            item.add_marker(pytest.mark.flaky(reruns=RERUNS))
