"""The examples in the concept pages run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

from stewardbench.sovereignpa.agents import BOOKING_AGENTS, CANCEL_AGENTS, DEFECT_AGENTS, booking_agent

CONCEPTS = Path(__file__).parents[2] / "docs" / "concepts"


def test_the_agent_example_runs(capsys):
    page = (CONCEPTS / "reference-agent.md").read_text()
    shape, use = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    made = {"MyAgent": lambda: booking_agent("careful")}
    exec(shape, {})
    exec(use, made)
    assert "correct_choice=True" in capsys.readouterr().out


def test_every_agent_is_described():
    page = (CONCEPTS / "reference-agent.md").read_text()
    for name in (*BOOKING_AGENTS, *DEFECT_AGENTS, *CANCEL_AGENTS):
        assert f"`{name}`" in page
