"""A model as the agent: both protocols, prompts, defences, and what counts as whose failure."""

from __future__ import annotations

import asyncio
import json

import pytest
from rule_upstream import RuleUpstream

from stewardbench.models.messages import ChatReply, ToolCall
from stewardbench.sovereignpa.axes import EndReason, Family, Role, Split, Variant
from stewardbench.sovereignpa.booking.episode import BookingEpisode
from stewardbench.sovereignpa.booking.metrics import score
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.conversation import Voice, converse, decoding_for
from stewardbench.sovereignpa.firewall import filtered, firewall_pages
from stewardbench.sovereignpa.prompts import Defense, prompt_sha256, system_prompt
from stewardbench.sovereignpa.records import Source, booking_log
from stewardbench.sovereignpa.rescore import differences
from stewardbench.sovereignpa.sets import booking_set, cancellation_set
from stewardbench.sovereignpa.tools import reply_text, tool_schemas


@pytest.mark.parametrize("protocol", ["json", "tools"])
@pytest.mark.parametrize("agent", ["careful", "ask-always"])
def test_careful_and_ask_always_score_100_on_both_protocols(agent: str, protocol: str) -> None:
    voice = Voice(family=Family.BOOKING, protocol=protocol)

    async def play() -> list[str]:
        failed = []
        for scenario in booking_set(Split.DEV):
            episode = BookingEpisode(scenario)
            await converse(episode, RuleUpstream(agent), voice, 0)
            verdict = score(scenario, episode.events)
            if verdict is None or not verdict.ssr:
                failed.append(scenario.scenario_id)
        return failed

    assert asyncio.run(play()) == []


def test_the_canceller_cancels_through_tool_calls() -> None:
    voice = Voice(family=Family.CANCELLATION, protocol="tools")

    async def play() -> list[str]:
        ends = []
        for scenario in cancellation_set(Split.DEV):
            episode = CancelEpisode(scenario)
            await converse(episode, RuleUpstream("canceller", Family.CANCELLATION), voice, 0)
            ends.append(episode.events.outcome.value)
        return ends

    assert set(asyncio.run(play())) == {"cancelled"}


def test_a_log_of_tool_calls_replays_as_text() -> None:
    scenario = booking_set(Split.DEV)[0]
    episode = BookingEpisode(scenario)
    asyncio.run(converse(episode, RuleUpstream("careful"), Voice(family=Family.BOOKING, protocol="tools"), 0))
    log = booking_log(episode, Source(agent="llm", protocol="tools"))
    assert differences([log], {scenario.scenario_id: scenario}) == []


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (
            ChatReply(tool_calls=(_call := ToolCall(id="1", name="report", arguments='{"message":"x"}'), _call)),
            "one action",
        ),
        (ChatReply(tool_calls=(ToolCall(id="1", name="book", arguments='{"option":'),)), "JSON"),
        (ChatReply(tool_calls=(ToolCall(id="1", name="fly", arguments="{}"),)), "unknown action"),
        (ChatReply(text="I would rather talk."), "JSON"),
    ],
)
def test_bad_calls_get_one_retry_and_then_stop(reply: ChatReply, error: str) -> None:
    class Stubborn:
        name = "stubborn"

        async def complete(self, request: object) -> ChatReply:
            return reply

    episode = BookingEpisode(booking_set(Split.DEV)[0])
    asyncio.run(converse(episode, Stubborn(), Voice(family=Family.BOOKING, protocol="tools"), 0))
    assert episode.end_reason is EndReason.PARSE_STOP
    assert [turn.action for turn in episode.turns] == [None, None]
    assert error in (episode.turns[0].error or "")


def test_a_provider_error_is_no_failure_of_the_agent() -> None:
    episode = BookingEpisode(booking_set(Split.DEV)[0])
    asyncio.run(converse(episode, RuleUpstream("careful", fail_at=2), Voice(family=Family.BOOKING), 0))
    assert episode.end_reason is EndReason.ERROR
    assert "503" in episode.error
    assert score(episode.scenario, episode.events) is None


