"""Runs into a folder: what is stored, what a second start repeats (nothing), and how faults end."""

import asyncio
import errno
import multiprocessing
import os
import resource
import signal
from pathlib import Path

import pytest
from agent_double import Faults
from run_contents import assert_each_task_once, attempts, rows

from stewardbench.errors import AgentCrashed, StoreError, UsageError
from stewardbench.models.scripted.model import ScriptedModel
from stewardbench.pasb.run import judges
from stewardbench.pasb.run import store as pasb_store
from stewardbench.pasb.run.settings import TaskJob
from stewardbench.pasb.run.store import PasbStore, read_tasks
from stewardbench.records import BlobStore, JsonlLog
from stewardbench.runs import slots
from stewardbench.runs.exchanges import load_exchanges
from stewardbench.runs.folder import RunFolder

FORK = multiprocessing.get_context("fork")


def test_a_run_stores_everything_once(run, double, tmp_path):
    progress = run(sample=4, workers=2)
    folder = tmp_path / "run"
    assert_each_task_once(folder, 4)
    assert (progress.total, progress.done, progress.judged, progress.finished) == (4, 4, 4, 4)
    assert progress.eta_s == 0.0
    assert len(rows(folder, "tasks")) == 4
    assert list((folder / "logs").glob("*.eval"))
    (episode, *_) = rows(folder, "episodes")
    calls = load_exchanges(BlobStore(folder / "blobs"), episode["exchanges_sha256"])
    assert [(e.stage, e.turn) for e in calls] == [("persist", k) for k in range(1, 6)] + [
        ("query", k) for k in (1, 2, 3)
    ]
    assert episode["config_sha256"] == RunFolder.read(folder).manifest.settings_sha256
    assert all(slot.closed for slot in double.slots)


def test_a_finished_run_is_left_alone(run, double, tmp_path):
    run()
    before = (tmp_path / "run" / "episodes.jsonl").read_bytes()
    started = len(double.slots)
    progress = run()
    assert (progress.earlier, progress.done, len(double.slots)) == (4, 0, started)
    assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == before


def test_resume_runs_what_is_missing_and_judges_what_is_not_judged(run, tmp_path):
    run()
    folder = tmp_path / "run"
    episodes = (folder / "episodes.jsonl").read_text().splitlines(keepends=True)
    judged = (folder / "judgments.jsonl").read_text().splitlines(keepends=True)
    (folder / "episodes.jsonl").write_text("".join(episodes[:3]) + episodes[3][:500])
    (folder / "judgments.jsonl").write_text("".join(judged[:2]))
    progress = run()
    assert (progress.earlier, progress.done) == (2, 2)
    assert_each_task_once(folder, 4)
    assert (folder / "episodes.jsonl").read_text().startswith("".join(episodes[:3]))


def test_workers_share_slots_and_never_an_episode(run, double, tmp_path):
    run(sample=8, workers=3)
    assert_each_task_once(tmp_path / "run", 8)
    assert 1 <= len(double.slots) <= 3
    assert sum(slot.resets for slot in double.slots) == 8
    assert {row["worker"] for row in rows(tmp_path / "run", "episodes")} <= {0, 1, 2}


def test_invalid_attempts_are_kept_and_tried_again(run, double, tmp_path):
    double.faults = Faults(crash_at=("persist", 3), crashes_left=2)
    progress = run(sample=2)
    found = [(attempt, valid) for _, attempt, valid in attempts(tmp_path / "run")]
    assert found == [(1, False), (2, True), (1, False), (2, True)]
    assert (progress.retried, progress.done, progress.invalid) == (2, 2, 0)
    assert len(double.slots) == 3, "a slot whose agent died is replaced"
    assert len(rows(tmp_path / "run", "judgments")) == 2


def test_a_task_that_stays_invalid_is_final_and_never_judged(run, double, tmp_path):
    double.faults = Faults(keeps_history=True)
    progress = run(sample=1)
    assert attempts(tmp_path / "run") == [(attempts(tmp_path / "run")[0][0], k, False) for k in (1, 2, 3)]
    assert {row["invalid_reason"] for row in rows(tmp_path / "run", "episodes")} == {"cut_stores"}
    assert (progress.invalid, progress.done) == (1, 0)
    assert rows(tmp_path / "run", "judgments") == []
    double.faults = Faults()
    assert run(sample=1).earlier == 1


