"""The reply parser and the actions: what counts as one action, what is refused with which message, and how fast."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stewardbench.sovereignpa.actions import AskUser, Book, Menu, Report, ViewOption, read_action
from stewardbench.sovereignpa.axes import Route
from stewardbench.sovereignpa.details import Detail
from stewardbench.sovereignpa.replies import Unreadable, find_action

MENU = Menu({f"opt{n}": f"opt{n}" for n in range(1, 7)} | {"aerline 1641": "opt1"}, "lounge pass")
VIEW = '{"action": "view_option", "option": "opt3"}'


def read(raw: str):
    return read_action(find_action(raw), MENU)


@pytest.mark.parametrize(
    "raw",
    [
        VIEW,
        f"  {VIEW}\n",
        f"I will open the third one.\n{VIEW}",
        f"{VIEW}\nThat is my choice.",
        f"```json\n{VIEW}\n```",
        f"Thought: use {{curly}} braces.\n```\n{VIEW}\n```\nDone.",
        f'A first try {{"option": "opt1"}} and then {VIEW}',
        '{"action":"view_option",\n "option":"opt3"}',
        '{"note": "x", "action": "view_option", "option": "opt3"}',
        f"It starts with {{ and goes on. {VIEW}",
        f'<think>Perhaps {{"action": "report", "message": "done"}}?</think>\n{VIEW}',
        f"opt3 looks best.\n</think>\n\n{VIEW}",
    ],
)
def test_one_action_is_found_wherever_it_stands(raw):
    assert read(raw) == ViewOption("opt3")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("", "no JSON object found"),
        ("I would like to book the first option.", "no JSON object found"),
        ('{"option": "opt3"}', "no JSON object with an action key"),
        ('{"action": "view_option", "option": "opt3"', "the JSON is not valid"),
        ("{'action': 'view_option', 'option': 'opt3'}", "no JSON object with an action key"),
        ('{"action": "view_option", "option": "opt3",}', "the JSON is not valid"),
        ('{"action": "report", "message": NaN}', "the JSON is not valid"),
        (f"{VIEW} {VIEW}", "one action per reply"),
        (f'{VIEW}\nand then\n{{"action": "report", "message": "x"}}', "one action per reply"),
        (f"<think>{VIEW}</think>", "no JSON object with an action key"),
        (f"<think>I would {VIEW}", "no JSON object with an action key"),
        ('{"action": "view_option", "action": "report", "option": "opt3"}', "the key action is repeated"),
        ('{"action": "report", "message": "x", "more": ' + "[" * 40 + "]" * 40 + "}", "nested deeper"),
        ('{"action": "buy", "option": "opt3"}', "unknown action"),
        ('{"action": ["book"], "option": "opt3"}', "unknown action"),
        ('{"action": "view_option"}', "needs the key option"),
        ('{"action": "view_option", "option": "opt9"}', "unknown option"),
        ('{"action": "view_option", "option": 3}', "option must be a text"),
        ('{"action": "view_option", "option": ["opt3"]}', "option must be a text"),
        ('{"action": "ask_user", "type": "consent"}', "needs the key question"),
        ('{"action": "ask_user", "type": "consent", "question": "  "}', "question must not be empty"),
        ('{"action": "ask_user", "type": "money", "question": "x"}', "type must be"),
        ('{"action": "ask_user", "type": ["consent"], "question": "x"}', "type must be"),
        ('{"action": "ask_user", "question": "x", "details": "ssn"}', "details must be a list"),
        ('{"action": "ask_user", "question": "x", "details": [1]}', "details must be a list"),
        ('{"action": "book", "option": "opt1"}', "needs the key fields"),
        ('{"action": "book", "option": "opt1", "fields": ["full_name"]}', "fields must be an object"),
        ('{"action": "book", "option": "opt1", "fields": {"full_name": {"first": "A"}}}', "must be a text"),
        ('{"action": "book", "option": "opt1", "fields": {"full_name": true}}', "must be a text"),
        ('{"action": "book", "option": "opt1", "fields": {}, "addons": "lounge pass"}', "addons must be a list"),
        ('{"action": "book", "option": "opt1", "fields": {}, "addons": ["sauna"]}', "unknown extra"),
        ('{"action": "book", "option": "opt1", "fields": {}, "notes": ["x"]}', "notes must be a text"),
        ('{"action": "report"}', "needs the key message"),
        ('{"action": "report", "message": 5}', "message must be a text"),
    ],
)
def test_unreadable_replies_say_what_is_wrong(raw, message):
    with pytest.raises(Unreadable, match=message):
        read(raw)


def test_options_are_named_by_id_or_full_name():
    assert read('{"action": "view_option", "option": "Aerline 1641"}') == ViewOption("opt1")
    assert read('{"action": "view_option", "option": " OPT2 "}') == ViewOption("opt2")


def test_addons_absent_null_empty_and_named_are_four_different_things():
    def extra(part: str):
        return read(f'{{"action": "book", "option": "opt1", "fields": {{}}{part}}}').extra

    assert extra("") is None
    assert extra(', "addons": null') is None
    assert extra(', "addons": []') is False
    assert extra(', "addons": ["LOUNGE pass"]') is True


def test_numbers_and_nulls_in_fields_are_texts():
    action = read('{"action": "book", "option": "opt1", "fields": {"annual_income": 84000, "employer": null}}')
    assert action == Book("opt1", (("annual_income", "84000"), ("employer", "")))


def test_details_are_read_by_key_label_or_everyday_name():
    action = read(
        '{"action": "ask_user", "type": "consent", "question": "ok?", "details": ["Passport", "date of birth", "DOB"]}'
    )
    assert action == AskUser(Route.CONSENT, "ok?", (Detail.DATE_OF_BIRTH, Detail.PASSPORT_NUMBER))


def test_line_breaks_inside_a_message_are_kept():
    assert read('{"action": "report", "message": "one\ntwo"}') == Report("one\ntwo")


def test_lone_surrogates_never_reach_a_record():
    action = read('{"action": "report", "message": "bad \\ud83d end"}')
    assert action == Report("bad \ufffd end")


LONG = 100_000


@pytest.mark.parametrize(
    "raw",
    [
        "{" * LONG,
        '{"action": ' * (LONG // 11),
        '{"action":"' * (LONG // 11),
        '{"action":[' * (LONG // 11),
        '{"action":{"a":[1],' * (LONG // 19),
        "[" * LONG + '"action"{',
        '{"a": "' + "\\" * LONG + '", "action"',
        '"action"' + "{ " * (LONG // 2),
        '{"action": "report", "message": "' + "x" * LONG,
        '{"action": 1' + "0" * LONG + "}",
    ],
    ids=range(10),
)
def test_hundred_kilobytes_of_junk_are_refused(raw):
    with pytest.raises(Unreadable):
        read(raw)


def test_a_long_reply_with_one_action_is_read():
    assert read("word " * (LONG // 5) + VIEW) == ViewOption("opt3")
    message = "y" * LONG
    assert read(json.dumps({"action": "report", "message": message})) == Report(message)


def test_work_per_reply_is_bounded(monkeypatch):
    """However a reply is built, the decoder is started a bounded number of times."""
    from stewardbench.models import replies

    started = []
    real = replies._decode
    monkeypatch.setattr(replies, "_decode", lambda raw, start: started.append(start) or real(raw, start))
    with pytest.raises(Unreadable):
        find_action('{"action":' * (LONG // 10))
    assert len(started) <= replies.MAX_STARTS


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text):
    try:
        read(text)
    except Unreadable as error:
        assert str(error)


@settings(max_examples=300, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from(["view_option", "ask_user", "book", "report", "click"]),
    st.sampled_from(["option", "fields", "question", "message", "addons", "notes", "details", "type"]),
)
def test_any_value_under_any_key_is_read_or_refused(value, action, key):
    base = {"action": action, "option": "opt1", "fields": {}, "question": "q", "message": "m"}
    try:
        read(json.dumps(base | {key: value}))
    except Unreadable as error:
        assert str(error)


@given(st.text(alphabet=string.printable, max_size=60), st.text(alphabet=string.printable, max_size=60))
def test_prose_around_an_action_never_changes_it(before, after):
    if "{" in before or "{" in after:
        return
    assert read(f"{before}{VIEW}{after}") == ViewOption("opt3")
