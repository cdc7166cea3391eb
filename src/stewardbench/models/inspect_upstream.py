"""Any Inspect model as an upstream, through Inspect's public interface alone.

Inspect brings the providers, their retries, caching and usage, and books each call to the sample in whose context it
runs. This module translates: requests to Inspect messages, tools and settings, its outputs and errors back.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, cast

from stewardbench.errors import ModelError
from stewardbench.models.failures import CONTENT_FILTER, MALFORMED_REPLY, failed, model_error, redacted
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, Usage
from stewardbench.records.fitting import as_misfit

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model, ModelOutput
    from inspect_ai.tool import ToolCall as InspectToolCall
    from inspect_ai.tool import ToolChoice, ToolInfo

SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "logit_bias": "logit_bias",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "stop": "stop_seqs",
    "parallel_tool_calls": "parallel_tool_calls",
    "reasoning_effort": "reasoning_effort",
}
FINISH: dict[str, Literal["stop", "tool_calls", "length", "content_filter"]] = {
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
}
NOTICES = {"content_filter": CONTENT_FILTER, "model_length": "context_length"}
RAW_ARGUMENTS = ("Error parsing the following tool call arguments:\n\n", "\n\nError details:")


class InspectUpstream:
    """An Inspect model. Settings that the run fixed on the model win over those that the agent sends.

    One try per call: left to itself, Inspect repeats a failed call for ever. ``models.retrying`` has the patience.
    """

    def __init__(self, model: Model) -> None:
        from inspect_ai.model import stable_message_ids

        self.name = str(model)
        self._model = model
        self._keep_ids = stable_message_ids()  # equal messages are stored once in Inspect's log
        self._tools: tuple[tuple[dict[str, Any], ...], list[ToolInfo]] = ((), [])

    def __repr__(self) -> str:
        return f"InspectUpstream({self.name!r})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request.

        Raises ModelError: 400 for a request that cannot be translated, else the provider's status (429, 5xx), 504 for
        a time-out, 502 for a broken connection. Inspect's own limits pass through as they are.
        """
        from inspect_ai.model import messages_from_openai

        try:
            messages = await messages_from_openai([_plain(message) for message in request.messages], self.name)  # type: ignore[misc]
            if request.tools != self._tools[0]:  # an agent offers the same tools call after call
                self._tools = (request.tools, [_tool(tool["function"]) for tool in request.tools])
            choice = _tool_choice(request.tool_choice)
            config = _config(request.settings, self._model.config)
        except (KeyError, TypeError, ValueError, AttributeError, AssertionError) as error:
            raise ModelError(
                f"The request cannot be translated ({type(error).__name__}: {error}).", status=400, kind="bad_request"
            ) from error
        self._keep_ids(messages)
        try:
            output = await self._model.generate(messages, self._tools[1], choice, config)
            return _reply(output)
        except Exception as error:
            found = model_error(error) or _malformed(error)
            if found is None:
                raise
            raise found from error


def _malformed(error: Exception) -> ModelError | None:
    """The failure of an endpoint whose answer does not fit Inspect's own form of one."""
    misfit = as_misfit(error)
    if misfit is None:
        return None
    what = f"The endpoint's answer is not a chat completion ({misfit.field}: {misfit.fault})."
    return ModelError(redacted(what), kind=MALFORMED_REPLY)


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """A copy without the nulls that some clients send.

    An empty text stands for null content: Inspect moves the text of an answer that follows a tool result into the
    call before it when that call's content is null, and the model would read its own history in the wrong order.
    """
    return {"content": "", **{key: value for key, value in message.items() if value is not None}}


def _tool(function: dict[str, Any]) -> ToolInfo:
    from inspect_ai.tool import ToolInfo, ToolParams

    parameters = _schema(function.get("parameters") or {"type": "object", "properties": {}})
    return ToolInfo(
        name=function["name"],
        description=function.get("description") or function["name"],
        parameters=ToolParams.model_validate({**parameters, "type": "object"}),
    )


