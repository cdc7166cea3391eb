"""Checks of failure: of the model, of the agent's process, of the walls, and of the end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from stewardbench.agents.conformance.bench import CONVERSATION, QUESTION, Bench, NotApplicable, expect, scripted
from stewardbench.agents.interface import TurnOutcome
from stewardbench.errors import AgentError, ModelError
from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, Upstream

OUTSIDE, ENVIRONMENT = "outside.txt", "STEWARDBENCH_CONFORMANCE_KEY"
MARK = "walls-hold-no-secret-4711"
READERS = {"read": "path", "read_file": "path", "exec": "command", "terminal": "command"}
BOUND = 6


class Playing:
    """An upstream made of one function."""

    name = "conformance"

    def __init__(self, answer: Callable[[ChatRequest], ChatReply]) -> None:
        self._answer = answer

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer with the function."""
        return self._answer(request)


async def failure(bench: Bench) -> str:
    """A model that answers 500."""

    def fail(request: ChatRequest) -> ChatReply:
        raise ModelError("the model is down", status=500)

    outcome, error = await _one_turn(bench, Playing(fail))
    expect(bool(bench.gateway.exchanges), f"the model was never asked: {error}")
    if outcome is not None:
        expect(outcome.error is not None, f"a failed model call came back as the answer {outcome.reply[:80]!r}")
    return f"reported as {outcome.error if outcome else error}"[:120]


async def limit(bench: Bench) -> str:
    """A model that never stops calling a tool."""

    def loop(request: ChatRequest) -> ChatReply:
        if not request.tools:
            raise NotApplicable("the agent offers no tool")
        call = ToolCall(id=f"call_{len(request.messages)}", name=request.tools[0]["function"]["name"], arguments="{}")
        return ChatReply(tool_calls=(call,), finish_reason="tool_calls")

    outcome, error = await _one_turn(bench, Playing(loop), bound=BOUND)
    expect(bool(bench.gateway.exchanges), f"the model was never asked: {error}")
    answered = sum(each.reply is not None for each in bench.gateway.exchanges)
    expect(answered <= BOUND, f"the model answered {answered} calls where {BOUND} were allowed")
    if outcome is not None:
        bounded = outcome.error is not None or outcome.stopped_by_limit
        expect(bounded, f"an endless turn came back as the answer {outcome.reply[:80]!r}")
    return f"ended after {answered} model calls"


async def crash(bench: Bench) -> str:
    """Kill every process of the agent while it waits for its model; then run another episode."""
    killed: list[int] = []

    def kill(request: ChatRequest) -> ChatReply:
        for pid in bench.own_processes():
            killed.append(pid)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return ChatReply(text="The agent's processes are gone.")

    outcome, error = await _one_turn(bench, Playing(kill))
    expect(bool(bench.gateway.exchanges), f"the model was never asked: {error or (outcome and outcome.error)}")
    if not killed:
        raise NotApplicable("the agent has no process of its own")
    if outcome is not None:
        expect(outcome.error is not None, f"a dead agent answered {outcome.reply[:80]!r}")
    await bench.slot.reset()
    talk = await bench.converse("persist", [QUESTION], scripted("silent"))
    expect(talk.outcomes[0].error is None and bool(talk.outcomes[0].reply), "the next episode did not run")
    return f"named {type(error).__name__ if error else outcome and outcome.error}; the next episode ran"


async def walls(bench: Bench) -> str:
    """Look from inside the agent's processes at a file, a network and an environment of the host."""
    outside = bench.outside / OUTSIDE
    outside.write_text(MARK)
    seen: list[str] = []
    looked: set[int] = set()

    def look(request: ChatRequest) -> ChatReply:
        for pid in bench.own_processes():
            if _inside(pid):
                looked.add(pid)
                seen.extend(_breaches(pid, outside))
        if any(message.get("role") == "tool" for message in request.messages):
            if MARK in str(request.messages):
                seen.append("a tool read a file of the host")
            return ChatReply(text="Done.")
        calls = tuple(_readings(request, str(outside)))
        return ChatReply(
            text="" if calls else "Done.", tool_calls=calls, finish_reason="tool_calls" if calls else "stop"
        )

    await _one_turn(bench, Playing(look))
    if not bench.slot.confined:
        own = bench.own_processes()
        raise NotApplicable("the slot is not confined" if own else "the agent has no process of its own")
    expect(bool(looked), "the slot says that it is confined, and no confined process was found")
    expect(not seen, "; ".join(sorted(set(seen))))
    return f"{len(looked)} processes see no file, network or environment of the host"


async def secret(bench: Bench) -> str:
    """Search every capture for the slot's secret."""
    await bench.slot.reset()
    await bench.converse("persist", CONVERSATION, scripted("copier-memory"))
    holding = [path for path, state in bench.slot.capture().items() if bench.gateway.endpoint.secret in state.text]
    expect(not holding, f"the gateway's secret stands in {', '.join(holding)}")
    return "the gateway's secret is in no captured file"


async def shutdown(bench: Bench) -> str:
    """Close the slot, twice."""
    await bench.slot.close()
    await bench.slot.close()
    for _ in range(50):  # a killed process needs a moment to be gone
        if not (left := bench.own_processes()):
            return "no process is left"
        await asyncio.sleep(0.1)
    expect(False, f"processes are still there: {left}")
    return ""


async def _one_turn(
    bench: Bench, upstream: Upstream, *, bound: int | None = None
) -> tuple[TurnOutcome | None, AgentError | None]:
    """One turn after a reset: its outcome, or the error that it raised."""
    await bench.slot.reset()
    bench.gateway.begin(upstream)
    try:
        session = await bench.slot.open_session("persist", bench.new_session_id())
        try:
            bench.gateway.declare("persist", 1, bound)
            return await session.send(QUESTION), None
        finally:
            await session.close()
    except AgentError as error:
        return None, error
    finally:
        await bench.gateway.idle()


def _readings(request: ChatRequest, path: str) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for name in (tool["function"]["name"] for tool in request.tools):
        if name in READERS:
            argument = path if READERS[name] == "path" else f"cat {path}"
            text = f'{{"{READERS[name]}": "{argument}"}}'
            calls.append(ToolCall(id=f"call_{len(calls)}", name=name, arguments=text))
    return calls


def _inside(pid: int) -> bool:
    """Whether a process is behind the walls: the launcher itself is not."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() != "bwrap"
    except OSError:
        return False


def _breaches(pid: int, outside: Path) -> list[str]:
    """What a process can reach of the host, looked at through /proc."""
    process, found = Path(f"/proc/{pid}"), []
    with suppress(OSError):  # it ended, or may not be looked into
        if (process / "ns" / "net").readlink() == Path("/proc/self/ns/net").readlink():
            found.append("it has the host's network")
        if (process / "root" / outside.relative_to("/")).exists():
            found.append("it sees a file of the host")
        if MARK.encode() in (process / "environ").read_bytes():
            found.append("it has the host's environment")
    return found
