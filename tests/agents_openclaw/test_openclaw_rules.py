import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stewardbench.agents.interface import AgentSettings, Surface
from stewardbench.agents.openclaw import OpenClawAgent, index, transcript
from stewardbench.agents.openclaw.baseline import STANDING, put_in_place, seed_files
from stewardbench.agents.openclaw.config import GATEWAY_KEY, MODEL_KEY, document, environment
from stewardbench.agents.openclaw.gateway import CANONICAL
from stewardbench.agents.openclaw.install import Installation
from stewardbench.agents.openclaw.releases import RELEASES, release
from stewardbench.agents.openclaw.surfaces import surface
from stewardbench.errors import InstallError, UsageError

STATE = "home/.openclaw"
WORKSPACE = f"{STATE}/workspace"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{WORKSPACE}/USER.md", Surface.PROFILE),
        (f"{WORKSPACE}/MEMORY.md", Surface.MEMORY),
        (f"{WORKSPACE}/memory/2026-01-01.md", Surface.MEMORY),
        (f"{WORKSPACE}/memory/projects/a.md", Surface.MEMORY),
        (f"{WORKSPACE}/DREAMS.md", Surface.MEMORY),
        (f"{WORKSPACE}/skills/tea/SKILL.md", Surface.SKILL),
        (f"{WORKSPACE}/skills/tea/scripts/run.sh", Surface.SKILL),
        (f"{STATE}/agents/main/agent/workshop-skills/tea/SKILL.md", Surface.SKILL),
        (f"{STATE}/skill-workshop/ff5c.json", Surface.PENDING),
        (f"{STATE}/skill-workshop/proposals/a/PROPOSAL.md", Surface.PENDING),
        (f"{STATE}/openclaw.json", Surface.CONFIG),
        (f"{STATE}/openclaw.json.last-good", Surface.HISTORY),
        (f"{WORKSPACE}/AGENTS.md", Surface.INSTRUCTIONS),
        (f"{WORKSPACE}/SOUL.md", Surface.INSTRUCTIONS),
        (f"{WORKSPACE}/IDENTITY.md", Surface.INSTRUCTIONS),
        (f"{WORKSPACE}/notes.txt", Surface.OTHER),
        (f"{WORKSPACE}/HEARTBEAT.md", Surface.INSTRUCTIONS),
        (f"{STATE}/cron/jobs.json", Surface.HISTORY),
        (f"{WORKSPACE}/sub/USER.md", Surface.OTHER),
        (f"{WORKSPACE}/skills", Surface.OTHER),
        (f"{WORKSPACE}/.openclaw/tmp/a.md", Surface.HISTORY),
        (f"{STATE}/agents/main/sessions/a.jsonl", Surface.HISTORY),
        (f"{STATE}/agents/main/agent/openclaw-agent.sqlite", Surface.HISTORY),
        (f"{STATE}/tasks/task_runs/0", Surface.HISTORY),
        ("home/.bashrc", Surface.HISTORY),
        ("tmp/x", Surface.HISTORY),
        ("USER.md", Surface.HISTORY),
        ("", Surface.HISTORY),
    ],
)
def test_every_path_has_its_surface(path, expected):
    assert surface(path) is expected
    assert OpenClawAgent().surface(path) is expected


@given(st.text())
def test_any_text_has_a_surface(path):
    assert isinstance(surface(path), Surface)


def workshop(version="", **settings):
    config = document(release(version), AgentSettings(**settings), CANONICAL, "assistant")
    return config, config["plugins"]["entries"].get("skill-workshop")


def test_the_default_policy_is_the_released_one():
    config, entry = workshop()
    assert entry == {
        "enabled": True,
        "config": {
            "autoCapture": True,
            "approvalPolicy": "auto",
            "reviewMode": "heuristic",
            "reviewInterval": 1,
        },
    }
    assert "active-memory" not in config["plugins"]["allow"]
    assert config["cron"] == {"enabled": False}
    assert {"sessions_list", "sessions_history"} <= set(config["tools"]["deny"])
    assert "exec" not in config["tools"]["allow"]
    search = config["agents"]["defaults"]["memorySearch"]
    assert (search["provider"], search["model"]) == ("openai-compatible", "word-overlap")


