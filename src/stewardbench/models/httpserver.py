"""A small HTTP/1.1 server side: h11 reads and frames the bytes, asyncio moves them.

One ``Connection`` per client. It collects one request at a time, runs the handler as a task, and cancels that task
when the client goes away. Starting and stopping cost no waiting, and the handler runs in the context that the owner
chooses, which is how model calls are booked to the right episode.

A client is an agent, which may do anything with a connection. So what it can make this process hold is bounded: who
may ask is settled by the head alone, before any of the body is kept; a request must be complete within a time; the
connections have a limit; and a client that does not read its answers gets no further ones.
"""

from __future__ import annotations

import asyncio
import json
from contextvars import Context
from typing import Any, NamedTuple, Protocol

import h11

MAX_HEAD_BYTES = 64 * 1024
LINGER_S = 2.0  # how long a refused client may go on sending before it is cut off


class ClientLimits(NamedTuple):
    """What one client, and all of them together, may make this process hold.

    ``body_bytes`` is the largest request body; ``connections`` the most that are open at once. ``read_s`` is the
    longest that one request may take to arrive, and an answer to be taken, from its first byte to its last;
    ``idle_s`` the longest rest of a connection between two requests. Both are seconds.
    """

    body_bytes: int = 32 * 1024 * 1024
    connections: int = 128
    read_s: float = 60.0
    idle_s: float = 900.0


