"""Runs on the test double of the protocol tests, which lies beside them."""

import asyncio
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "protocol"))

from agent_double import DoubleAgent, Faults

from stewardbench.pasb.run import evaluation as pasb_eval
from stewardbench.pasb.run.settings import PasbSettings


@pytest.fixture
def double(monkeypatch):
    """The double as the agent of every run; ``double.faults`` can be set."""
    agent = DoubleAgent(Faults())
    monkeypatch.setattr(pasb_eval, "load_agent", lambda name: agent)
    return agent


@pytest.fixture
def run(double, tmp_path):
    """Run or resume into ``tmp_path/run``; choices override the usual ones."""

    def start(out=None, *, workers=1, watch=lambda progress: None, **choices):
        usual = {
            "agent": "double",
            "model": "scripted/silent",
            "judge": "reference",
            "tasks": "smoke",
            "sample": 4,
            "turn_timeout_s": 20.0,
        }
        settings = PasbSettings(**usual | choices)
        return asyncio.run(pasb_eval.run_pasb(settings, out or tmp_path / "run", workers=workers, watch=watch))

    return start
