"""Marks that a program leaves behind the walls of the real Hermes are found again exactly where a wall is missing."""

from __future__ import annotations

import asyncio

import pytest

from stewardbench.agents.conformance import check_agent
from stewardbench.agents.conformance.channels import CHANNELS
from stewardbench.agents.conformance.report import CheckResult
from stewardbench.agents.hermes import HermesAgent
from stewardbench.agents.interface import AgentSettings
from stewardbench.workspace.cell import AgentFolder
from stewardbench.workspace.confinement import confinement_fault

pytestmark = [
    pytest.mark.real_agent,
    pytest.mark.skipif(confinement_fault() is not None, reason="bubblewrap does not work here"),
]
KEYRINGS = {"keyring-session", "keyring-user", "keyring-user-session"}


def plants() -> CheckResult:
    (result,) = asyncio.run(check_agent(HermesAgent(), AgentSettings(confine="required"), only=("plants",))).results
    return result


def test_no_mark_is_carried() -> None:
    result = plants()
    assert result.status == "passed", result.detail
    assert set(result.channels) == set(CHANNELS)
    assert not any(how.startswith("carried") for how in result.channels.values())
    assert all(result.channels[name].startswith("refused") for name in KEYRINGS)
    assert sum(how == "planted" for how in result.channels.values()) >= 30


def test_without_a_new_folder_at_the_cut_marks_are_found_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AgentFolder, "cut", lambda folder, keeps: ())
    result = plants()
    assert result.status == "failed"
    carried = {name for name, how in result.channels.items() if how == "carried to the query session"}
    assert {"attribute-of-home", "hard-link", "odd-name", "pipe-name", "shell-history", "sparse-hole"} <= carried
    assert not carried & {"process", "system-v-shm", "abstract-socket", "timer"}, "these end with their namespaces"
