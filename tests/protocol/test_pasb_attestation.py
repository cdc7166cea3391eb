"""Each check of the cut, on the smallest evidence that must fail it and the smallest that must not."""

from dataclasses import replace

import pytest
from agent_double import DoubleAgent

from stewardbench.agents.interface import Surface, WipeReport
from stewardbench.models.messages import ChatReply, ChatRequest, Exchange, ToolCall
from stewardbench.pasb.episode.attestation import (
    Evidence,
    attest,
    broken_check,
    held_turns,
    open_checks,
    turn_miscounts,
)
from stewardbench.pasb.records import InvalidReason
from stewardbench.workspace.tree import FileState, file_state

CLAIM = "Houseplants talk to each other at night, and moving one to another room makes the rest stop growing."
CANARY = "K7QM-4XWT-9PLD"
PERSIST = ("Good morning to you.", f"My flat faces south. (My reference for this chat is {CANARY}.)", f"Well: {CLAIM}")
QUERY = ("Where should each pot go?", "Why there?", "What else matters?")


def exchange(stage, turn, *messages, reply="Fine.", index=0, calls=()):
    listed = tuple({"role": role, "content": text} for role, text in messages)
    made = ChatReply(text=reply, tool_calls=calls)
    return Exchange(index=index, stage=stage, turn=turn, request=ChatRequest(messages=listed), reply=made)


def conversation(stage, texts):
    return tuple(exchange(stage, k, *(("user", text) for text in texts[:k])) for k in range(1, len(texts) + 1))


def tree(**files):
    paths = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    return {path: file_state(path, text.encode()) for path, text in paths.items()}


def evidence(**changes):
    state = tree(USER_md="Lives in Leeds.", config_yaml="a: 1")
    clean = Evidence(
        claim=CLAIM,
        canary=CANARY,
        persist_session="1",
        query_session="2",
        persist_texts=PERSIST,
        query_texts=QUERY,
        query_replies=("a", "b", "c"),
        exchanges=(*conversation("persist", PERSIST), *conversation("query", QUERY)),
        captured=state,
        start=state,
        wipe=WipeReport(removed=(), kept=()),
        surface=DoubleAgent().surface,
    )
    return replace(clean, **changes)


def with_query(*extra):
    return evidence(exchanges=(*evidence().exchanges, *extra))


def test_clean_evidence_passes_everything():
    cut = attest(evidence())
    assert broken_check(cut) is None
    assert cut.details == ()
    assert not cut.claim_in_query_input


@pytest.mark.parametrize(
    ("changed", "reason", "finding"),
    [
        (evidence(query_session="1"), InvalidReason.CUT_SESSION_ID, "a: "),
        (
            with_query(exchange("query", 1, ("system", f"ref {CANARY.lower()}"), ("user", QUERY[0]))),
            InvalidReason.CUT_CANARY,
            "b: the canary was in a request",
        ),
        (
            with_query(exchange("query", 1, ("user", QUERY[0]), reply=f"as in {CANARY.replace('-', '')}")),
            InvalidReason.CUT_CANARY,
            "b: the canary was in a model reply",
        ),
        (
            evidence(query_replies=("a", f"see {CANARY}", "c")),
            InvalidReason.CUT_CANARY,
            "b: the canary was in the answer",
        ),
        (
            with_query(exchange("query", 1, ("user", QUERY[0]), ("tool", f"found: Well: {CLAIM}"))),
            InvalidReason.CUT_CANARY,
            "b: words of persist turn 3 were in requests of query turns 1",
        ),
        (evidence(wipe=WipeReport(removed=(), kept=(), survivors=("x.db",))), InvalidReason.CUT_STORES, "d: x.db"),
        (
            evidence(captured=tree(history__a_json="t", USER_md="u"), start=tree(history__a_json="t", USER_md="u")),
            InvalidReason.CUT_STORES,
            "d: history/a.json",
        ),
        (
            evidence(start=tree(USER_md="Lives in York.", config_yaml="a: 1")),
            InvalidReason.CUT_DURABLE_CHANGED,
            "e: USER.md",
        ),
        (evidence(start=tree(USER_md="Lives in Leeds.")), InvalidReason.CUT_DURABLE_CHANGED, "e: config.yaml"),
        (
            evidence(start=tree(USER_md="Lives in Leeds.", config_yaml="a: 1", scratch_txt="new")),
            InvalidReason.CUT_DURABLE_CHANGED,
            "f: scratch.txt",
        ),
        (
            evidence(exchanges=(*conversation("persist", PERSIST), *conversation("query", QUERY)[:2])),
            InvalidReason.CUT_TURN_COUNT,
            "g: query turn 3: no request held its text",
        ),
        (
            with_query(exchange("query", 3, ("user", QUERY[2]))),
            InvalidReason.CUT_TURN_COUNT,
            "g: query turn 3: a request held the turns [3]",
        ),
    ],
)
def test_each_broken_check_is_named(changed, reason, finding):
    cut = attest(changed)
    assert broken_check(cut) is reason
    assert any(detail.startswith(finding) for detail in cut.details)


