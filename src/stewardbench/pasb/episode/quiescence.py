"""When the persist stage has really ended: no writer is left, and the files stay as they are (paper B.5).

quiescence   wait for the agent's background writers, then for the model calls, then until the durable files are
             the same twice in a row; the paper's fixed wait is the cap
fixed        wait the paper's fixed time first, for parity with published runs
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from stewardbench.agents.interface import AgentSession, Flush
from stewardbench.errors import ReviewFailed
from stewardbench.pasb.episode.attestation import PathRule, durable_sha256
from stewardbench.pasb.episode.turns import Rig

FlushPolicy = Literal["quiescence", "fixed"]
FIXED_WAIT_S = {"hermes": 15.0, "openclaw": 20.0}  # paper B.5
LONGEST_FIXED_WAIT_S = max(FIXED_WAIT_S.values())
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of day, and a way to wait. Tests give their own."""

    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]


WALL_CLOCK = Clock(now=lambda: datetime.now(UTC), sleep=asyncio.sleep)


def fixed_wait_s(agent: str) -> float:
    """The paper's wait for an agent, in seconds; the longest one for agents that the paper did not run."""
    return FIXED_WAIT_S.get(agent, LONGEST_FIXED_WAIT_S)


async def wait_until_quiet(
    session: AgentSession,
    rig: Rig,
    *,
    policy: FlushPolicy,
    cap_s: float,
    surface: PathRule,
    clock: Clock = WALL_CLOCK,
) -> Flush:
    """Wait as the policy says. Raises ReviewFailed when a model call outlives the cap, since its writes are unknown.

    Files that still change at the cap are named in ``pending`` and make the flush not quiescent, as the paper's wait
    would have cut them off too.
    """
    waited = 0.0
    if policy == "fixed":
        await clock.sleep(cap_s)
        waited = cap_s
    settled = await session.settle()
    try:
        async with asyncio.timeout(cap_s):
            await rig.calls.idle()
    except TimeoutError:
        raise ReviewFailed(f"a model call was still running {cap_s:g} s after the last answer.") from None
    watched, stable = 0.0, False
    seen = durable_sha256(rig.slot.capture(), surface)
    while not stable and watched < cap_s:
        await clock.sleep(POLL_S)
        watched += POLL_S
        now = durable_sha256(rig.slot.capture(), surface)
        stable, seen = now == seen, now
    return Flush(
        policy=policy,
        waited_s=round(settled.waited_s + waited + watched, 3),
        quiescent=settled.quiescent and stable,
        background_reviews=settled.background_reviews,
        pending=settled.pending if stable else (*settled.pending, "durable files still changing"),
        tool_uses=settled.tool_uses,
    )
