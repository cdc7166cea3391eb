"""A rehearsal: a request just as a run will send it, with a test of the reply, so that faults show before the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from stewardbench.models.messages import ChatReply, ChatRequest


@dataclass(frozen=True)
class Rehearsal:
    """What is sent, to which role of a run, and ``fault``: what is wrong with a reply, or nothing."""

    name: str
    role: Literal["model", "judge"]
    request: ChatRequest
    fault: Callable[[ChatReply], str]
