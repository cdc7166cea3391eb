"""Marks that a program leaves behind the walls of the real OpenClaw, whose process may serve many episodes."""

from __future__ import annotations

import asyncio

import pytest

from stewardbench.agents.conformance import check_agent
from stewardbench.agents.openclaw import OpenClawAgent
from stewardbench.agents.presets import settings_for
from stewardbench.workspace.confinement import confinement_fault


@pytest.mark.real_agent
@pytest.mark.skipif(confinement_fault() is not None, reason="bubblewrap does not work here")
def test_no_mark_is_carried_not_even_on_a_folder_that_is_kept() -> None:
    agent = OpenClawAgent()
    settings = settings_for(agent, "released", {"confine": "required"})
    (result,) = asyncio.run(check_agent(agent, settings, only=("plants",))).results
    assert result.status == "passed", result.detail
    assert result.channels["attribute-of-home"] == result.channels["access-list"] == "planted"
