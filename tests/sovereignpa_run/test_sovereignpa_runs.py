"""Runs of SovereignPA-Bench: settings, resume, refusal, and nothing lost or run twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from rule_upstream import RuleUpstream

from stewardbench.errors import StoreError, UsageError
from stewardbench.records import JsonlLog
from stewardbench.runs.folder import RunFolder
from stewardbench.sovereignpa.axes import Family
from stewardbench.sovereignpa.records import EpisodeLog, read_log
from stewardbench.sovereignpa.rescore import differences
from stewardbench.sovereignpa.run.evaluation import open_run, run_sovereignpa
from stewardbench.sovereignpa.run.settings import families, jobs, sovereignpa_settings
from stewardbench.sovereignpa.sets import read_situations, scenarios_of


def logs_of(folder: Path) -> list[EpisodeLog]:
    return [read_log(line) for _, line in JsonlLog(folder / "episodes.jsonl").lines()]


def test_the_careful_agent_runs_both_families_of_the_test_split(tmp_path: Path) -> None:
    progress = asyncio.run(run_sovereignpa(sovereignpa_settings(agent="careful"), tmp_path))
    logs = logs_of(tmp_path)
    assert progress.done == len(logs) == 1510 + 237
    assert all(
        row.get("ssr") is not False and row.get("success") is not False
        for row in (log.metrics.as_dict() for log in logs)
    )
    known = scenarios_of(read_situations(tmp_path / "tasks.jsonl"))
    assert differences(logs[::25], known) == []


def test_a_finished_run_runs_nothing_again(tmp_path: Path) -> None:
    settings = sovereignpa_settings(agent="quitter", split="dev")
    asyncio.run(run_sovereignpa(settings, tmp_path))
    before = (tmp_path / "episodes.jsonl").read_bytes()
    progress = asyncio.run(run_sovereignpa(settings, tmp_path))
    assert (progress.earlier, progress.done) == (51, 0)
    assert (tmp_path / "episodes.jsonl").read_bytes() == before


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    settings = sovereignpa_settings(agent="no-ask", split="dev", family="booking")
    asyncio.run(run_sovereignpa(settings, tmp_path))
    file = tmp_path / "episodes.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])  # a kill leaves whole lines and at most one torn line
    asyncio.run(run_sovereignpa(settings, tmp_path))
    assert file.read_bytes() == whole


def test_a_broken_attempt_is_kept_and_tried_again(tmp_path: Path) -> None:
    settings = sovereignpa_settings(model="mockllm/model", split="dev", family="booking", limit=3)
    with open_run(settings, tmp_path) as run:
        upstream = RuleUpstream("careful", fail_at=2)

        async def play() -> None:
            for job in run.pending:
                await run.episode(job, upstream)

        asyncio.run(play())
    logs = logs_of(tmp_path)
    assert [(log.valid, log.attempt) for log in logs] == [(False, 1), (True, 2), (True, 1), (True, 1)]
    assert logs[0].metrics.as_dict()["ssr"] is None
    with open_run(settings, tmp_path) as run:
        assert run.pending == ()


def test_an_endpoint_that_stays_broken_ends_as_invalid_and_is_tried_by_the_next_start(tmp_path: Path) -> None:
    settings = sovereignpa_settings(model="mockllm/model", split="dev", limit=1, max_attempts=2)

    class Down(RuleUpstream):
        async def complete(self, request: object) -> object:  # type: ignore[override]
            self._fail_at = self.calls + 1
            return await super().complete(request)  # type: ignore[arg-type]

    with open_run(settings, tmp_path) as run:
        log = asyncio.run(run.episode(run.pending[0], Down("careful")))
        assert not log.valid
        assert (run.progress.unreached, run.progress.invalid, run.progress.retried) == (1, 0, 1)
    with open_run(settings, tmp_path) as run:
        log = asyncio.run(run.episode(run.pending[0], RuleUpstream("careful")))
        assert (log.valid, log.attempt) == (True, 3)


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    asyncio.run(run_sovereignpa(sovereignpa_settings(agent="quitter", split="dev"), tmp_path))
    with pytest.raises(StoreError, match="agent: was 'quitter', now 'retained'"):
        asyncio.run(run_sovereignpa(sovereignpa_settings(agent="retained", split="dev"), tmp_path))


def test_changed_situations_are_refused(tmp_path: Path) -> None:
    settings = sovereignpa_settings(agent="quitter", split="dev")
    asyncio.run(run_sovereignpa(settings, tmp_path))
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace("2026-06", "2026-07"), encoding="utf-8")
    with pytest.raises(StoreError, match="situations differ"):
        asyncio.run(run_sovereignpa(settings, tmp_path))
    assert RunFolder.read(tmp_path).manifest.settings["agent"] == "quitter"


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({}, "either an agent or a model"),
        ({"agent": "careful", "model": "m"}, "either an agent or a model"),
        ({"agent": "perfect"}, "no rule-based agent"),
        ({"agent": "careful", "defense": "ask"}, "follows rules"),
        ({"agent": "naive", "family": "cancellation"}, "knows nothing"),
        ({"model": "m", "defense": "firewall"}, "booking pages only"),
        ({"model": "m", "split": "train"}, "split"),
        ({"model": "m", "seeds": 0}, "seeds"),
    ],
)
def test_impossible_choices_are_named(choices: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sovereignpa_settings(**choices)


def test_families_follow_the_agent() -> None:
    assert families(sovereignpa_settings(agent="careful")) == (Family.BOOKING, Family.CANCELLATION)
    assert families(sovereignpa_settings(agent="naive")) == (Family.BOOKING,)
    assert families(sovereignpa_settings(agent="retained")) == (Family.CANCELLATION,)


def test_a_sample_takes_whole_situations_and_seeds_repeat_them() -> None:
    found = jobs(sovereignpa_settings(model="m", family="booking", sample=160, seeds=2))
    assert len(found) == 320
    per_situation = Counter(job.scenario.situation.sid for job in found)
    assert set(per_situation.values()) == {20}
    assert len({sid.rpartition("-")[0] for sid in per_situation}) == 16
    assert {job.seed for job in found} == {0, 1}
