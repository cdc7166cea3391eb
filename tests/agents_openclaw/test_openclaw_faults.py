import os

import httpx
import pytest
from openclaw_doubles import open_slot, run

from stewardbench.agents.interface import Surface
from stewardbench.agents.openclaw import slot as slot_module
from stewardbench.agents.openclaw.surfaces import surface
from stewardbench.errors import AgentCrashed, AgentError, AgentHung, StaleIndex
from stewardbench.workspace.processes import descendants


@pytest.fixture(autouse=True)
def no_process_is_left():
    before = set(descendants(os.getpid()))
    yield
    assert set(descendants(os.getpid())) <= before


async def one_turn(slot, text="hello", session="s1"):
    await slot.reset()
    session = await slot.open_session("persist", session)
    return await session.send(text)


def test_a_turn_is_answered_and_its_transcript_read(tmp_path):
    async def episode():
        async with open_slot(tmp_path) as (slot, gateway):
            outcome = await one_turn(slot)
            assert (outcome.reply, outcome.error, outcome.model_calls) == ("You said: hello", None, 1)
            assert len(gateway.exchanges) == 1

    run(episode())


def test_a_lost_race_for_the_port_is_tried_again_on_another(tmp_path):
    async def episode():
        async with open_slot(tmp_path, "port taken") as (slot, _):
            outcome = await one_turn(slot)
            assert outcome.reply == "You said: hello"

    run(episode())
    assert (tmp_path / "mark").exists()


def test_a_refused_configuration_is_named_with_its_last_words(tmp_path):
    async def episode():
        async with open_slot(tmp_path, "bad config") as (slot, _):
            with pytest.raises(AgentCrashed, match=r"(?s)exit code 78.*config invalid"):
                await slot.reset()

    run(episode())


def test_a_gateway_that_never_gets_ready_is_ended(tmp_path):
    async def episode():
        async with open_slot(tmp_path, "slow start", options={"start_timeout_s": 0.5}) as (slot, _):
            with pytest.raises(AgentHung, match=r"0\.5 s"):
                await slot.reset()

    run(episode())


def test_a_gateway_that_dies_in_a_turn_is_named_without_its_secret_and_the_next_episode_runs(tmp_path):
    async def episode():
        async with open_slot(tmp_path, "dies") as (slot, gateway):
            with pytest.raises(AgentCrashed, match="out of memory") as caught:
                await one_turn(slot)
            assert gateway.endpoint.secret not in str(caught.value)
            outcome = await one_turn(slot, "again", "s2")
            assert outcome.reply == "You said: again"

    run(episode())


def test_a_turn_that_takes_too_long_is_named_and_the_next_episode_gets_a_new_gateway(tmp_path):
    async def episode():
        async with open_slot(tmp_path, "hangs", turn_timeout_s=0.5) as (slot, _):
            with pytest.raises(AgentHung, match=r"0\.5 s"):
                await one_turn(slot)
            outcome = await one_turn(slot, "again", "s2")
            assert outcome.reply == "You said: again"

    run(episode())


def test_a_500_of_the_gateway_is_an_error_and_the_next_episode_gets_a_new_gateway(tmp_path):
    async def episode():
        async with open_slot(tmp_path, "500") as (slot, _):
            await slot.reset()
            first = slot._gateway
            session = await slot.open_session("persist", "s1")
            outcome = await session.send("hello")
            assert outcome.reply == ""
            assert "500" in outcome.error and "cleanup failed" in outcome.error
            await slot.reset()
            assert slot._gateway is not first

    run(episode())


def test_a_failing_model_is_an_error_and_the_gateway_stays(tmp_path):
    class Broken:
        name = "broken"

        async def complete(self, request):
            raise AssertionError("never answers")

    async def episode():
        async with open_slot(tmp_path, upstream=Broken()) as (slot, gateway):
            await slot.reset()
            first = slot._gateway
            session = await slot.open_session("persist", "s1")
            outcome = await session.send("hello")
            assert (outcome.reply, outcome.error) == ("", outcome.error)
            assert outcome.error
            await slot.reset()
            assert slot._gateway is first
            with pytest.raises(AssertionError):
                await gateway.idle()

    run(episode())


def test_an_empty_answer_is_empty_and_no_error_text(tmp_path):
    async def episode():
        async with open_slot(tmp_path) as (slot, _):
            outcome = await one_turn(slot, "say nothing")
            assert (outcome.reply, outcome.error) == ("", None)

    run(episode())


def test_an_agent_that_ignores_its_shutdown_is_ended(tmp_path):
    async def episode():
        async with open_slot(tmp_path, "ignores shutdown") as (slot, _):
            await one_turn(slot)

    run(episode())


