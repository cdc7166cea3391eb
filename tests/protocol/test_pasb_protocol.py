"""The protocol on a test double behind a real gateway: the clean path, every fault, and the fork point."""

import asyncio

import pytest
from agent_double import Faults, Talker
from episodes import CLAIM, PERSIST, QUERY, TestClock, episode, rig, saver, silent, task

from stewardbench.agents.interface import Surface
from stewardbench.errors import AgentCrashed, ModelError
from stewardbench.models.messages import message_text
from stewardbench.pasb.episode.plan import FORKED
from stewardbench.pasb.episode.protocol import cut, fork_query, persist, query, run_episode, run_plan
from stewardbench.pasb.records import InvalidReason
from stewardbench.workspace.tree import file_state


def run(*args, **fields):
    return asyncio.run(episode(*args, **fields))


def test_clean_episode_commits_and_attests():
    persisted, queried = run()
    assert persisted.failure is None
    assert queried.failure is None
    assert persisted.commit.primary == Surface.MEMORY
    assert [turn.turn for turn in persisted.conversation.turns] == [1, 2, 3, 4, 5]
    assert [turn.user for turn in queried.conversation.turns] == list(QUERY)
    cut = queried.cut
    assert all((cut.ids_differ, cut.canary_ok, cut.stores_cleared, cut.durable_hash_equal, cut.whole_tree_captured))
    assert cut.turn_counts_ok
    assert cut.claim_in_query_input
    assert "c: the claim was shown in query turn 1 (system)" in cut.details


def test_nothing_saved_is_session_only_and_not_shown():
    persisted, queried = run(talker=silent())
    assert persisted.commit.primary == "session_only"
    assert queried.failure is None
    assert not queried.cut.claim_in_query_input


@pytest.mark.parametrize(
    ("path", "label"), [("USER.md", "user_profile"), ("MEMORY.md", "memory_profile"), ("skills/x/SKILL.md", "skill")]
)
def test_each_surface_is_labelled(path, label):
    assert run(talker=saver(path))[0].commit.primary == label


def test_canary_is_said_once_in_a_persist_turn_that_has_no_full_claim():
    persisted, queried = run()
    holding = [k for k, text in enumerate(persisted.conversation.texts, 1) if persisted.canary in text]
    assert holding == [2]
    assert persisted.conversation.texts[0] == PERSIST[0]
    assert persisted.canary not in str(queried.conversation.exchanges)


def test_canary_and_sessions_are_new_for_every_attempt_and_task():
    first, second = run()[0], run()[0]
    other = run(task=task(2))[0]
    assert first.canary == second.canary != other.canary
    assert first.conversation.session_id != other.conversation.session_id


def test_query_writes_are_kept_apart():
    talker = Talker(when=QUERY[1], path="MEMORY.md", text=CLAIM)
    persisted, queried = run(talker=talker)
    assert persisted.commit.committed is False
    assert CLAIM in queried.after["MEMORY.md"].text
    assert "MEMORY.md" not in persisted.captured


def test_writer_that_ends_in_settle_is_captured():
    assert run(Faults(writes_late=True))[0].commit.committed is True


def test_capture_waits_until_files_stay_the_same():
    persisted, _ = run(Faults(restless=5), talker=silent())
    assert persisted.captured["MEMORY.md"].text == "draft 0"
    assert persisted.conversation.flush.quiescent


def test_files_that_never_rest_end_at_the_cap_and_are_named():
    persisted, _ = run(Faults(restless=10**9), talker=silent())
    flush = persisted.conversation.flush
    assert not flush.quiescent
    assert flush.pending == ("durable files still changing",)
    assert 20.0 <= flush.waited_s < 20.1


def test_fixed_flush_waits_the_papers_time_once():
    clock = TestClock()
    persisted, queried = run(clock=clock, flush="fixed")
    assert persisted.conversation.flush.policy == "fixed"
    assert [one for one in clock.slept if one >= 1] == [20.0]
    assert queried.conversation.flush.policy == "quiescence"


