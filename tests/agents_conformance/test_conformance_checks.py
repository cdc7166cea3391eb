import asyncio
import contextlib
import os

import defective_agents
import pytest
from defective_agents import DEFECTS, WithProcess, agent

from stewardbench.agents.conformance import CHECKS, CheckResult, ConformanceReport, check_agent
from stewardbench.agents.conformance.matrix import markdown
from stewardbench.agents.interface import AgentSettings
from stewardbench.workspace.processes import descendants


def run(subject, only=()):
    return asyncio.run(check_agent(subject, AgentSettings(), only=only))


def failed(report):
    return {result.name for result in report.results if result.status == "failed"}


@pytest.fixture
def no_leftovers():
    before = set(descendants(os.getpid()))
    yield
    for pid in set(descendants(os.getpid())) - before:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)


def test_the_example_agent_passes_every_check_that_applies():
    report = run(agent())
    assert failed(report) == set()
    assert [result.name for result in report.results] == [check.name for check in CHECKS]
    skipped = {result.name: result.detail for result in report.results if result.status == "skipped"}
    assert skipped == dict.fromkeys(("walls", "plants", "crash"), "the agent has no process of its own")


def test_an_agent_with_a_process_passes_crash_and_shutdown():
    report = run(agent(WithProcess), only=("crash", "shutdown"))
    assert {result.status for result in report.results} == {"passed"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_defect_fails_exactly_the_checks_that_it_breaks(defect, no_leftovers):
    subject, broken = DEFECTS[defect]
    defective_agents.OneConversation.earlier = []
    report = run(subject)
    assert failed(report) == broken, {result.name: result.detail for result in report.results}
    assert not report.conforms


def test_every_check_is_failed_by_some_defect():
    assert {check.name for check in CHECKS} == set().union(*(broken for _, broken in DEFECTS.values()))


def test_an_exception_of_the_agent_fails_its_check_and_the_others_still_run():
    def broken(self, path):
        raise ZeroDivisionError("surface")

    report = run(agent(surface=broken), only=("identity", "turns"))
    assert [(result.name, result.status) for result in report.results] == [("identity", "failed"), ("turns", "passed")]
    assert "ZeroDivisionError" in report.results[0].detail


def test_the_matrix_shows_every_agent_every_check_and_every_reason():
    results = (
        CheckResult(name="turns", proves="turns are complete", status="passed", detail="fine"),
        CheckResult(name="walls", proves="nothing is seen", status="skipped", detail="no process"),
        CheckResult(name="wipe", proves="history goes", status="failed", detail="a | b\nstays"),
    )
    common = {"review": "released", "tools": "released", "confined": False}
    page = markdown(
        [
            ConformanceReport(agent="one", version="1.0", results=results, **common),
            ConformanceReport(agent="two", version="2.0", results=results[:1], **common),
        ]
    )
    assert "| turns | turns are complete | yes | yes |" in page
    assert "| walls | nothing is seen | - | - |" in page
    assert "| wipe | history goes | **no** | - |" in page
    assert "one 1.0" in page and "two 2.0" in page
    assert "a \\| b stays" in page
    assert "no process" in page
