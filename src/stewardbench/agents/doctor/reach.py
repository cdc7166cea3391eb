"""Whether an endpoint answers anything at all, asked before everything else, so that a dead one costs seconds."""

from __future__ import annotations

import asyncio

from stewardbench.agents.doctor import models
from stewardbench.agents.doctor.diagnosis import Diagnosis, bad
from stewardbench.agents.doctor.models import ADVICE, OTHER_ADVICE
from stewardbench.errors import ModelError, UsageError
from stewardbench.models.messages import ChatRequest, Upstream
from stewardbench.models.upstreams import open_upstream

ANSWER_S = 10.0
SILENT = frozenset({"connection", "timeout"})
SLOW = "If it is only slow, or still loading its model, give it longer with --answer-within SECONDS."


async def check_reach(names: list[str], opened: dict[str, Upstream], limit_s: float = ANSWER_S) -> dict[str, Diagnosis]:
    """The diagnosis of every model that does not answer within ``limit_s``; all are asked at the same time.

    An answer that is an error is one: the checks after this tell what it means. ``opened`` keeps the upstreams.
    """
    found = await asyncio.gather(*(_silence(name, opened, limit_s) for name in dict.fromkeys(names)))
    return {name: one for name, one in zip(dict.fromkeys(names), found, strict=True) if one is not None}


async def _silence(name: str, opened: dict[str, Upstream], limit_s: float) -> Diagnosis | None:
    try:
        opened[name] = opened.get(name) or open_upstream(name, patience_s=min(models.PATIENCE_S, limit_s / 3))
    except UsageError as error:
        return bad(f"endpoint {name}", error.message, error.hint)
    request = ChatRequest(messages=({"role": "user", "content": "Say yes."},))
    try:
        async with asyncio.timeout(limit_s):
            await opened[name].complete(request)
    except TimeoutError:
        return bad(f"endpoint {name}", f"timeout: no answer to a short question within {limit_s:g} s", SLOW)
    except ModelError as error:
        if error.kind in SILENT:
            said = f"HTTP {error.status}, {error.kind}: {error.message}"
            return bad(f"endpoint {name}", said, error.hint or ADVICE.get(error.status, OTHER_ADVICE))
    return None
