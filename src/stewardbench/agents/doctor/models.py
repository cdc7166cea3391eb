"""Checks of the models that a run would use: the agent's endpoint and the judge."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from stewardbench.agents.doctor.diagnosis import Diagnosis, bad, good
from stewardbench.errors import ModelError, UsageError
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream
from stewardbench.models.rehearsal import Rehearsal
from stewardbench.models.replies import UnreadableReply, read_object, whole_number
from stewardbench.models.structured import SchemaWhereTaken
from stewardbench.models.upstreams import open_upstream

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessage

TIMEOUT_S = 180.0
PATIENCE_S = 5.0
WORD = "marigold"
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "note_word",
        "description": "Write one word into the notebook.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "The word to write."}},
            "required": ["word"],
        },
    },
}
ASK_TOOL = f"Call the tool note_word with the word {WORD!r}. Say nothing before you have called it."
ASK_JSON = 'Answer with this JSON object and nothing else: {"score": 3}'
TOOLS_ADVICE = (
    "Turn on tool calling where the model is served (vLLM: --enable-auto-tool-choice and --tool-call-parser), and "
    "check that no proxy in between drops the field `tools`."
)
ADVICE: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "Set the provider's API key.",
    HTTPStatus.FORBIDDEN: "Check that the key may use this model.",
    HTTPStatus.NOT_FOUND: "Check the model's name and the address.",
    HTTPStatus.TOO_MANY_REQUESTS: "Wait, or ask the provider for a higher limit.",
    HTTPStatus.GATEWAY_TIMEOUT: "Check that the model is being served.",
}
OTHER_ADVICE = "Check the model's name, its address and its key."


async def check_model(
    name: str, check: Callable[[Upstream], Awaitable[Diagnosis]], opened: dict[str, Upstream] | None = None
) -> Diagnosis:
    """Open a model by its name, as ``run`` does but with less patience, and check it.

    ``opened`` keeps it for the next check, which then knows already whether the endpoint is down.
    """
    kept = {} if opened is None else opened
    try:
        kept[name] = kept.get(name) or open_upstream(name, patience_s=PATIENCE_S)
    except UsageError as error:
        return bad("model", error.message, error.hint)
    return await check(kept[name])


async def check_rehearsal(upstream: Upstream, rehearsal: Rehearsal) -> Diagnosis:
    """Whether a model takes a request as a run will send it, and answers with what the run can read."""
    name = f"{rehearsal.role} {upstream.name}, {rehearsal.name}"
    try:
        async with asyncio.timeout(TIMEOUT_S):
            reply = await SchemaWhereTaken(upstream).complete(rehearsal.request)
    except TimeoutError:
        return _unreachable(name, _late())
    except ModelError as error:
        return _unreachable(name, error)
    if fault := rehearsal.fault(reply):
        return bad(name, f"{fault}; it said {reply.text[:200]!r}", "Choose a stronger model, or mend what it is given.")
    return good(name, "it takes the run's own request and answers with what the run can read")


async def check_endpoint(upstream: Upstream, settings: Mapping[str, Any] | None = None) -> Diagnosis:
    """Whether a tool call and its result make the round trip through the real gateway to a model.

    ``settings`` are what the run fixes on the model, such as its temperature.
    """
    name, noting = f"endpoint {upstream.name}", _Noting(upstream)
    try:
        said, answer = await _round_trip(noting, settings or {})
    except ModelError as error:
        return _unreachable(name, noting.error or error)
    calls = [call.function for call in said.tool_calls or () if call.type == "function"]
    if not calls:
        return bad(name, f"told to call a tool, the model only said {(said.content or '')[:200]!r}", TOOLS_ADVICE)
    if WORD not in calls[0].arguments:
        return bad(name, f"the tool was called with {calls[0].arguments!r} and not with {WORD!r}", TOOLS_ADVICE)
    if answer is None or not (answer.content or answer.tool_calls):
        return bad(name, "the model answered the tool's result with nothing", "Try another model or server version.")
    return good(name, "a tool call and its result made the round trip through the gateway")


async def check_judge(upstream: Upstream) -> Diagnosis:
    """Whether a judge model answers with the JSON that it is asked for."""
    name = f"judge {upstream.name}"
    request = ChatRequest(messages=({"role": "user", "content": ASK_JSON},), settings={"temperature": 0})
    try:
        async with asyncio.timeout(TIMEOUT_S):
            reply = await upstream.complete(request)
    except TimeoutError:
        return _unreachable(name, _late())
    except ModelError as error:
        return _unreachable(name, error)
    if not _holds_score(reply.text):
        return bad(name, f"asked for a JSON object, it said {reply.text[:200]!r}", "Choose a stronger judge model.")
    return good(name, "it answers with the JSON that it is asked for")


class _Noting:
    """An upstream that keeps its last failure: a client library tells less of it than we know."""

    def __init__(self, upstream: Upstream) -> None:
        self.name, self.error = upstream.name, None
        self._upstream = upstream

    error: ModelError | None

    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return await self._upstream.complete(request)
        except ModelError as error:
            self.error = error
            raise


async def _round_trip(
    upstream: Upstream, settings: Mapping[str, Any]
) -> tuple[ChatCompletionMessage, ChatCompletionMessage | None]:
    """What the model said when told to call the tool, and to the tool's result. Raises ModelError."""
    from openai import APIError, APIStatusError, AsyncOpenAI

    messages: list[Any] = [{"role": "user", "content": ASK_TOOL}]
    async with Gateway(upstream, reply_timeout_s=TIMEOUT_S) as gateway:
        endpoint = gateway.endpoint
        client = AsyncOpenAI(base_url=endpoint.base_url, api_key=endpoint.secret, max_retries=0)
        try:
            async with client:
                ask = partial(client.chat.completions.create, model=endpoint.model, tools=[TOOL], **settings)
                done = await ask(messages=messages)
                said = done.choices[0].message
                if not said.tool_calls:
                    return said, None
                messages.append(said.model_dump(exclude_none=True))
                messages.append({"role": "tool", "tool_call_id": said.tool_calls[0].id, "content": "Written."})
                done = await ask(messages=messages)
                return said, done.choices[0].message
        except APIStatusError as error:
            raise ModelError(error.message, status=error.status_code) from error
        except APIError as error:
            raise ModelError(error.message) from error


def _late() -> ModelError:
    return ModelError(f"no answer within {TIMEOUT_S:g} s", status=HTTPStatus.GATEWAY_TIMEOUT, kind="timeout")


def _unreachable(name: str, error: ModelError) -> Diagnosis:
    refused = f" (it refuses {error.parameter})" if error.parameter else ""
    said = f"HTTP {error.status}, {error.kind}{refused}: {error.message}"
    return bad(name, said, error.hint or ADVICE.get(error.status, OTHER_ADVICE))


def _holds_score(text: str) -> bool:
    try:
        return whole_number(read_object(text).get("score")) == 3
    except UnreadableReply:
        return False
