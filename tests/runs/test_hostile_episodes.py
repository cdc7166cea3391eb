"""What a real agent can leave behind to end a run: each episode is invalid by name, the next task runs, resume works."""

# ruff: noqa: E501 - commands are written as the agent runs them

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from run_contents import rows

from stewardbench.models.messages import ChatReply, ChatRequest, ToolCall, message_text
from stewardbench.pasb.run import evaluation
from stewardbench.pasb.run.evaluation import run_pasb
from stewardbench.pasb.run.settings import PasbSettings, pasb_settings, select_tasks
from stewardbench.workspace.confinement import confinement_fault
from stewardbench.workspace.limits import Limits

pytestmark = [
    pytest.mark.real_agent,
    pytest.mark.xdist_group("hermes"),
    pytest.mark.skipif(confinement_fault() is not None, reason="bubblewrap does not work here"),
]
SMALL = Limits(memory=400 << 20, processes=200, disk=50 << 20)
# What the agent does in its first turn, and the reasons by which the episode may be named; "" where it comes to nothing
# and the episode is as any other. That it came to nothing is told by WALLS, not taken from the episode.
HOSTILE = {
    "nested folders": (
        "python3 -c \"import os\nfor _ in range(1300):\n    os.mkdir('d' * 20); os.chdir('d' * 20)\"",
        {"state_bounds", "limit_exceeded"},
    ),
    "a long path": (
        "python3 -c \"import os\nfor _ in range(300):\n    os.mkdir('d' * 250); os.chdir('d' * 250)\"",
        {"state_bounds", "limit_exceeded"},
    ),
    "a sparse file": (
        "truncate -s 100G ~/hole; truncate -s 100G ~/.hermes/hole",
        {""},
    ),
    "killing all it sees": (
        "python3 -c \"import os\nfor p in sorted(os.listdir('/proc')):\n    if p.isdigit() and int(p) != os.getpid():\n        try: print(p, open('/proc/'+p+'/comm').read().strip()); os.kill(int(p), 9)\n        except OSError as e: print(e)\"",
        {""},
    ),
    "a memory bomb": ("python3 -c 'x = b\"x\" * 500000000; import time; time.sleep(60)'", {"limit_exceeded"}),
    "a process bomb": (
        "python3 -c 'import subprocess as s; [s.Popen(\"sleep 60\".split()) for _ in range(220)][0].wait()'",
        {"limit_exceeded", "agent_timeout"},
    ),
    "a disk bomb": (
        "for i in 1 2 3 4; do head -c 30000000 /dev/urandom > ~/file$i; done; sleep 60",
        {"limit_exceeded"},
    ),
    "attributes": (
        "setfattr -n user.note -v x ~ ; python3 -c \"import os; os.setxattr(os.path.expanduser('~'), 'user.note', b'x'); os.mkfifo(os.path.expanduser('~/workspace/note'))\"",
        {"cut_channel"},
    ),
    "nothing": ("true", {""}),
}

WALLS = {
    "a sparse file": (
        "File size limit exceeded",
        "No such file",
    ),  # in what the command said, and what must not be there
    "killing all it sees": ("1 python", "forwarder"),  # its own shell and the first process, which no inmate can kill
}


class Hostile:
    """Does one hostile thing in the first turn of an episode, each task another one, and thanks the user otherwise."""

    name = "test/hostile"

    def __init__(self, openings: list[str]) -> None:
        self.openings, self.done, self.came_of = openings, dict[str, str](), dict[str, str]()

    async def complete(self, request: ChatRequest) -> ChatReply:
        users = [message_text(message) for message in request.messages if message["role"] == "user"]
        if request.messages[-1]["role"] == "tool" and self.done:
            self.came_of.setdefault(list(self.done.values())[-1], message_text(request.messages[-1]))
        fresh = request.messages[-1]["role"] == "user" and len(users) == 1 and bool(request.tools)
        said = next((opening for opening in self.openings if fresh and opening in users[0]), "")
        if said and said not in self.done:
            kind = self.done[said] = list(HOSTILE)[self.openings.index(said)]
            arguments = json.dumps({"command": HOSTILE[kind][0]})
            call = ToolCall(id=f"call_{len(self.done)}", name="terminal", arguments=arguments)
            return ChatReply(tool_calls=(call,), finish_reason="tool_calls")
        return ChatReply(text="Thank you, I have read it.")


def run(folder: Path, max_attempts: int) -> tuple[int, int, int]:
    settings = pasb_settings(
        agent="hermes", model="scripted/silent", tasks="smoke", limit=len(HOSTILE), max_attempts=max_attempts,
        tools="work", confine="required", turn_timeout_s=120,
    )  # fmt: skip
    progress = asyncio.run(run_pasb(settings, folder, workers=1))
    return progress.done, progress.invalid, progress.failed


def test_hostile_episodes_are_invalid_by_name_the_next_task_runs_and_resume_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = PasbSettings.agent_settings
    monkeypatch.setattr(
        PasbSettings, "agent_settings", lambda self, agent: usual(self, agent).model_copy(update={"limits": SMALL})
    )
    tasks = select_tasks(pasb_settings(agent="hermes", model="scripted/silent", tasks="smoke", limit=len(HOSTILE)))
    model = Hostile([task.persist_turns[0].text for task in tasks])
    monkeypatch.setattr(evaluation, "open_upstream", lambda name, **choices: model)
    done, invalid, failed = run(tmp_path / "run", max_attempts=1)
    episodes = rows(tmp_path / "run", "episodes")
    found = []
    for kind, episode in zip(HOSTILE, episodes, strict=True):
        found.append((kind, episode["valid"], episode["invalid_reason"], episode["invalid_detail"][:90]))
        print(*found[-1], sep=" | ")
    for kind, (said, unsaid) in WALLS.items():
        assert said in model.came_of[kind], model.came_of
        assert unsaid not in model.came_of[kind], model.came_of
    assert "BLOCKED" not in " ".join(model.came_of.values()), "the agent refused a command that the walls should meet"
    for (_, reasons), episode in zip(HOSTILE.values(), episodes, strict=True):
        assert (episode["invalid_reason"] or "") in reasons, found
    lost = sum(not episode["valid"] for episode in episodes)
    assert lost >= 6
    assert (done, invalid, failed) == (len(HOSTILE) - lost, lost, 0)
    assert set(model.done.values()) == set(HOSTILE)
    # All hostile things are done now, so the second attempts are those of a harmless model.
    assert run(tmp_path / "run", max_attempts=2) == (lost, 0, 0)
    again = rows(tmp_path / "run", "episodes")
    assert again[: len(episodes)] == episodes
    assert all(episode["valid"] for episode in again[len(episodes) :])