class Request(NamedTuple):
    """One request. Header names are lower case; ``path`` has no query string; ``body`` is empty until it is read."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Response:
    """What the handler answers with: one JSON body, or a stream of server-sent events."""

    def __init__(self, connection: Connection, *, last: bool = False) -> None:
        self._connection, self._last = connection, last
        self.streaming = False

    def json(self, status: int, value: Any) -> None:
        """Send a whole JSON answer."""
        body = json.dumps(value).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        if self._last:  # or the client would send its next request into a connection that is about to close
            headers.append(("Connection", "close"))
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


class Service(Protocol):
    """What the owner of the connections decides."""

    def admit(self, request: Request, response: Response) -> bool:
        """Whether this client may ask, by the head of its request; a client that may not has been answered."""

    def refuse(self, response: Response, status: int, message: str) -> None:
        """Answer a request that is not HTTP, too large, too slow or one too many."""

    def context(self) -> Context:
        """The context in which the next request is handled."""

    async def handle(self, request: Request, response: Response) -> None:
        """Answer one complete request."""


class Connection(asyncio.Protocol):
    """One client connection. ``peers`` is the owner's set of live connections."""

    def __init__(self, service: Service, peers: set[Connection], limits: ClientLimits) -> None:
        self._service, self._peers, self._limits = service, peers, limits
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._transport: asyncio.Transport | None = None
        self._head: Request | None = None
        self._body = bytearray()
        self._early_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._resting = False  # between two requests, nothing of the next one seen
        self._unread = False  # the client does not take what was sent to it
        self._refused = False
        self._admitted = False  # the head of a request is here and may ask
        self.waiting_since = 0.0
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the owner's set of connections, or be turned away where it is full."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._peers) >= self._limits.connections and not self._make_room():
            self._refused = True
            message = f"More than {self._limits.connections} requests at once."
            self._service.refuse(Response(self, last=True), 503, message)
            self.close()  # without lingering: connections that linger would be the flood
            return
        self._peers.add(self)
        self._within(self._limits.read_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone: stop working for it."""
        self._transport = None
        self._peers.discard(self)
        self._within(None)
        if self.task is not None:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        """Take bytes; they wait inside h11 while a request is being answered."""
        if self._refused:
            return
        self._http.receive_data(data)
        if self.task is None and not self._unread:
            if self._resting:
                self._within(self._limits.read_s)
            self._advance()
            return
        self._early_bytes += len(data)
        if self._early_bytes > self._limits.body_bytes:
            self.close()

    def pause_writing(self) -> None:
        """The client does not read: no further request of it is looked at, and it has a time to go on."""
        self._unread = True
        if self.task is None:
            self._within(self._limits.read_s)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._unread = False
        if self.task is None and not self._refused and self._transport is not None:
            self._next()

    def send(self, event: h11.Response | h11.InformationalResponse | h11.Data | h11.EndOfMessage) -> None:
        """Write one part of the answer; nothing happens when the client is gone."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(self._http.send(event) or b"")

    def close(self) -> None:
        """Close the connection after what was written has been sent, or dropped where the client does not take it."""
        if self._transport is not None:
            self._within(None)
            self._deadline = asyncio.get_running_loop().call_later(self._limits.read_s, self._transport.abort)
            self._transport.close()

    @property
    def busy(self) -> bool:
        """Whether a request that may be asked is being read or answered."""
        return self._admitted or self.task is not None

    def _make_room(self) -> bool:
        """Let the connection go that has been without a request longest; False where every one has a request."""
        idle = min((peer for peer in self._peers if not peer.busy), key=lambda peer: peer.waiting_since, default=None)
        if idle is not None:
            self._peers.discard(idle)
            idle.close()
        return idle is not None

    def _within(self, seconds: float | None) -> None:
        """From now on the client has some seconds to get on; None: as long as it likes."""
        loop = asyncio.get_running_loop()
        self._resting, self.waiting_since = False, loop.time()
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else loop.call_later(seconds, self._too_slow)

    def _too_slow(self) -> None:
        """Let a client go that does not get on with what it began; one that began something is told why."""
        self._deadline = None
        began = self._head is not None or bool(self._http.trailing_data[0])
        if self._unread or not began:
            self.close()
        else:
            self._reject(408, f"The request was not complete within {self._limits.read_s:g} s.")

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
                self._head, self._body = _request(event), bytearray()
                if not self._service.admit(self._head, Response(self, last=True)):
                    return self._linger()
                self._admitted = True
                if int(self._head.headers.get("content-length", "0")) > self._limits.body_bytes:
                    return self._too_large()
            elif isinstance(event, h11.Data):
                self._body += event.data
                if len(self._body) > self._limits.body_bytes:
                    return self._too_large()
            elif isinstance(event, h11.EndOfMessage):
                return self._start()
            else:  # closed, or paused behind an answer
                return None

    def _start(self) -> None:
        assert self._head is not None
        self._within(None)
        request = self._head._replace(body=bytes(self._body))
        self._head, self._body = None, bytearray()
        loop = asyncio.get_running_loop()
        handling = self._service.handle(request, Response(self))
        self.task = loop.create_task(handling, context=self._service.context())
        self.task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        """The handler is done: go on with the next request, or close."""
        self.task, self._admitted = None, False
        failed = task.cancelled() or task.exception() is not None
        if failed or self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            self.close()
            return
        self._http.start_next_cycle()
        if self._unread:
            self._within(self._limits.read_s)
        else:
            self._next()

    def _next(self) -> None:
        """Take the request that was sent ahead, or rest until the next one begins."""
        ahead, self._early_bytes = bool(self._http.trailing_data[0]), 0
        self._within(self._limits.read_s if ahead else self._limits.idle_s)
        self._resting = not ahead
        if ahead:
            self._advance()

    def _too_large(self) -> None:
        self._reject(413, f"The request is larger than {self._limits.body_bytes} bytes.")

    def _reject(self, status: int, message: str) -> None:
        """Answer with an error."""
        self._refused = True
        if self._http.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            self._service.refuse(Response(self, last=True), status, message)
        self._linger()

    def _linger(self) -> None:
        """Keep nothing more of a refused client, but let it finish sending, or it may never read the answer."""
        self._refused, self._admitted = True, False
        self._head, self._body = None, bytearray()
        self._within(None)
        self._deadline = asyncio.get_running_loop().call_later(LINGER_S, self.close)


def _request(head: h11.Request) -> Request:
    return Request(
        method=head.method.decode("ascii"),
        path=head.target.decode("latin-1").split("?", 1)[0],
        headers={name.decode("ascii"): value.decode("latin-1") for name, value in head.headers},
        body=b"",
    )
