"""Inspect models as upstreams: what reaches the model, what comes back, and which sample the call is booked to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import openai
import pytest
from agent_doubles import HermesLike
from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.tool import ToolCall
from inspect_ai.util import LimitExceededError
from scripted_tasks import CLAIM, QUESTIONS, TASKS
from upstream_doubles import TOOL

from stewardbench.errors import ModelError, UsageError
from stewardbench.models.gateway import Gateway
from stewardbench.models.inspect_upstream import InspectUpstream
from stewardbench.models.messages import ChatReply, ChatRequest
from stewardbench.models.scripted.lexicon import Lexicon, using
from stewardbench.models.scripted.phrases import phrases, saved
from stewardbench.models.upstreams import open_upstream

USER = {"role": "user", "content": "hello"}


def output(message: ChatMessageAssistant | str = "hi", stop: Any = "stop", **fields: Any) -> ModelOutput:
    if isinstance(message, str):
        message = ChatMessageAssistant(content=message)
    fields.setdefault("usage", ModelUsage(input_tokens=5, output_tokens=2, total_tokens=7))
    return ModelOutput(model="mock", choices=[ChatCompletionChoice(message=message, stop_reason=stop)], **fields)


class Seen:
    """An Inspect model that keeps what it was called with and answers by a function."""

    def __init__(self, answer: Callable[[], ModelOutput], config: GenerateConfig | None = None) -> None:
        self.calls: list[tuple[Any, Any, Any, GenerateConfig]] = []

        def generate(messages: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
            self.calls.append((messages, tools, choice, config))
            return answer()

        self.model: Model = get_model(
            "mockllm/model", memoize=False, config=config or GenerateConfig(), custom_outputs=generate
        )

    def ask(self, *messages: dict[str, Any], **request: Any) -> ChatReply:
        asked = ChatRequest(messages=messages or (USER,), **request)
        return asyncio.run(InspectUpstream(self.model).complete(asked))


def raising(error: Exception) -> Callable[[], ModelOutput]:
    def fail() -> ModelOutput:
        raise error

    return fail


def test_messages_tools_and_settings_reach_the_model() -> None:
    seen = Seen(output)
    call = {"id": "c1", "type": "function", "function": {"name": "memory", "arguments": '{"content": "x"}'}}
    reply = seen.ask(
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": [{"type": "text", "text": "part one"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "saved"},
        {"role": "assistant", "content": "done", "tool_calls": None},
        USER,
        tools=(TOOL, {"type": "function", "function": {"name": "bare"}}),
        tool_choice="auto",
        settings={
            "temperature": 0.5,
            "max_completion_tokens": 99,
            "seed": 3,
            "stop": "END",
            "parallel_tool_calls": False,
            "made_up": 1,
        },
    )
    messages, tools, choice, config = seen.calls[0]
    assert [m.role for m in messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert messages[2].tool_calls[0].arguments == {"content": "x"} and messages[3].function == "memory"
    assert [(t.name, t.description) for t in tools] == [("memory", "memory"), ("bare", "bare")]
    assert messages[4].text == "done" and messages[2].text == ""  # Inspect would move the answer before the result
    assert choice == "auto"
    assert (config.temperature, config.max_tokens, config.seed, config.stop_seqs) == (0.5, 99, 3, ["END"])
    assert config.parallel_tool_calls is False
    assert (reply.text, reply.finish_reason, reply.usage.input_tokens, reply.usage.output_tokens) == (
        "hi",
        "stop",
        5,
        2,
    )


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "memory"}}])
def test_a_demanded_tool_is_demanded_of_the_model(choice: Any) -> None:
    seen = Seen(output)
    seen.ask(tools=(TOOL,), tool_choice=choice)
    given = seen.calls[0][2]
    assert given == "any" if choice == "required" else given.name == "memory"


def test_settings_that_the_run_fixed_win_over_the_agents() -> None:
    seen = Seen(output, GenerateConfig(temperature=0.0, max_tokens=10))
    seen.ask(settings={"temperature": 1.0, "max_tokens": 9999, "seed": 3})
    config = seen.calls[0][3]
    assert (config.temperature, config.max_tokens, config.seed) == (0.0, 10, 3)


def test_schemas_beyond_inspects_vocabulary_are_put_into_it() -> None:
    parameters = {
        "type": "object",
        "$defs": {"Kind": {"oneOf": [{"const": "a"}, {"const": "b"}]}, "Loop": {"items": {"$ref": "#/$defs/Loop"}}},
        "properties": {
            "kind": {"$ref": "#/$defs/Kind", "description": "which"},
            "loop": {"$ref": "#/$defs/Loop"},
            "many": {"type": ["array", "null"], "items": {"type": "string"}},
        },
        "required": ["kind"],
    }
    seen = Seen(output)
    seen.ask(tools=({"type": "function", "function": {"name": "t", "parameters": parameters}},))
    schema = seen.calls[0][1][0].parameters
    kind = schema.properties["kind"]
    assert kind.description == "which" and [choice.enum for choice in kind.anyOf] == [["a"], ["b"]]
    assert schema.properties["many"].type == ["array", "null"] and schema.required == ["kind"]


@pytest.mark.parametrize(
    "request_fields",
    [
        {"tool_choice": "sometimes"},
        {"settings": {"temperature": "hot"}},
        {"tools": ({"type": "function", "function": {"name": "t", "parameters": {"properties": {"a": 3}}}},)},
        {"messages": ({"role": "robot", "content": "x"},)},
        {"messages": ({"role": "tool", "content": "x"},)},
    ],
)
def test_a_request_that_cannot_be_translated_is_a_400(request_fields: dict[str, Any]) -> None:
    seen = Seen(output)
    with pytest.raises(ModelError) as caught:
        seen.ask(*request_fields.pop("messages", ()), **request_fields)
    assert caught.value.status == 400 and seen.calls == []


def test_tool_calls_come_back_with_malformed_arguments_as_written() -> None:
    calls = [
        ToolCall(id="1", function="memory", arguments={"content": "täglich"}),
        ToolCall(
            id="2",
            function="memory",
            arguments={},
            parse_error='Error parsing the following tool call arguments:\n\n{"content": \'half\n\nError details: bad',
        ),
    ]
    reply = Seen(lambda: output(ChatMessageAssistant(content="", tool_calls=calls), "tool_calls")).ask()
    assert reply.finish_reason == "tool_calls"
    assert [call.arguments for call in reply.tool_calls] == ['{"content": "täglich"}', '{"content": \'half']


@pytest.mark.parametrize(
    ("stop", "finish"), [("max_tokens", "length"), ("model_length", "length"), ("unknown", "stop"), ("stop", "stop")]
)
def test_finish_reasons_are_translated(stop: str, finish: str) -> None:
    assert Seen(lambda: output("cut", stop)).ask().finish_reason == finish


def test_cached_input_tokens_count_as_input() -> None:
    usage = ModelUsage(input_tokens=5, input_tokens_cache_read=100, input_tokens_cache_write=10, output_tokens=2)
    assert Seen(lambda: output(usage=usage)).ask().usage.input_tokens == 115


def test_an_empty_output_is_an_empty_reply_and_a_moderation_notice_is_an_error() -> None:
    usage = ModelUsage(input_tokens=1, output_tokens=0, total_tokens=1)
    assert Seen(lambda: ModelOutput(model="mock", choices=[], usage=usage)).ask().text == ""
    with pytest.raises(ModelError) as caught:
        Seen(lambda: output("Sorry, blocked.", "content_filter", error="blocked by policy")).ask()
    assert (caught.value.status, caught.value.kind) == (400, "content_filter")


class ProviderError(Exception):
    def __init__(self, **fields: Any) -> None:
        super().__init__("overloaded, key sk-abcdefgh12345678 and ?key=AIzaSecret")
        self.__dict__.update(fields)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ProviderError(status_code=429), 429),
        (ProviderError(code=503), 503),
        (ProviderError(response={"ResponseMetadata": {"HTTPStatusCode": 500}}), 500),
        (ProviderError(status_code=401), 401),
        (TimeoutError(), 504),
        (httpx.ReadTimeout("slow"), 504),
        (httpx.RemoteProtocolError("peer closed connection without sending complete message body"), 502),
        (ConnectionResetError("reset"), 502),
        (openai.APIConnectionError(request=httpx.Request("POST", "http://x")), 502),
    ],
)
def test_provider_failures_keep_their_status_and_lose_their_secrets(error: Exception, status: int) -> None:
    with pytest.raises(ModelError) as caught:
        Seen(raising(error)).ask()
    assert caught.value.status == status
    assert "sk-abc" not in str(caught.value) and "AIza" not in str(caught.value)


@pytest.mark.parametrize("error", [ZeroDivisionError("bug"), LimitExceededError("token", value=2, limit=1)])
def test_bugs_and_limits_are_not_taken_for_provider_failures(error: Exception) -> None:
    with pytest.raises(type(error)):
        Seen(raising(error)).ask()


def test_names_choose_the_upstream_and_unknown_ones_say_so() -> None:
    assert open_upstream("mockllm/model").name == "mockllm/model"
    assert open_upstream("scripted/silent").name == "scripted/silent"
    assert open_upstream("http://127.0.0.1:9/v1#tiny", key="k").name == "http://127.0.0.1:9/v1#tiny"
    for name in ("nowhere/model", "scripted/nobody", "http://127.0.0.1:9/v1", "http://me:pw@127.0.0.1/v1#m"):
        with pytest.raises(UsageError) as caught:
            open_upstream(name)
        assert caught.value.hint and "pw" not in str(caught.value)


@solver
def two_conversations() -> Any:
    """A persist and a query turn of a Hermes-like agent, whose model is reached over HTTP from a thread."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        agent = HermesLike()
        with using(Lexicon.of_tasks(TASKS.values())):
            async with Gateway(InspectUpstream(get_model())) as gateway:
                endpoint = gateway.endpoint

                class Client:
                    name = "client"

                    async def complete(self, request: ChatRequest) -> ChatReply:
                        async with openai.AsyncOpenAI(base_url=endpoint.base_url, api_key=endpoint.secret) as model:
                            asked: Any = {"messages": list(request.messages), "tools": list(request.tools)}
                            answer = await model.chat.completions.create(model="m", **asked)
                        message = answer.choices[0].message
                        calls = [
                            {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}
                            for call in message.tool_calls or []
                            if call.type == "function"
                        ]
                        return ChatReply(text=message.content or "", tool_calls=tuple(calls))  # type: ignore[arg-type]

                await asyncio.to_thread(agent.converse, Client(), TASKS["all_at_once"].sent[:1])
                answers = await asyncio.to_thread(agent.converse, Client(), QUESTIONS[:1])
                await gateway.idle()
                state.metadata["calls"] = len(gateway.exchanges)
        state.metadata["files"] = agent.files
        state.output = ModelOutput.from_content("none", answers[0])
        return state

    return solve


