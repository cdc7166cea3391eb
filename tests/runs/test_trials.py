"""Repeated trials of every task: each is an episode of its own, stored once, counted as asked, merged from shards."""

import asyncio

import pytest
from agent_double import Faults
from run_contents import rows

from stewardbench.errors import UsageError
from stewardbench.pasb.report.rows import read_rows
from stewardbench.pasb.run import evaluation as pasb_eval
from stewardbench.pasb.run.closing import run_closing
from stewardbench.pasb.run.settings import PasbSettings
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.jobs import Shard
from stewardbench.runs.merge import merge


def trials(folder):
    return sorted((row["task_id"], row.get("trial", 1)) for row in rows(folder, "episodes"))


def test_each_task_is_run_once_per_trial_and_a_resumed_run_repeats_none(run, double, tmp_path):
    progress = run(sample=2, trials=3)
    assert progress.done == 6
    found = trials(tmp_path / "run")
    assert len(found) == len(set(found)) == 6
    assert {number for _, number in found} == {1, 2, 3}
    episodes = rows(tmp_path / "run", "episodes")
    assert len({row["episode_id"] for row in episodes}) == 6
    assert len({row["canary"] for row in episodes}) == 6, "every trial has a canary of its own"
    assert run(sample=2, trials=3).done == 0
    assert len(rows(tmp_path / "run", "episodes")) == 6
    closing = run_closing(RunFolder.read(tmp_path / "run"))
    assert (closing.asked, closing.valid, closing.scored) == (6, 6, 6)
    assert read_rows([tmp_path / "run"])["trial"].sort().to_list() == [1, 1, 2, 2, 3, 3]


def test_an_invalid_trial_is_tried_again_without_touching_the_others(run, double, tmp_path):
    double.faults = Faults(crash_at=("persist", 1), crashes_left=1)
    run(sample=1, trials=2)
    (failed,) = [row for row in rows(tmp_path / "run", "episodes") if not row["valid"]]
    again = [row for row in rows(tmp_path / "run", "episodes") if row.get("trial", 1) == failed.get("trial", 1)]
    assert [row["attempt"] for row in again] == [1, 2]


def test_records_of_a_single_trial_have_the_bytes_that_they_had_before(run, tmp_path):
    run(sample=1)
    assert "trial" not in rows(tmp_path / "run", "episodes")[0]


def test_shards_of_a_run_with_trials_merge_into_the_whole(run, double, tmp_path):
    run(sample=3, trials=2)
    settings = PasbSettings(
        agent="double",
        model="scripted/silent",
        judge="reference",
        tasks="smoke",
        sample=3,
        trials=2,
        turn_timeout_s=20.0,
    )
    parts = [tmp_path / f"part{number}" for number in (1, 2, 3, 4)]
    for number, part in enumerate(parts, 1):
        asyncio.run(pasb_eval.run_pasb(settings, part, shard=Shard(number=number, of=4)))
        asked = run_closing(RunFolder.read(part)).asked
        assert asked == len(rows(part, "episodes")) == (2 if number < 3 else 1)
    whole = merge(parts, tmp_path / "merged")
    assert (whole.jobs, whole.unscorable) == (6, 0)
    assert trials(tmp_path / "merged") == trials(tmp_path / "run")
    kept = [c for c in read_rows([tmp_path / "run"]).columns if c not in ("run_id", "episode_id")]
    both = [read_rows([tmp_path / n]).select(kept).sort("task_id", "trial") for n in ("run", "merged")]
    assert both[0].equals(both[1])


def test_no_trial_at_all_is_refused():
    from stewardbench.pasb.run.settings import pasb_settings

    with pytest.raises(UsageError, match="trials"):
        pasb_settings(agent="hermes", model="scripted/silent", trials=0)
