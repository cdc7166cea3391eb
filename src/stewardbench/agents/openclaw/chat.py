"""A turn by the user's own channel: the gateway's WebSocket, as OpenClaw's terminal client speaks it.

What comes in this way carries the time and the channel that OpenClaw adds for its users; what comes in by the HTTP
endpoint carries neither. The client calls itself the terminal client, since any other name becomes a block of sender
data in the prompt. In 2026.5.28 it has no device key: the slot's configuration turns that check off, and the gateway's
token, made up for every start, is the one proof it asks for (see ``config``). 2026.9.6 wants a device key as well,
which the supervisor holds.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp

from stewardbench.agents.openclaw.client import GatewayFault, session_key

PROTOCOLS = {"minProtocol": 3, "maxProtocol": 9}
CLIENT, MODE, ROLE = "openclaw-tui", "ui", "operator"
SCOPES = ["operator.read", "operator.write", "operator.admin"]
MAX_FRAME = 1 << 26
WAIT_SLACK_S = 30.0
Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]  # a question to the holder of the device key
REFUSED, FAILED = 400, 429  # as the HTTP endpoint answers: the request was wrong, or its model call failed


class ChatChannel:
    """Turns over one gateway's WebSocket; a connection per turn, so that a new process needs no new channel.

    Raises aiohttp.ClientError when the process is gone, TimeoutError, or GatewayFault for what the gateway refuses.
    """

    def __init__(self, socket: Path, token: str, version: str, key: Ask | None = None) -> None:
        self._socket, self._token, self._version, self._key = socket, token, version, key
        self._caps = ["task-suggestions"] if key is not None else []  # what that release's terminal client can show

    async def turn(self, session_id: str, text: str, timeout_s: float) -> str:
        """One user turn; the reply. Returns when the run and what hangs on its end are over."""
        async with (
            asyncio.timeout(timeout_s),
            aiohttp.ClientSession(connector=aiohttp.UnixConnector(path=str(self._socket)), trust_env=False) as http,
            http.ws_connect("http://openclaw/", max_msg_size=MAX_FRAME) as wire,
        ):
            await self._greet(wire)
            run = str(uuid.uuid4())
            message = {"sessionKey": session_key(session_id), "message": text, "idempotencyKey": run}
            started = await _call(wire, "chat.send", {**message, "timeoutMs": int(timeout_s * 1000)})
            return await _outcome(wire, str(started.get("runId", run)), timeout_s)

    async def _greet(self, wire: aiohttp.ClientWebSocketResponse) -> None:
        client = {"id": CLIENT, "version": self._version, "platform": "linux", "mode": MODE}
        hello: dict[str, Any] = {"client": client, "role": ROLE, "scopes": SCOPES, "caps": self._caps}
        hello["auth"] = {"token": self._token}
        if self._key is not None:
            hello["device"] = await self._device(await _challenge(wire), self._key)
        await _call(wire, "connect", {**PROTOCOLS, **hello})

    async def _device(self, challenge: dict[str, Any], key: Ask) -> dict[str, Any]:
        """The proof of the device key, over the gateway's nonce and at the gateway's own time."""
        device, moment, nonce = await key({"op": "device"}), int(challenge["ts"]), str(challenge["nonce"])
        parts = ("v2", device["id"], CLIENT, MODE, ROLE, ",".join(SCOPES), str(moment), self._token, nonce)
        signed = await key({"op": "sign", "text": "|".join(parts)})
        return {**device, **signed, "signedAt": moment, "nonce": nonce}


async def _challenge(wire: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
    while True:
        frame = await _frame(wire)
        if frame.get("event") == "connect.challenge":
            return dict(frame.get("payload") or {})


async def _call(wire: aiohttp.ClientWebSocketResponse, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """One request and its answer; events in between are passed over."""
    number = str(uuid.uuid4())
    await wire.send_json({"type": "req", "id": number, "method": method, "params": parameters})
    while True:
        frame = await _frame(wire)
        if frame.get("type") == "res" and frame.get("id") == number:
            if not frame.get("ok"):
                raise GatewayFault(REFUSED, f"{method}: {frame.get('error')}")
            return dict(frame.get("payload") or {})


async def _outcome(wire: aiohttp.ClientWebSocketResponse, run: str, timeout_s: float) -> str:
    """The text of a run's final message, once the run is over; empty when it had none.

    A run whose model call failed ends without any message of its own and counts as ended well, so the end is asked for
    and not guessed; whether the turn has an answer is read from the transcript.
    """
    number, reply = str(uuid.uuid4()), ""
    wanted = {"runId": run, "timeoutMs": int((timeout_s + WAIT_SLACK_S) * 1000)}
    await wire.send_json({"type": "req", "id": number, "method": "agent.wait", "params": wanted})
    while True:
        frame = await _frame(wire)
        payload = frame.get("payload") or {}
        if frame.get("id") == number:
            if payload.get("status") != "ok":
                raise GatewayFault(FAILED, str(payload.get("error") or frame.get("error") or payload.get("status")))
            return reply
        if frame.get("event") == "chat" and payload.get("runId") == run:
            if payload["state"] in {"error", "aborted"}:
                raise GatewayFault(FAILED, str(payload.get("errorMessage") or f"the run was {payload['state']}"))
            if payload["state"] == "final":
                parts = (payload.get("message") or {}).get("content") or ()
                reply = parts if isinstance(parts, str) else "".join(str(part.get("text", "")) for part in parts)


async def _frame(wire: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
    message = await wire.receive()
    if message.type is not aiohttp.WSMsgType.TEXT:
        reason = message.extra or message.type.name
        raise aiohttp.ClientConnectionError(f"the gateway closed the connection ({reason})")
    return dict(message.json())