def test_the_scripted_provider_runs_in_inspect_and_each_call_is_booked_to_its_sample(tmp_path: Any) -> None:
    task = Task(dataset=[Sample(input=f"episode {n}", id=n) for n in range(4)], solver=two_conversations())

    async def run() -> EvalLog:
        logs = await eval_async(
            task, model="scripted/promoter", log_dir=str(tmp_path), max_samples=4, log_realtime=False
        )
        return logs[0]

    log = asyncio.run(run())
    assert log.status == "success" and log.samples
    for sample in log.samples:
        events = [event for event in sample.events if event.event == "model"]
        assert sample.metadata["calls"] == len(events) == 3
        assert all(event.output.usage and event.output.usage.input_tokens > 0 for event in events)
        ((path, text),) = sample.metadata["files"].items()
        assert path == "memories/MEMORY.md" and saved(text)[0].form.name == "fact"
        assert phrases().form("fact").say(CLAIM) in sample.output.completion


def test_a_demanded_tool_call_makes_its_round_trip_through_inspect() -> None:
    async def ask() -> ChatReply:
        request = ChatRequest(messages=(USER,), tools=(TOOL,), tool_choice="required")
        return await InspectUpstream(get_model("scripted/silent")).complete(request)

    (call,) = asyncio.run(ask()).tool_calls
    assert call.name == "memory" and json.loads(call.arguments) == {}