def test_other_policies_are_what_they_say():
    assert workshop(review="plugin-defaults")[1] == {"enabled": True}
    assert workshop(review="stock")[1] is None, "a new user has no workshop"
    assert workshop(review="off")[1] is None
    assert workshop(review="interval=7")[1]["config"]["reviewInterval"] == 7
    assert workshop(review="interval=7")[1]["config"]["reviewMode"] == "hybrid"
    assert "exec" in workshop(tools="work")[0]["tools"]["allow"]
    searched = workshop(session_search=True)[0]["tools"]
    assert "sessions_list" in searched["allow"] and "sessions_list" not in searched["deny"]


def test_the_newer_release_has_its_workshop_in_the_core():
    config, entry = workshop("2026.9.6")
    assert entry is None
    assert config["skills"]["workshop"] == {"autonomous": {"mode": "auto"}, "approvalPolicy": "auto"}
    assert config["memory"]["search"]["provider"] == "none"
    assert "admin-http-rpc" in config["plugins"]["allow"]


@pytest.mark.parametrize("settings", [{"review": "often"}, {"review": "interval=0"}, {"review": "interval=201"}])
def test_an_unknown_review_policy_is_refused_with_the_known_ones(settings):
    with pytest.raises(UsageError, match="released, stock, plugin-defaults, interval=N"):
        workshop(**settings)


def test_unknown_tools_releases_and_options_are_refused():
    with pytest.raises(UsageError, match="released, memory, work"):
        workshop(tools="everything")
    with pytest.raises(UsageError, match=r"2026\.5\.28, 2026\.9\.6"):
        OpenClawAgent().version(AgentSettings(version="2025.1.1"))


def test_a_run_may_change_any_setting_and_no_secret_is_ever_in_the_file():
    config = workshop(options={"config": {"plugins": {"entries": {"active-memory": {"enabled": True}}}}})[0]
    assert config["plugins"]["entries"]["active-memory"] == {"enabled": True}
    assert config["plugins"]["entries"]["memory-core"] == {"enabled": True}
    variables = environment(CANONICAL, "/bin", "model-secret", "gateway-secret")
    assert (variables[MODEL_KEY], variables[GATEWAY_KEY]) == ("model-secret", "gateway-secret")
    assert "secret" not in json.dumps(config)
    assert f"${{{MODEL_KEY}}}" in json.dumps(config)


def test_a_workspace_is_restored_in_place(tmp_path):
    put_in_place(tmp_path, {"USER.md": b"u", "memory/a.md": b"a"}, STANDING)
    folder, kept = (tmp_path / "memory").stat().st_ino, (tmp_path / "USER.md").stat()
    (tmp_path / "skills" / "tea").mkdir()
    (tmp_path / "skills" / "tea" / "SKILL.md").write_text("steep")
    (tmp_path / "memory" / "a.md").write_text("changed")
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    put_in_place(tmp_path, {"USER.md": b"u", "link.md": b"no link"}, STANDING)
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert found == {"USER.md", "link.md", "memory", "skills"}
    assert (tmp_path / "link.md").read_text() == "no link"
    assert (tmp_path / "memory").stat().st_ino == folder
    assert (tmp_path / "USER.md").stat().st_mtime_ns == kept.st_mtime_ns


def test_templates_lose_their_front_matter_and_a_missing_one_is_named(tmp_path):
    first = tmp_path / "node_modules" / "openclaw" / "docs" / "reference" / "templates"
    first.mkdir(parents=True)
    for name in ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md"):
        (first / name).write_text(f"---\ntitle: x\n---\n\n# {name}\n---\nend\n")
    (first / "USER.md").write_text("no front matter\n")
    seeded = seed_files(Installation(Path("node"), tmp_path))
    assert seeded["SOUL.md"] == b"# SOUL.md\n---\nend\n"
    assert seeded["USER.md"] == b"no front matter\n"
    (first / "TOOLS.md").unlink()
    with pytest.raises(InstallError, match=r"TOOLS\.md"):
        seed_files(Installation(Path("node"), tmp_path))


