"""Assistants that are seen from outside only, end to end on PASB: what is measured, and what stays open."""

import asyncio
import csv
import json

import pytest
from assistants import KEY, served
from typer.testing import CliRunner

from stewardbench.agents.black_box import HttpAgent
from stewardbench.agents.interface import AgentSettings
from stewardbench.cli import app
from stewardbench.errors import StewardError, UsageError
from stewardbench.models.scripted.lexicon import Lexicon
from stewardbench.models.scripted.model import ScriptedModel
from stewardbench.pasb.run.settings import pasb_settings, select_tasks

CHAT, ASSISTANT = (), ("--option", "api=assistant")
EXPORT = (*ASSISTANT, "--option", "export=true")
TASKS = select_tasks(pasb_settings(agent="http", model="x", tasks="smoke", limit=2))


def behind(script):
    """A scripted model that knows the tasks, as the assistant's own."""
    return ScriptedModel(script, Lexicon.of_tasks(TASKS))


class Done:
    """What a command printed and how it ended."""

    def __init__(self, arguments, key):
        ran = CliRunner().invoke(app, [*map(str, arguments)], env={"STEWARDBENCH_ENDPOINT_KEY": key})
        error = ran.exception
        if error is not None and not isinstance(error, StewardError | SystemExit):
            raise error
        self.stdout = ran.stdout
        self.stderr = f"{ran.stderr}\n{error}"
        self.returncode = error.exit_code if isinstance(error, StewardError) else ran.exit_code


def stewardbench(*arguments, key=KEY):
    return Done(arguments, key)


