"""Checks of the models that a run would use: the agent's endpoint and the judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from stewardbench.agents.doctor.diagnosis import Diagnosis, bad, good
from stewardbench.errors import ModelError, UsageError
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatRequest, Upstream
from stewardbench.models.upstreams import open_upstream

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessage

TIMEOUT_S = 180.0
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


async def check_model(name: str, check: Callable[[Upstream], Awaitable[Diagnosis]]) -> Diagnosis:
    """Open a model by its name, as ``run`` does, and check it with ``check_endpoint`` or ``check_judge``."""
    try:
        upstream = open_upstream(name)
    except UsageError as error:
        return bad("model", error.message, error.hint)
    return await check(upstream)


async def check_endpoint(upstream: Upstream) -> Diagnosis:
    """Whether a tool call and its result make the round trip through the real gateway to a model."""
    name = f"endpoint {upstream.name}"
    try:
        said, answer = await _round_trip(upstream)
    except ModelError as error:
        return _unreachable(name, error)
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
        return _unreachable(name, ModelError(f"no answer within {TIMEOUT_S:g} s", status=HTTPStatus.GATEWAY_TIMEOUT))
    except ModelError as error:
        return _unreachable(name, error)
    if not _holds_score(reply.text):
        return bad(name, f"asked for a JSON object, it said {reply.text[:200]!r}", "Choose a stronger judge model.")
    return good(name, "it answers with the JSON that it is asked for")


async def _round_trip(upstream: Upstream) -> tuple[ChatCompletionMessage, ChatCompletionMessage | None]:
    """What the model said when told to call the tool, and to the tool's result. Raises ModelError."""
    from openai import APIError, APIStatusError, AsyncOpenAI

    messages: list[Any] = [{"role": "user", "content": ASK_TOOL}]
    async with Gateway(upstream, reply_timeout_s=TIMEOUT_S) as gateway:
        endpoint = gateway.endpoint
        client = AsyncOpenAI(base_url=endpoint.base_url, api_key=endpoint.secret, max_retries=0)
        try:
            async with client:
                done = await client.chat.completions.create(model=endpoint.model, messages=messages, tools=[TOOL])
                said = done.choices[0].message
                if not said.tool_calls:
                    return said, None
                messages.append(said.model_dump(exclude_none=True))
                messages.append({"role": "tool", "tool_call_id": said.tool_calls[0].id, "content": "Written."})
                done = await client.chat.completions.create(model=endpoint.model, messages=messages, tools=[TOOL])
                return said, done.choices[0].message
        except APIStatusError as error:
            raise ModelError(error.message, status=error.status_code) from error
        except APIError as error:
            raise ModelError(error.message) from error


def _unreachable(name: str, error: ModelError) -> Diagnosis:
    return bad(name, error.message, error.hint or ADVICE.get(error.status, OTHER_ADVICE))


def _holds_score(text: str) -> bool:
    try:
        found = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("score") == 3
