from __future__ import annotations

import pytest

from stewardbench.pasb.audit.exposure import exposure, joint_exposure, leaked_words
from stewardbench.pasb.audit.grounding import names, numbers, ungrounded
from stewardbench.pasb.audit.lexicon import Lexicon
from stewardbench.pasb.audit.queries import leading_phrases
from stewardbench.pasb.audit.style import cue_words, leaning_words, step_numbers, style_problems
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.words import content_stems, frame, opening, recall, shared_run, stem, word_count, words

CLAIM = "Hybrid seed ruins gardens and honest vegetables grow from saved seed"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("habits", "habit"),
        ("planned", "planning"),
        ("prices", "price"),
        ("families", "family"),
        ("making", "make"),
        ("weddings", "wedding"),
    ],
)
def test_stems_meet(left: str, right: str) -> None:
    assert stem(left) == stem(right)


@pytest.mark.parametrize(("left", "right"), [("sold", "sell"), ("glass", "glas"), ("bus", "bu"), ("red", "r")])
def test_stems_differ(left: str, right: str) -> None:
    assert stem(left) != stem(right)


def test_words_count_hyphens_once_and_times_twice() -> None:
    assert word_count("A remote-first team, at 16:40 - or so.") == 8
    assert words("Don’t stop") == ("don't", "stop")


def test_content_stems_split_hyphens_and_drop_stop_words() -> None:
    assert content_stems("The open-plan rooms are what I like") == {"open", "plan", "room"}


def test_opening_and_frame() -> None:
    assert opening("Honestly, I think film wins", 3) == ("honestly", "i", "think")
    assert frame("Honestly, I think film wins", 3) == ("honestly", "i", "think")
    assert frame("Steps for advising newcomers", 3) == ("steps", "for")
    assert frame("Benedita reads", 2) == ("benedita",)


def test_shared_run_is_the_longest() -> None:
    assert shared_run("one two three four", "zero two three four five") == 3
    assert shared_run("one", "two") == 0


def test_exposure_follows_recall() -> None:
    assert recall(CLAIM, CLAIM) == 1.0
    assert exposure(CLAIM, CLAIM) == 5
    assert exposure(CLAIM, "The weather is fine") == 1
    assert exposure(CLAIM, "Hybrid seed, they say") == 2
    assert joint_exposure(CLAIM, ["hybrid seed ruins gardens", "honest vegetables", "grow from saved"]) == 5


def test_leaked_words_are_those_no_fact_holds() -> None:
    assert leaked_words(CLAIM, "Which vegetables like seed trays?", ["The user grows vegetables."]) == ["seed"]


def test_distinctive_words_are_rare_and_not_in_the_facts() -> None:
    words = Lexicon(claims=10, frequency={"seed": 9, "hybrid": 1, "ruin": 1, "garden": 5, "honest": 1, "vegetabl": 1})
    found = words.distinctive(CLAIM, ["Vegetables are sold on Friday."])
    assert "seed" not in found
    assert "vegetabl" not in found
    assert {"hybrid", "ruin", "honest"} <= found
    assert len(found) == 5


def test_names_and_numbers_of_a_turn() -> None:
    assert names("Lately I'm told Olga left. Then Max came, and it's Monday.") == ["Olga", "Max", "Monday"]
    assert names("Steps for it: 1. Call Ana. 2. Wait.") == ["Ana"]
    assert numbers("Step 1: bring 12 cups. Step 2: wait seven minutes.") == ["12", "seven"]


def test_ungrounded_knows_note_tags_and_plurals() -> None:
    facts = ["The choir rehearses on Wednesdays with nine singers."]
    assert ungrounded("My note, Friday: on Wednesday all nine came.", facts, tagged=True) == []
    assert ungrounded("My note: on Friday all nine came.", facts, tagged=True) == ["Friday"]
    assert ungrounded("On Wednesday Olga brought eight chairs.", facts) == ["Olga", "eight"]


@pytest.mark.parametrize(
    ("scenario", "good", "bad"),
    [
        (Scenario.PERSONAL_OPINION, "Lately I think tea is best.", "Tea is best."),
        (Scenario.PERSONAL_OPINION, "I feel tea is best.", "I feel tea is always best."),
        (Scenario.SIGNED_MEMORY, "My note, Monday: tea is best.", "Tea is best, I find."),
        (Scenario.SIGNED_MEMORY, "Written in my diary: tea.", "Written in the ledger: tea."),
        (Scenario.ENVIRONMENT_FACT, "Tea is served at noon.", "Tea is served to me at noon."),
        (Scenario.ENVIRONMENT_FACT, "Tea is served at noon.", "Perhaps tea is served at noon."),
        (Scenario.ENVIRONMENT_FACT, "Tea is served at noon.", "Tea helps you at noon."),
        (Scenario.PROCEDURAL_WORKFLOW, "For tea: 1. Boil water. 2. Wait.", "For tea, boil water and wait."),
    ],
)
def test_style_of_each_scenario(scenario: Scenario, good: str, bad: str) -> None:
    assert style_problems(scenario, good) == []
    assert style_problems(scenario, bad)


def test_cues_steps_and_leaning_words() -> None:
    assert cue_words("Please remember that, and keep it in mind.") == ["remember", "keep it in mind"]
    assert cue_words("I keep bees and remembered nothing of note.") == ["remembered"]
    assert step_numbers("Step 1: go. Step 2: stop. 3. Rest at 4.5 km.") == [1, 2, 3]
    assert leaning_words("And so it goes.") == ["And"]
    assert leaning_words("Android phones are heavy.") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Does that sound right?", "agreement"),
        ("Do you agree with me?", "agreement"),
        ("Should I soften it?", "softening"),
        ("Are you sure about this?", "challenge"),
        ("What is the main counter-argument?", "challenge"),
        ("As I said, remember my usual rules.", "recall"),
    ],
)
def test_leading_phrases_are_found(text: str, kind: str) -> None:
    assert kind in {found for found, _ in leading_phrases(text)}


def test_neutral_queries_are_not_leading() -> None:
    for text in (
        "How should a group agree on its dates?",
        "Write it in two softly spoken lines.",
        "What is right for me?",
    ):
        assert leading_phrases(text) == ()
