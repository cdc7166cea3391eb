"""Checks of conversations: complete within one session, and nothing of them in the next."""

from __future__ import annotations

import re

from stewardbench.agents.conformance.bench import (
    CANARY,
    CLAIM,
    CONVERSATION,
    QUESTION,
    Bench,
    expect,
    mentions,
    scripted,
)
from stewardbench.agents.interface import Surface
from stewardbench.models.messages import message_text

PATHS = ("", ".", "/", "a", "memory/x.md", "../../etc/passwd", "\u00e9\u4e2d\udcff", "a" * 5000)


async def identity(bench: Bench) -> str:
    """Ask for the names, and for the surface of odd paths."""
    agent, version = bench.agent, bench.agent.version(bench.settings)
    expect(bool(agent.name) and agent.name == agent.name.strip(), f"the agent's name is {agent.name!r}")
    expect(bool(version.strip()), "the agent names no version")
    wrong = [path[:20] for path in PATHS if not isinstance(agent.surface(path), Surface)]
    expect(not wrong, f"no surface is named for {wrong}")
    return f"{agent.name} {version}"


async def turns(bench: Bench) -> str:
    """Three turns in one session."""
    await bench.slot.reset()
    talk = await bench.converse("persist", CONVERSATION, scripted("silent"))
    for number in range(1, len(CONVERSATION) + 1):
        own = [each for each in talk.exchanges if each.turn == number]
        expect(bool(own), f"turn {number} asked the model nothing")
        asked = [message_text(message) for message in own[0].request.messages if message.get("role") == "user"]
        held = [any(mentions(text, said) for said in asked) for text in CONVERSATION]
        wanted = [k < number for k in range(len(CONVERSATION))]
        expect(held == wanted, f"turn {number}'s request holds the turns {[k + 1 for k, h in enumerate(held) if h]}")
    replies = [outcome.reply for outcome in talk.outcomes]
    expect(all(replies), f"a turn came back empty: {replies}")
    expect(all(outcome.error is None for outcome in talk.outcomes), "a turn came back with an error")
    return f"{len(talk.exchanges)} model calls for {len(CONVERSATION)} turns"


async def tools(bench: Bench) -> str:
    """Look at the tools in the first request."""
    await bench.slot.reset()
    talk = await bench.converse("persist", [QUESTION], scripted("silent"))
    names = sorted({tool["function"]["name"] for each in talk.exchanges for tool in each.request.tools})
    expect(bool(names), "no request offers the model a tool, so nothing can ever be saved on purpose")
    return ", ".join(names)


async def fresh(bench: Bench) -> str:
    """A fresh session after a conversation that saved nothing."""
    await bench.told("silent")
    await bench.slot.wipe()
    talk = await bench.asked("silent")
    held = [text for text in (*CONVERSATION, CANARY) if mentions(text, talk.asked())]
    expect(not held, f"a fresh session's requests hold {held}")
    users = [m for each in talk.exchanges for m in each.request.messages if QUESTION in message_text(m)]
    expect(bool(users), "the question did not reach the model")
    return "no turn and no canary of the earlier conversation"


async def cheat(bench: Bench) -> str:
    """A model that tries every way back into history."""
    await bench.told("history-cheat")
    await bench.slot.wipe()
    talk = await bench.converse("query", [QUESTION] * 3, scripted("history-cheat"))
    seen = "\n".join([talk.asked(), *(outcome.reply for outcome in talk.outcomes)])
    expect(not mentions(CANARY, seen), "the canary of the earlier conversation was found")
    tried = sorted({use.name for outcome in talk.outcomes for use in outcome.tool_uses})
    return f"tried {', '.join(tried)}" if tried else "no tool leads back"


async def apart(bench: Bench) -> str:
    """A second episode after one that saved the claim."""
    await bench.told("copier-memory")
    await bench.slot.reset()
    talk = await bench.converse("persist", [QUESTION, QUESTION], scripted("echo"))
    held = [text for text in (*CONVERSATION, CANARY, CLAIM) if mentions(text, talk.asked())]
    expect(not held, f"the next episode's requests hold {held}")
    return "nothing of one episode reached the next"


async def neutral(bench: Bench) -> str:
    """The same words in both stages."""
    shown = []
    for stage in ("persist", "query"):
        await bench.slot.reset()
        talk = await bench.converse(stage, [QUESTION], scripted("silent"))
        first = talk.exchanges[0].request.messages  # later ones may be the agent's own reviews
        shown.append(_masked("\n".join(map(message_text, first))))
    expect(shown[0] == shown[1], f"the model is told its stage: {_difference(*shown)}")
    return "the model sees the same words in either stage"


def _masked(text: str) -> str:
    """A text without what differs between any two sessions: dates, times, ids."""
    return re.sub(r"\S*\d\S*", "#", text)


def _difference(one: str, other: str) -> str:
    pairs = zip(one.splitlines(), other.splitlines(), strict=False)
    return next((f"{a[:80]!r} against {b[:80]!r}" for a, b in pairs if a != b), "one text is longer")