def test_the_request_holds_the_papers_settings_and_the_whole_dialogue() -> None:
    upstream = RuleUpstream("careful")
    episode = BookingEpisode(booking_set(Split.DEV)[0])
    asyncio.run(converse(episode, upstream, Voice(family=Family.BOOKING), 3))
    first, last = upstream.requests[0], upstream.requests[-1]
    assert first.settings == {"temperature": 0.7, "top_p": 0.95, "max_tokens": 1024, "seed": 3}
    assert [message["role"] for message in first.messages] == ["system", "user"]
    assert len(last.messages) == 2 * len(episode.turns)
    assert decoding_for("vllm/openai/gpt-oss-20b").settings(0)["max_tokens"] == 2048


def test_without_a_system_role_the_prompt_opens_the_first_user_turn() -> None:
    (message,) = Voice(family=Family.BOOKING, system_role=False).opening("PAGE")
    assert message["role"] == "user"
    assert message["content"].startswith(system_prompt(Family.BOOKING))
    assert message["content"].endswith("PAGE")


def test_the_prompt_is_the_same_in_every_variant() -> None:
    voice = Voice(family=Family.BOOKING)
    situation = booking_set(Split.DEV)[0].situation.sid
    prompts = {
        voice.opening(scenario.pages.first)[0]["content"]
        for scenario in booking_set(Split.DEV)
        if scenario.situation.sid == situation
    }
    assert prompts == {system_prompt(Family.BOOKING)}


def test_each_defence_but_the_firewall_changes_the_prompt() -> None:
    hashes = {defense: prompt_sha256(Family.BOOKING, "json", defense) for defense in Defense}
    assert hashes[Defense.FIREWALL] == hashes[Defense.DIRECT]
    assert len(set(hashes.values())) == 4
    for defense in (Defense.CHECKLIST, Defense.ASK, Defense.DONT_BOTHER):
        assert system_prompt(Family.BOOKING, "json", defense).startswith(system_prompt(Family.BOOKING))


def test_behind_the_firewall_four_variants_read_like_the_control() -> None:
    by_sid: dict[str, dict[Variant, str]] = {}
    for scenario in booking_set(Split.DEV):
        by_sid.setdefault(scenario.situation.sid, {})[scenario.variant] = firewall_pages(scenario).first
    for pages in by_sid.values():
        control = pages[Variant.CONTROL]
        assert pages[Variant.URGENCY] == pages[Variant.OVERCOLLECT] == pages[Variant.INJECTION] == control


def test_behind_the_firewall_sponsored_differs_only_in_order() -> None:
    not_on_top = next(
        s.situation.sid
        for s in booking_set(Split.DEV)
        if s.variant is Variant.CONTROL and s.situation.catalogue[0] is not s.situation.option(Role.D)
    )
    control, sponsored = (
        filtered(next(s for s in booking_set(Split.DEV) if s.scenario_id == f"{not_on_top}.{variant}").observation)
        for variant in (Variant.CONTROL, Variant.SPONSORED)
    )
    names = [
        {(listing.name, listing.price, listing.rating) for listing in seen.results.listings}
        for seen in (control, sponsored)
    ]
    assert names[0] == names[1]
    parts = [seen.components() for seen in (control, sponsored)]
    assert {name for name in parts[0] if parts[0][name] != parts[1][name]} == {"results"}


def test_a_hidden_field_that_is_sent_all_the_same_is_recorded() -> None:
    scenario = next(s for s in booking_set(Split.DEV) if s.variant is Variant.OVERCOLLECT)
    detail = scenario.situation.overcollect[0]
    fields = {name.value: scenario.situation.profile[name] for name in (*scenario.situation.needed, detail)}
    episode = BookingEpisode(scenario, firewall_pages(scenario))
    episode.step(json.dumps({"action": "book", "option": "opt1", "fields": fields}))
    assert detail in {sent.detail for sent in episode.events.disclosures}


def test_the_tool_schemas_name_the_actions_of_each_family() -> None:
    names = {family: [tool["function"]["name"] for tool in tool_schemas(family)] for family in Family}
    assert names[Family.BOOKING] == ["view_option", "ask_user", "book", "report"]
    assert names[Family.CANCELLATION] == ["click", "ask_user", "report"]


def test_an_action_key_in_the_arguments_cannot_rename_the_call() -> None:
    call = ToolCall(id="1", name="report", arguments='{"action":"book","message":"x"}')
    assert json.loads(reply_text(ChatReply(tool_calls=(call,)))) == {"action": "report", "message": "x"}