def test_attempts_of_an_earlier_start_count(run, double, tmp_path):
    double.faults = Faults(crash_at=("query", 1))
    run(sample=1)
    path = tmp_path / "run" / "episodes.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    double.faults = Faults()
    run(sample=1)
    assert [(attempt, valid) for _, attempt, valid in attempts(tmp_path / "run")] == [(1, False), (2, False), (3, True)]


def test_judge_out_of_reach_leaves_episodes_to_be_judged_later(run, double, tmp_path, monkeypatch):
    async def unreachable(self, task, episode, **fields):
        raise judges_error

    from stewardbench.errors import ModelError

    judges_error = ModelError("no route", status=502)
    with monkeypatch.context() as patch:
        patch.setattr(judges.ReferenceJudge, "judge", unreachable)
        progress = run()
    assert (progress.done, progress.unjudged) == (4, 4)
    assert rows(tmp_path / "run", "judgments") == []
    started = sum(slot.resets for slot in double.slots)
    run()
    assert_each_task_once(tmp_path / "run", 4)
    assert sum(slot.resets for slot in double.slots) == started


def test_no_judge_is_a_choice(run, tmp_path):
    progress = run(judge="")
    assert (progress.done, progress.judged, progress.unjudged) == (4, 0, 0)
    assert rows(tmp_path / "run", "judgments") == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"model": "scripted/echo"}, "model"),
        ({"review": "stock"}, "review"),
        ({"seed": 3}, "seed"),
        ({"sample": 5}, "sample"),
        ({"judge": ""}, "judge"),
        ({"flush": "fixed"}, "flush"),
    ],
)
def test_changed_settings_are_refused_by_name(run, change, field):
    run(sample=1)
    with pytest.raises(StoreError, match=rf"{field}: was "):
        run(**{"sample": 1} | change)


def test_more_workers_are_no_other_settings(run):
    run(sample=1)
    assert run(sample=1, workers=4).earlier == 1


def test_two_runs_on_one_folder(run, double, tmp_path):
    run(sample=1)
    with RunFolder.reopen(tmp_path / "run"), pytest.raises(StoreError, match="another run is using this folder"):
        run(sample=1)


def test_impossible_choices(run, tmp_path):
    with pytest.raises(UsageError, match="exclude each other"):
        run(sample=2, limit=2)
    with pytest.raises(UsageError, match="at least one"):
        run(workers=0)
    with pytest.raises(UsageError, match="same family"):
        run(model="mockllm/one", judge="mockllm/one")
    with pytest.raises(UsageError, match="reference judge"):
        run(model="mockllm/one")
    assert not (tmp_path / "run").exists()


def test_agent_that_cannot_start_stops_the_run(run, double, tmp_path, monkeypatch):
    async def broken(root, endpoint, settings):
        raise AgentCrashed("Double: cannot be started.")

    monkeypatch.setattr(double, "open_slot", broken)
    with pytest.raises(AgentCrashed, match="cannot be started"):
        run()
    assert rows(tmp_path / "run", "episodes") == []


def test_a_bug_fails_its_task_and_the_next_start_tries_again(run, double, tmp_path, monkeypatch):
    whole = ScriptedModel.complete

    async def broken(self, request):
        raise ZeroDivisionError("a bug in an upstream")

    with monkeypatch.context() as patch:
        patch.setattr(ScriptedModel, "complete", broken)
        progress = run()
    assert (progress.failed, progress.done) == (4, 0)
    assert rows(tmp_path / "run", "episodes") == []
    assert ScriptedModel.complete is whole
    run()
    assert_each_task_once(tmp_path / "run", 4)


def test_full_disk_stops_the_run_and_keeps_what_was_finished(run, double, tmp_path, monkeypatch):
    extend, count = JsonlLog.extend, []

    def full(self, lines):
        if self.path.name == "episodes.jsonl":
            count.extend(lines)
            if len(count) == 3:
                raise StoreError("no space", hint="Free space.") from OSError(errno.ENOSPC, "No space left")
        extend(self, lines)

    with monkeypatch.context() as patch:
        patch.setattr(JsonlLog, "extend", full)
        with pytest.raises(StoreError, match="no space"):
            run(sample=8)
    assert len(rows(tmp_path / "run", "episodes")) == 2
    assert len(count) == 3, "no further episode was begun"
    run(sample=8)
    assert_each_task_once(tmp_path / "run", 8)


