"""The shop behind a loopback address. Paths start with a secret, so that nothing else on the machine finds it."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from stewardbench.sovereignpa.surface.shop import PageAnswer, Shop

MOST_BYTES = 1_000_000  # of one form


class ShopServer:
    """A running shop, as a context manager. ``url`` is its first page; ``shop`` may be replaced between episodes."""

    def __init__(self, shop: Shop, port: int = 0) -> None:
        self.shop = shop
        self._secret = secrets.token_urlsafe(12)
        self._lock, self._over = threading.Lock(), threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Where the shop's first page is."""
        return f"{self.base}{self.shop.home}"

    @property
    def base(self) -> str:
        """The address that all paths are relative to."""
        return f"http://127.0.0.1:{self._server.server_port}/{self._secret}"

    def wait(self) -> None:
        """Wait until the episode has ended and its last page was sent."""
        self._over.wait()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner, prefix = self, f"/{self._secret}"

        class Handler(BaseHTTPRequestHandler):
            """Hands each request to the shop, one at a time."""

            def do_GET(self) -> None:
                self._answer(owner.shop.get)

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                if size > MOST_BYTES:
                    self.send_error(413)
                    return
                form = parse_qs(self.rfile.read(size).decode("utf-8", "replace"), keep_blank_values=True)
                self._answer(lambda path: owner.shop.post(path, form))

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class names it)
                """Say nothing: the episode's log holds every action."""

            def _answer(self, handle: Callable[[str], PageAnswer]) -> None:
                path = urlsplit(self.path).path
                if not path.startswith(f"{prefix}/"):
                    self.send_error(404)
                    return
                with owner._lock:
                    answer = handle(path.removeprefix(prefix))
                body = answer.html.replace('="/', f'="{prefix}/').encode()
                self.send_response(answer.status)
                if answer.location:
                    self.send_header("Location", f"{prefix}{answer.location}")
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header(
                    "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"
                )
                self.end_headers()
                self.wfile.write(body)
                if owner.shop.episode.ended and not answer.location:
                    owner._over.set()

        return Handler
