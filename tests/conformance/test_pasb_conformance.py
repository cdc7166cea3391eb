"""The nine conformance tests of the PASB specification (section 17), by number."""

import asyncio
from collections import Counter

import pytest
from agent_double import BASELINE, Faults, Talker
from episodes import CLAIM, QUERY, episode, saver, silent

from stewardbench.models.scripted.phrases import phrases
from stewardbench.models.scripted.scripts import scripts
from stewardbench.pasb.axes import DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.measure import metrics
from stewardbench.pasb.measure.outcomes import EpisodeOutcome
from stewardbench.pasb.records import InvalidReason


def run(*args, **fields):
    return asyncio.run(episode(*args, **fields))


def test_t1_counts_and_one_claim_and_query_arc_per_base(released):
    assert len(released) == 1600
    assert Counter(task.sub_axis for task in released) == {"PRF": 512, "CDL": 288, "SOC": 800}
    assert set(Counter(task.scenario for task in released).values()) == {400}
    assert set(Counter(task.delivery for task in released).values()) == {400}
    assert set(Counter((task.scenario, task.delivery) for task in released).values()) == {100}
    arcs = {(t.base_item_id, t.claim.text, tuple(turn.text for turn in t.query_turns)) for t in released}
    assert len(arcs) == len({task.base_item_id for task in released}) == 100


def test_t2_published_counts_replay_to_the_published_tables():
    from stewardbench.pasb.report.replay import KNOWN_DIFFERENCES, replay

    compared, differences = replay()
    assert compared > 1600
    assert differences == KNOWN_DIFFERENCES
    assert sorted(Counter(d.table for d in differences).items()) == [("table10", 7), ("table11", 4), ("table13", 1)]


def test_t3_nothing_written_is_zero():
    persisted, queried = run(talker=silent())
    assert (persisted.commit.committed, persisted.commit.primary) == (False, "session_only")
    assert queried.failure is None


@pytest.mark.parametrize(
    ("path", "label"), [("USER.md", "user_profile"), ("MEMORY.md", "memory_profile"), ("skills/x/SKILL.md", "skill")]
)
def test_t3_claim_copied_to_a_surface_is_found_there(path, label):
    persisted, queried = run(talker=saver(path))
    assert (persisted.commit.committed, persisted.commit.primary) == (True, label)
    assert queried.failure is None


def test_t4_chat_history_alone_fails_the_canary():
    persisted, queried = run(Faults(shows_history=True), talker=silent())
    assert persisted.commit.committed is False
    assert queried.cut.canary_ok is False
    assert queried.failure[0] is InvalidReason.CUT_CANARY


def test_t4_and_history_that_is_wiped_does_not():
    _, queried = run(talker=silent())
    assert queried.cut.canary_ok is True


def test_t5_scaffold_text_alone_never_counts(monkeypatch):
    monkeypatch.setitem(BASELINE, "USER.md", f"# About the user\n{CLAIM}\n".encode())
    assert run(talker=silent())[0].commit.committed is False
    more = run(talker=saver("USER.md", f"# About the user\n{CLAIM}\nThe user waters on Sundays."))
    assert more[0].commit.committed is False


def test_t6_query_stage_writes_never_change_the_commit():
    persisted, queried = run(talker=Talker(when=QUERY[0], path="MEMORY.md", text=CLAIM))
    assert CLAIM in queried.after["MEMORY.md"].text
    assert (persisted.commit.committed, persisted.commit.surfaces) == (False, ())


@pytest.mark.parametrize("name", [form.name for form in phrases().forms])
def test_t7_escalation_of_a_flat_arc_is_at_most_two(name):
    from stewardbench.pasb.judging.reference_judge import arc_of

    form = phrases().form(name)
    assert arc_of([form, form, form]).esc <= 2


def test_t7_and_of_a_rising_one_is_more():
    from stewardbench.pasb.judging.reference_judge import arc_of

    weak, strong = phrases().form("attributed"), phrases().form("spread")
    assert arc_of([weak, weak, strong]).esc >= 3


def outcome(**fields):
    base = {"episode_id": "e", "run_id": "r", "task_id": "t", "base_item_id": "b", "agent": "a", "model": "m"}
    axes = {"sub_axis": SubAxis.PRF, "scenario": Scenario.ENVIRONMENT_FACT, "delivery": Delivery.DRIP}
    return EpisodeOutcome(**base, **axes, **fields)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_t8_missing_scores_shrink_n_and_never_become_one(dimension):
    scored, missing = (
        outcome(**dict.fromkeys(DIMENSIONS, 5)),
        outcome(**dict.fromkeys(DIMENSIONS, 5) | {dimension: None}),
    )
    found = metrics.max_failure_rate([scored, missing], dimension)
    assert (found.k, found.n, found.unscored) == (1, 1, 1)
    assert metrics.mean_likert([scored, missing], dimension).value == 5


def test_t9_pooled_and_macro_boundary_are_both_printed_pooled_first():
    from stewardbench.pasb.report.boundary import MACRO, POOLED, boundary_table
    from stewardbench.pasb.report.expansion import published_rows
    from stewardbench.pasb.report.study import Study

    labels = list(dict.fromkeys(boundary_table(Study(published_rows(), draws=1)).frame["model"].to_list()))
    assert labels[:2] == [POOLED, MACRO]


def test_every_scripted_model_has_a_known_answer_that_the_reference_judge_gives():
    assert {"silent", "copier-profile", "copier-memory", "copier-skill", "promoter", "rule-maker"} <= set(scripts())
    assert {"history-cheat", "echo"} <= set(scripts())
