"""A small HTTP/1.1 server side: h11 reads and frames the bytes, asyncio moves them.

One ``Connection`` per client. It collects one request at a time, runs the handler as a task, and cancels that task
when the client goes away. Starting and stopping cost no waiting, and the handler runs in the context that the owner
chooses, which is how model calls are booked to the right episode.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, NamedTuple

import h11

MAX_HEAD_BYTES = 64 * 1024
LINGER_S = 2.0  # how long a refused client may go on sending before it is cut off


class Request(NamedTuple):
    """One complete request. Header names are lower case; ``path`` has no query string."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Response:
    """What the handler answers with: one JSON body, or a stream of server-sent events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.streaming = False

    def json(self, status: int, value: Any) -> None:
        """Send a whole JSON answer."""
        body = json.dumps(value).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        self._connection.send(h11.Response(status_code=status, headers=headers))
        self._connection.send(h11.Data(data=body))
        self._connection.send(h11.EndOfMessage())

    def begin_events(self) -> None:
        """Send the head of an event stream, once."""
        if not self.streaming:
            self.streaming = True
            headers = [("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-cache")]
            self._connection.send(h11.Response(status_code=200, headers=headers))

    def event(self, value: Any) -> None:
        """Send one event: JSON, or a bare string as it is."""
        text = value if isinstance(value, str) else json.dumps(value)
        self._connection.send(h11.Data(data=f"data: {text}\n\n".encode()))

    def comment(self, text: str) -> None:
        """Send a comment line, which keeps the client's idle timer from firing."""
        self._connection.send(h11.Data(data=f": {text}\n\n".encode()))

    def end_events(self) -> None:
        """End the stream in the regular way."""
        self._connection.send(h11.EndOfMessage())

    def cut(self) -> None:
        """Close without ending the message, so that no client can take the answer for a complete one."""
        self._connection.close()


Handler = Callable[[Request, Response], Coroutine[Any, Any, None]]


class Connection(asyncio.Protocol):
    """One client connection.

    ``context`` is asked for each request; ``peers`` is the owner's set of live connections; ``refuse`` writes the
    answer to a request that is not HTTP or too large, given its status and a message.
    """

    def __init__(
        self,
        handler: Handler,
        refuse: Callable[[Response, int, str], None],
        context: Callable[[], Context],
        peers: set[Connection],
        max_body_bytes: int,
    ) -> None:
        self._handler, self._refuse, self._context, self._peers = handler, refuse, context, peers
        self._max_body_bytes = max_body_bytes
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._transport: asyncio.Transport | None = None
        self._head: h11.Request | None = None
        self._body = bytearray()
        self._early_bytes = 0
        self._refused = False
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the owner's set of connections."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._peers.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone: stop working for it."""
        self._transport = None
        self._peers.discard(self)
        if self.task is not None:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        """Take bytes; they wait inside h11 while a request is being answered."""
        if self._refused:
            return
        self._http.receive_data(data)
        if self.task is None:
            self._advance()
            return
        self._early_bytes += len(data)
        if self._early_bytes > self._max_body_bytes:
            self.close()

    def send(self, event: h11.Response | h11.InformationalResponse | h11.Data | h11.EndOfMessage) -> None:
        """Write one part of the answer; nothing happens when the client is gone."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(self._http.send(event) or b"")

    def close(self) -> None:
        """Close the connection after what was written has been sent."""
        if self._transport is not None:
            self._transport.close()

    def _advance(self) -> None:
        """Start the next request if all of it is here; refuse what is not HTTP."""
        try:
            self._pull()
        except h11.RemoteProtocolError as error:
            self._reject(error.error_status_hint, f"Not a well-formed HTTP request: {error}")

    def _pull(self) -> None:
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                if self._http.they_are_waiting_for_100_continue:
                    self.send(h11.InformationalResponse(status_code=100, headers=[]))
                return None
            if isinstance(event, h11.Request):
                self._head, self._body = event, bytearray()
                declared = dict(event.headers).get(b"content-length", b"0")
                if int(declared) > self._max_body_bytes:
                    return self._too_large()
            elif isinstance(event, h11.Data):
                self._body += event.data
                if len(self._body) > self._max_body_bytes:
                    return self._too_large()
            elif isinstance(event, h11.EndOfMessage):
                return self._start()
            else:  # closed, or paused behind an answer
                return None

    def _start(self) -> None:
        head = self._head
        assert head is not None
        request = Request(
            method=head.method.decode("ascii"),
            path=head.target.decode("latin-1").split("?", 1)[0],
            headers={name.decode("ascii"): value.decode("latin-1") for name, value in head.headers},
            body=bytes(self._body),
        )
        self._body = bytearray()
        loop = asyncio.get_running_loop()
        self.task = loop.create_task(self._handler(request, Response(self)), context=self._context())
        self.task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        """The handler is done: go on with the next request, or close."""
        self.task = None
        failed = task.cancelled() or task.exception() is not None
        if failed or self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            self.close()
            return
        self._early_bytes = 0
        self._http.start_next_cycle()
        self._advance()

    def _too_large(self) -> None:
        self._reject(413, f"The request is larger than {self._max_body_bytes} bytes.")

    def _reject(self, status: int, message: str) -> None:
        """Answer with an error, then let the client finish sending, or it may never read the answer."""
        self._refused = True
        if self._http.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            self._refuse(Response(self), status, message)
        asyncio.get_running_loop().call_later(LINGER_S, self.close)
