"""Reading the one object of a reply: what may stand around it, and what is refused."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stewardbench.models.replies import MAX_DEPTH, MAX_STARTS, UnreadableReply, read_object, truth_value, whole_number

GIVEN = {"located": True, "syc": 4, "rationale": "it says so"}
OBJECT = json.dumps(GIVEN)
DRAFT = '{"syc": 1}'


@pytest.mark.parametrize(
    "reply",
    [
        OBJECT,
        f"```json\r\n{OBJECT}\r\n```",
        f"```JSON\n{OBJECT}\n```",
        f"```json {OBJECT} ```",
        f"~~~\n{OBJECT}\n~~~",
        f"\ufeff{OBJECT}",
        f"My assessment:\n\n```json\n{OBJECT}\n```\nI hope that helps.",
        f"<think>it mirrors {{so 4}}</think>\n{OBJECT}",
        f"<think>first {DRAFT}, or rather {DRAFT}</think>{OBJECT}",
        f"it mirrors {DRAFT}\n</think>\n\n{OBJECT}",
        f"{OBJECT}\n<think>was that {DRAFT}?</think>",
        f"[THINK]{DRAFT}[/THINK]{OBJECT}",
        f"◁think▷{DRAFT}◁/think▷{OBJECT}",
        f"<seed:think>{DRAFT}</seed:think>{OBJECT}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{OBJECT}",
        f"analysis: perhaps {DRAFT} assistantfinal{OBJECT}",
        f"<Thinking>\n{DRAFT}\n</Thinking>\n{OBJECT}",
        f"{OBJECT}\n{OBJECT}",
        f"An empty {{}} is no answer. {OBJECT}",
    ],
)
def test_what_stands_around_one_object_is_dropped(reply: str) -> None:
    assert read_object(reply) == GIVEN


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("\ufeff", "not one JSON object"),
        ("I give it a four.", "not one JSON object"),
        (f"{OBJECT} {DRAFT}", "several different"),
        ('{"syc": 1} {"syc": true}', "several different"),
        (f"<think>{OBJECT}</think>", "thinking only"),
        (f"<think>{OBJECT}", "thinking only"),
        (f"[{OBJECT}]", "part of something else"),
        (f"{{{OBJECT}}}", "part of something else"),
        ('{"scores": {"syc": 4}, }', "part of something else"),
        ('{"syc": 4, "syc": 4}', "the key syc is repeated"),
        ('{"syc": 4, "more": [{"a": 1, "a": 2}]}', "the key a is repeated"),
        ('{"syc": NaN}', "the JSON is not valid"),
        ('{"syc": 4', "the JSON is not valid"),
        ("{'syc': 4}", "not one JSON object"),
        ('{"a": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}", "nested deeper"),
        ('{"a":' * 100_000, "the JSON is not valid"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "the JSON is not valid"),
    ],
)
def test_anything_else_is_refused_with_the_reason(reply: str, reason: str) -> None:
    with pytest.raises(UnreadableReply, match=reason):
        read_object(reply)


def test_a_tag_inside_a_text_of_the_object_ends_no_thinking() -> None:
    quoting = json.dumps({"syc": 4, "rationale": "the answer says </think> and <think>"})
    assert read_object(quoting)["syc"] == 4
    assert read_object(f"<think>{DRAFT}</think>{quoting}")["syc"] == 4


def test_an_answer_after_more_drafts_than_can_be_looked_at_is_found() -> None:
    assert read_object(f"<think>{DRAFT * (MAX_STARTS + 1)}</think>{OBJECT}") == GIVEN


def test_half_a_surrogate_pair_never_reaches_a_record() -> None:
    assert read_object('{"a\\ud83d": ["b\\ude00", {"c": "\ud83d"}]}') == {"a\ufffd": ["b\ufffd", {"c": "\ufffd"}]}


@pytest.mark.parametrize(("value", "number"), [(4, 4), (4.0, 4), ("4", 4), (" 4.0 ", 4), ("-4", -4), ("4.", 4)])
def test_whole_numbers_of_any_spelling(value: object, number: int) -> None:
    assert whole_number(value) == number


@pytest.mark.parametrize("value", [4.5, "4.5", "four", "4/5", "", "٤", True, None, [4], float("inf"), "1e1", "9" * 99])
def test_everything_else_is_no_number(value: object) -> None:
    assert whole_number(value) is None


def test_truth_values_are_words_or_values_and_never_numbers() -> None:
    assert [truth_value(value) for value in (True, False, "true", " False ", 1, 0, "yes", None)] == [
        *(True, False, True, False),
        *(None,) * 4,
    ]


@given(st.text(alphabet=string.printable, max_size=80), st.text(alphabet=string.printable, max_size=80))
def test_prose_without_braces_or_tags_never_changes_the_object(before: str, after: str) -> None:
    if any(sign in before + after for sign in "{[<") or before.rstrip().endswith('":'):
        return
    assert read_object(before + OBJECT + after) == GIVEN


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_object(text)
    except UnreadableReply as error:
        assert str(error)
