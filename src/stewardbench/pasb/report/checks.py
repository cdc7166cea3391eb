"""What can be computed again of a PASB run's records, without a model: commits, answers, scores, who belongs to what.

An episode rests on its task, on the files that were captured (their hashes, and the commit that the matcher finds in
them), on the stored model calls (every answer is one that the model gave) and on its cut (valid means attested). A
judgment rests on the judge's stored reply. Annotations keep no reply, so theirs cannot be read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from stewardbench.agents.interface import Surface
from stewardbench.errors import StewardError
from stewardbench.models.messages import Exchange
from stewardbench.pasb.axes import ARC_DIMENSIONS, TURN_DIMENSIONS
from stewardbench.pasb.commits.matcher import MATCHER, find_commit
from stewardbench.pasb.judging.answers import Answer
from stewardbench.pasb.judging.judge import RUBRIC_VERSION, read_arc, read_turn
from stewardbench.pasb.records import Annotation, ArcJudgment, Captured, Cut, Episode, Judgment, Task, TurnJudgment
from stewardbench.pasb.run.settings import tasks_sha256
from stewardbench.pasb.run.store import ANNOTATIONS, EPISODES, JUDGMENTS, TASKS, read_records
from stewardbench.runs.exchanges import load_exchanges
from stewardbench.runs.folder import RunFolder

_OF_THE_TASK = ("base_item_id", "sub_axis", "scenario", "delivery", "arm")
_REPLACED = "\ufffd"  # stands for bytes that are no text, so that the hash cannot be computed from the text


def checks(folder: RunFolder, *, blobs: bool) -> Iterator[str]:
    """A sentence for everything that does not follow from the rest of a run's records. Raises StoreError."""
    tasks = list(read_records(folder, TASKS, Task))
    declared = folder.manifest.settings.get("tasks_sha256")
    if declared is not None and declared != tasks_sha256(tuple(tasks)):
        yield "tasks.jsonl: these are not the tasks that the run was started with"
    by_id = {task.task_id: task for task in tasks}
    known: dict[str, bool] = {}
    rewritten: list[str] = []
    verbatim = False
    for episode in read_records(folder, EPISODES, Episode):
        known[episode.episode_id] = episode.valid
        for fault in _episode_faults(folder, episode, by_id.get(episode.task_id)):
            yield f"{episode.episode_id}: {fault}"
        if blobs:
            try:
                calls = load_exchanges(folder.blobs, episode.exchanges_sha256)
            except StewardError as error:
                yield f"{episode.episode_id}: its model calls: {error.message}"
                continue
            for fault in _call_faults(episode, calls):
                yield f"{episode.episode_id}: {fault}"
            unsaid = list(_unsaid(episode, calls))
            verbatim = verbatim or len(unsaid) < len(episode.persist) + len(episode.query)
            rewritten += [f"{episode.episode_id}: {fault}" for fault in unsaid]
    if verbatim:  # an agent that puts every reply into words of its own says none of them as its model did
        yield from rewritten
    yield from _judgment_faults(read_records(folder, JUDGMENTS, Judgment), known)
    yield from _annotation_faults(read_records(folder, ANNOTATIONS, Annotation), known)


def _episode_faults(folder: RunFolder, episode: Episode, task: Task | None) -> Iterator[str]:
    if task is None:
        yield "its task is not among the run's tasks"
    else:
        for name in _OF_THE_TASK:
            if getattr(episode, name) != getattr(task, name):
                yield f"{name} is {getattr(episode, name)}, of its task {getattr(task, name)}"
    for name in ("model", "agent"):
        asked = folder.manifest.settings.get(name)
        if asked is not None and asked != getattr(episode, name):
            yield f"{name} is {getattr(episode, name)}, of its run {asked}"
    attested = episode.cut is not None and all(
        getattr(episode.cut, name)
        for name in Cut.model_fields
        if name not in {"claim_in_query_input", "channels", "details"}
    )
    if episode.valid and (not attested or episode.invalid_reason is not None):
        yield "counts as valid, but its cut is not attested or a reason against it is given"
    for captured in (*episode.state_before, *episode.state_after_persist, *episode.state_after_query):
        if not _has_its_hash(captured):
            yield f"the text of {captured.path} does not have the hash that it was captured with"
    if task is not None and episode.commit is not None and episode.commit.matcher == MATCHER:
        yield from _commit_faults(episode, task)


def _has_its_hash(captured: Captured) -> bool:
    whole = (
        captured.text_kept and captured.text_whole and captured.change != "deleted" and _REPLACED not in captured.text
    )
    data = captured.text.encode("utf-8", "surrogatepass")
    return not whole or captured.kind != "file" or hashlib.sha256(data).hexdigest() == captured.sha256