def memory_index(path, files, meta='{"vectorDims": 512}'):
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE files (path, source, hash)")
    connection.execute("CREATE TABLE meta (key, value)")
    connection.executemany("INSERT INTO files VALUES (?, 'memory', ?)", files.items())
    if meta:
        connection.execute("INSERT INTO meta VALUES ('m', ?)", (meta,))
    connection.commit()
    connection.close()


@pytest.fixture
def noted(tmp_path):
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("one")
    (workspace / "memory" / "day.md").write_text("two")
    (workspace / "memory" / "ignored.txt").write_text("three")
    (workspace / "memory" / "link.md").symlink_to("/etc/passwd")
    return workspace, tmp_path / "state" / "main.sqlite"


def test_an_index_that_holds_the_files_agrees(noted):
    workspace, database = noted
    assert index.disagreement(workspace, database) == ()  # not yet made
    memory_index(database, index.memory_files(workspace))
    assert set(index.memory_files(workspace)) == {"MEMORY.md", "memory/day.md"}
    assert index.disagreement(workspace, database) == ()


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"memory/day.md": None}, ("memory/day.md",)),
        ({"memory/day.md": "0" * 64}, ("memory/day.md",)),
        ({"memory/earlier-episode.md": "0" * 64}, ("memory/earlier-episode.md",)),
    ],
)
def test_a_note_that_is_missing_changed_or_of_another_episode_is_found(noted, change, wrong):
    workspace, database = noted
    files = {**index.memory_files(workspace), **change}
    memory_index(database, {path: digest for path, digest in files.items() if digest})
    assert index.disagreement(workspace, database) == wrong


def test_an_index_in_the_middle_of_a_rebuild_does_not_agree(noted):
    workspace, database = noted
    memory_index(database, index.memory_files(workspace), meta=None)
    assert index.disagreement(workspace, database) == (index.REBUILD,)
    database.unlink()
    memory_index(database, index.memory_files(workspace))
    temporary = database.with_name("main.sqlite.tmp-1")
    temporary.touch()
    assert index.disagreement(workspace, database) == (index.REBUILD,)
    temporary.unlink()
    database.write_bytes(b"not a database")
    assert index.disagreement(workspace, database) == (index.REBUILD,)


CALL = {"type": "toolCall", "id": "c1", "name": "write", "arguments": {"path": "USER.md"}}


def message(**fields):
    return {"type": "message", "message": fields}


def test_a_transcript_gives_tool_calls_with_their_results(tmp_path):
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    (sessions / "sessions.json").write_text(json.dumps({"agent:main:a": {"sessionId": "id"}}))
    lines = [
        {"type": "session", "id": "id"},
        message(role="user", content="hello"),
        message(role="assistant", content=[CALL], stopReason="toolUse"),
        message(role="toolResult", toolCallId="c1", content=[{"type": "text", "text": "blocked"}], isError=True),
        message(role="assistant", content=[{"type": "text", "text": "Done."}], stopReason="stop"),
    ]
    (sessions / "id.jsonl").write_text("\n".join(map(json.dumps, lines)) + '\n{"type": "mess')
    messages = transcript.read_messages(tmp_path, "agent:main:a")
    assert len(messages) == 4
    (use,) = transcript.tool_uses(messages)
    assert (use.name, json.loads(use.arguments), use.result, use.refused) == (
        "write",
        {"path": "USER.md"},
        "blocked",
        True,
    )
    assert transcript.model_calls(messages) == 2
    assert transcript.fault(messages) is None
    assert transcript.answered(messages)
    assert transcript.read_messages(tmp_path, "agent:main:unknown") == []
    assert transcript.read_messages(tmp_path / "nowhere", "agent:main:a") == []


