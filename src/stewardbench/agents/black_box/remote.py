"""The way to the assistant: through the slot's gateway, which holds the key, retries, and records what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from stewardbench.agents.library.entries import Entry
from stewardbench.errors import AgentError, AgentHung, StateBounds, Unreachable
from stewardbench.models.endpoint import Endpoint
from stewardbench.records import Misfit, fit
from stewardbench.workspace.inodes import Bounds

Message = dict[str, str]


class Remote:
    """Chat and control requests of one slot. ``timeout_s`` is per request."""

    def __init__(self, endpoint: Endpoint, timeout_s: float) -> None:
        self._base_url, self._model = endpoint.base_url, endpoint.model
        headers = {"authorization": f"Bearer {endpoint.secret}"}
        self._client = httpx.AsyncClient(headers=headers, timeout=timeout_s, trust_env=False)

    async def say(self, messages: Sequence[Message], fields: dict[str, str]) -> tuple[str, str | None]:
        """Send a chat request with fields of the assistant's own: its answer, or an empty one and why there is none."""
        body = {"model": self._model, "messages": messages, "extra_body": fields}
        answer = await self._post("chat/completions", body)
        if answer.is_error:
            return "", _words(answer)
        return answer.json()["choices"][0]["message"].get("content") or "", None

    async def ask(self, action: str, body: dict[str, str]) -> dict[str, Any]:
        """Ask for an action. Raises Unreachable when the assistant does not carry it out."""
        answer = await self._post(f"assistant/{action}", body)
        if answer.is_error:
            raise Unreachable(f"The assistant did not carry out {action}: {_words(answer)}")
        value: dict[str, Any] = answer.json()
        return value

    async def memory(self, user: str, bounds: Bounds) -> tuple[Entry, ...]:
        """The exported entries. Raises AgentError for an export that is none, StateBounds for too much of it."""
        answer = await self.ask("memory", {"user": user})
        listed = answer.get("entries")
        if not isinstance(listed, list):
            raise AgentError("The assistant's memory export has no list 'entries'.")
        if len(listed) > bounds.entries:
            raise StateBounds(f"The assistant exports {len(listed)} entries, and {bounds.entries} are read.")
        found: dict[tuple[str, str], Entry] = {}
        for number, one in enumerate(listed):
            try:
                entry = fit(Entry, one)
            except Misfit as misfit:
                raise AgentError(f"The assistant's memory export, entries[{number}]: {misfit}.") from None
            if not entry.key or (entry.kind, entry.key) in found:
                what = "has no key" if not entry.key else f"repeats the key {entry.key!r} of {entry.kind}"
                raise AgentError(f"The assistant's memory export, entries[{number}]: {what}.")
            found[entry.kind, entry.key] = entry
        return tuple(found[place] for place in sorted(found))

    async def close(self) -> None:
        """Close kept connections."""
        await self._client.aclose()

    async def _post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        try:
            return await self._client.post(f"{self._base_url}/{path}", json=body)
        except httpx.TimeoutException:
            raise AgentHung("The assistant did not answer in time.") from None
        except httpx.TransportError as error:
            raise Unreachable(f"The way to the assistant broke: {error}.") from error


def _words(answer: httpx.Response) -> str:
    """What the gateway says of a failure."""
    return f"HTTP {answer.status_code}: {answer.json()['error']['message']}"