def _schema(value: Any, definitions: dict[str, Any] | None = None) -> Any:
    """A JSON schema in the words that Inspect knows: references resolved, const as enum, oneOf as anyOf."""
    if isinstance(value, list):
        return [_schema(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    known = {**(definitions or {}), **value.get("$defs", {}), **value.get("definitions", {})}
    if isinstance(value.get("$ref"), str):
        name = value["$ref"].rsplit("/", 1)[-1]
        target = known.pop(name, {})  # popped, so that a schema that contains itself ends
        return _schema({**target, **{key: item for key, item in value.items() if key != "$ref"}}, known)
    plain = {key: item for key, item in value.items() if key not in {"$defs", "definitions", "const", "oneOf"}}
    if "const" in value:
        plain["enum"] = [value["const"]]
    if "oneOf" in value:
        plain["anyOf"] = value["oneOf"]
    return {key: item if key in {"enum", "default"} else _schema(item, known) for key, item in plain.items()}


def _tool_choice(choice: Any) -> ToolChoice | None:
    from inspect_ai.tool import ToolFunction

    if choice is None:
        return None
    if isinstance(choice, dict):
        return ToolFunction(name=choice["function"]["name"])
    return cast("ToolChoice", {"auto": "auto", "none": "none", "required": "any"}[choice])


def _config(settings: dict[str, Any], fixed: GenerateConfig) -> GenerateConfig:
    from inspect_ai.model import GenerateConfig

    values: dict[str, Any] = {"max_retries": 0} if fixed.max_retries is None else {}
    for theirs, ours in SETTINGS.items():
        if theirs in settings and getattr(fixed, ours) is None:
            values[ours] = settings[theirs]
    if isinstance(values.get("stop_seqs"), str):
        values["stop_seqs"] = [values["stop_seqs"]]
    wanted = settings.get("response_format")
    if isinstance(wanted, dict) and isinstance(wanted.get("json_schema"), dict):
        schema = wanted["json_schema"]
        values["response_schema"] = {
            "name": schema.get("name") or "reply",
            "json_schema": _schema(schema.get("schema") or {}),
            "strict": schema.get("strict"),
        }
    return GenerateConfig.model_validate(values)


def _reply(output: ModelOutput) -> ChatReply:
    """What the model said. Raises ModelError for a notice of the provider, which must never be scored as an answer.

    Inspect puts a provider's refusal of the request (filtered, too long) where the answer would be, without usage.
    """
    if output.error:
        raise ModelError(redacted(output.error), status=400, kind=CONTENT_FILTER)
    if output.empty:
        return ChatReply(usage=_usage(output))
    message, usage = output.message, _usage(output)
    if kind := NOTICES.get(output.stop_reason, "") if not usage.output_tokens else "":
        raise failed(400, message.text or kind, kind=kind)
    calls = tuple(_tool_call(call) for call in message.tool_calls or ())
    reason = FINISH.get(output.stop_reason, "tool_calls" if calls else "stop")
    refused = not isinstance(message.content, str) and any(getattr(part, "refusal", None) for part in message.content)
    return ChatReply(text=message.text, tool_calls=calls, finish_reason=reason, usage=usage, refused=refused)


def _tool_call(call: InspectToolCall) -> ToolCall:
    """A call in wire form. Arguments that were no JSON go on as the model wrote them, so that the agent can object."""
    if not call.parse_error:
        return ToolCall(id=call.id, name=call.function, arguments=json.dumps(call.arguments, ensure_ascii=False))
    before, after = RAW_ARGUMENTS
    raw = call.parse_error.removeprefix(before).rsplit(after, 1)[0]
    return ToolCall(id=call.id, name=call.function, arguments=raw)


def _usage(output: ModelOutput) -> Usage:
    """All input tokens, cached ones included, and all output tokens."""
    spent = output.usage
    if spent is None:
        return Usage()
    cached = (spent.input_tokens_cache_read or 0) + (spent.input_tokens_cache_write or 0)
    return Usage(input_tokens=spent.input_tokens + cached, output_tokens=spent.output_tokens)
