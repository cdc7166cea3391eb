"""The model gateway: what an agent believes to be its OpenAI-compatible model server.

One gateway serves one episode slot on loopback, and on a Unix socket for confined slots. It answers chat completions
from an upstream, never hands on the client's model name or its secret, gives upstream errors back with their status,
and keeps every exchange. Because each slot has its own gateway, a call is booked to its episode by the connection it
came on; and because each call runs in the context of the task that began the episode, Inspect books it to the right
sample. The secret is looked for before any of a request's body is kept, and what clients can make this process hold
is bounded (``httpserver.ClientLimits``).
"""

from __future__ import annotations

import asyncio
import contextvars
import hmac
import secrets
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from stewardbench.errors import ModelError, UsageError
from stewardbench.models import embedding, openai_form
from stewardbench.models.endpoint import Endpoint
from stewardbench.models.httpserver import ClientLimits, Connection, Request, Response
from stewardbench.models.ledger import Call, CallLedger
from stewardbench.models.messages import ChatReply, Exchange, Upstream, control
from stewardbench.models.naming import MASKED

CONTROL = "/v1/assistant/"  # what an assistant with a memory is asked beside chat completions


class Gateway:
    """A running gateway, as an async context manager.

    ``socket`` is a path for a Unix socket to the same service; ``secret`` is made up when none is given. ``model`` is
    the name that the agent is told its model has.
    ``heartbeat_s`` is the interval of comment lines on a stream that waits for the upstream, and ``reply_timeout_s``
    the longest wait for it, both in seconds. ``limits`` bound the clients.
    """

    def __init__(
        self,
        upstream: Upstream,
        *,
        socket: Path | None = None,
        secret: str | None = None,
        model: str = MASKED,
        heartbeat_s: float = 10.0,
        reply_timeout_s: float = 900.0,
        limits: ClientLimits | None = None,
    ) -> None:
        self._upstream, self._socket, self._model_name = upstream, socket, model
        self._secret = secret or secrets.token_urlsafe(24)
        self._heartbeat_s, self._reply_timeout_s = heartbeat_s, reply_timeout_s
        self._limits = limits or ClientLimits()
        self._ledger = CallLedger()
        self._context = contextvars.copy_context()
        self._connections: set[Connection] = set()
        self._servers: list[asyncio.Server] = []
        self._endpoint: Endpoint | None = None

    async def __aenter__(self) -> Self:
        """Listen. Raises UsageError when the socket path cannot be used."""
        self.begin()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(self._connection, "127.0.0.1", 0)
        self._servers.append(server)
        if self._socket is not None:
            self._socket.unlink(missing_ok=True)
            try:
                self._servers.append(await loop.create_unix_server(self._connection, self._socket))
            except OSError as error:
                await self.close()
                raise UsageError(
                    f"{self._socket}: cannot be a Unix socket: {error}.",
                    hint="Choose a shorter path in a folder you can write.",
                ) from error
            self._socket.chmod(0o600)
        port = server.sockets[0].getsockname()[1]
        self._endpoint = Endpoint(
            base_url=f"http://127.0.0.1:{port}/v1", secret=self._secret, socket=self._socket, model=self._model_name
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop listening, drop every client, and end the calls that are still in flight."""
        for server in self._servers:
            server.close()
        tasks = [connection.task for connection in self._connections if connection.task is not None]
        for connection in list(self._connections):
            connection.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._socket is not None:
            self._socket.unlink(missing_ok=True)
        self._servers, self._endpoint = [], None

    @property
    def endpoint(self) -> Endpoint:
        """What an agent needs to reach this gateway."""
        if self._endpoint is None:
            raise RuntimeError("the gateway is not open; use it as 'async with Gateway(...)'")
        return self._endpoint

    @property
    def in_flight(self) -> int:
        """Requests of this episode that are not yet answered."""
        return self._ledger.in_flight

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every finished chat exchange of this episode, in order of arrival."""
        return self._ledger.exchanges

    @property
    def calls_in_turn(self) -> int:
        """Chat requests since the last ``declare``."""
        return self._ledger.calls_in_turn

    def begin(self, upstream: Upstream | None = None) -> None:
        """Begin an episode on an open gateway: empty books, and model calls in the caller's context from now on.

        A slot that outlives an episode keeps its gateway and its address; calls that are still in flight stay in the
        books of the earlier episode.
        """
        self._upstream = upstream or self._upstream
        self._ledger = CallLedger()
        self._context = contextvars.copy_context()

    def declare(self, stage: str, turn: int, max_calls: int | None = None) -> None:
        """Say which turn the coming calls belong to; from call ``max_calls`` + 1 on they are refused by name."""
        self._ledger.declare(stage, turn, max_calls)

    async def idle(self) -> None:
        """Wait until no request is in flight.

        Raises what an upstream raised that was no ModelError: a bug of ours, or a limit that Inspect enforces.
        """
        await self._ledger.quiet()

    def _connection(self) -> Connection:
        return Connection(self, self._connections, self._limits)

    def admit(self, request: Request, response: Response) -> bool:
        """Whether a request carries the secret; one that does not has been answered with 401."""
        given = request.headers.get("authorization", "")
        if hmac.compare_digest(given.encode(), f"Bearer {self._secret}".encode()):
            return True
        failure = ModelError("Missing or wrong secret.", status=401, kind="unauthorised")
        response.json(failure.status, openai_form.error_body(failure))
        return False

    def refuse(self, response: Response, status: int, message: str) -> None:
        """Answer a request that cannot be taken in the form of the API's errors."""
        response.json(status, openai_form.error_body(ModelError(message, status=status, kind="invalid_request")))

    def context(self) -> contextvars.Context:
        """A copy of the context in which the episode began: what a call sets there stays its own."""
        return self._context.copy()

    async def handle(self, request: Request, response: Response) -> None:
        """Answer one request that carries the secret; whatever goes wrong is answered with its own status."""
        ledger = self._ledger
        ledger.arrive()
        try:
            await self._route(ledger, request, response)
        except ModelError as error:
            response.json(error.status, openai_form.error_body(error))
        finally:
            ledger.leave()

    async def _route(self, ledger: CallLedger, request: Request, response: Response) -> None:
        match (request.method, request.path.rstrip("/")):
            case ("POST", "/v1/chat/completions"):
                await self._chat(ledger, request.body, response)
            case ("POST", "/v1/embeddings"):
                response.json(200, embedding.embeddings(openai_form.parse_json(request.body)))
            case ("POST", path) if path.startswith(CONTROL):
                action = path.removeprefix(CONTROL)
                response.json(200, await control(self._upstream, action, openai_form.parse_json(request.body)))
            case ("GET", "/v1/models"):
                response.json(200, {"object": "list", "data": [self._model()]})
            case ("GET", path) if path == f"/v1/models/{self.endpoint.model}":
                response.json(200, self._model())
            case (method, path):
                raise ModelError(f"{method} {path} is not served here.", status=404, kind="not_found")

    def _model(self) -> dict[str, object]:
        return {"id": self.endpoint.model, "object": "model", "created": 0, "owned_by": "provider"}

    async def _chat(self, ledger: CallLedger, body: bytes, response: Response) -> None:
        """Answer one chat request and book it, whatever becomes of it."""
        call = ledger.open(time.monotonic())
        try:
            wanted = openai_form.parse_chat(body)
            call.request, call.streamed = wanted.request, wanted.stream
            ledger.check_limit()
            reply = await self._reply(call, response)
            call.reply, call.status = reply, 200
            self._deliver(call, reply, response, wanted.include_usage)
        except Exception as error:
            failure = error if isinstance(error, ModelError) else ledger.unexpected(error)
            call.failed(failure)
            if not response.streaming:
                raise failure from error
            response.event(openai_form.error_body(failure))
            response.cut()
        finally:
            ledger.book(call, time.monotonic())

    async def _reply(self, call: Call, response: Response) -> ChatReply:
        """The upstream's reply; comment lines keep a streaming client waiting meanwhile."""
        task = asyncio.ensure_future(self._upstream.complete(call.request))
        deadline = call.started + self._reply_timeout_s
        try:
            while True:
                left = deadline - time.monotonic()
                done, _ = await asyncio.wait({task}, timeout=min(left, self._heartbeat_s) if call.streamed else left)
                if done:
                    return task.result()
                if time.monotonic() >= deadline:
                    raise ModelError(
                        f"The model did not answer within {self._reply_timeout_s:g} s.", status=504, kind="timeout"
                    )
                response.begin_events()
                response.comment("waiting for the model")
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def _deliver(self, call: Call, reply: ChatReply, response: Response, include_usage: bool) -> None:
        reply_id = f"chatcmpl-{call.index}"
        model, created = self.endpoint.model, int(time.time())
        if not call.streamed:
            response.json(200, openai_form.completion(reply, reply_id=reply_id, model=model, created=created))
            return
        response.begin_events()
        for chunk in openai_form.chunks(
            reply, reply_id=reply_id, model=model, created=created, include_usage=include_usage
        ):
            response.event(chunk)
        response.event("[DONE]")
        response.end_events()