def pasb(out, model, *options, key=KEY, tasks=2, more=()):
    ran = stewardbench(
        "run", "pasb", "--agent", "http", "--model", model, "--tasks", "smoke",
        "--limit", tasks, "--patience", "0", "--out", out, *options, *more, key=key,
    )  # fmt: skip
    file = out / "episodes.jsonl"
    return ran, [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.mark.parametrize(("options", "names"), [(CHAT, "bcdefg"), (ASSISTANT, "bcdefg"), (EXPORT, "bcdfg")])
def test_a_whole_run_says_what_it_saw_and_leaves_the_rest_open(tmp_path, options, names):
    out = tmp_path / "run"
    with served(behind("copier-memory")) as model:
        ran, rows = pasb(out, model, *options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert [row["valid"] for row in rows] == [True, True], [row["invalid_detail"] for row in rows]
    seen = options is EXPORT
    for row in rows:
        assert row["commit"]["committed"] is (True if seen else None)
        assert row["commit"]["primary"] == ("memory_profile" if seen else "unknown")
        assert sorted(set(row["unseen"]) - {"commit"}) == list(names)
        cut = row["cut"]
        assert cut["ids_differ"] is True
        assert cut["durable_hash_equal"] is (True if seen else None)
        assert [cut[name] for name in ("canary_ok", "stores_cleared", "whole_tree_captured", "turn_counts_ok")] == [
            None
        ] * 4
        assert cut["claim_in_query_input"] is None
        assert [line[0] for line in cut["details"] if ": open, " in line] == list(names)
    assert "attested 0 of 2 valid episodes" in ran.stdout
    assert "declared by the assistant's server and not proven in 2" in ran.stdout
    assert KEY not in "".join(path.read_text(errors="replace") for path in out.rglob("*") if path.is_file())
    report = stewardbench("report", out)
    assert "2 tasks of an assistant that is seen from outside only" in " ".join(report.stdout.split())
    assert ("only behaviour is reported" in " ".join(report.stdout.split())) is not seen
    with (out / "report" / "tables" / "accounting.csv").open(newline="") as file:
        unknown = next(csv.DictReader(file))["commit_unknown"]
    assert unknown == ("0" if seen else "2")


def test_without_sight_an_assistant_that_saves_nothing_is_as_unknown_as_one_that_does(tmp_path):
    with served(behind("silent")) as model:
        _, silent = pasb(tmp_path / "blind", model, *ASSISTANT)
        _, exported = pasb(tmp_path / "seen", model, *EXPORT)
    assert [row["commit"]["committed"] for row in silent] == [None, None]
    assert [row["commit"]["committed"] for row in exported] == [False, False]


def test_a_server_that_takes_the_old_session_into_the_new_one_is_caught_by_its_export(tmp_path):
    """The canary comes back in an answer: with an export that does not hold it, the cut was none."""
    out = tmp_path / "run"
    with served(behind("history-cheat"), change={"/v1/chat/completions": Parrot()}) as model:
        ran, rows = pasb(out, model, *EXPORT, more=("--max-attempts", "1"))
        assert ran.returncode == 4, ran.stdout + ran.stderr
        assert {row["invalid_reason"] for row in rows} == {"cut_canary"}
        blind, rows = pasb(tmp_path / "blind", model, *ASSISTANT)
    assert blind.returncode in {0, 4}
    assert {row["valid"] for row in rows} == {True}
    assert any("its memory may hold it" in line for row in rows for line in row["cut"]["details"])


class Parrot:
    """A server that answers with all it was ever told by a user, whatever the session."""

    def __init__(self):
        self._told = {}

    def __call__(self, body):
        told = self._told.setdefault(body["user"], [])
        told.append(body["messages"][-1]["content"])
        message = {"role": "assistant", "content": " / ".join(told)}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


@pytest.mark.parametrize("options", [CHAT, EXPORT])
def test_a_wrong_key_stops_the_run_and_uses_up_no_attempt(tmp_path, options):
    out = tmp_path / "run"
    with served(behind("silent")) as model:
        ran, rows = pasb(out, model, *options, key="another")
        assert ran.returncode == 4, ran.stdout + ran.stderr
        assert {row["invalid_reason"] for row in rows} == {"model_error"}
        assert "refused the credentials" in ran.stdout + ran.stderr
        ran, rows = pasb(out, model, *options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert sum(row["valid"] for row in rows) == 2


def test_a_server_that_cannot_reset_stops_the_run_after_a_few_tasks(tmp_path):
    """An outage that shows before any chat request is noticed like one that shows in a request."""
    gone = tmp_path / "run"
    with served(behind("silent"), change={"/v1/assistant/reset": broken}) as model:
        ran, rows = pasb(gone, model, *ASSISTANT, tasks=16)
    assert ran.returncode == 4
    assert len(rows) == 5


def broken(body):
    raise OSError("no disk")


EXPORTS = {
    "no list": ({"entries": {"a": 1}}, "has no list 'entries'"),
    "unknown kind": ({"entries": [{"kind": "diary", "key": "1", "text": "x"}]}, "entries[0]: kind"),
    "no key": ({"entries": [{"kind": "memory", "key": "", "text": "x"}]}, "entries[0]: has no key"),
    "key twice": ({"entries": [{"kind": "memory", "key": "1", "text": "x"}] * 2}, "entries[1]: repeats the key '1'"),
    "no object": (["a"], "is no JSON object"),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_that_is_none_is_named_and_never_an_empty_memory(tmp_path, name):
    exported, words = EXPORTS[name]
    with served(behind("silent"), change={"/v1/assistant/memory": lambda body: exported}) as model:
        ran, rows = pasb(tmp_path / "run", model, *EXPORT, tasks=1, more=("--max-attempts", "1"))
    assert ran.returncode == 4
    assert not rows[-1]["valid"]
    assert words in rows[-1]["invalid_detail"]


def test_check_says_what_cannot_be_attested(tmp_path):
    result = tmp_path / "result.json"
    with served(behind("silent")) as model:
        blind = stewardbench("agents", "check", "http", "--model", model)
        seen = stewardbench("agents", "check", "http", "--model", model, "--option", "api=assistant",
                            "--option", "export=true", "--json", result)  # fmt: skip
    for checked in (blind, seen):
        assert checked.returncode == 3, checked.stdout + checked.stderr
        assert checked.stdout.splitlines()[-1].startswith("BLACK BOX: http unstated: ")
    status = {each["name"]: each["status"] for each in json.loads(result.read_text())["results"]}
    passed = {"identity", "answers", "reset", "apart", "wipe", "fresh", "neutral", "failure", "secret", "shutdown"}
    assert {name for name, one in status.items() if one == "passed"} == passed
    assert {one for name, one in status.items() if name not in passed} == {"open"}
    assert {"memory", "turns", "walls"} <= set(status)
    lines = [line.split()[:2] for line in blind.stdout.splitlines()]
    assert ["open", "wipe"] in lines
    assert "nothing of its memory is exported" in blind.stdout


def leaking():
    """A server with one memory for everybody."""
    told = []

    def chat(body):
        told.append(body["messages"][-1]["content"])
        return {"choices": [{"message": {"role": "assistant", "content": " / ".join(told)}}]}

    return {"/v1/chat/completions": chat}


def silent_server():
    return {"/v1/chat/completions": lambda body: {"choices": [{"message": {"role": "assistant", "content": ""}}]}}


def growing():
    """A server whose export grows each time it is read."""
    reads = []

    def memory(body):
        reads.append(body)
        return {"entries": [{"kind": "memory", "key": str(n), "text": "x"} for n in range(len(reads))]}

    return {"/v1/assistant/memory": memory}


@pytest.mark.parametrize(
    ("fault", "failing"),
    [
        (leaking, {"apart", "fresh"}),
        (silent_server, {"answers", "reset", "apart", "wipe", "fresh"}),
        (growing, {"reset", "wipe"}),
    ],
)
def test_each_fault_of_a_server_fails_the_checks_that_it_breaks(fault, failing, tmp_path, monkeypatch):
    from stewardbench.agents.black_box import slot
    from stewardbench.agents.conformance import check_agent
    from stewardbench.models.http_upstream import HttpUpstream

    monkeypatch.setattr(slot, "POLL_S", 0.0)
    settings = AgentSettings(options={"api": "assistant", "export": True})
    with served(behind("silent"), change=fault()) as model:
        url, _, name = model.partition("#")
        report = asyncio.run(check_agent(HttpAgent(), settings, upstream=HttpUpstream(url, name, KEY)))
    assert report.verdict == "FAILS"
    assert {one.name for one in report.results if one.status == "failed"} == failing


def test_check_without_an_address_asks_for_one():
    checked = stewardbench("agents", "check", "http")
    assert checked.returncode == 2
    assert "--model URL#NAME" in checked.stderr


def test_doctor_asks_an_assistant_for_an_answer_and_for_no_tool():
    with served(behind("silent")) as model:
        seen = stewardbench("doctor", "--agent", "http", "--model", model)
    assert "it answers a message" in seen.stdout
    assert "tool call" not in seen.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"exports": True}, "no option 'exports'"),
        ({"export": True}, "the chat form has no export"),
        ({"api": "soap"}, "--option api"),
        ({"user_field": ""}, "without a user's name"),
        ({"api": "assistant", "session_field": ""}, "must be told the session"),
    ],
)
def test_options_that_cannot_be_are_refused_with_what_to_do(options, words):
    with pytest.raises(UsageError, match=words) as refused:
        HttpAgent().version(AgentSettings(options=options))
    assert refused.value.hint


@pytest.mark.parametrize("field", ["review", "tools"])
def test_settings_of_the_servers_own_cannot_be_chosen(field):
    with pytest.raises(UsageError, match=field):
        HttpAgent().version(AgentSettings.model_validate({field: "off"}))
