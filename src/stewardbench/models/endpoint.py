"""Where an agent finds its model: the gateway's address as a slot is told it."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from stewardbench.models.naming import MASKED
from stewardbench.records import Record


class Endpoint(Record):
    """An OpenAI-compatible base URL and the slot's secret."""

    base_url: str
    secret: str = Field(repr=False)
    socket: Path | None = None  # a Unix socket to the same gateway, for confined slots
    model: str = MASKED  # the name the agent is told; it never reaches the upstream