def _limited(start, out):
    resource.setrlimit(resource.RLIMIT_FSIZE, (28_000, 28_000))
    try:
        start(out, sample=8)
    except StoreError as error:
        assert "Free space" in error.hint
        os._exit(7)
    os._exit(0)


def test_real_write_limit_of_the_system(run, tmp_path):
    child = FORK.Process(target=_limited, args=(run, tmp_path / "run"))
    child.start()
    child.join()
    assert child.exitcode == 7
    assert 0 < len(rows(tmp_path / "run", "episodes")) < 8, "only whole lines are left"
    run(sample=8)
    assert_each_task_once(tmp_path / "run", 8)


def _kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def _killed(start, out, moment, after):
    """Run, and be killed at a moment of the episode that comes ``after`` so many."""
    count = [0]
    target, name = {
        "before the line": (pasb_store.PasbStore, "add"),
        "within the line": (JsonlLog, "extend"),
        "after the line": (pasb_store.PasbStore, "_note"),
        "before the blob": (pasb_store.PasbStore, "put_exchanges"),
        "in a turn": (ScriptedModel, "complete"),
        "before the judgment": (pasb_store.PasbStore, "add_judgment"),
    }[moment]
    whole = getattr(target, name)

    def struck(self, *args):
        count[0] += 1
        if count[0] > after:
            if moment == "within the line":
                with Path(self.path).open("ab") as file:
                    file.write(args[0][0].encode()[: len(args[0][0]) // 2])
            _kill()
        return whole(self, *args)

    setattr(target, name, struck)
    start(out, sample=8, workers=2)


@pytest.mark.parametrize(
    ("moment", "after"),
    [
        ("before the line", 3),
        ("within the line", 4),
        ("after the line", 2),
        ("before the blob", 3),
        ("in a turn", 20),
        ("before the judgment", 2),
    ],
)
def test_killed_at_any_moment_then_resumed(run, tmp_path, moment, after):
    child = FORK.Process(target=_killed, args=(run, tmp_path / "run", moment, after))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    kept = [row["episode_id"] for row in _whole_rows(tmp_path / "run" / "episodes.jsonl")]
    run(sample=8, workers=2)
    assert_each_task_once(tmp_path / "run", 8)
    assert [row["episode_id"] for row in rows(tmp_path / "run", "episodes")][: len(kept)] == kept


def _whole_rows(path):
    import json

    return [json.loads(line) for _, line in JsonlLog(path).lines()]


def test_leftover_slots_of_a_killed_run_are_removed(run, tmp_path):
    folder = slots.slot_folder(tmp_path / "run")
    (folder / "0" / "slot").mkdir(parents=True)
    run(sample=1)
    assert not folder.exists()


def test_damaged_records_are_named(run, tmp_path):
    run(sample=2)
    path = tmp_path / "run" / "episodes.jsonl"
    path.write_text(path.read_text().replace('"valid":true', '"valid":"perhaps"', 1))
    with pytest.raises(StoreError, match=r"episodes\.jsonl:1:valid"):
        run(sample=2)


def test_progress_is_told_as_it_goes(run):
    seen = []
    run(sample=2, watch=lambda progress: seen.append((progress.finished, progress.judged)))
    assert seen[0] == (0, 0)
    assert seen[-1] == (2, 2)
    assert len(seen) >= 4


def test_store_counts_the_first_valid_attempt(run, double, tmp_path):
    double.faults = Faults(crash_at=("persist", 1), crashes_left=1)
    run(sample=1)
    with RunFolder.reopen(tmp_path / "run") as folder:
        store = PasbStore(folder, 3)
        (valid,) = store.scorable()
        assert valid.endswith(":2")
        (job,) = (TaskJob(task).key for task in read_tasks(store.folder).values())
        assert (store.attempts(job), store.is_final(job), store.valid_id(job)) == (2, True, valid)
        assert store.final_episodes([job])[job].episode_id == valid


def test_event_loop_is_free_afterwards(run):
    run(sample=1)
    assert asyncio.run(_answer()) == 1


async def _answer():
    return 1