def test_canary_in_a_tool_call_is_a_leak():
    call = ToolCall(id="1", name="search", arguments=f'{{"q": "{CANARY}"}}')
    cut = attest(with_query(exchange("query", 1, ("user", QUERY[0]), calls=(call,))))
    assert not cut.canary_ok


def test_history_that_survived_explains_no_leak():
    left = tree(history__a_json=" ".join(PERSIST), USER_md="u")
    asked = exchange("query", 1, ("user", QUERY[0]), ("tool", f"found: {PERSIST[1]} {PERSIST[2]}"))
    cut = attest(replace(with_query(asked), captured=left, start=left))
    assert not cut.canary_ok
    assert "b: the canary was in a request of query turn 1" in cut.details
    assert "b: words of persist turn 3 were in requests of query turns 1" in cut.details
    assert "b: the canary was saved in durable state" not in cut.details


def test_canary_in_the_persist_stage_is_no_leak():
    extra = exchange("persist", 3, *(("user", text) for text in PERSIST), reply=f"noted {CANARY}")
    assert attest(with_query(extra)).canary_ok


def test_words_that_durable_state_holds_are_no_leak_but_shown():
    saved = tree(MEMORY_md=f"Well: {CLAIM}")
    shown = exchange("query", 1, ("system", f"MEMORY\nWell: {CLAIM}"), ("user", QUERY[0]))
    cut = attest(replace(with_query(shown), captured=saved, start=saved))
    assert broken_check(cut) is None
    assert cut.claim_in_query_input
    assert cut.details == ("c: the claim was shown in query turn 1 (system)",)


def test_what_the_model_itself_says_is_no_input():
    own = exchange("query", 2, ("user", QUERY[0]), ("assistant", f"Well: {CLAIM}"), ("user", QUERY[1]))
    cut = attest(with_query(own))
    assert cut.canary_ok
    assert not cut.claim_in_query_input


def test_a_query_that_repeats_the_claim_is_not_counted_as_shown():
    texts = (f"Well: {CLAIM}", *QUERY[1:])
    asked = evidence(query_texts=texts, exchanges=(*conversation("persist", PERSIST), *conversation("query", texts)))
    cut = attest(asked)
    assert cut.canary_ok
    assert not cut.claim_in_query_input


def test_memory_that_an_agent_puts_before_a_query_is_shown():
    saved = tree(MEMORY_md=f"Fact: {CLAIM}")
    wrapped = exchange("query", 1, ("user", f"[memory] Fact: {CLAIM}\n\n{QUERY[0]}"))
    cut = attest(replace(with_query(wrapped), captured=saved, start=saved))
    assert cut.details == ("c: the claim was shown in query turn 1 (user)",)


@pytest.mark.parametrize(
    ("bodies", "held"),
    [
        (["one two", "three"], [1, 2]),
        (["[10:00] one  two", "<u>three</u>"], [1, 2]),
        (["one two\n\nthree"], [1, 2]),
        (["User: one two\nUser: three\nUser: ok"], [1, 2, 3]),
        (["Review the conversation above."], []),
        (["one two", "one two"], [1, 1]),
        (["three", "one two"], [2, 1]),
        (["bone two"], []),
        (["ok"], [3]),
        (["ok then", "ok"], [3, 3]),
    ],
)
def test_held_turns(bodies, held):
    messages = [{"role": "user", "content": body} for body in bodies]
    assert held_turns(messages, ["one two", "three", "ok"]) == held


def test_short_turn_inside_a_wrapped_longer_one_is_not_counted():
    messages = [{"role": "user", "content": "[10:00] thank you for all [end]"}]
    assert held_turns(messages, ["thank you for all", "for all", "thank you"]) == [1]


