"""The example assistant on loopback, with a scripted model behind it: what its user would run, but for the model."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import Upstream

EXAMPLE = Path(__file__).parents[2] / "examples" / "black_box_assistant" / "assistant.py"
KEY = "the-assistants-own-key-4711"


def example() -> ModuleType:
    """The example's module."""
    spec = importlib.util.spec_from_file_location("black_box_assistant", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def served(model: Upstream, *, key: str = KEY, change: dict[str, object] | None = None) -> Iterator[str]:
    """The example's address as ``URL#NAME``. ``change`` replaces routes of its server: how a server goes wrong."""
    with endpoint(model) as (url, secret):
        module = example()
        server = module.Server(module.Assistant(f"{url}#behind", secret), key=key)
        server.routes |= change or {}
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1#assistant"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


@contextmanager
def endpoint(model: Upstream) -> Iterator[tuple[str, str]]:
    """A model on loopback, in a thread of its own: base URL and key."""
    opened: list[tuple[str, str]] = []
    ready, stop = threading.Event(), None
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        nonlocal stop
        stop = asyncio.Event()
        async with Gateway(model) as gateway:
            opened.append((gateway.endpoint.base_url, gateway.endpoint.secret))
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    ready.wait(timeout=30)
    try:
        yield opened[0]
    finally:
        assert stop is not None
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
