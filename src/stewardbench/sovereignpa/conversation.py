"""A model as the agent: the dialogue between an episode and an upstream, one reply at a time.

    messages = system prompt, first page
    repeat     reply -> episode.step -> next page, until the episode ends

Decoding follows the paper (section 4.2): temperature 0.7, top-p 0.95, a fixed sampling seed that is the same in every
episode, 1,024 new tokens per reply and 2,048 for gpt-oss, which thinks at low effort. A provider that fails or filters
an answer away ends the episode as invalid; it is never scored as a failure of the agent.
"""

from __future__ import annotations

from typing import Any

from stewardbench.errors import ModelError
from stewardbench.models.failures import CONTENT_FILTER
from stewardbench.models.messages import ChatReply, ChatRequest, Upstream
from stewardbench.records import Record
from stewardbench.sovereignpa.axes import Family
from stewardbench.sovereignpa.booking.episode import Episode
from stewardbench.sovereignpa.prompts import Defense, Protocol, system_prompt
from stewardbench.sovereignpa.tools import reply_text, tool_schemas

GPT_OSS = "gpt-oss"


class Decoding(Record):
    """Generation settings of a run. None leaves a setting to the provider."""

    temperature: float | None = 0.7
    top_p: float | None = 0.95
    max_tokens: int | None = 1024
    reasoning_effort: str | None = None

    def settings(self, seed: int) -> dict[str, Any]:
        """The settings of every request of an episode."""
        chosen = {**self.model_dump(), "seed": seed}
        return {name: value for name, value in chosen.items() if value is not None}


def decoding_for(model: str) -> Decoding:
    """The paper's settings for a model."""
    if GPT_OSS in model.casefold():
        return Decoding(max_tokens=2048, reasoning_effort="low")
    return Decoding()


class Voice(Record):
    """How a model is spoken to: the protocol, the defence, and whether its chat template has a system role."""

    family: Family
    protocol: Protocol = "json"
    defense: Defense = Defense.DIRECT
    decoding: Decoding = Decoding()
    system_role: bool = True

    def opening(self, first_page: str) -> list[dict[str, Any]]:
        """The messages that begin an episode."""
        prompt = system_prompt(self.family, self.protocol, self.defense)
        if not self.system_role:
            return [{"role": "user", "content": f"{prompt}\n\n{first_page}"}]
        return [{"role": "system", "content": prompt}, {"role": "user", "content": first_page}]

    def request(self, messages: list[dict[str, Any]], seed: int) -> ChatRequest:
        """The next request of an episode."""
        tools = tool_schemas(self.family) if self.protocol == "tools" else ()
        return ChatRequest(messages=tuple(messages), tools=tools, settings=self.decoding.settings(seed))


async def converse(episode: Episode, upstream: Upstream, voice: Voice, seed: int) -> ModelError | None:
    """Play an episode to its end with a model. On return it has ended: reported, stopped, or aborted as invalid.

    Gives the failure that aborted it, if one did.
    """
    messages = voice.opening(episode.first_page)
    while not episode.ended:
        try:
            reply = _unfiltered(await upstream.complete(voice.request(messages, seed)))
        except ModelError as error:
            episode.abort(f"{error.kind} ({error.status}): {error.message}")
            return error
        raw = reply_text(reply) if voice.protocol == "tools" else reply.text
        page = episode.step(raw, input_tokens=reply.usage.input_tokens, output_tokens=reply.usage.output_tokens)
        if page is not None:
            messages += _turn(reply, page)
    return None


def _unfiltered(reply: ChatReply) -> ChatReply:
    if reply.finish_reason == CONTENT_FILTER and not reply.text.strip() and not reply.tool_calls:
        raise ModelError("the provider filtered the answer and left nothing of it", status=200, kind=CONTENT_FILTER)
    return reply


def failure_of(error: str) -> str:
    """The kind of the failure (``models.failures``) that aborted an episode, from the error in its log."""
    return error.partition(" (")[0]


def _turn(reply: ChatReply, page: str) -> list[dict[str, Any]]:
    """A reply and the page that answers it, as the next request repeats them."""
    if not reply.tool_calls:
        return [{"role": "assistant", "content": reply.text}, {"role": "user", "content": page}]
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in reply.tool_calls
    ]
    answers = [{"role": "tool", "tool_call_id": call.id, "content": page} for call in reply.tool_calls]
    return [{"role": "assistant", "content": reply.text, "tool_calls": calls}, *answers]
