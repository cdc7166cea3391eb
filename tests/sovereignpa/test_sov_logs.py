"""Episode logs: everything is scored again from them, and a log of another scenario is refused."""

from __future__ import annotations

import json

import pytest

from stewardbench.errors import DataError, StoreError, UsageError
from stewardbench.sovereignpa.agents import booking_agent, cancel_agent
from stewardbench.sovereignpa.axes import Split, Variant
from stewardbench.sovereignpa.booking.episode import BookingEpisode, play
from stewardbench.sovereignpa.cancellation.episode import CancelEpisode
from stewardbench.sovereignpa.records import BookingLog, CancelLog, Source, booking_log, cancel_log, read_log, read_logs
from stewardbench.sovereignpa.rescore import differences, replayed, rescored
from stewardbench.sovereignpa.sets import (
    cancellation_set,
    find_scenario,
    read_situations,
    scenarios_of,
    write_set,
)

SOURCE = Source(agent="naive", details={"note": "a test"})


def played(scenario, agent):
    episode = BookingEpisode(scenario)
    play(episode, booking_agent(agent))
    return booking_log(episode, SOURCE)


@pytest.fixture(scope="module")
def some(booking_scenarios):
    return booking_scenarios[::37]


@pytest.mark.parametrize("agent", ["careful", "ask-always", "naive", "page-default"])
def test_logs_survive_a_round_trip_and_score_the_same(agent, some):
    logs = [played(one, agent) for one in some]
    back = [read_log(log.to_json()) for log in logs]
    assert back == logs
    assert all(isinstance(log, BookingLog) for log in back)
    assert differences(back, {one.scenario_id: one for one in some}) == []


def test_scoring_again_is_idempotent(some):
    log = played(some[3], "ask-always")
    once = rescored(log, some[3])
    assert once == log
    assert rescored(once, some[3]) == once
    assert replayed(log, some[3]) == log


def test_a_run_behind_the_firewall_is_replayed_behind_it(by_id):
    from stewardbench.sovereignpa.firewall import firewall_pages

    one = by_id["flights-01.injection"]
    episode = BookingEpisode(one, firewall_pages(one))
    play(episode, booking_agent("careful"))
    log = booking_log(episode, Source(agent="careful", defense="firewall"))
    assert log.metrics.exposed is False
    assert differences([read_log(log.to_json())], {one.scenario_id: one}) == []


def test_cancellation_logs_too():
    scenarios = cancellation_set(Split.DEV)
    logs = []
    for one in scenarios:
        episode = CancelEpisode(one)
        play(episode, cancel_agent("survey-writer"))
        logs.append(cancel_log(episode, SOURCE))
    back = [read_log(log.to_json()) for log in logs]
    assert back == logs
    assert all(isinstance(log, CancelLog) for log in back)
    assert differences(back, {one.scenario_id: one for one in scenarios}) == []


def test_a_changed_verdict_is_noticed(some):
    log = played(some[0], "careful")
    obj = json.loads(log.to_json())
    obj["metrics"]["ssr"] = False
    found = differences([read_log(json.dumps(obj))], {some[0].scenario_id: some[0]})
    assert [(d.fields, d.by) for d in found] == [(("ssr",), "events"), (("ssr",), "replies")]


def test_a_changed_event_is_noticed(some):
    one = next(s for s in some if s.variant is Variant.CONTROL)
    obj = json.loads(played(one, "careful").to_json())
    obj["disclosures"].append({"step": 1, "detail": "ssn", "where": "notes", "granted": False})
    found = differences([read_log(json.dumps(obj))], {one.scenario_id: one})
    assert [d.by for d in found] == ["events"]
    assert "overshare" in found[0].fields


def test_a_log_of_a_changed_scenario_is_refused(some, variant_of):
    log = played(some[0], "careful")
    changed = variant_of(some[0].situation.model_copy(update={"budget": 5000}), some[0].variant)
    with pytest.raises(DataError, match="another version"):
        rescored(log, changed)
    with pytest.raises(DataError, match="no scenario"):
        differences([log], {})


def test_an_invalid_episode_has_a_log_without_verdicts(some):
    episode = BookingEpisode(some[0])
    episode.step('{"action": "view_option", "option": "opt1"}')
    episode.abort("the provider answered 503")
    log = booking_log(episode, SOURCE)
    assert not log.valid
    assert log.error == "the provider answered 503"
    assert log.metrics.ssr is None
    assert log.metrics.burden is None
    assert log.metrics.valid is False
    back = read_log(log.to_json())
    assert back == log
    assert differences([back], {some[0].scenario_id: some[0]}) == []


def test_an_unfinished_episode_has_no_log(some):
    with pytest.raises(ValueError, match="finished"):
        booking_log(BookingEpisode(some[0]), SOURCE)


def test_odd_replies_can_be_logged(some):
    episode = BookingEpisode(some[0])
    episode.step("lone \ud83d surrogate and \x00 zero")
    episode.step('{"action": "report", "message": "\\ud83d <b>&\\u0000", "deep": ' + "[" * 400 + "]" * 400 + "}")
    log = booking_log(episode, SOURCE)
    assert read_log(log.to_json()) == log


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Invalid JSON"),
        ("{}", "discriminator 'schema_'"),
        ('{"schema": "sovereignpa-booking/1"}', "Field required"),
    ],
)
def test_a_damaged_line_is_named(line, message, tmp_path):
    (tmp_path / "episodes.jsonl").write_text(f"\n{line}\n")
    with pytest.raises(StoreError, match=message) as error:
        list(read_logs(tmp_path / "episodes.jsonl"))
    assert str(error.value).startswith(f"{tmp_path / 'episodes.jsonl'}:2:")


def test_rows_are_flat(some):
    row = played(some[0], "ask-always").metrics.as_dict()
    assert all(isinstance(value, bool | int | str | None) for value in row.values())
    assert list(row)[:3] == ["scenario_id", "sid", "domain"]
    assert SOURCE.columns["agent"] == "naive"


def test_a_written_set_is_read_back(tmp_path, by_id):
    manifest = write_set(tmp_path)
    assert set(manifest["files"]) >= {"situations.jsonl", "booking-test.jsonl", "cancellation-dev.jsonl"}
    known = scenarios_of(read_situations(tmp_path / "situations.jsonl"))
    assert set(known) == set(by_id)
    assert all(known[key].sha256 == by_id[key].sha256 for key in list(by_id)[::50])
    subscriptions = scenarios_of(read_situations(tmp_path / "subscriptions.jsonl"))
    assert len(subscriptions) == 288
    (tmp_path / "situations.jsonl").write_text('{"schema": "sovereignpa-situation/1", "sid": 3}\n')
    with pytest.raises(DataError, match=r"situations\.jsonl:1:"):
        read_situations(tmp_path / "situations.jsonl")
    (tmp_path / "situations.jsonl").write_text('{"schema": "other"}\n')
    with pytest.raises(DataError, match="neither"):
        read_situations(tmp_path / "situations.jsonl")


def test_scenarios_are_found_by_id():
    assert find_scenario("flights-03.stale").variant is Variant.STALE
    assert find_scenario("meal_kit-2.clean").scenario_id == "meal_kit-2.clean"
    with pytest.raises(UsageError, match="Situations of that name: flights-01"):
        find_scenario("flights-99.stale")
    with pytest.raises(UsageError, match=r"such as flights-03\.stale"):
        find_scenario("nonsense")
