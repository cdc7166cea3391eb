"""The suite: every check with what it proves, in the order in which they run on one slot."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stewardbench.agents.conformance import faults, outside, plants, state, talk
from stewardbench.agents.conformance.bench import (
    Bench,
    CheckFailed,
    NotApplicable,
    NotAttestable,
    NotExercised,
    processes,
)
from stewardbench.agents.conformance.report import CheckResult, ConformanceReport
from stewardbench.agents.interface import Agent, AgentSettings, unseen_of
from stewardbench.errors import UsageError
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import Upstream
from stewardbench.models.scripted.model import ScriptedModel


class Check(NamedTuple):
    """One check: its name, what passing it proves, and what it does."""

    name: str
    proves: str
    run: Callable[[Bench], Awaitable[str]]


CHECKS = (
    Check("identity", "it has a name and a version, and every path has a surface", talk.identity),
    Check("tools", "its model is offered tools", talk.tools),
    Check("turns", "the request of turn k holds turns 1 to k, and every turn is answered", talk.turns),
    Check("silent", "what the model does not save is not saved", state.silent),
    Check("profile", "a claim saved in the profile is captured there alone", state.profile),
    Check("memory", "a claim saved in memory is captured there alone", state.memory),
    Check("note", "a claim saved in a note that no prompt shows is captured as memory", state.note),
    Check("skill", "a claim saved as a skill is captured there alone", state.skill),
    Check("wipe", "the wipe removes all history and changes no durable byte", state.wipe),
    Check("fresh", "a fresh session holds nothing of an earlier conversation", talk.fresh),
    Check("cheat", "no way back into old transcripts finds anything", talk.cheat),
    Check("durable", "what was saved reaches a fresh session", state.durable),
    Check("fork", "durable state can be copied, and each copy feeds its own session", state.fork),
    Check("reset", "reset restores the same baseline", state.reset),
    Check("apart", "nothing of one episode reaches the next", talk.apart),
    Check("neutral", "the model is not told the stage", talk.neutral),
    Check("failure", "a failed model call is an error, never an answer", faults.failure),
    Check("limit", "a model that loops is stopped, and that is no answer", faults.limit),
    Check("secret", "the gateway's secret is captured nowhere", faults.secret),
    Check("walls", "its processes see no file, network or environment of the host", faults.walls),
    Check("plants", "no mark that its programs leave is found in the query session or the next episode", plants.plants),
    Check("crash", "a killed process is named, and the next episode runs", faults.crash),
    Check("shutdown", "closing twice leaves no process", faults.shutdown),
)

OUTSIDE_CHECKS = (
    Check("identity", "it has a name and a version, and every path has a surface", talk.identity),
    Check("answers", "every turn of a conversation is answered", outside.answers),
    Check(
        "reset", "what is exported of a new user is the same each time, and nothing of an earlier one", outside.reset
    ),
    Check("apart", "no answer to a new user holds anything of an earlier one", outside.apart),
    Check("wipe", "a new session changes nothing in what is exported", outside.wipe),
    Check("fresh", "no answer in a new session holds what was said in an earlier one and not saved", outside.fresh),
    Check("neutral", "the assistant is not told the stage", outside.neutral),
    Check("failure", "a failed call is an error, never an answer", outside.failure),
    Check("secret", "the gateway's secret reaches neither the assistant nor its export", outside.secret),
    Check("shutdown", "closing twice leaves no process", faults.shutdown),
    *(Check(each.name, each.proves, outside.unseen(each.name)) for each in CHECKS if each.name in outside.UNSEEN),
)


async def check_agent(
    agent: Agent,
    settings: AgentSettings | None = None,
    *,
    only: tuple[str, ...] = (),
    upstream: Upstream | None = None,
    report: Callable[[CheckResult], None] = lambda result: None,
) -> ConformanceReport:
    """Run the suite, or the named checks of it, on an agent; ``report`` sees each result as it comes.

    The models are scripted, so no key is needed. An agent that is seen from outside only has a suite of its own
    (``outside``) and needs its ``upstream``, the assistant behind its address. Raises what opening a slot raises, an
    agent that is not installed or cannot be confined as asked has nothing to check; and UsageError without an upstream.
    """
    settings = settings or AgentSettings()
    from_outside = bool(unseen_of(agent, settings))
    if from_outside and upstream is None:
        raise UsageError(f"{agent.name}: which assistant?", hint="Add --model URL#NAME, as `run pasb` takes it.")
    results: list[CheckResult] = []
    with tempfile.TemporaryDirectory(prefix="check-") as folder, _marked_environment():
        root, others = Path(folder), processes()
        async with Gateway(upstream or ScriptedModel("silent"), socket=root / "gateway.sock") as gateway:
            slot = await agent.open_slot(root / "slot", gateway.endpoint, settings)
            bench = Bench(agent, settings, slot, gateway, outside=root, others=others, upstream=upstream)
            try:
                for check in OUTSIDE_CHECKS if from_outside else CHECKS:
                    if not only or check.name in only:
                        results.append(await _run(check, bench))
                        report(results[-1])
            finally:
                await slot.close()
    return ConformanceReport(
        agent=agent.name,
        version=agent.version(settings),
        review=settings.review,
        tools=settings.tools,
        confined=slot.confined,
        results=tuple(results),
    )


async def _run(check: Check, bench: Bench) -> CheckResult:
    started = time.perf_counter()
    bench.channels.clear()
    try:
        detail = await check.run(bench)
        status = "passed"
    except NotApplicable as reason:
        status, detail = "skipped", str(reason)
    except NotAttestable as reason:
        status, detail = "open", str(reason)
    except NotExercised as reason:
        status, detail = "missing", str(reason)
    except CheckFailed as fault:
        status, detail = "failed", str(fault)
    except Exception as error:  # an agent under test may raise anything, and the other checks still count
        status, detail = "failed", f"{type(error).__name__}: {error}"
    return CheckResult.model_validate(
        {
            "name": check.name,
            "proves": check.proves,
            "status": status,
            "detail": detail,
            "channels": dict(bench.channels),
            "elapsed_s": round(time.perf_counter() - started, 2),
        }
    )


@contextmanager
def _marked_environment() -> Iterator[None]:
    """A variable in our own environment that no confined process may have."""
    os.environ[faults.ENVIRONMENT] = faults.MARK
    try:
        yield
    finally:
        del os.environ[faults.ENVIRONMENT]