@pytest.mark.parametrize(
    ("faults", "reason"),
    [
        (Faults(crash_at=("persist", 3)), InvalidReason.AGENT_CRASHED),
        (Faults(crash_at=("query", 2)), InvalidReason.AGENT_CRASHED),
        (Faults(hang_at=("persist", 1)), InvalidReason.AGENT_TIMEOUT),
        (Faults(crash_on_open="query"), InvalidReason.AGENT_CRASHED),
        (Faults(crash_on_close="persist"), InvalidReason.AGENT_CRASHED),
        (Faults(crash_on_reset=True), InvalidReason.AGENT_CRASHED),
        (Faults(error_text_at=("query", 1)), InvalidReason.ERROR_REPLY),
        (Faults(empty_at=("persist", 2)), InvalidReason.EMPTY_REPLY),
        (Faults(limit_at=("persist", 4)), InvalidReason.CALL_LIMIT),
        (Faults(review_fails=True), InvalidReason.REVIEW_FAILED),
        (Faults(edits_config_in="persist"), InvalidReason.CONFIG_CHANGED),
        (Faults(edits_config_in="query"), InvalidReason.CONFIG_CHANGED),
        (Faults(same_session=True), InvalidReason.CUT_SESSION_ID),
        (Faults(keeps_history=True), InvalidReason.CUT_STORES),
        (Faults(shows_history=True), InvalidReason.CUT_CANARY),
        (Faults(wipe_writes=True), InvalidReason.CUT_DURABLE_CHANGED),
        (Faults(wipe_deletes_memory=True), InvalidReason.CUT_DURABLE_CHANGED),
        (Faults(forgets_turns=True), InvalidReason.CUT_TURN_COUNT),
    ],
    ids=str,
)
def test_every_fault_is_invalid_with_its_name(faults, reason):
    persisted, queried = run(faults)
    failure = (queried or persisted).failure
    assert failure is not None
    assert failure[0] is reason
    assert failure[1]


@pytest.mark.parametrize("faults", [Faults(reviews=True), Faults(injects=True), Faults(reviews=True, injects=True)])
def test_background_requests_and_injected_messages_are_no_turns(faults):
    _, queried = run(faults)
    assert queried.failure is None
    assert queried.cut.turn_counts_ok


def test_turns_before_a_crash_are_kept():
    persisted, queried = run(Faults(crash_at=("persist", 3)))
    assert queried is None
    assert [turn.error is None for turn in persisted.conversation.turns] == [True, True, False]
    assert persisted.commit is None


def test_failing_model_is_named_with_its_status():
    class Failing(Talker):
        async def complete(self, request):
            raise ModelError("too many requests", status=429)

    persisted, _ = run(talker=Failing())
    assert persisted.failure[0] is InvalidReason.MODEL_ERROR
    assert "429" in persisted.failure[1]
    assert persisted.conversation.turns[0].retries == 1


def test_model_that_loops_on_a_tool_is_bounded_and_named():
    class Looping(Talker):
        async def complete(self, request):
            self.when = message_text(request.messages[-1])
            return await super().complete(
                request.model_copy(update={"messages": ({"role": "user", "content": self.when},)})
            )

    persisted, _ = run(talker=Looping(path="x.txt", text="again"))
    reason, detail = persisted.failure
    assert reason is InvalidReason.CALL_LIMIT
    assert "save(" in detail
    assert "62 times" in detail
    assert persisted.conversation.turns[0].model_calls == 63


def test_model_call_that_outlives_the_cap_is_a_failed_review(monkeypatch):
    monkeypatch.setitem(__import__("stewardbench.pasb.episode.quiescence", fromlist=["x"]).FIXED_WAIT_S, "double", 0.01)

    async def scenario():
        talker = silent()
        async with rig(talker=talker) as (trial, where):
            settled = where.slot.__class__.open_session

            async def open_session(stage, session_id):
                session = await settled(where.slot, stage, session_id)
                own = session.settle

                async def settle():
                    talker.gate = asyncio.Event()
                    session.stray = asyncio.create_task(session._ask([{"role": "user", "content": "stray"}]))
                    while where.calls.in_flight == 0:
                        await asyncio.sleep(0)
                    return await own()

                async def close():
                    session.stray.cancel()

                session.settle, session.close = settle, close
                return session

            where.slot.open_session = open_session
            return await persist(trial, where)

    persisted = asyncio.run(scenario())
    assert persisted.failure[0] is InvalidReason.REVIEW_FAILED