@pytest.mark.parametrize(
    ("stop", "kind"), [("content_filter", "content_filter"), ("model_length", "context_length")], ids=str
)
def test_a_providers_notice_is_never_an_answer(stop: str, kind: str) -> None:
    with pytest.raises(ModelError) as caught:
        Seen(lambda: output("This request was blocked.", stop, usage=ModelUsage())).ask()
    assert (caught.value.status, caught.value.kind) == (400, kind)
    assert Seen(lambda: output("As far as I got", stop)).ask().text == "As far as I got"


def test_a_refusal_is_the_models_answer_and_marked() -> None:
    said = ChatMessageAssistant(content=[ContentText(text="I cannot.", refusal=True)])
    reply = Seen(lambda: output(said)).ask()
    assert (reply.text, reply.refused) == ("I cannot.", True)
    assert not Seen(output).ask().refused


def test_inspect_tries_a_call_once_unless_the_user_said_otherwise() -> None:
    once, asked = Seen(output), Seen(output, GenerateConfig(max_retries=4))
    once.ask()
    asked.ask()
    assert (once.calls[0][3].max_retries, asked.calls[0][3].max_retries) == (0, 4)


def test_an_answer_that_inspect_cannot_hold_is_the_endpoints_and_no_crash() -> None:
    with pytest.raises(ModelError, match="total_tokens") as caught:
        Seen(lambda: output(usage=ModelUsage.model_validate({"total_tokens": None}))).ask()
    assert caught.value.kind == "malformed_reply"
