"""JSON lines to and from the parent, on file descriptors that no print and no tool of the agent can reach."""

from __future__ import annotations

import json
import os
from typing import Any


class Wire:
    """The control channel. Taking it over moves standard input to nowhere and standard output to standard error."""

    def __init__(self) -> None:
        self._reader, self._writer = os.dup(0), os.dup(1)  # not inherited by programs that the agent starts
        self._buffer = b""
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.dup2(2, 1)
        os.close(nowhere)

    def receive(self) -> dict[str, Any] | None:
        """The next message, or None when the parent has closed the channel."""
        while b"\n" not in self._buffer:
            chunk = os.read(self._reader, 1 << 16)
            if not chunk:
                return None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def send(self, message: dict[str, Any]) -> None:
        """Send one message, whole. Half characters, which models do emit, become question marks."""
        data = memoryview(json.dumps(message, default=str, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        while data:
            data = data[os.write(self._writer, data) :]