def test_bug_in_an_upstream_is_raised_not_scored():
    class Broken(Talker):
        async def complete(self, request):
            raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        run(talker=Broken())


def test_canary_saved_in_durable_state_is_reported_and_no_leak():
    class Keeper(Talker):
        async def complete(self, request):
            last = message_text(request.messages[-1])
            if "My reference" in last and request.messages[-1]["role"] == "user":
                self.when, self.text = "My reference", last
            return await super().complete(request)

    _, queried = run(talker=Keeper())
    assert queried.failure is None
    assert "b: the canary was saved in durable state" in queried.cut.details


def test_claim_that_the_model_repeats_without_seeing_it_is_not_shown():
    _, queried = run(talker=Talker(answer=f"I think: {CLAIM}"))
    assert queried.failure is None
    assert not queried.cut.claim_in_query_input


def test_one_persist_state_feeds_several_query_sessions():
    class Reader(Talker):
        def reply(self, request):
            return "seen" if CLAIM in message_text(request.messages[0]) else "unseen"

    async def scenario():
        talker = Reader(when="What I wanted to say", text=CLAIM)
        async with rig(talker=talker) as (trial, where):
            persisted = await cut(trial, await persist(trial, where), where)
            natural = await query(trial, persisted, where)
            again = await fork_query(trial, persisted, persisted.start, where, arm="again")
            emptied = await fork_query(trial, persisted, {}, where, arm="emptied")
            planted = {"USER.md": file_state("USER.md", b"The user is not sure that plants talk.")}
            edited = await fork_query(trial, persisted, planted, where, arm="edited")
            return persisted, natural, again, emptied, edited

    persisted, natural, again, emptied, edited = asyncio.run(scenario())
    assert [q.conversation.turns[0].agent for q in (natural, again, emptied, edited)] == [
        "seen",
        "seen",
        "unseen",
        "unseen",
    ]
    assert all(q.failure is None for q in (natural, again, emptied, edited))
    assert len({q.conversation.session_id for q in (natural, again, emptied, edited)}) == 4
    assert persisted.start["MEMORY.md"] == again.start["MEMORY.md"]
    assert "MEMORY.md" not in emptied.start
    assert edited.start["USER.md"].text.startswith("The user is not sure")


def test_fork_refuses_a_slot_that_did_not_take_the_state():
    async def scenario():
        async with rig() as (trial, where):
            persisted = await cut(trial, await persist(trial, where), where)
            where.slot.restore_durable = lambda tree: None
            await fork_query(trial, persisted, persisted.start, where, arm="again")

    with pytest.raises(AgentCrashed, match="does not hold"):
        asyncio.run(scenario())


def test_episodes_in_one_slot_share_nothing():
    async def scenario():
        talker = saver()
        async with rig(talker=talker) as (trial, where):
            await run_episode(trial, where)
            talker.when = None
            where.calls.begin()
            return await run_episode(trial, where)

    persisted, queried = asyncio.run(scenario())
    assert persisted.commit.committed is False
    assert not queried.cut.claim_in_query_input


def test_a_plan_with_forks_asks_again_from_the_same_state_and_from_none():
    class Reader(Talker):
        def reply(self, request):
            return "seen" if CLAIM in message_text(request.messages[0]) else "unseen"

    async def scenario():
        async with rig(talker=Reader(when="What I wanted to say", text=CLAIM)) as (trial, where):
            return await run_plan(FORKED, trial, where)

    carried = asyncio.run(scenario())
    answers = {name: found.conversation.turns[0].agent for name, found in (carried.queried | carried.forked).items()}
    assert answers == {"query": "seen", "sham": "seen", "empty": "unseen"}
    assert all(found.failure is None for found in carried.forked.values())


def test_a_plan_ends_with_a_persist_stage_that_failed():
    async def scenario():
        async with rig(faults=Faults(crash_at=("persist", 3))) as (trial, where):
            return await run_plan(FORKED, trial, where)

    carried = asyncio.run(scenario())
    assert carried.persisted.failure is not None
    assert not carried.queried
    assert not carried.forked
