"""Endpoints that fail under a SovereignPA run: nothing is used up, the run stops early, the same command goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from rule_upstream import RuleUpstream
from typer.testing import CliRunner

from stewardbench.cli import app
from stewardbench.errors import EndpointDown, ModelError
from stewardbench.models.failures import failed
from stewardbench.models.messages import ChatReply, ChatRequest
from stewardbench.runs.outage import STOP_AFTER
from stewardbench.sovereignpa.run import evaluation
from stewardbench.sovereignpa.run.evaluation import open_run, run_sovereignpa
from stewardbench.sovereignpa.run.settings import sovereignpa_settings

URL = "http://127.0.0.1:1/v1#m"


class Endpoint(RuleUpstream):
    """The careful agent behind an endpoint that fails in the given ways first, or always replies the same."""

    def __init__(self, *errors: ModelError, reply: ChatReply | None = None) -> None:
        super().__init__("careful")
        self.asked = 0
        self._errors, self._reply = list(errors), reply

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked += 1
        if self._errors:
            raise self._errors.pop(0)
        return self._reply or await super().complete(request)


def start(monkeypatch: pytest.MonkeyPatch, out: Path, endpoint: Endpoint, **choices: Any) -> Any:
    monkeypatch.setattr(evaluation, "open_upstream", lambda name, **rest: endpoint)
    settings = sovereignpa_settings(**{"model": URL, "split": "dev", "family": "booking", "limit": 2, **choices})
    return asyncio.run(run_sovereignpa(settings, out, max_connections=1))


@pytest.mark.parametrize("status", [401, 402, 404, 429, 503])
def test_a_failed_endpoint_is_never_final(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, status: int) -> None:
    for tries in (1, 2):
        progress = start(monkeypatch, tmp_path, Endpoint(*[failed(status, "no")] * 2), max_attempts=1)
        assert (progress.unreached, progress.invalid) == (2, 0), tries
    assert start(monkeypatch, tmp_path, Endpoint(), max_attempts=1).done == 2


def test_an_endpoint_that_stays_down_stops_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    down = Endpoint(*[failed(401, "no")] * 99)
    with pytest.raises(EndpointDown, match="5 times in a row"):
        start(monkeypatch, tmp_path, down, limit=8)
    assert down.asked == STOP_AFTER
    assert start(monkeypatch, tmp_path, Endpoint(), limit=8).done == 8


@pytest.mark.parametrize(
    "endpoint",
    [
        lambda: Endpoint(*[failed(500, "error parsing tool call: raw='{'")] * 9),
        lambda: Endpoint(reply=ChatReply(finish_reason="content_filter")),
    ],
)
def test_what_the_model_did_is_final_and_never_scored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, endpoint: Any
) -> None:
    assert start(monkeypatch, tmp_path, endpoint(), limit=1, max_attempts=2).invalid == 1
    settings = sovereignpa_settings(model=URL, split="dev", family="booking", limit=1, max_attempts=2)
    with open_run(settings, tmp_path) as run:
        assert run.pending == ()
        assert run.closing().exit_code == 4
        (reason,) = run.closing().invalid
        assert reason in {"unreadable_output", "content_filter"}


def test_the_last_line_and_the_exit_code_say_what_was_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(evaluation, "open_upstream", lambda name, **rest: Endpoint(failed(400, "content filter")))
    chosen = ["--model", URL, "--split", "dev", "--family", "booking", "--limit", "2", "--max-attempts", "1"]
    part = CliRunner().invoke(app, ["run", "sovereignpa", *chosen, "--out", str(tmp_path)])
    assert part.exit_code == 3
    assert part.stdout.splitlines()[-1].startswith("INCOMPLETE: asked 2, valid 1, invalid 1 (content_filter 1)")
