"""When a turn has no answer to score, at the edges."""

from stewardbench.agents.interface import TurnOutcome
from stewardbench.models.messages import ChatReply, ChatRequest, Exchange, ToolCall
from stewardbench.pasb.episode.validity import repeated_call, turn_failure, written_by_model
from stewardbench.pasb.records import InvalidReason


def exchange(text="", *, calls=(), error=None, status=200):
    reply = None if error else ChatReply(text=text, tool_calls=tuple(calls))
    return Exchange(
        index=0, stage="query", turn=1, request=ChatRequest(messages=()), reply=reply, error=error, status=status
    )


def call(name, arguments="{}"):
    return ToolCall(id="1", name=name, arguments=arguments)


def test_four_words_of_five_are_written_by_the_model_and_three_are_not():
    said = [exchange("alpha beta gamma delta")]
    assert written_by_model("alpha beta gamma delta omega", said)
    assert not written_by_model("alpha beta gamma psi omega", said)


def test_an_answer_without_words_counts_when_the_model_said_it():
    assert written_by_model("👍", [exchange("👍")])
    assert not written_by_model("👍", [exchange("yes")])


def test_the_most_repeated_call_is_named_with_its_count():
    calls = [
        exchange(calls=[call("save")]),
        exchange(calls=[call("load"), call("save")]),
        exchange(error="no", status=500),
    ]
    assert repeated_call(calls) == "most often save({}), 2 times"
    assert repeated_call([exchange("text")]) == "no tool was called"


def test_a_call_that_failed_and_was_tried_again_is_no_failure():
    outcome = TurnOutcome(reply="all is well")
    assert turn_failure(outcome, [exchange(error="upstream_error: no", status=500), exchange("all is well")]) is None


def test_an_error_without_a_failed_call_is_the_agents():
    assert turn_failure(TurnOutcome(reply="", error="lost"), [exchange("x")]) == (InvalidReason.AGENT_ERROR, "lost")


def test_a_foreign_text_after_a_failed_call_is_the_models_failure():
    found = turn_failure(TurnOutcome(reply="API call failed"), [exchange(error="upstream_error: no", status=503)])
    assert found[0] is InvalidReason.MODEL_ERROR