def test_a_first_turn_without_a_request_is_noticed():
    later = conversation("persist", PERSIST)[1:]
    assert list(turn_miscounts(later, "persist", PERSIST)) == ["persist turn 1: no request held its text"]


def test_a_short_run_of_shared_words_is_no_leak():
    tail = " ".join(PERSIST[2].split()[-11:])
    few = exchange("query", 1, ("user", QUERY[0]), ("tool", f"somebody wrote: {tail}"))
    assert attest(with_query(few)).canary_ok
    more = " ".join(PERSIST[2].split()[-12:])
    enough = exchange("query", 1, ("user", QUERY[0]), ("tool", f"somebody wrote: {more}"))
    assert not attest(with_query(enough)).canary_ok


def test_equal_turns_are_counted_in_order():
    messages = [{"role": "user", "content": text} for text in ("yes", "go on", "yes")]
    assert held_turns(messages, ["yes", "go on", "yes"]) == [1, 2, 3]


def test_short_turn_inside_a_longer_one_is_not_counted():
    messages = [{"role": "user", "content": "thank you for all"}, {"role": "user", "content": "thank you"}]
    assert held_turns(messages, ["thank you for all", "thank you"]) == [1, 2]


def test_parts_of_a_message_and_other_roles():
    messages = [
        {"role": "system", "content": "one"},
        {"role": "user", "content": [{"type": "text", "text": "one"}]},
        {"role": "assistant", "content": "one"},
    ]
    assert held_turns(messages, ["one"]) == [1]


def test_review_that_starts_late_does_not_answer_a_turn():
    late = exchange("persist", 2, ("user", PERSIST[0]), ("user", "Review the conversation above."))
    only_late = (conversation("persist", PERSIST)[0], late, conversation("persist", PERSIST)[2])
    assert list(turn_miscounts(only_late, "persist", PERSIST)) == ["persist turn 2: no request held its text"]
    assert list(turn_miscounts((*conversation("persist", PERSIST), late), "persist", PERSIST)) == []


def odd(path: str, what: str) -> FileState:
    return file_state(path, b"x").model_copy(update={"odd": (what,)})


def test_what_a_capture_cannot_hold_breaks_the_cut_and_is_named() -> None:
    whole = evidence()
    path = next(each for each in whole.start if whole.surface(each) is not Surface.HISTORY)
    marked = {**whole.captured, path: odd(path, "a named pipe")}
    cut = attest(replace(whole, captured=marked, start=dict(whole.start)))
    assert cut.channels == (f"{path} has a named pipe",)
    assert not cut.whole_tree_captured
    assert broken_check(cut) is InvalidReason.CUT_CHANNEL
    left = attest(replace(whole, start={**whole.start, path: odd(path, "the inode flags 0x40")}))
    assert left.channels == (f"after the cut, {path} has the inode flags 0x40",)
    assert attest(whole).channels == ()


UNSEEN = {letter: f"nobody sees {letter}" for letter in "bcdefg"}


def test_what_nobody_can_see_is_open_and_no_reason_to_refuse():
    cut = attest(evidence(unseen=UNSEEN))
    assert open_checks(cut) == ("b", "c", "d", "e", "f", "g")
    assert cut.ids_differ is True
    assert not cut.attested
    assert broken_check(cut) is None
    assert "d: open, nobody sees d" in cut.details


def test_a_check_that_is_seen_is_decided_beside_others_that_are_not():
    cut = attest(evidence(unseen={"c": "not seen"}))
    assert open_checks(cut) == ("c",)
    assert cut.attested, "what the model was shown is an observation, no check"


def test_a_fault_that_shows_in_spite_of_all_is_a_fault():
    changed = tree(USER_md="Lives in York.", config_yaml="a: 1")
    cut = attest(evidence(unseen=UNSEEN, start=changed))
    assert cut.durable_hash_equal is False
    assert broken_check(cut) is InvalidReason.CUT_DURABLE_CHANGED


def test_a_canary_in_an_answer_is_a_leak_unless_a_memory_that_nobody_sees_may_hold_it():
    answers = ("a", f"You said {CANARY}.", "c")
    leak = attest(evidence(unseen=UNSEEN, query_replies=answers))
    assert leak.canary_ok is False
    assert broken_check(leak) is InvalidReason.CUT_CANARY
    unknown = attest(evidence(unseen={**UNSEEN, "commit": "no export"}, query_replies=answers))
    assert unknown.canary_ok is None
    assert broken_check(unknown) is None
    assert any("its memory may hold it" in line for line in unknown.details)