def test_the_wipe_removes_transcripts_under_a_live_gateway_and_no_later_session_sees_them(tmp_path):
    async def episode():
        async with open_slot(tmp_path) as (slot, gateway):
            await one_turn(slot, "my canary is heron")
            captured = slot.capture()
            assert [path for path in captured if surface(path) is Surface.HISTORY]
            gone = await slot.wipe()
            assert gone.removed and not gone.survivors
            start = slot.capture()
            assert not [path for path in start if surface(path) is Surface.HISTORY]
            assert {path: state.sha256 for path, state in start.items()}.items() <= {
                path: state.sha256 for path, state in captured.items()
            }.items()
            session = await slot.open_session("query", "s1")  # even under the old name
            await session.send("what is my canary?")
            assert "heron" not in str(gateway.exchanges[-1].request.messages)

    run(episode())


def test_the_wipe_can_be_switched_off_to_prove_that_it_matters(tmp_path):
    async def episode():
        async with open_slot(tmp_path, options={"skip_wipe": True}) as (slot, gateway):
            await one_turn(slot, "my canary is heron")
            await slot.wipe()
            session = await slot.open_session("query", "s1")
            await session.send("what is my canary?")
            assert "heron" in str(gateway.exchanges[-1].request.messages)

    run(episode())


def test_a_slot_that_restarts_for_every_session_runs_the_same_episode(tmp_path):
    async def episode():
        async with open_slot(tmp_path, options={"restart": "phase"}) as (slot, gateway):
            await slot.reset()
            before = slot.capture()
            session = await slot.open_session("persist", "s1")
            assert (await session.send("my canary is heron")).reply
            await session.close()
            assert not slot._running()
            assert not (await slot.wipe()).survivors
            after = slot.capture()
            assert {path: state.sha256 for path, state in after.items()} == {
                path: state.sha256 for path, state in before.items()
            }
            session = await slot.open_session("query", "s2")
            await session.send("what is my canary?")
            assert "heron" not in str(gateway.exchanges[-1].request.messages)

    run(episode())


def test_a_gateway_is_renewed_after_its_share_of_episodes(tmp_path):
    async def episode():
        async with open_slot(tmp_path, options={"recycle_after": 2}) as (slot, _):
            gateways = []
            for _ in range(4):
                await slot.reset()
                gateways.append(slot._gateway)
            assert gateways[0] is gateways[1] and gateways[2] is gateways[3]
            assert gateways[1] is not gateways[2]

    run(episode())


def test_a_memory_index_that_does_not_follow_its_files_is_detected(tmp_path, monkeypatch):
    stale = [("memory/old.md",)]
    monkeypatch.setattr(slot_module.index, "disagreement", lambda workspace, database: stale[-1])

    async def episode():
        async with open_slot(tmp_path, options={"index_timeout_s": 0.3}) as (slot, _):
            await slot.reset()
            with pytest.raises(StaleIndex, match=r"memory/old\.md"):
                await slot.open_session("query", "s1")
            stale.append(())
            await slot.reset()
            await slot.open_session("query", "s2")

    run(episode())


def test_a_search_that_fails_while_the_index_is_rebuilt_is_tried_again(tmp_path, monkeypatch):
    left = [("(rebuild)",), ("(rebuild)",)]
    monkeypatch.setattr(slot_module.index, "disagreement", lambda *_: left.pop() if left else ())

    async def episode():
        async with open_slot(tmp_path, "search fails") as (slot, _):
            await slot.reset()
            await slot.open_session("query", "s1")

    run(episode())
    assert not left


def test_durable_state_is_restored_byte_for_byte_and_broken_bytes_are_refused(tmp_path):
    async def episode():
        async with open_slot(tmp_path) as (slot, _):
            await slot.reset()
            workspace = slot._folders.workspace
            (workspace / "memory" / "2026-01-01.md").write_text("a note\n")
            (workspace / "skills" / "tea").mkdir()
            (workspace / "skills" / "tea" / "SKILL.md").write_text("steep\n")
            (workspace / "USER.md").unlink()
            tree = slot.capture()
            await slot.reset()
            assert (workspace / "USER.md").exists()
            slot.restore_durable(tree)
            again = slot.capture()
            kept = {path: state for path, state in tree.items() if surface(path) is not Surface.HISTORY}
            assert {path: state for path, state in again.items() if surface(path) is not Surface.HISTORY} == kept
            (workspace / "memory" / "odd.md").write_bytes(b"\xff\xfe")
            broken = slot.capture()
            (workspace / "memory" / "odd.md").unlink()
            with pytest.raises(AgentError, match=r"odd\.md"):
                slot.restore_durable(broken)
            assert slot.capture() == again

    run(episode())


def test_confined_the_gateway_answers_over_its_socket_and_the_host_port_stays_closed(tmp_path):
    from stewardbench.workspace.confinement import confinement_fault

    if confinement_fault():
        pytest.skip(confinement_fault())

    async def episode():
        async with open_slot(tmp_path, confined=True) as (slot, _):
            outcome = await one_turn(slot)
            assert outcome.reply == "You said: hello"
            with pytest.raises(httpx.ConnectError):
                httpx.get("http://127.0.0.1:18789/readyz", timeout=1)

    run(episode())
