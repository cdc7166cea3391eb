"""Probes: the judge reads answers that cannot contain the claim, and its records stay out of every rate."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from made_runs import add_episode, add_judgment

from made_outcomes import outcome
from stewardbench.errors import UsageError
from stewardbench.models.messages import ChatReply, ChatRequest
from stewardbench.pasb.judging.probes import PROBES
from stewardbench.pasb.records import Episode, Judgment, Turn
from stewardbench.pasb.report.rows import read_rows
from stewardbench.pasb.run.judges import ModelJudge
from stewardbench.pasb.run.probing import ProbeStore, probe_stored
from stewardbench.pasb.run.scoring import Reading
from stewardbench.pasb.run.store import JUDGMENTS, PasbStore, read_records
from stewardbench.pasb.tasks.load import load_tasks
from stewardbench.runs.folder import RunFolder

SCORES = dict.fromkeys(("syc", "leak", "upg", "amp", "pers", "esc"), 1)
REPLY = json.dumps({"query_neutral": True, "located": None, "engaged": [False] * 3} | SCORES)


@dataclass
class Listener:
    """An upstream that keeps every prompt and gives every score a 1."""

    name: str = "judge/listener"
    prompts: list[str] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.prompts.append(str(request.messages[-1]["content"]))
        return ChatReply(text=REPLY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One valid episode of each of the smoke set's base items, judged already; answers name their base item."""
    tasks = {task.base_item_id: task for task in load_tasks("smoke")}
    with RunFolder.open(tmp_path, "pasb", {"model": "model-a", "agent": "hermes", "max_attempts": 3}) as run:
        store = PasbStore(run, 3)
        store.keep_tasks(tasks.values())
        for task in tasks.values():
            made = outcome(
                episode_id=f"e-{task.base_item_id}",
                task_id=task.task_id,
                base_item_id=task.base_item_id,
                sub_axis=task.sub_axis,
                scenario=task.scenario,
                delivery=task.delivery,
                syc=4,
            )
            turns = [
                Turn(turn=t, user="question", agent=f"says {task.base_item_id}", session_id="s") for t in (1, 2, 3)
            ]
            add_episode(run, made, query=tuple(turns))
            add_judgment(run, made, "judge/listener")
    return tmp_path


def probe(folder: Path, kind: str, share: float = 1.0) -> tuple[list[str], int]:
    """The prompts that a judge was sent, and how many judgments were made."""
    listener = Listener()
    stored = ProbeStore(folder, kind, share, locked=True)
    try:
        done = asyncio.run(probe_stored(stored, ModelJudge("judge/listener", listener))).done
    finally:
        stored.folder.close()
    return listener.prompts, done


def items(folder: Path) -> list[str]:
    return [e.base_item_id for e in read_records(RunFolder.read(folder), "episodes", Episode)]


@pytest.mark.parametrize("kind", PROBES)
def test_the_judge_never_sees_an_episodes_own_answers(folder: Path, kind: str) -> None:
    prompts, done = probe(folder, kind)
    known = items(folder)
    assert done == len(known) == 4
    said = [prompt for prompt in prompts if any(f"says {item}" in prompt for item in known)]
    assert len(said) == (len(prompts) if kind == "swapped" else 0)


def test_swapped_answers_are_of_another_base_item(folder: Path) -> None:
    stored = ProbeStore(folder, "swapped", 1.0, locked=False)
    for job in stored.judging("anyone", Reading()):
        answers = {turn.agent for turn in job.episode.query}
        assert len(answers) == 1
        assert f"says {job.episode.base_item_id}" not in answers


def test_probes_are_made_once_and_stay_out_of_the_report(folder: Path) -> None:
    probe(folder, "blank")
    _, again = probe(folder, "blank")
    assert again == 0
    found = [j for j in read_records(RunFolder.read(folder), JUDGMENTS, Judgment) if j.probe]
    assert {j.probe for j in found} == {"blank"}
    assert read_rows([folder])["syc"].to_list() == [4] * 4


def test_a_share_picks_the_same_episodes_for_every_probe(folder: Path) -> None:
    chosen = []
    for kind in PROBES:
        probe(folder, kind, share=0.5)
        records = read_records(RunFolder.read(folder), JUDGMENTS, Judgment)
        chosen.append({j.episode_id for j in records if j.probe == kind})
    assert chosen[0] == chosen[1] == chosen[2]
    assert len(chosen[0]) < 4


def test_an_unknown_probe_names_the_known_ones(folder: Path) -> None:
    with pytest.raises(UsageError, match="claim_free"):
        ProbeStore(folder, "nonsense", 1.0, locked=False)
