"""The real OpenClaw 2026.5.28 with scripted models: what no stand-in can prove."""

import asyncio
import json
import re
from contextlib import asynccontextmanager

import pytest

from stewardbench.agents.conformance import check_agent
from stewardbench.agents.interface import COMMIT_SURFACES, AgentSettings, Surface
from stewardbench.agents.openclaw import OpenClawAgent
from stewardbench.agents.openclaw.surfaces import surface
from stewardbench.errors import StaleIndex
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, ToolCall, message_text
from stewardbench.workspace.confinement import confinement_fault

pytestmark = [pytest.mark.real_agent, pytest.mark.xdist_group("openclaw")]
WARM_EPISODES = 6  # every kind of note twice; the bench runs twenty
NOTES = ("memory/2026-01-05.md", "MEMORY.md", "memory/plans/spring.md")


class Puppet:
    """A model that makes the tool calls that its user turn spells out: ``@call NAME JSON``, one per line."""

    name = "puppet"

    async def complete(self, request):
        users = [number for number, message in enumerate(request.messages) if message["role"] == "user"]
        asked = re.findall(r"@call (\w+) (\{.*\})", message_text(request.messages[users[-1]]))
        made = sum(len(message.get("tool_calls") or ()) for message in request.messages[users[-1] :])
        if made < len(asked):
            name, arguments = asked[made]
            call = ToolCall(id=f"call_{len(request.messages)}", name=name, arguments=arguments)
            return ChatReply(tool_calls=(call,), finish_reason="tool_calls")
        return ChatReply(text="Done.")


@asynccontextmanager
async def slot_of(tmp_path, **settings):
    async with Gateway(Puppet(), socket=tmp_path / "model.sock") as gateway:
        slot = await OpenClawAgent().open_slot(tmp_path / "slot", gateway.endpoint, AgentSettings(**settings))
        try:
            yield slot, gateway
        finally:
            await slot.close()


def call(name, **arguments):
    return f"@call {name} {json.dumps(arguments)}"


async def say(slot, stage, session_id, *texts):
    session = await slot.open_session(stage, session_id)
    outcomes = [await session.send(text) for text in texts]
    assert all(outcome.error is None for outcome in outcomes), outcomes
    flush = await session.settle()
    assert flush.quiescent
    await session.close()
    return outcomes


async def episode(slot, gateway, number, note):
    """Write a canary into a note, cut, search for it; returns the canaries that the search and the models saw."""
    canary = f"kestrel{number:03}"
    gateway.begin()
    await slot.reset()
    telling = f"From now on, always check the {canary} list before you plan."
    writing = call("write", path=note, content=f"- the harvest supper is planned, {canary}\n")
    await say(slot, "persist", f"{number:08x}", telling, writing, "Thank you.")
    captured = slot.capture()
    report = await slot.wipe()
    assert not report.survivors
    (found,) = await say(
        slot, "query", f"{number + 100:08x}", call("memory_search", query="the harvest supper is planned")
    )
    shown = " ".join(message_text(message) for each in gateway.exchanges for message in each.request.messages)
    durable = {
        path: state.text.replace(canary, "CANARY")
        for path, state in captured.items()
        if surface(path) in COMMIT_SURFACES
    }
    return (
        canary,
        set(re.findall(r"kestrel\d+", found.tool_uses[0].result)),
        set(re.findall(r"kestrel\d+", shown)),
        durable,
    )


def test_warm_episodes_find_their_own_note_and_never_anothers_and_equal_cold_ones(tmp_path):
    async def warm():
        async with slot_of(tmp_path / "warm") as (slot, gateway):
            first = None
            states = []
            for number in range(WARM_EPISODES):
                canary, found, shown, durable = await episode(slot, gateway, number, NOTES[number % len(NOTES)])
                assert found == {canary}
                assert shown == {canary}
                first = first or slot._gateway
                assert slot._gateway is first
                states.append(durable)
            return states

    async def cold():
        async with slot_of(tmp_path / "cold", options={"restart": "phase"}) as (slot, gateway):
            *_, durable = await episode(slot, gateway, 0, NOTES[0])
            return durable

    for folder in ("warm", "cold"):
        (tmp_path / folder).mkdir()
    states = asyncio.run(warm())
    assert states[0] == asyncio.run(cold())
    assert {surface(path) for path in states[0]} == set(COMMIT_SURFACES)


def test_an_index_whose_watcher_is_switched_off_goes_stale_and_is_noticed(tmp_path):
    off = {"agents": {"defaults": {"memorySearch": {"sync": {"watch": False}}}}}

    async def stale():
        async with slot_of(tmp_path, options={"config": off, "index_timeout_s": 0}) as (slot, _):
            await slot.reset()
            write = call("write", path="MEMORY.md", content="first")
            await say(slot, "persist", "a1", write, call("memory_search", query="first"))
            await say(slot, "persist", "a2", call("write", path="MEMORY.md", content="second"))
            with pytest.raises(StaleIndex, match=r"MEMORY\.md"):
                await slot.open_session("query", "a3")

    asyncio.run(stale())


def test_edits_to_instructions_are_durable_and_stray_files_never_counted(tmp_path):
    async def edited():
        async with slot_of(tmp_path) as (slot, _):
            await slot.reset()
            before = slot.capture()
            texts = [call("write", path=path, content="changed") for path in ("SOUL.md", "AGENTS.md", "stray.txt")]
            await say(slot, "persist", "a1", *texts)
            after = slot.capture()
            changed = {path for path in after if path not in before or before[path].sha256 != after[path].sha256}
            kept = {path: surface(path) for path in changed if surface(path) is not Surface.HISTORY}
            workspace = "home/.openclaw/workspace"
            assert kept == {
                f"{workspace}/SOUL.md": Surface.INSTRUCTIONS,
                f"{workspace}/AGENTS.md": Surface.INSTRUCTIONS,
                f"{workspace}/stray.txt": Surface.OTHER,
            }

    asyncio.run(edited())


@pytest.mark.skipif(confinement_fault() is not None, reason="agents cannot be confined here")
def test_exec_reaches_no_file_no_secret_and_no_port_of_the_host(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-host")
    outside = tmp_path / "outside.txt"
    outside.write_text("host file")

    async def confined():
        async with slot_of(tmp_path, tools="work", confine="required") as (slot, gateway):
            await slot.reset()
            port = gateway.endpoint.base_url.rpartition(":")[2].partition("/")[0]
            commands = [
                f"cat {outside}",
                "env",
                f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached",
                "touch /usr/written && echo wrote; echo alive",
            ]
            session = await slot.open_session("persist", "a1")
            outcomes = [await session.send(call("exec", command=f"bash -c '{command}'")) for command in commands]
            await session.close()
            results = [outcome.tool_uses[0].result for outcome in outcomes]
            assert "host file" not in results[0]
            assert "sk-of-the-host" not in results[1] and "HOME=/home/user" in results[1]
            assert "reached" not in results[2]
            assert "alive" in results[3] and "wrote" not in results[3]

    asyncio.run(confined())


def test_it_conforms():
    report = asyncio.run(check_agent(OpenClawAgent()))
    assert report.conforms, [result for result in report.results if result.status == "failed"]
    assert {result.name for result in report.results if result.status == "skipped"} <= {"walls"}


def test_without_the_wipe_old_transcripts_are_found_and_the_suite_says_so():
    settings = AgentSettings(session_search=True, options={"skip_wipe": True})
    report = asyncio.run(check_agent(OpenClawAgent(), settings, only=("wipe", "cheat")))
    assert {result.name: result.status for result in report.results} == {"wipe": "failed", "cheat": "failed"}
