"""The scripted models as an Inspect provider: ``--model scripted/promoter`` needs no key and no download."""

from __future__ import annotations

import json
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolFunction, ToolInfo

from stewardbench.models.messages import ChatReply, ChatRequest
from stewardbench.models.scripted.model import ScriptedModel

MAX_CONNECTIONS = 1000  # nothing is sent anywhere


@modelapi(name="scripted")
class ScriptedApi(ModelAPI):
    """Inspect's view of one scripted model."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  (Inspect's own signature)
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._model = ScriptedModel(model_name)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002  (Inspect passes it by this name)
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer as the script says; usage is a word count, given explicitly so that no tokeniser is fetched."""
        request = ChatRequest(
            messages=tuple(_message(message) for message in input),
            tools=tuple(_tool(tool) for tool in tools),
            tool_choice=_tool_choice(tool_choice),
        )
        return _output(self.model_name, await self._model.complete(request))

    def max_connections(self) -> int:
        """No limit worth the name."""
        return MAX_CONNECTIONS

    async def count_text_tokens(self, text: str) -> int:
        """Words."""
        return len(text.split())


def _message(message: ChatMessage) -> dict[str, Any]:
    """A message in wire form, as far as a scripted model reads it: role, text, tool calls."""
    wire: dict[str, Any] = {"role": message.role, "content": message.text}
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    if isinstance(message, ChatMessageTool):
        wire["tool_call_id"] = message.tool_call_id
    return wire


def _tool(tool: ToolInfo) -> dict[str, Any]:
    parameters = tool.parameters.model_dump(exclude_none=True)
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def _tool_choice(choice: ToolChoice) -> Any:
    if isinstance(choice, ToolFunction):
        return {"type": "function", "function": {"name": choice.name}}
    return "required" if choice == "any" else choice


def _output(name: str, reply: ChatReply) -> ModelOutput:
    calls = [
        ToolCall(id=call.id, function=call.name, arguments=json.loads(call.arguments)) for call in reply.tool_calls
    ]
    message = ChatMessageAssistant(content=reply.text, tool_calls=calls or None, model=name, source="generate")
    spent = reply.usage
    return ModelOutput(
        model=name,
        choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")],
        usage=ModelUsage(
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            total_tokens=spent.input_tokens + spent.output_tokens,
        ),
    )
