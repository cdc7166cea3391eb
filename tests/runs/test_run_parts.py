"""The parts of a run: stored model calls, slots, progress, settings, and what the end of a run prints."""

import asyncio
import gzip
import os

import pytest
from agent_double import DoubleAgent, Faults
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from stewardbench.agents.interface import AgentSettings
from stewardbench.cli import app
from stewardbench.commands import key_values
from stewardbench.errors import AgentCrashed, StoreError, UsageError
from stewardbench.models.messages import ChatReply, ChatRequest, Exchange, ToolCall
from stewardbench.pasb.run.settings import pasb_settings
from stewardbench.pasb.run.summary import summarise
from stewardbench.runs.exchanges import pack, unpack
from stewardbench.runs.folder import RunFolder
from stewardbench.runs.progress import Progress
from stewardbench.runs.slots import SlotPool, slot_folder
from stewardbench.runs.terminal import describe


def exchange(index, *texts, **fields):
    messages = tuple({"role": "user", "content": text, "extra": None} for text in texts)
    tools = ({"type": "function", "function": {"name": "save", "parameters": {}}},)
    request = ChatRequest(messages=messages, tools=tools, tool_choice="auto", settings={"seed": 7})
    return Exchange(index=index, stage="persist", turn=1, request=request, **fields)


def test_model_calls_round_trip():
    call = ToolCall(id="1", name="save", arguments="{broken")
    calls = (
        exchange(0, "a", "b", reply=ChatReply(text="ü", tool_calls=(call,)), streamed=True, elapsed_s=0.5),
        exchange(1, "a", "b", "c", error="upstream_error: no", status=502),
        exchange(2, status=499),
    )
    assert unpack(pack(calls)) == calls
    assert pack(calls) == pack(calls)
    assert unpack(pack(())) == ()


def test_repeated_messages_cost_nothing():
    text = "A long system prompt. " * 2000
    once = len(pack([exchange(0, text)]))
    assert len(pack([exchange(k, text) for k in range(50)])) < once + 1500


@given(st.lists(st.lists(st.text(max_size=5), max_size=4), max_size=5))
def test_any_text_round_trips(conversations):
    calls = tuple(exchange(k, *texts) for k, texts in enumerate(conversations))
    assert unpack(pack(calls)) == calls


@pytest.mark.parametrize(
    "data",
    [b"", b"not gzip", pack(())[:-4], gzip.compress(b'{"format":"x"}', mtime=0)],
    ids=["empty", "not gzip", "cut off", "another format"],
)
def test_damaged_model_calls_are_an_error(data):
    with pytest.raises(StoreError):
        unpack(data)


def pool(agent, size=2, folder=None):
    return SlotPool(agent, AgentSettings(), size, folder)


def test_seats_are_reused_and_bounded(tmp_path):
    agent, together, most = DoubleAgent(), [], []

    async def one(seats):
        async with seats.seat() as seat:
            together.append(seat.worker)
            most.append(len(together))
            await asyncio.sleep(0)
            together.remove(seat.worker)
            seat.spent = False

    async def scenario():
        async with pool(agent, 2, tmp_path / "slots") as seats:
            await asyncio.gather(*(one(seats) for _ in range(10)))
            assert (tmp_path / "slots" / "0.sock").exists()

    asyncio.run(scenario())
    assert max(most) == 2
    assert len(agent.slots) == 2
    assert all(slot.closed for slot in agent.slots)
    assert not (tmp_path / "slots").exists()


def test_a_spent_seat_is_closed_and_its_number_used_again(tmp_path):
    agent, numbers = DoubleAgent(), []

    async def scenario():
        async with pool(agent, 1, tmp_path / "slots") as seats:
            for spent in (True, False, False):
                async with seats.seat() as seat:
                    numbers.append(seat.worker)
                    seat.spent = spent
            with pytest.raises(ZeroDivisionError):
                async with seats.seat():
                    raise ZeroDivisionError
            async with seats.seat() as seat:
                numbers.append(seat.worker)

    asyncio.run(scenario())
    assert numbers == [0, 0, 0, 0]
    assert len(agent.slots) == 3


def test_an_agent_that_cannot_start_leaves_nothing(tmp_path):
    class Broken(DoubleAgent):
        async def open_slot(self, root, endpoint, settings):
            assert root.is_dir()
            raise AgentCrashed("no")

    async def scenario():
        async with pool(Broken(), 1, tmp_path / "slots") as seats:
            for _ in range(2):
                with pytest.raises(AgentCrashed):
                    async with seats.seat():
                        pass

    asyncio.run(scenario())
    assert not (tmp_path / "slots").exists()


def test_calls_between_episodes_are_refused(tmp_path):
    import httpx

    async def scenario():
        async with pool(DoubleAgent(), 1, tmp_path / "slots") as seats:
            async with seats.seat() as seat:
                seat.spent = False
            end = seat.gateway.endpoint
            async with httpx.AsyncClient(trust_env=False, verify=False) as client:
                return await client.post(
                    f"{end.base_url}/chat/completions",
                    json={"model": "x", "messages": [{"role": "user", "content": "hi"}]},
                    headers={"Authorization": f"Bearer {end.secret}"},
                )

    assert asyncio.run(scenario()).status_code == 503


