"""The gate of a natural set: each measure has a set that it must pass and a change that it must catch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stewardbench.pasb.audit import fluency, speech
from stewardbench.pasb.audit.form import claim_longest
from stewardbench.pasb.audit.gate import Measure, gate
from stewardbench.pasb.axes import Delivery, Scenario
from stewardbench.pasb.records import PersistTurn, QueryTurn, Task
from stewardbench.pasb.tasks.load import load_tasks, packaged_items

SET = load_tasks("open@2")


def measured(tasks: tuple[Task, ...], **arms: tuple[Task, ...]) -> dict[str, Measure]:
    return {found.name: found for found in gate(tasks, arms)}


def persist(task: Task, change: Callable[[PersistTurn], str]) -> Task:
    turns = tuple(turn.model_copy(update={"text": change(turn)}) for turn in task.persist_turns)
    return task.model_copy(update={"persist_turns": turns})


def everywhere(change: Callable[[PersistTurn], str]) -> dict[str, Measure]:
    return measured(tuple(persist(task, change) for task in SET))


def test_the_first_edition_fails_by_length_function_words_and_rates() -> None:
    old = measured(load_tasks("open@1"))
    assert old["claim is the longest turn, one-claim sessions"].value == 1
    assert old["claim against filler, function words (AUC)"].met is False
    assert old["claim against filler, word count (AUC)"].met is False
    for scenario in Scenario:
        assert old[f"contractions, {scenario}"].met is False
        assert old[f"requests, {scenario}"].met is False


def test_people_in_the_second_edition_talk_like_people() -> None:
    found = measured(SET)
    for scenario in Scenario:
        for rate in ("contractions", "you or your", "negation", "requests"):
            assert found[f"{rate}, {scenario}"].met, (rate, scenario, found[f"{rate}, {scenario}"])
    assert found["claim against filler, first three words (AUC)"].met
    assert found["claim is the longest turn, one-claim sessions"].met
    assert found["leading query arcs"].met
    assert found["tasks with a storage cue"].met
    assert found["progressive sessions whose exposure never falls"].met


def test_matched_twins_and_true_claims_share_the_claims_words() -> None:
    found = measured(SET, matched_twin=load_tasks("open@2:matched_twin"), true_claim=load_tasks("open@2:true_claim"))
    assert found["claim against matched_twin, bag of words (AUC)"].met
    assert found["claim against true_claim, bag of words (AUC)"].met
    assert found["matched_twins without a digit"].met


def test_a_word_that_only_claims_have_is_found_as_a_function_word() -> None:
    found = everywhere(lambda turn: f"{turn.text} Whose." if turn.kind != "filler" else turn.text)
    value = found["claim against filler, function words (AUC)"].value
    assert value is not None and value > 0.95


def test_an_opening_that_only_claims_have_is_found() -> None:
    found = everywhere(lambda turn: f"Look, {turn.text}" if turn.kind != "filler" else turn.text)
    assert found["claim against filler, first three words (AUC)"].met is False


def test_a_claim_padded_to_the_longest_turn_is_found() -> None:
    padded = tuple(persist(task, lambda t: t.text + " word" * 30 if t.kind != "filler" else t.text) for task in SET)
    longest, sessions = claim_longest(padded)
    assert longest == sessions > 0
    assert measured(padded)["claim against filler, word count (AUC)"].met is False


@pytest.mark.parametrize(
    ("rate", "change"),
    [
        ("contractions", lambda turn: turn.text.replace("'", "").replace("’", "")),
        ("requests", lambda turn: f"{turn.text} Could you help?"),
        ("colon", lambda turn: f"Well: {turn.text}"),
    ],
)
def test_a_rate_that_leaves_its_band_is_found(rate: str, change: Callable[[PersistTurn], str]) -> None:
    found = everywhere(change)
    assert all(found[f"{rate}, {scenario}"].met is False for scenario in Scenario)


def test_a_leading_query_and_a_cue_are_found() -> None:
    led = SET[0].model_copy(update={"query_turns": (QueryTurn(turn=1, text="Am I right?"), *SET[0].query_turns[1:])})
    assert measured((led, *SET[16:]))["leading query arcs"].met is False
    cued = persist(SET[0], lambda turn: f"{turn.text} Please keep this in mind.")
    assert measured((cued, *SET[1:]))["tasks with a storage cue"].met is False


def test_exposure_that_falls_in_a_progressive_session_is_found() -> None:
    at = next(place for place, task in enumerate(SET) if task.delivery is Delivery.PROGRESSIVE)
    fallen = SET[at].model_copy(update={"position_scores": (2, 3, 5, 4, 4)})
    name = "progressive sessions whose exposure never falls"
    assert measured((*SET[:at], fallen, *SET[at + 1 :]))[name].met is False


def test_an_arm_with_words_of_its_own_is_found() -> None:
    others = tuple(persist(task, lambda turn: f"{turn.text} Exactly 12.") for task in load_tasks("open@2:matched_twin"))
    assert measured(SET, matched_twin=others)["claim against matched_twin, bag of words (AUC)"].met is False


def test_a_set_without_scores_is_unknown_and_not_passed() -> None:
    found = measured(load_tasks("open@1"))["highest loss per token"]
    assert found.value is None
    assert found.met is None


def test_a_changed_text_has_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    items = packaged_items("open@2")[:1]
    texts = [text for scenario in Scenario for text in fluency.scored_texts(items[0], scenario)]
    scores = {fluency.key(text): 4.0 for text in texts}
    monkeypatch.setattr(fluency, "kept_scores", lambda: scores)
    assert fluency.unscored(items) == ()
    del scores[fluency.key(texts[3])]
    assert fluency.unscored(items) == (texts[3],)


def test_forms_of_speech() -> None:
    assert speech.contracts("I don't know") and not speech.contracts("Tom's car is here")
    assert speech.asks("Can you make it shorter") and not speech.asks("Check the goals first.")
    assert speech.has_colon("Note: one") and not speech.has_colon("At 18:40 it starts")
    assert speech.of_the_moment("Right now I think so") and not speech.of_the_moment("I think people coast")
    assert speech.recurs("Before every meeting, 1. count") and not speech.recurs("Steps: 1. count 2. rank")
