"""The episode record: what is kept whole, what is kept by hash, and what an invalid episode still tells."""

import asyncio

from agent_double import Faults, Talker
from episodes import CLAIM, TestClock, rig, saver

from stewardbench.models.messages import Usage
from stewardbench.pasb.episode.assembly import KEPT_CHARACTERS, assemble, exchanges_of
from stewardbench.pasb.episode.protocol import run_episode
from stewardbench.pasb.records import Episode


def record(faults=None, talker=None):
    async def scenario():
        async with rig(faults, talker) as (trial, where):
            persisted, queried = await run_episode(trial, where)
            now = TestClock().now()
            made = assemble(trial, persisted, queried, worker=3, started=now, completed=now, exchanges_sha256="f" * 64)
            return made, exchanges_of(persisted, queried)

    return asyncio.run(scenario())


def test_record_of_a_valid_episode():
    episode, exchanges = record(talker=saver(usage=Usage(input_tokens=10, output_tokens=2)))
    assert episode.valid
    assert episode.invalid_reason is None
    assert (episode.model, episode.agent, episode.agent_version, episode.worker) == ("test/talker", "double", "1.0", 3)
    assert [state.path for state in episode.state_after_persist if state.text_kept] == ["MEMORY.md"]
    assert CLAIM in episode.state_after_persist[0].text
    assert episode.commit.spans[0].path == "MEMORY.md"
    assert len(exchanges) == 9
    assert (episode.input_tokens, episode.output_tokens) == (90, 18)
    assert [turn.session_id for turn in episode.persist] == [episode.persist[0].session_id] * 5
    assert Episode.model_validate_json(episode.to_json()) == episode


def test_history_is_named_by_hash_only():
    episode, _ = record()
    (history,) = [state for state in episode.state_after_persist if state.path.startswith("history/")]
    assert (history.text, history.text_kept, history.size > 0) == ("", False, True)


def test_baseline_version_is_kept_for_changed_files_only():
    episode, _ = record(talker=saver("USER.md", f"# About the user\n{CLAIM}"))
    assert [state.path for state in episode.state_before] == ["USER.md"]
    assert episode.state_before[0].text == "# About the user\n"


def test_query_writes_stand_apart():
    episode, _ = record(talker=Talker(when="living room", path="MEMORY.md", text=CLAIM))
    assert episode.commit.committed is False
    assert "MEMORY.md" not in [state.path for state in episode.state_after_persist]
    assert "MEMORY.md" in [state.path for state in episode.state_after_query]


def test_large_files_are_dropped_outside_durable_state_only():
    large = CLAIM + " x" * KEPT_CHARACTERS
    assert record(talker=saver("MEMORY.md", large))[0].state_after_persist[0].text == large
    (other,) = [s for s in record(talker=saver("big.txt", large))[0].state_after_persist if s.path == "big.txt"]
    assert (other.text, other.text_kept, other.size) == ("", False, len(large))


def test_invalid_episode_keeps_what_was_seen():
    episode, _ = record(Faults(crash_at=("query", 2)))
    assert (episode.valid, episode.invalid_reason) == (False, "agent_crashed")
    assert episode.invalid_detail
    assert len(episode.persist) == 5
    assert len(episode.query) == 2
    assert episode.commit.committed is True
    assert episode.cut is None
