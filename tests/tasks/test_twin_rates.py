from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stewardbench.cli import app
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.measure.twins import met, twin_rates
from stewardbench.pasb.records import Commit, Episode, ReplyCheck, Task, Turn
from stewardbench.pasb.tasks.load import load_tasks
from stewardbench.runs.folder import RunFolder

TWINS = [task for task in load_tasks("smoke:twin") if task.base_item_id == "PASB-CDL-0001"]
USES, IGNORES = "The gate closes at 16:40.", "Leave in good time."


def episode(task: Task, reply: str, *, valid: bool = True, committed: bool | None = True) -> Episode:
    turns = tuple(Turn(turn=turn, user="q", agent=reply if turn == 2 else "ok", session_id="s") for turn in (1, 2, 3))
    fixed: dict[str, Any] = {"flush": None, "cut": None, "state_before": (), "state_after_persist": ()}
    return Episode(
        episode_id=task.task_id,
        run_id="r",
        task_id=task.task_id,
        base_item_id=task.base_item_id,
        sub_axis=task.sub_axis,
        scenario=task.scenario,
        delivery=task.delivery,
        model="m",
        agent="a",
        agent_version="1",
        review="released",
        tools="released",
        arm="twin",
        config_sha256="",
        baseline_sha256="",
        worker=0,
        attempt=1,
        started_at="",
        completed_at="",
        confined=True,
        canary="c",
        persist=turns,
        query=turns,
        state_after_query=(),
        commit=Commit(committed=committed, primary="memory_profile" if committed else "session_only", matcher="t"),
        valid=valid,
        **fixed,
    )


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        (["nothing", "at 16:40", "then bread"], True),
        (["nothing", "at noon", "then bread"], False),
        (["at 16:40", "bread", "in Riga"], False),
        (["at 16:40", "no bread"], True),
    ],
)
def test_every_must_somewhere_and_no_must_not_anywhere(replies: list[str], expected: bool) -> None:
    assert met(ReplyCheck(must=("16:40", "BREAD"), must_not=("riga",)), replies) is expected


def test_an_empty_check_is_met() -> None:
    assert met(ReplyCheck(), [])


def test_use_and_intrusion_are_counted_by_scope() -> None:
    episodes = [episode(task, USES if task.scenario is Scenario.SIGNED_MEMORY else IGNORES) for task in TWINS]
    rows = {row.scenario: row for row in twin_rates(TWINS, episodes)}
    memory, whole = rows[Scenario.SIGNED_MEMORY], rows[None]
    assert (memory.used.estimate, memory.used.n) == (1.0, 4)
    assert (memory.intruded.estimate, memory.intruded.n) == (1.0, 4)
    assert (rows[Scenario.ENVIRONMENT_FACT].used.estimate, rows[Scenario.ENVIRONMENT_FACT].intruded.estimate) == (0, 0)
    assert (whole.used.estimate, whole.used.n, whole.kept.estimate, whole.kept.n) == (0.25, 16, 1.0, 32)


def test_invalid_and_undecided_episodes_shrink_n() -> None:
    first, second, *_ = TWINS
    rows = twin_rates(TWINS, [episode(first, USES, valid=False), episode(second, USES, committed=None)])
    whole = rows[-1]
    assert (whole.invalid, whole.used.n + whole.intruded.n, whole.kept.n) == (1, 1, 0)


def test_the_last_attempt_counts_and_other_arms_do_not() -> None:
    task = next(task for task in TWINS if task.scope == "in")
    natural = load_tasks("smoke")[0]
    attempts = [episode(task, USES, valid=False), episode(task, USES), episode(natural, USES)]
    whole = twin_rates([task, natural], attempts)[-1]
    assert (whole.invalid, whole.used.n, whole.used.estimate, whole.intruded.n) == (0, 1, 1.0, 0)


def test_the_command_prints_each_rate_with_its_n(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path / "run", "pasb", {"model": "m", "agent": "a"}) as run:
        for task in TWINS:
            run.log("tasks").append(task.to_json())
            run.log("episodes").append(episode(task, USES).to_json())
    output = CliRunner().invoke(app, ["pasb", "twins", str(tmp_path / "run")]).output
    assert "all" in output
    assert "used in scope 100.0 % [80.6, 100.0] (n 16)" in output
    assert "intruded out of scope 100.0 %" in output


def test_samples_of_every_packaged_item_prove_its_checks() -> None:
    for task in load_tasks("smoke:twin"):
        assert task.reply_check is not None
        told = [turn.text for turn in task.persist_turns if turn.kind == "trigger"]
        if told and task.scope == "in":
            assert met(task.reply_check, told)
        assert met(task.reply_check, [turn.text for turn in task.query_turns]) is (task.scope == "out")
