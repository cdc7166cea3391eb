"""Checks of an assistant that is seen from outside only: what can be told from its answers and its export.

Its model is its own, so no scripted model can drive it, and nothing proves what it did with what it was told. The
checks of the suite that would need that are listed as open, each with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from stewardbench.agents.conformance.bench import (
    CANARY,
    CONVERSATION,
    QUESTION,
    Bench,
    NotAttestable,
    Talk,
    expect,
)
from stewardbench.agents.interface import unseen_of
from stewardbench.errors import AgentError, ModelError
from stewardbench.models.messages import ChatReply, ChatRequest, control

ASKING = "Which reference did I give you for our chat? Name it exactly, or say that you know of none."
OWN_MODEL = "the assistant's model is its own, so no scripted model can make it do this"
UNSEEN = {
    **dict.fromkeys(("tools", "turns", "silent", "profile", "memory", "note", "skill", "durable", "cheat"), OWN_MODEL),
    "fork": "its memory cannot be set from outside",
    "limit": OWN_MODEL,
    "walls": "it runs on a machine of its own",
    "plants": "its processes are out of reach",
    "crash": "its processes are out of reach",
}


async def answers(bench: Bench) -> str:
    """Three turns in one session."""
    await bench.slot.reset()
    talk = await bench.heard("persist", CONVERSATION)
    _answered(talk)
    return f"{len(talk.outcomes)} turns answered"


async def reset(bench: Bench) -> str:
    """Two new users, the second after the first has talked."""
    _needs_export(bench)
    await bench.slot.reset()
    before, digest = bench.slot.capture(), bench.slot.baseline_sha256
    _answered(await bench.heard("persist", CONVERSATION))
    await bench.slot.reset()
    after = bench.slot.capture()
    holding = [path for path, state in after.items() if CANARY in state.text]
    expect(not holding, f"a new user's export holds what an earlier one said: {', '.join(holding)}")
    expect(bench.slot.baseline_sha256 == digest and before == after, "two new users have different exports")
    return f"{len(after)} entries at the start, the same twice"


async def apart(bench: Bench) -> str:
    """Ask a new user's session for what an earlier user said."""
    await bench.slot.reset()
    _answered(await bench.heard("persist", CONVERSATION))
    await bench.slot.reset()
    talk = await bench.heard("persist", [ASKING])
    _answered(talk)
    expect(CANARY not in talk.outcomes[0].reply, "a new user was told what an earlier one had said")
    return "the canary of the earlier user was not in the answer"


async def wipe(bench: Bench) -> str:
    """The export before and after a new session begins."""
    _needs_export(bench)
    await bench.slot.reset()
    _answered(await bench.heard("persist", CONVERSATION))
    before = bench.slot.capture()
    await bench.slot.wipe()
    after = bench.slot.capture()
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    expect(not changed, f"a new session changed {', '.join(changed)}")
    return f"{len(before)} entries, the same"


async def fresh(bench: Bench) -> str:
    """Ask a new session of the same user for what was said in the old one."""
    await bench.slot.reset()
    _answered(await bench.heard("persist", CONVERSATION))
    await bench.slot.wipe()
    saved = any(CANARY in state.text for state in bench.slot.capture().values())
    talk = await bench.heard("query", [ASKING])
    _answered(talk)
    if CANARY not in talk.outcomes[0].reply:
        return "the canary of the earlier session was not in the answer"
    if saved:
        return "the canary was in the answer, and the export holds it"
    if "commit" in unseen_of(bench.agent, bench.settings):
        raise NotAttestable("the answer holds the canary: from memory or from the old session, without an export")
    expect(False, "the answer holds the canary of the earlier session, and the export does not")
    return ""


async def neutral(bench: Bench) -> str:
    """The same requests in both stages, but for the names of user and session."""
    sent = []
    for stage in ("persist", "query"):
        await bench.slot.reset()
        talk = await bench.heard(stage, [QUESTION])
        sent.append([_masked(each.request) for each in talk.exchanges])
    expect(bool(sent[0]) and sent[0] == sent[1], "the requests of the two stages differ")
    return "the assistant is sent the same in either stage"


async def failure(bench: Bench) -> str:
    """A call that fails with 500 on its way."""
    assert bench.upstream is not None
    await bench.slot.reset()
    bench.gateway.begin(_Failing(bench.upstream))
    outcome = error = None
    try:
        session = await bench.slot.open_session("persist", "5eed5eed5eed5eed")
        bench.gateway.declare("persist", 1)
        outcome = await session.send(QUESTION)
        await session.close()
    except AgentError as raised:
        error = raised
    expect(bool(bench.gateway.exchanges), f"the assistant was never asked: {error}")
    if outcome is not None:
        expect(outcome.error is not None, f"a failed call came back as the answer {outcome.reply[:80]!r}")
    return f"reported as {outcome.error if outcome else error}"[:120]


async def secret(bench: Bench) -> str:
    """Search what was sent and what is exported."""
    await bench.slot.reset()
    talk = await bench.heard("persist", CONVERSATION)
    secret = bench.gateway.endpoint.secret
    expect(secret not in "".join(each.request.to_json() for each in talk.exchanges), "a request holds the secret")
    holding = [path for path, state in bench.slot.capture().items() if secret in state.text]
    expect(not holding, f"the gateway's secret stands in {', '.join(holding)}")
    return "the gateway's secret was not sent and is in no exported entry"


def unseen(name: str) -> Callable[[Bench], Awaitable[str]]:
    """The check of that name, left open with its reason."""

    async def run(bench: Bench) -> str:
        raise NotAttestable(UNSEEN[name])

    return run


class _Failing:
    """The assistant, with every chat call failing."""

    def __init__(self, upstream: object) -> None:
        self.name, self._upstream = "failing", upstream

    async def complete(self, request: ChatRequest) -> ChatReply:
        raise ModelError("the assistant is down", status=500)

    async def control(self, action: str, body: dict[str, Any]) -> dict[str, Any]:
        return await control(self._upstream, action, body)


def _answered(talk: Talk) -> None:
    """Raise CheckFailed unless every turn has an answer: with none, nothing was checked."""
    for number, outcome in enumerate(talk.outcomes, 1):
        expect(outcome.error is None, f"turn {number} came back with an error: {outcome.error}")
        expect(bool(outcome.reply.strip()), f"turn {number} came back empty")


def _needs_export(bench: Bench) -> None:
    if "commit" in unseen_of(bench.agent, bench.settings):
        raise NotAttestable("nothing of its memory is exported")


def _masked(request: ChatRequest) -> str:
    """A request without names that differ between any two sessions."""
    return re.sub(r"[\w-]*\d[\w-]*", "#", request.to_json())
