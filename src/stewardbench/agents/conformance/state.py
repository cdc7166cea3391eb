"""Checks of durable state: what is captured, what the wipe removes, what reset and fork restore."""

from __future__ import annotations

from stewardbench.agents.conformance.bench import (
    CANARY,
    CLAIM,
    Bench,
    NotApplicable,
    NotExercised,
    Talk,
    expect,
    mentions,
)
from stewardbench.agents.interface import DURABLE_SURFACES, Surface, saves_of
from stewardbench.workspace.tree import Tree, diff

UNCOUNTED = (Surface.OTHER, Surface.CONFIG)  # a proposal may hold the claim beside the skill that it became


async def profile(bench: Bench) -> str:
    """Save in the profile."""
    return await _saved(bench, "copier-profile", Surface.PROFILE)


async def memory(bench: Bench) -> str:
    """Save in memory."""
    return await _saved(bench, "copier-memory", Surface.MEMORY)


async def note(bench: Bench) -> str:
    """Save in a note that no prompt shows; agents without such notes save in memory."""
    return await _saved(bench, "copier-note", Surface.MEMORY)


async def skill(bench: Bench) -> str:
    """Save as a skill."""
    return await _saved(bench, "copier-skill", Surface.SKILL)


async def silent(bench: Bench) -> str:
    """Save nothing."""
    await bench.slot.reset()
    before = bench.slot.capture()
    await bench.told("silent")
    found = bench.surfaces_of(CLAIM, before, bench.slot.capture())
    written = [path for surface in DURABLE_SURFACES for path in found.get(surface, [])]
    expect(not written, f"the model called no tool, and the claim stands in {', '.join(written)}")
    return "no commit surface holds the claim"


async def wipe(bench: Bench) -> str:
    """Wipe after a conversation that saved the claim."""
    await bench.told("copier-memory")
    captured = bench.slot.capture()
    report = await bench.slot.wipe()
    start = bench.slot.capture()
    expect(not report.survivors, f"the wipe reports survivors: {', '.join(report.survivors)}")
    history = [path for path in start if bench.agent.surface(path) is Surface.HISTORY]
    expect(not history, f"history is still there: {', '.join(history)}")
    same = bench.durable_sha256(captured) == bench.durable_sha256(start)
    expect(same, f"the wipe changed durable files: {_changed(bench, captured, start)}")
    new = [path for path, state in start.items() if path not in captured or captured[path].sha256 != state.sha256]
    expect(not new, f"files appeared or changed in the wipe: {', '.join(new)}")
    return f"{len(report.removed)} paths removed, {len(start)} kept"


async def reset(bench: Bench) -> str:
    """Reset after an episode."""
    await bench.slot.reset()
    clean, digest = bench.slot.capture(), bench.slot.baseline_sha256
    await bench.told("copier-memory")
    await bench.slot.reset()
    again = bench.slot.capture()
    same = bench.durable_sha256(clean) == bench.durable_sha256(again)
    expect(same, f"the second baseline differs: {_changed(bench, clean, again)}")
    expect(bench.slot.baseline_sha256 == digest, "the slot reports another baseline hash")
    holding = [path for path, state in again.items() if CANARY in state.text or mentions(CLAIM, state.text)]
    expect(not holding, f"the earlier conversation is still in {', '.join(holding)}")
    return f"baseline {digest[:12]} twice"


async def durable(bench: Bench) -> str:
    """Ask in a fresh session about what was saved."""
    await _saved(bench, "copier-memory", Surface.MEMORY)
    await bench.slot.wipe()
    talk = await bench.asked("echo")
    expect(mentions(CLAIM, talk.outcomes[0].reply), "a fresh session is not shown what memory holds")
    return "the claim reached a fresh session"


async def fork(bench: Bench) -> str:
    """Put captured state back after a reset, and the baseline after that."""
    await _saved(bench, "copier-memory", Surface.MEMORY)
    await bench.slot.wipe()
    state = bench.slot.capture()
    for copy in ("first", "second"):
        await bench.slot.reset()
        bench.slot.restore_durable(state)
        same = bench.durable_sha256(bench.slot.capture()) == bench.durable_sha256(state)
        expect(same, f"the {copy} copy differs: {_changed(bench, state, bench.slot.capture())}")
        talk = await bench.asked("echo")
        expect(mentions(CLAIM, talk.outcomes[0].reply), f"the {copy} copy does not reach its session")
    await bench.slot.reset()
    talk = await bench.asked("echo")
    expect(not mentions(CLAIM, talk.asked()), "after the copies, a clean slot still shows the claim")
    return "two copies fed two sessions; a clean slot showed nothing"


async def _saved(bench: Bench, script: str, surface: Surface) -> str:
    kind = script.removeprefix("copier-")
    declared = saves_of(bench.agent).get(kind)
    if declared is not None and not declared and kind != "note":
        raise NotApplicable(f"the agent declares that it saves nothing on {surface.value}")
    await bench.slot.reset()
    before = bench.slot.capture()
    talk = await bench.told(script)
    if not any(outcome.tool_uses for outcome in talk.outcomes):
        called = any(each.reply and each.reply.tool_calls for each in talk.exchanges)
        expect(not called, "the model called a tool, and the turn's tool uses are empty")
        raise NotExercised(_undeclared(kind, surface, talk))
    found = bench.surfaces_of(CLAIM, before, bench.slot.capture())
    committed = [each for each in DURABLE_SURFACES if each in found]
    expect(
        committed == [surface], f"saved on {surface.value}, captured on {[each.value for each in found] or 'nothing'}"
    )
    stray = [path for each in UNCOUNTED for path in found.get(each, [])]
    expect(not stray, f"the claim also stands in uncounted files: {', '.join(stray)}")
    return f"captured in {', '.join(found[surface])}"


def _undeclared(kind: str, surface: Surface, talk: Talk) -> str:
    tools = ", ".join(_offered(talk)) or "no tool at all"
    return (
        f"no offered tool is known to save on {surface.value} (offered: {tools}). Declare it with the agent: "
        f"saves = {{'{kind}': [{{'tools': [NAME], 'arguments': {{ARGUMENT: '$line'}}}}]}}, "
        f"or saves = {{'{kind}': []}} where there is none"
    )


def _offered(talk: Talk) -> list[str]:
    return sorted({str(tool["function"]["name"]) for each in talk.exchanges for tool in each.request.tools})


def _changed(bench: Bench, before: Tree, after: Tree) -> str:
    paths = [change.path for change in diff(before, after) if bench.agent.surface(change.path) is not Surface.HISTORY]
    return ", ".join(paths)
