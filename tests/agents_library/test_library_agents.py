import asyncio
import re
import sys
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

import pytest

from stewardbench.agents.interface import AgentSettings, Surface
from stewardbench.agents.library import Entry, entries
from stewardbench.agents.library.slot import LibrarySlot, Program
from stewardbench.agents.sdk_agent import LangGraphAgent
from stewardbench.agents.vector_store import Mem0Agent
from stewardbench.errors import AgentCrashed, AgentError, ConfinementError, ReviewFailed, UsageError
from stewardbench.models.gateway import Gateway
from stewardbench.models.scripted.model import ScriptedModel
from stewardbench.workspace.tree import file_state

CHILD = Path(__file__).with_name("library_child.py")


@asynccontextmanager
async def open_slot(tmp_path):
    async with Gateway(ScriptedModel("silent"), socket=tmp_path / "model.sock") as gateway:
        program = Program("stand-in", Path(sys.prefix), CHILD, {})
        slot = LibrarySlot(program, tmp_path / "slot", gateway.endpoint, AgentSettings(), confined=False)
        try:
            yield slot, gateway
        finally:
            await slot.close()


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 60))


def test_what_is_kept_is_captured_entry_by_entry_and_fills_the_next_session(tmp_path):
    async def episode():
        async with open_slot(tmp_path) as (slot, _):
            await slot.reset()
            session = await slot.open_session("persist", "s1")
            outcome = await session.send("keep the tea is green")
            assert (outcome.reply, outcome.tool_uses[0].name) == ("You said: keep the tea is green", "keep")
            await session.close()
            captured = slot.capture()
            assert captured["store/memory/0"].text == "the tea is green"
            assert captured["session/history.txt"].text == "what was said\n"
            report = await slot.wipe()
            assert report.removed == ("session/history.txt",)
            assert (report.kept, report.survivors) == (("store/memory/0",), ())
            session = await slot.open_session("query", "s2")
            assert (await session.send("files")).reply == "0"
            assert slot.capture()["store/memory/0"].text == "the tea is green"

    run(episode())


def test_a_captured_store_can_be_put_into_a_clean_slot(tmp_path):
    async def episode():
        async with open_slot(tmp_path) as (slot, _):
            await slot.reset()
            tree = entries.as_tree(
                [Entry(kind="skill", key="tea", text="steep"), Entry(kind="profile", key="a", text="b")]
            )
            slot.restore_durable(tree)
            assert slot.capture() == tree
            await slot.open_session("query", "s1")
            assert {path: state for path, state in slot.capture().items() if path.startswith("store/")} == tree
            await slot.reset()
            assert slot.capture() == {}

    run(episode())


def test_a_library_that_cannot_write_or_dies_is_named(tmp_path):
    async def episode():
        async with open_slot(tmp_path) as (slot, gateway):
            session = await slot.open_session("persist", "s1")
            with pytest.raises(ReviewFailed, match="read-only"):
                await session.send("unwritten")
            outcome = await session.send("secret")
            assert outcome.error == "refused: [secret]"
            assert gateway.endpoint.secret not in outcome.error
            assert (await session.send("print")).reply == "You said: print"
            with pytest.raises(AgentCrashed, match="exit code 3"):
                await session.send("die")
            session = await slot.open_session("persist", "s2")
            assert (await session.send("hello")).reply == "You said: hello"

    run(episode())


def test_a_confined_slot_needs_the_socket(tmp_path):
    async def opened():
        async with Gateway(ScriptedModel("silent")) as gateway:
            program = Program("stand-in", Path(sys.prefix), CHILD, {})
            LibrarySlot(program, tmp_path, gateway.endpoint, AgentSettings(), confined=True)

    with pytest.raises(ConfinementError):
        run(opened())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("store/profile/a", Surface.PROFILE),
        ("store/memory/a/b", Surface.MEMORY),
        ("store/skill/tea", Surface.SKILL),
        ("store/other/a", Surface.HISTORY),
        ("store/memory", Surface.HISTORY),
        ("session/history.db", Surface.HISTORY),
        ("", Surface.HISTORY),
    ],
)
def test_entries_are_surfaces_and_all_else_is_history(path, expected):
    assert entries.surface(path) is expected
    assert Mem0Agent().surface(path) is expected


def test_a_store_survives_the_way_through_a_tree_and_broken_bytes_are_refused():
    held = (Entry(kind="memory", key="a", text="one\n"), Entry(kind="skill", key="b/c", text="two \u00e9"))
    assert tuple(entries.from_tree(entries.as_tree(held))) == held
    broken = file_state("store/memory/a", b"\xff")
    with pytest.raises(AgentError, match="not UTF-8"):
        list(entries.from_tree({"store/memory/a": broken}))


@pytest.mark.parametrize("agent", [Mem0Agent(), LangGraphAgent()], ids=lambda agent: agent.name)
def test_the_version_is_the_locked_one_and_other_settings_are_refused(agent):
    lock = (files(agent.package) / "requirements.lock").read_text()
    version = agent.version(AgentSettings())
    assert f"\n{agent.distribution}=={version} " in f"\n{lock}"
    assert all("--hash=sha256:" in block for block in re.split(r"\n(?=\S)", lock.strip()))
    assert agent.version(AgentSettings(version=version)) == version
    for wrong in ({"version": "0.1"}, {"review": "often"}, {"tools": "full"}, {"options": {"x": 1}}):
        with pytest.raises(UsageError):
            agent.version(AgentSettings(**wrong))