def _commit_faults(episode: Episode, task: Task) -> Iterator[str]:
    surfaces: dict[str, Surface] = {}
    before = {state.path: state for state in episode.state_before}
    after = dict(before)
    for state in (*episode.state_before, *episode.state_after_persist):
        surfaces[state.path] = state.surface
    for state in episode.state_after_persist:
        if state.change == "deleted":
            after.pop(state.path, None)
        else:
            after[state.path] = state
    found, stored = find_commit(task.claim.text, before, after, surfaces.__getitem__), episode.commit
    assert stored is not None
    # Unchanged files are kept by hash alone, and what they hold can turn a doubt either way: a doubt proves nothing.
    contrary = None not in {found.committed, stored.committed} and found.committed != stored.committed
    elsewhere = found.committed and stored.committed and found.surfaces != stored.surfaces
    if contrary or elsewhere:
        yield f"its commit is recorded as {stored.primary}; its captured files give {found.primary}"


def _call_faults(episode: Episode, calls: tuple[Exchange, ...]) -> Iterator[str]:
    for stage, turns in (("persist", episode.persist), ("query", episode.query)):
        for turn in turns:
            made = sum(call.stage == stage and call.turn == turn.turn for call in calls)
            if made != turn.model_calls:
                yield f"{stage} turn {turn.turn} counts {turn.model_calls} model calls, {made} are stored"
    if episode.valid and not any(call.reply is not None for call in calls):
        yield "counts as valid, but no answered model call is stored"
    usage = [call.reply.usage for call in calls if call.reply is not None]
    spent = sum(one.input_tokens for one in usage), sum(one.output_tokens for one in usage)
    if spent != (episode.input_tokens, episode.output_tokens):
        yield "its tokens are not those of its stored model calls"


def _unsaid(episode: Episode, calls: tuple[Exchange, ...]) -> Iterator[str]:
    """Turns of a valid episode whose answer is in no reply of that turn, blanks apart."""
    for stage, turns in (("persist", episode.persist), ("query", episode.query)):
        for turn in turns:
            mine = [call for call in calls if call.stage == stage and call.turn == turn.turn]
            replies = [" ".join(call.reply.text.split()) for call in mine if call.reply is not None]
            answer = " ".join(turn.agent.split())
            if (
                episode.valid
                and answer
                and mine
                and not any(answer in said or (said and said in answer) for said in replies)
            ):
                yield f"the answer of {stage} turn {turn.turn} is in no stored reply of that turn"


def _judgment_faults(judgments: Iterable[Judgment], known: Mapping[str, bool]) -> Iterator[str]:
    seen: set[tuple[object, ...]] = set()
    for one in judgments:
        key = (one.episode_id, one.judge_model, one.repeat, one.probe, one.blind_to_state)
        if key in seen:
            yield f"judgments.jsonl: {one.judge_model} judged {one.episode_id} twice"
        seen.add(key)
        if one.episode_id not in known:
            yield f"judgments.jsonl: no episode {one.episode_id} is stored"
        if one.rubric_version == RUBRIC_VERSION and not one.harness_check:
            yield from (f"judgments.jsonl: {one.episode_id}: {fault}" for fault in _score_faults(one))


def _score_faults(judgment: Judgment) -> Iterator[str]:
    """Scores that the judge's stored reply does not give. A score that was not understood then may be now."""
    read: list[tuple[str, TurnJudgment | ArcJudgment, TurnJudgment | ArcJudgment, tuple[str, ...]]] = [
        (f"turn {turn.turn}", turn, read_turn(turn.turn, Answer(turn.raw)), TURN_DIMENSIONS)
        for turn in judgment.turns
        if turn.raw
    ]
    if judgment.arc.raw:
        read.append(("arc", judgment.arc, read_arc(Answer(judgment.arc.raw)), ARC_DIMENSIONS))
    for where, stored, again, dimensions in read:
        for name in dimensions:
            score = getattr(stored, name)
            if score is not None and score != getattr(again, name):
                yield f"{where}: {name} is {score}, the judge's reply gives {getattr(again, name)}"


def _annotation_faults(annotations: Iterable[Annotation], known: Mapping[str, bool]) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for one in annotations:
        if (one.episode_id, one.annotator) in seen:
            yield f"annotations.jsonl: {one.annotator} annotated {one.episode_id} twice"
        seen.add((one.episode_id, one.annotator))
        if one.episode_id not in known:
            yield f"annotations.jsonl: no episode {one.episode_id} is stored"
