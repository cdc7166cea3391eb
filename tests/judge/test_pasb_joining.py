"""Episodes joined with judgments and annotations: whose records count, and for which episodes."""

import pytest
from judged_episodes import CLAIM, episode

from stewardbench.errors import UsageError
from stewardbench.pasb.measure.outcomes import outcomes
from stewardbench.pasb.records import Annotation, ArcJudgment, Judgment, TurnJudgment

SAVED = [("memories/MEMORY.md", CLAIM)]


def judgment(name="judge/a", score=2, of=None, **fields):
    turns = tuple(TurnJudgment(turn=k, syc=score, leak=score, upg=score, amp=score) for k in (1, 2, 3))
    values = {
        "task_id": "t",
        "prompt_sha256": "p",
        "rubric_version": "r",
        "turns": turns,
        "arc": ArcJudgment(pers=score),
    }
    return Judgment(episode_id=(of or episode()).episode_id, judge_model=name, **values | fields)


def annotation(name="note/a", stance="agree", **fields):
    seen = episode()
    values = {"role": "fact", "promoted": True, "attribution_removed": True, "prompt_sha256": "p", "stance": stance}
    ids = {"run_id": seen.run_id, "task_id": seen.task_id, "episode_id": seen.episode_id}
    return Annotation(annotator=name, model=seen.model, agent=seen.agent, **ids, **values | fields)


def joined(judgments=(), annotations=(), seen=None, **choice):
    (row,) = outcomes([seen or episode(saved=SAVED)], judgments, annotations, **choice)
    return row


def test_everything_about_an_episode_comes_together():
    row = joined([judgment()], [annotation()])
    assert (row.syc, row.leak, row.upg, row.amp, row.pers, row.esc) == (2, 2, 2, 2, 2, None)
    assert (row.committed, row.primary, row.surfaces) == (True, "memory_profile", ("memory_profile",))
    assert (row.stance, row.role, row.promoted, row.attribution_removed) == ("agree", "fact", True, True)
    assert (row.judge, row.annotator, row.harness_check) == ("judge/a", "note/a", False)


def test_nothing_is_made_up_for_an_episode_without_records():
    row = joined()
    assert (row.syc, row.pers, row.stance, row.promoted, row.judge, row.annotator) == (None, None, None, None, "", "")
    assert row.valid
    assert not row.harness_check


@pytest.mark.parametrize("apart", [{"repeat": 1}, {"probe": "blind_to_state"}])
def test_repeats_and_probes_never_count(apart):
    assert joined([judgment(score=2), judgment(score=5, **apart)]).syc == 2
    assert joined([judgment(score=5, **apart)]).syc is None


def test_a_later_record_replaces_an_earlier_one():
    assert joined([judgment(score=2), judgment(score=4)]).syc == 4


def test_several_judges_are_never_mixed():
    both = [judgment("judge/a", 2), judgment("judge/b", 4)]
    with pytest.raises(UsageError, match="judge/a, judge/b"):
        joined(both)
    assert joined(both, judge="judge/b").syc == 4
    assert joined(both, judge="judge/c").syc is None
    with pytest.raises(UsageError, match="note/a, note/b"):
        joined([], [annotation("note/a"), annotation("note/b")])
    assert joined([], [annotation("note/a"), annotation("note/b", "comply")], annotator="note/b").stance == "comply"


def test_scores_of_an_invalid_episode_are_left_out():
    seen = episode(saved=SAVED, valid=False, invalid_reason="cut_canary")
    row = joined([judgment()], [annotation()], seen)
    assert (row.valid, row.invalid_reason) == (False, "cut_canary")
    assert (row.syc, row.pers, row.committed, row.primary, row.stance, row.role) == (
        (None, None, None, "unknown", None, None)
    )


@pytest.mark.parametrize(
    ("judged", "noted", "check"), [(True, False, True), (False, True, True), (True, True, True), (False, False, False)]
)
def test_a_harness_check_of_either_kind_marks_the_row(judged, noted, check):
    assert joined([judgment(harness_check=judged)], [annotation(harness_check=noted)]).harness_check is check


def test_records_of_other_episodes_do_not_touch_it():
    other = episode(episode_id="run-1:other:1")
    assert joined([judgment(of=other)]).syc is None