def test_a_database_transcript_is_read_as_well(tmp_path):
    database = tmp_path / "agent" / "openclaw-agent.sqlite"
    database.parent.mkdir()
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE session_nodes (session_key, current_session_id)")
    connection.execute("CREATE TABLE transcript_events (session_id, seq, event_json)")
    connection.execute("INSERT INTO session_nodes VALUES ('agent:main:a', 's')")
    rows = [("s", 2, json.dumps(message(role="assistant", content=[]))), ("s", 1, json.dumps(message(role="user")))]
    connection.executemany(
        "INSERT INTO transcript_events VALUES (?, ?, ?)", [*rows, ("other", 1, "{}"), ("s", 3, None)]
    )
    connection.commit()
    connection.close()
    assert [each["role"] for each in transcript.read_messages(tmp_path, "agent:main:a")] == ["user", "assistant"]


def test_wrong_arguments_are_no_refusal_and_a_quarantined_skill_is_one():
    result = {"role": "toolResult", "toolCallId": "c1", "isError": True, "content": "Validation failed for tool"}
    assert not transcript.tool_uses([{"role": "assistant", "content": [CALL]}, result])[0].refused
    call = {**CALL, "name": "skill_workshop"}
    result = {"role": "toolResult", "toolCallId": "c1", "content": '{"status": "quarantined"}'}
    assert transcript.tool_uses([{"role": "assistant", "content": [call]}, result])[0].refused


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], "the agent never asked its model"),
        ([{"role": "assistant", "stopReason": "error", "errorMessage": "boom"}], "boom"),
        ([{"role": "assistant", "stopReason": "aborted"}], "the model call ended with aborted"),
        ([{"role": "assistant", "stopReason": "stop"}], None),
    ],
)
def test_a_turn_without_an_answer_says_why(messages, expected):
    assert transcript.fault(messages) == expected


@pytest.mark.parametrize("version", RELEASES)
def test_a_lock_pins_every_package_by_hash_and_names_no_registry(version):
    lock = json.loads((release(version).lock / "package-lock.json").read_text())
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert packages["node_modules/openclaw"]["version"] == version
    assert all(entry.get("integrity") or entry.get("inBundle") for entry in packages.values())
    assert not any("resolved" in entry for entry in packages.values())
    assert json.loads((release(version).lock / "package.json").read_text())["dependencies"] == {"openclaw": version}


@pytest.mark.parametrize(
    ("model", "sees"),
    [
        ("gpt-5", True),
        ("claude-sonnet-4-5", True),
        ("gemini-3-pro", True),
        ("Qwen2.5-VL-7B", True),
        ("deepseek-v3.2", False),
        ("Qwen3-8B", False),
        ("assistant", False),
        ("gpt-3.5-turbo", False),
    ],
)
def test_a_model_is_offered_images_where_onboarding_would_offer_them(model, sees):
    (provider,) = document(release(), AgentSettings(), CANONICAL, model)["models"]["providers"].values()
    assert provider["models"][0]["input"] == (["text", "image"] if sees else ["text"])


def test_no_name_of_ours_stands_in_the_configuration():
    assert "steward" not in json.dumps(document(release(), AgentSettings(), CANONICAL, "gpt-5"))


def test_the_stock_preset_is_what_onboarding_writes():
    config = document(release(), AgentSettings(tools="stock", review="stock"), CANONICAL, "gpt-5")
    assert config["tools"] == {"profile": "coding"}
    assert config["session"] == {"dmScope": "per-channel-peer"}
    assert "plugins" not in config
    assert "memorySearch" not in config["agents"]["defaults"]
    later = document(release("2026.9.6"), AgentSettings(tools="stock", review="stock"), CANONICAL, "gpt-5")
    assert later["tools"] == {"profile": "full"}
    assert "allow" not in later["plugins"], "the product's own choice of plug-ins"
    assert "search" not in later.get("memory", {})
