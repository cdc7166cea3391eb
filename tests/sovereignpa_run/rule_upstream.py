"""An upstream with a known answer: a rule-based agent that reads the dialogue of each request from its beginning."""

from __future__ import annotations

import json

from stewardbench.errors import ModelError
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, Usage, message_text
from stewardbench.sovereignpa.agents import booking_agent, cancel_agent
from stewardbench.sovereignpa.axes import Family


class RuleUpstream:
    """Answers as a rule-based agent would, in text or as tool calls; ``fail_at`` breaks that call (from 1)."""

    def __init__(self, agent: str, family: Family = Family.BOOKING, *, fail_at: int = 0) -> None:
        self.name = f"rules/{agent}"
        self._agent, self._family, self._fail_at = agent, family, fail_at
        self.calls = 0
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        self.requests.append(request)
        if self.calls == self._fail_at:
            raise ModelError("The endpoint is overloaded.", status=503, kind="overloaded")
        make = booking_agent if self._family is Family.BOOKING else cancel_agent
        agent = make(self._agent)
        pages = [message_text(message) for message in request.messages if message["role"] in {"user", "tool"}]
        raw = agent.first(pages[0])
        for page in pages[1:]:
            raw = agent.next(page)
        usage = Usage(input_tokens=10, output_tokens=2)
        if not request.tools:
            return ChatReply(text=raw, usage=usage)
        action = json.loads(raw)
        call = ToolCall(id=f"call_{self.calls}", name=action.pop("action"), arguments=json.dumps(action))
        return ChatReply(tool_calls=(call,), finish_reason="tool_calls", usage=usage)