def test_slot_folder_is_short_stable_and_private(tmp_path):
    long = tmp_path / ("very-long-name-" * 10)
    assert slot_folder(long) == slot_folder(long)
    assert slot_folder(long) != slot_folder(tmp_path)
    assert len(str(slot_folder(long) / "63.sock")) < 100
    assert str(os.getuid()) in slot_folder(long).name


def test_progress_counts_and_eta():
    now = [100.0]
    progress = Progress(total=10, earlier=4, clock=lambda: now[0])
    assert progress.eta_s is None
    now[0], progress.done, progress.invalid = 130.0, 2, 1
    assert (progress.finished, progress.elapsed_s, progress.eta_s) == (7, 30.0, 30.0)
    progress.input_tokens, progress.output_tokens = 1_234_567, 950
    line = describe(progress)
    assert line == (
        "7/10 tasks | 2 done | 4 done earlier | 1 invalid | 1.2M tokens in, 950 out | 30 s so far | 30 s left"
    )


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"flush": "soon"}, "flush"),
        ({"confine": "maybe"}, "confine"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"temperature": "warm"}, "temperature"),
        ({"turn_timeout_s": 0}, "turn_timeout_s"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_choices_are_named(choice, field):
    with pytest.raises(UsageError, match=field):
        pasb_settings(agent="a", model="m", **choice)


def test_agent_options_are_read_as_json_where_they_are():
    assert key_values(["max_tokens=2048", "name=tea", "list=[1]", "empty="]) == {
        "max_tokens": 2048,
        "name": "tea",
        "list": [1],
        "empty": "",
    }
    with pytest.raises(UsageError, match="not KEY=VALUE"):
        key_values(["novalue"])


def test_summary_of_a_run(run, double, tmp_path):
    double.faults = Faults(crash_at=("persist", 1), crashes_left=3)
    run(sample=3, max_attempts=1)
    lines = "\n".join(summarise(RunFolder.read(tmp_path / "run")))
    assert "HARNESS CHECK" in lines
    assert "valid 0   invalid 3  agent_crashed 3" in lines
    assert "n/a  (n 0)" in lines
    double.faults = Faults()
    run(out=tmp_path / "two", sample=3)
    lines = "\n".join(summarise(RunFolder.read(tmp_path / "two")))
    assert "Commit                            0.0 %  (n 3)" in lines
    assert "Max-FR@3 Sycophancy               0.0 %  (n 3)" in lines
    assert "attested 3 of 3 valid episodes" in lines
    assert "WARNING    3 episodes ran WITHOUT confinement" in lines


def test_command_runs_resumes_and_prints(double, tmp_path):
    arguments = ["run", "pasb", "--agent", "double", "--model", "scripted/silent", "--judge", "reference"]
    arguments += ["--tasks", "smoke", "--sample", "2", "--out", str(tmp_path / "run")]
    first = CliRunner().invoke(app, arguments)
    assert first.exit_code == 0, first.output
    assert "Episodes   valid 2   invalid 0" in first.output
    assert f"stewardbench report {tmp_path / 'run'}" in first.output
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 0
    assert len(double.slots) == 1


def test_help_has_an_example_for_every_command():
    for command in (["run", "pasb"], ["judge"], ["annotate"]):
        assert "Example: stewardbench" in CliRunner().invoke(app, [*command, "--help"]).output.replace("\n", " ")


@pytest.mark.parametrize("leftover", ["deep", "file", "link"])
def test_no_leftover_stops_a_start(tmp_path, monkeypatch, leftover):
    place = tmp_path / "slots"
    if leftover == "deep":
        place.mkdir()
        handle = os.open(place, os.O_RDONLY)
        for _ in range(1500):
            os.mkdir("d" * 100, dir_fd=handle)
            inner = os.open("d" * 100, os.O_RDONLY, dir_fd=handle)
            os.close(handle)
            handle = inner
        os.close(handle)
    elif leftover == "file":
        place.write_text("in the way")
    else:
        place.symlink_to(tmp_path)

    async def scenario():
        async with pool(DoubleAgent(), 1, place) as seats, seats.seat() as seat:
            assert seat.worker == 0

    asyncio.run(scenario())
    assert not place.exists()
    assert tmp_path.exists()


def test_a_leftover_that_nobody_can_remove_is_left_aside(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(path)

    (tmp_path / "slots").mkdir()
    monkeypatch.setattr("stewardbench.workspace.removal.remove", refuse)

    async def scenario():
        async with pool(DoubleAgent(), 1, tmp_path / "slots") as seats, seats.seat():
            return sorted(each.name[:6] for each in tmp_path.iterdir())

    assert asyncio.run(scenario()) == ["slots", "slots-"]
