"""mem0 and LangGraph for real, with scripted models."""

import asyncio
import re

import pytest

from stewardbench.agents.conformance import check_agent
from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.sdk_agent import LangGraphAgent
from stewardbench.agents.vector_store import Mem0Agent
from stewardbench.models.gateway import Gateway
from stewardbench.models.messages import ChatReply, message_text

pytestmark = [pytest.mark.real_agent, pytest.mark.xdist_group("library")]
WITHOUT = {"mem0": {"profile", "skill"}, "langgraph": set()}  # what the agent has no place for


@pytest.mark.parametrize("agent", [Mem0Agent(), LangGraphAgent()], ids=lambda agent: agent.name)
def test_it_conforms(agent):
    report = asyncio.run(check_agent(agent))
    assert report.conforms, [result for result in report.results if result.status == "failed"]
    skipped = {result.name for result in report.results if result.status == "skipped"}
    assert skipped - {"walls"} == WITHOUT[agent.name]


class Extractor:
    """Answers a chat, and mem0's own extraction with one memory; keeps what the extraction was shown."""

    name = "extractor"

    def __init__(self):
        self.extractions = []

    async def complete(self, request):
        if request.tools:
            return ChatReply(text="I see.")
        self.extractions.append(message_text(request.messages[-1]))
        return ChatReply(text='{"memory": [{"id": "0", "text": "Likes green tea", "attributed_to": "user"}]}')


def test_mem0_extracts_by_itself_and_its_store_of_last_messages_does_not_outlive_the_cut(tmp_path):
    model = Extractor()

    async def episode():
        async with Gateway(model, socket=tmp_path / "model.sock") as gateway:
            slot = await Mem0Agent().open_slot(tmp_path / "slot", gateway.endpoint, AgentSettings())
            try:
                await slot.reset()
                session = await slot.open_session("persist", "s1")
                await session.send("My canary is heron.")
                await session.send("And I like green tea.")
                assert "heron" in model.extractions[-1]  # mem0 shows its extraction the last messages
                await session.close()
                texts = [state.text for path, state in slot.capture().items() if path.startswith("store/memory/")]
                assert texts == ["Likes green tea"]
                assert "session/history.db" in (await slot.wipe()).removed
                session = await slot.open_session("query", "s2")
                await session.send("Do I like green tea?")
                assert not re.search("heron", model.extractions[-1])
                shown = message_text(gateway.exchanges[-2].request.messages[0])
                assert "Likes green tea" in shown
            finally:
                await slot.close()

    asyncio.run(episode())
