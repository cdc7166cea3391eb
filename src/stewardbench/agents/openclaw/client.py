"""The HTTP side of a running gateway: user turns and single tool calls, over a Unix socket."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import httpx

AGENT = "main"


class GatewayFault(Exception):
    """The gateway answered a request with an HTTP error. ``status`` and ``body`` are what it said."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"HTTP {status}: {body[:300]}")
        self.status, self.body = status, body


def session_key(session_id: str) -> str:
    """The gateway's name for one conversation. It reaches the model, so the id must say nothing."""
    return f"agent:{AGENT}:{session_id}"


class GatewayClient:
    """Calls to one gateway. Every method raises httpx.TransportError when the process is gone."""

    def __init__(self, socket: Path, token: str) -> None:
        self._http = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=str(socket)),
            base_url="http://openclaw",
            headers={"authorization": f"Bearer {token}"},
            trust_env=False,
        )

    async def turn(self, session_id: str, text: str, timeout_s: float) -> str:
        """One user turn; the gateway keeps the conversation, so only the new message is sent."""
        body = {"model": f"openclaw/{AGENT}", "messages": [{"role": "user", "content": text}]}
        headers = {"x-openclaw-session-key": session_key(session_id)}
        answer = await self._post("/v1/chat/completions", body, timeout_s, headers)
        return str(answer["choices"][0]["message"].get("content") or "")

    async def tool(self, name: str, arguments: dict[str, Any], timeout_s: float) -> Any:
        """Call one tool directly, past the model; for checks of the harness alone."""
        return await self._post("/tools/invoke", {"tool": name, "args": arguments}, timeout_s)

    async def idle(self, timeout_s: float) -> bool:
        """Whether the gateway tracks no work of its own; for releases that can tell (2026.9.6)."""
        answer = await self._rpc("gateway.suspend.prepare", timeout_s, requestId=uuid.uuid4().hex)
        if answer.get("status") != "ready":
            return False
        await self._rpc("gateway.suspend.resume", timeout_s, suspensionId=answer["suspensionId"])
        return True

    async def close(self) -> None:
        """Drop the connections."""
        await self._http.aclose()

    async def _rpc(self, method: str, timeout_s: float, **parameters: Any) -> dict[str, Any]:
        answer = await self._post("/api/v1/admin/rpc", {"method": method, "params": parameters}, timeout_s)
        if not answer.get("ok"):
            raise GatewayFault(httpx.codes.OK, str(answer.get("error")))
        return dict(answer["payload"])

    async def _post(self, path: str, body: Any, timeout_s: float, headers: dict[str, str] | None = None) -> Any:
        answer = await self._http.post(path, json=body, timeout=timeout_s, headers=headers)
        if answer.status_code != httpx.codes.OK:
            raise GatewayFault(answer.status_code, answer.text)
        try:
            return answer.json()
        except ValueError:
            raise GatewayFault(answer.status_code, answer.text) from None
