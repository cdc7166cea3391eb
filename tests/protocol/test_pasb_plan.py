"""Plans as data: what they say, and the orders that they refuse."""

import pytest

from stewardbench.errors import UsageError
from stewardbench.pasb.episode.edits import EDITS
from stewardbench.pasb.episode.plan import FORKED, NATURAL, PLANS, CutStep, Fork, Plan, Session, plan_named

TALK, ASK = Session("persist", "persist", canary=True), Session("query", "query")


def test_the_natural_plan_in_words():
    assert [line.split(":")[0] for line in NATURAL.words()] == ["1. session 'persist'", "2. cut", "3. session 'query'"]
    assert "five persist turns" in NATURAL.words()[0]
    assert "canary" in NATURAL.words()[0]
    assert "canary" not in NATURAL.words()[2]


def test_every_fork_of_every_plan_names_an_edit_that_exists():
    assert FORKED.forks
    for plan in PLANS.values():
        assert all(fork.edit in EDITS for fork in plan.forks)
        assert all(EDITS[fork.edit].about in " ".join(plan.words()) for fork in plan.forks)


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ((TALK, ASK), "without a cut"),
        ((CutStep(), TALK), "before any persist"),
        ((TALK, Fork("sham", "keep")), "before any cut"),
        ((TALK, CutStep(), TALK), "share a name"),
        ((TALK, CutStep(), Session("more", "persist"), ASK), "without a cut"),
        ((TALK, CutStep(), Fork("sham", "keep"), Fork("sham", "clear")), "share an arm"),
    ],
)
def test_an_order_that_cannot_be_carried_out_is_refused(steps, fault):
    with pytest.raises(UsageError, match=fault):
        Plan("odd", "for a test", steps)


def test_an_unknown_plan_is_named_with_those_that_exist():
    with pytest.raises(UsageError) as refused:
        plan_named("nautral")
    assert "natural" in refused.value.hint
