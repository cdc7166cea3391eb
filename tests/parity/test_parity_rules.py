"""The comparison itself: what it must see, what it must not, and a list that is exact in both directions."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from changes import changes
from record import recorded
from table import GOLDEN, MODELS, OURS, named_in

from stewardbench.agents.install import cache_folder
from stewardbench.agents.interface import AgentSettings
from stewardbench.agents.parity import golden, normal
from stewardbench.agents.parity.compare import Departure, differences
from stewardbench.agents.parity.declared import DeclaredDeparture, declared, judge
from stewardbench.agents.parity.page import page
from stewardbench.agents.parity.pins import pin
from stewardbench.agents.parity.programs import Held
from stewardbench.agents.registry import agent_names, load_agent


def body(**changes):
    tool = {"type": "function", "function": {"name": "memory", "description": "Save."}}
    other = {"type": "function", "function": {"name": "todo", "description": "List."}}
    messages = [
        {"role": "system", "content": "You help.\nModel: gpt-5"},
        {"role": "user", "content": "[Mon 2026-03-02 09:00 UTC] hello"},
    ]
    return {"model": "gpt-5", "stream": True, "messages": messages, "tools": [tool, other]} | changes


def said(*ours):
    return [each.what for each in differences([body()], [normal.conversation([one], {})[0] for one in ours])]


def test_equal_requests_have_no_difference():
    assert differences([body()], [body()]) == []


def test_every_kind_of_difference_is_named():
    plain = body()
    assert [each.what for each in differences([plain], [])] == ["requests 1 -> 0"]
    assert differences([plain], [body(tools=plain["tools"][:1])]) == [Departure(1, "tool -todo")]
    reworded = copy.deepcopy(plain)
    reworded["tools"][0]["function"]["description"] = "Keep."
    assert differences([plain], [reworded]) == [Departure(1, "schema memory")]
    assert differences([plain], [body(model="assistant")]) == [Departure(1, "model 'gpt-5' -> 'assistant'")]
    assert differences([plain], [body(max_tokens=4096)]) == [Departure(1, "max_tokens None -> 4096")]
    masked = copy.deepcopy(plain)
    masked["messages"][0]["content"] = "You help.\nModel: assistant"
    found = [each.what for each in differences([plain], [masked])]
    assert found == ["prompt -Model: gpt-5", "prompt +Model: assistant"]
    newer = copy.deepcopy(plain)
    newer["messages"][0]["role"] = "developer"
    assert differences([plain], [newer]) == [Departure(1, "role system -> developer")]
    undated = copy.deepcopy(plain)
    undated["messages"][1]["content"] = "hello"
    assert [each.what for each in differences([plain], [undated])] == [
        "message 2 -[Mon 2026-03-02 09:00 UTC] hello",
        "message 2 +hello",
    ]
    parts = copy.deepcopy(plain)
    parts["messages"][1]["content"] = [{"type": "text", "text": plain["messages"][1]["content"]}]
    assert [each.what[:11] for each in differences([plain], [parts])] == ["message 2: "]


def test_only_what_differs_by_nature_is_taken_out():
    one, two = body(), body()
    one["messages"][1]["content"] = "[Mon 2026-03-02 09:00 UTC] hello from /tmp/a/home, call_3"
    two["messages"][1]["content"] = "[Tue 2026-12-01 00:11 UTC] hello from /srv/b/home, call_7"
    theirs = normal.conversation([one], {"/tmp/a/home": "HOME"})
    assert theirs == normal.conversation([two], {"/srv/b/home": "HOME"})
    two["messages"][1]["content"] = "hello from /srv/b/home, call_7"
    assert theirs != normal.conversation([two], {"/srv/b/home": "HOME"}), "a turn without its time"


def test_the_list_is_exact_in_both_directions():
    entry = DeclaredDeparture(match=("tool -todo$",), what="no to-do list", reason="for this test")
    met = [Departure(1, "tool -todo"), Departure(2, "tool -todo")]
    assert judge(met, [entry]).clean
    assert judge([*met, Departure(2, "tool -memory")], [entry]).undeclared == (Departure(2, "tool -memory"),)
    assert judge([], [entry]).gone == ("tool -todo$",)
    wider = entry.model_copy(update={"match": ("tool -todo$", "tool -cron$")})
    assert judge(met, [wider]).gone == ("tool -cron$",), "one of its patterns is met no longer"


@pytest.mark.parametrize("agent", ["hermes", "openclaw"])
@pytest.mark.parametrize("preset", ["released", "stock"])
def test_every_declared_difference_has_its_reason_and_direction(agent, preset):
    for entry in declared(agent, preset, load_agent(agent).version(AgentSettings())):
        assert len(entry.reason) > 20, entry
        assert entry.what and entry.direction


def test_what_a_release_changed_is_listed(tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    golden.write(old, golden.Conversation([body()], {"USER.md": "Ann likes tea"}))
    golden.write(new, golden.Conversation([body(tools=body()["tools"][:1])], {"USER.md": "Ann likes tea."}))
    assert changes(old, old) == []
    assert changes(old, new) == ["  1 x tool -todo", "file USER.md"]


def test_the_page_of_differences_is_what_the_list_says():
    shown = (Path(__file__).parents[2] / "docs" / "differences.md").read_text(encoding="utf-8")
    again = "renew it: stewardbench agents differences --into docs/differences.md"
    assert shown == page(load_agent(name) for name in agent_names()), again


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_a_stored_conversation_is_whole_and_names_no_machine(path, tmp_path):
    held = golden.read(path)
    talk_of = {"hermes": 11, "openclaw": 11}
    assert len(held.requests) == talk_of[path.name.partition("-")[0]]
    assert all(normal.prompt_of(request) for request in held.requests)
    text = path.read_text(encoding="utf-8")
    assert not any(place in text for place in ("/root/", "/home/", "/tmp/p", "127.0.0.1:"))
    golden.write(tmp_path / "again.json", held)
    assert len(held.pin) == 16
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("agent", ["hermes", "openclaw"])
@pytest.mark.parametrize("model", MODELS)
def test_every_pinned_default_has_its_recording(agent, model):
    version = load_agent(agent).version(AgentSettings())
    assert (GOLDEN / golden.file_name(agent, version, model)).exists(), recorded(agent, version, model)


def test_a_recording_stands_for_one_installation():
    assert pin("openclaw", "2026.5.28") != pin("openclaw", "2026.9.6")
    assert pin("hermes", "0.19.0") == golden.read(GOLDEN / golden.file_name("hermes", "0.19.0", "gpt-5")).pin


@pytest.mark.parametrize(
    ("body", "place", "found"),
    [
        ("You are at HOME.", "/home/ann/.cache/agent-environments/claw", []),
        ("Docs: /home/ann/.cache/stewardbench/docs", "/tmp/a", ["stewardbench"]),
        ("You help.", "/srv/PASB-run/slot", ["pasb"]),
    ],
)
def test_a_word_of_ours_is_seen_in_bodies_and_paths(body, place, found):
    held = Held([{"messages": [{"role": "system", "content": body}]}], {place: "HOME"}, {"USER.md": b"Ann"})
    assert named_in(held) == found


def test_an_environment_has_a_name_that_says_nothing(monkeypatch):
    monkeypatch.delenv("STEWARDBENCH_CACHE", raising=False)
    assert not OURS.search(str(cache_folder()))
