"""A PASB episode as the explorer shows it: claim, persist session, what was written, the cut, query session, scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stewardbench.agents.interface import DURABLE_SURFACES, Surface, ToolUse
from stewardbench.pasb.axes import ARC_DIMENSIONS, DIMENSIONS, FAIL_AT, TURN_DIMENSIONS
from stewardbench.pasb.pages import readings
from stewardbench.pasb.pages.labels import INVALID, SUB_AXES, SURFACES
from stewardbench.pasb.pages.reader import Read
from stewardbench.pasb.records import Annotation, Captured, Cut, Episode, Judgment, Task, policy_label
from stewardbench.pasb.records import Turn as RecordedTurn
from stewardbench.report.labels import words
from stewardbench.site.episodes.blocks import (
    Block,
    CheckLine,
    Checks,
    Chip,
    EpisodeDetail,
    Facts,
    FileDiff,
    Prose,
    Scores,
    Section,
    Tool,
    TurnBlock,
)
from stewardbench.site.episodes.differences import difference
from stewardbench.site.episodes.index import ListColumn
from stewardbench.site.labels import agent_label

_WRITTEN = tuple((label, f"surface-{surface}") for surface, label in SURFACES.items())
_STATE = (("Invalid", "bad"), ("Unscored", "warn"), ("Superseded", "warn"), ("Scored", "quiet"))
COLUMNS = (
    ListColumn("task", "Task", "name"),
    ListColumn("model", "Model", "name", filter=True),
    ListColumn("agent", "Agent", "category", filter=True),
    ListColumn("scenario", "Scenario", "category", filter=True),
    ListColumn("delivery", "Delivery", "category", filter=True),
    ListColumn("written", "Written to", "mark", filter=True, labels=_WRITTEN),
    ListColumn("readings", "Readings", "mark", filter=True, hidden=True, labels=readings.PAIRS),
    *(ListColumn(key, words(key), "score", short=key.capitalize()) for key in DIMENSIONS),
    ListColumn("stance", "Stance", "category", filter=True),
    ListColumn("axis", "Sub-axis", "category", filter=True, hidden=True),
    ListColumn("state", "State", "mark", filter=True, labels=_STATE),
    ListColumn("arm", "Arm", "category", filter=True, hidden=True),
    ListColumn("run", "Run", "name", filter=True, hidden=True),
    ListColumn("claim", "Claim", "name", hidden=True),
)
CUT_CHECKS = (
    ("ids_differ", "The query session has its own session id"),
    ("canary_ok", "The persist-stage canary appears in no query prompt or reply, unless durable state holds it"),
    ("stores_cleared", "Every session store was removed, databases included"),
    ("durable_hash_equal", "Durable surfaces are byte-identical before and after the wipe"),
    ("whole_tree_captured", "Every file that differs from the baseline was captured"),
    ("turn_counts_ok", "Five persist turns and three query turns were held"),
)


def row(read: Read, outcome: Mapping[str, Any] | None) -> dict[str, str]:
    """The list's row of one attempt. ``outcome`` is the report's row of it, None where the attempt does not count."""
    episode = read.episode
    known = outcome or {}
    stance = known.get("stance")
    return {
        "task": episode.task_id.split("__")[0],
        "model": episode.model,
        "agent": agent_label(episode.agent),
        "scenario": words(episode.scenario),
        "delivery": words(episode.delivery),
        "written": _written(episode),
        "readings": readings.pair(episode, readings.latest(read.commit_readings)),
        **{key: str(known[key]) if known.get(key) is not None else "" for key in DIMENSIONS},
        "stance": words(stance) if stance else "",
        "axis": SUB_AXES[episode.sub_axis],
        "state": _state(episode, outcome),
        "arm": words(episode.arm),
        "run": episode.run_id,
        "claim": read.task.claim.text if read.task else "",
    }


def detail(read: Read, outcome: Mapping[str, Any] | None) -> EpisodeDetail:
    """The whole episode. Sections without anything to show are left out."""
    episode = read.episode
    title = f"{words(episode.scenario)}, {words(episode.delivery).lower()}"
    chips = [
        Chip(agent_label(episode.agent)),
        Chip(episode.model),
        Chip(_written(episode), _surface_tone(episode)),
    ]
    if outcome and outcome["stance"]:
        chips.append(Chip("Stance: " + words(outcome["stance"]).lower()))
    state = _state(episode, outcome)
    if state != "Scored":
        chips.append(Chip(state, "bad" if state == "Invalid" else "warn"))
    sections = (
        Section("claim", "Claim", "", (*_claim(episode, read.task), *_outcome(outcome))),
        Section("persist", "Persist session", "Five turns in one session.", tuple(_persist(read))),
        Section("written", "What was written", _written_lead(episode), tuple(_written_files(read))),
        Section("cut", "The cut", "What stood between the two sessions.", tuple(_cut(episode))),
        Section(
            "query",
            "Query session",
            "Three turns in a fresh session over the same state.",
            tuple(_query(read, _counted(read, outcome))),
        ),
        Section(
            "later",
            "Written in the query session",
            "Recorded apart; never a commit.",
            tuple(_later_files(episode)),
        ),
        Section("scores", "Scores and reasons", "", (*map(_judged, read.judgments), *_annotated(read.annotations))),
        Section("record", "Record", "", (_record(episode),)),
    )
    return EpisodeDetail(
        id=episode.episode_id,
        title=title,
        subtitle=episode.base_item_id,
        chips=tuple(chips),
        sections=tuple(section for section in sections if section.blocks),
    )


def _written(episode: Episode) -> str:
    return SURFACES[episode.commit.primary] if episode.commit else ""


def _state(episode: Episode, outcome: Mapping[str, Any] | None) -> str:
    if not episode.valid:
        return "Invalid"
    if outcome is None:
        return "Superseded"
    return "Scored" if all(outcome.get(key) is not None for key in DIMENSIONS) else "Unscored"


def _surface_tone(episode: Episode) -> str:
    return f"surface-{episode.commit.primary}" if episode.commit else "plain"


def _claim(episode: Episode, task: Task | None) -> list[Block]:
    blocks: list[Block] = []
    if not episode.valid:
        reason = INVALID[episode.invalid_reason] if episode.invalid_reason else "no reason recorded"
        text = f"Counted, shown, and in no rate: {reason}. {episode.invalid_detail}".strip()
        blocks.append(Prose("Invalid episode", text, "bad"))
    if task is not None:
        blocks += [
            Prose("Claim under test", task.claim.text, "claim"),
            Prose("An independent answer would hold", task.claim.ground_truth_stance),
            Facts(
                (
                    ("Sub-axis", SUB_AXES[episode.sub_axis]),
                    ("Claim domain", words(task.claim.domain)),
                    ("Query domain", words(task.query_domain)),
                    ("Query probes", task.query_target),
                )
            ),
        ]
    return blocks


def _outcome(outcome: Mapping[str, Any] | None) -> list[Block]:
    """The episode's six scores as every table counts them: the highest of three turns, and the two of the arc."""
    if outcome is None or all(outcome.get(key) is None for key in DIMENSIONS):
        return []
    scores = tuple(outcome.get(key) for key in DIMENSIONS)
    note = f"Highest of the three query turns, or of the whole arc; {FAIL_AT} or more fails."
    return [Scores("Outcome", tuple(key.capitalize() for key in DIMENSIONS), (("Score", scores),), FAIL_AT, note)]


def _persist(read: Read) -> list[Block]:
    kinds = {turn.turn: turn.kind for turn in read.task.persist_turns} if read.task else {}
    return [_turn(turn, _kind_chips(kinds.get(turn.turn, ""))) for turn in read.episode.persist]


def _kind_chips(kind: str) -> tuple[Chip, ...]:
    return (Chip(kind, "plain" if kind == "filler" else "claim"),) if kind else ()


def _counted(read: Read, outcome: Mapping[str, Any] | None) -> Judgment | None:
    """The judgment that the report counts: the latest of its judge that is neither a repeat nor a probe."""
    judge = outcome["judge"] if outcome else ""
    plain = [j for j in read.judgments if j.judge_model == judge and j.repeat == 0 and not j.probe]
    return plain[-1] if plain else None


def _query(read: Read, counted: Judgment | None) -> list[Block]:
    blocks: list[Block] = []
    for turn in read.episode.query:
        scores = [scored for scored in counted.turns if scored.turn == turn.turn] if counted else []
        chips = tuple(_score_chip(key, getattr(scored, key)) for scored in scores for key in TURN_DIMENSIONS)
        asides = tuple(
            (_judge_name(judgment), scored.rationale or scored.error or "no reason given")
            for judgment in read.judgments
            for scored in judgment.turns
            if scored.turn == turn.turn
        )
        blocks.append(_turn(turn, chips, asides))
    return blocks


def _score_chip(dimension: str, score: int | None) -> Chip:
    label = words(dimension)
    if score is None:
        return Chip(f"{label} unscored", "warn")
    return Chip(f"{label} {score}", "fail" if score >= FAIL_AT else "pass")


def _turn(turn: RecordedTurn, chips: tuple[Chip, ...] = (), asides: tuple[tuple[str, str], ...] = ()) -> TurnBlock:
    tools = tuple(Tool(use.name, use.arguments, use.result, _tool_note(use)) for use in turn.tool_calls)
    return TurnBlock(turn.turn, turn.user, turn.agent, chips, tools, turn.error or "", asides)


def _tool_note(use: ToolUse) -> str:
    notes = (("refused by the agent", use.refused), ("by the background review", use.background))
    return ", ".join(note for note, holds in notes if holds)


def _written_lead(episode: Episode) -> str:
    if episode.commit is None:
        return "Files that differ from the baseline after the persist stage."
    return (
        f"Read by words ({episode.commit.matcher}) and, where there is one, by a reader; the words that decided are "
        "marked. Files against the baseline; only profile, memory, skill and the agent's own instructions count."
    )


def _written_files(read: Read) -> list[Block]:
    """Both readings of the commit, and every file that the persist stage changed, against the baseline."""
    episode, reading = read.episode, readings.latest(read.commit_readings)
    before = {captured.path: captured for captured in episode.state_before}
    files = _files(episode.state_after_persist, before, readings.places(episode, reading))
    return [*readings.blocks(episode, reading), *files]


def _later_files(episode: Episode) -> list[Block]:
    """Every file that the query stage changed, against what the persist stage had left."""
    before = {captured.path: captured for captured in episode.state_before}
    left = {captured.path: captured for captured in episode.state_after_persist}
    return _files(episode.state_after_query, before | left, {})


def _files(
    changed: Sequence[Captured], before: Mapping[str, Captured], marks: Mapping[str, Sequence[tuple[int, int]]]
) -> list[Block]:
    """Diffs of the files whose text was kept, commit surfaces first, and a list of the others."""
    order = {surface: place for place, surface in enumerate(DURABLE_SURFACES)}
    found = sorted(
        (captured for captured in changed if captured.change != "same"),
        key=lambda captured: (order.get(captured.surface, len(order)), captured.path),
    )
    blocks: list[Block] = [
        _file(captured, before.get(captured.path), marks.get(captured.path, ()))
        for captured in found
        if captured.text_kept
    ]
    rest = tuple(
        (captured.path, f"{captured.change}, {captured.size:,} bytes; {SURFACES[captured.surface].lower()}")
        for captured in found
        if not captured.text_kept
    )
    return [*blocks, Facts(rest)] if rest else blocks


def _file(captured: Captured, earlier: Captured | None, marks: Sequence[tuple[int, int]]) -> FileDiff:
    known = earlier is not None and earlier.text_kept and earlier.change != "deleted"
    old = earlier.text if earlier is not None and known else None
    new = None if captured.change == "deleted" else captured.text
    lines, note = difference(None if captured.change == "added" else old, new, marks)
    if captured.change == "modified" and not known:
        note = f"{note} The earlier text was not captured, so the whole file is shown.".strip()
    counted = captured.surface in DURABLE_SURFACES
    return FileDiff(
        path=captured.path,
        change=captured.change,
        chip=Chip(SURFACES[captured.surface], f"surface-{captured.surface}"),
        lines=lines,
        note=note,
        folded=not counted and captured.surface is not Surface.PENDING,
    )


def _cut(episode: Episode) -> list[Block]:
    blocks: list[Block] = []
    if episode.cut is not None:
        blocks.append(Checks(tuple(_checks(episode.cut))))
        shown = {True: "yes", False: "no", None: "not seen"}[episode.cut.claim_in_query_input]
        blocks.append(Facts((("Claim in the query stage's model input", shown), ("Canary", episode.canary))))
    if episode.flush is not None:
        flush = episode.flush
        quiet = "quiet" if flush.quiescent else "not quiet; pending: " + (", ".join(flush.pending) or "unknown")
        blocks.append(
            Facts(
                (
                    ("Wait before capture", f"{flush.waited_s:.1f} s ({flush.policy})"),
                    ("At capture", quiet),
                    ("Background reviews", str(flush.background_reviews)),
                )
            )
        )
    return blocks


def _checks(cut: Cut) -> list[CheckLine]:
    checks = [CheckLine(label, getattr(cut, key)) for key, label in CUT_CHECKS]
    return checks + [CheckLine(text, None) for text in cut.details]


def _judged(judgment: Judgment) -> Scores:
    rows: list[tuple[str, tuple[int | None, ...]]] = []
    turns = sorted(judgment.turns, key=lambda turn: turn.turn)
    for key in TURN_DIMENSIONS:
        rows.append((words(key), (*(getattr(turn, key) for turn in turns), None)))
    for key in ARC_DIMENSIONS:
        rows.append((words(key), (*(None for _ in turns), getattr(judgment.arc, key))))
    return Scores(
        caption=_judge_name(judgment),
        columns=(*(f"TurnBlock {turn.turn}" for turn in turns), "Arc"),
        rows=tuple(rows),
        fail_at=FAIL_AT,
        note=judgment.arc.rationale or judgment.arc.error,
    )


def _judge_name(judgment: Judgment) -> str:
    extras = [f"repeat {judgment.repeat}"] if judgment.repeat else []
    extras += [f"probe: {judgment.probe}"] if judgment.probe else []
    extras += ["harness check"] if judgment.harness_check else []
    return f"Judge {judgment.judge_model}" + (f" ({', '.join(extras)})" if extras else "")


def _annotated(annotations: Sequence[Annotation]) -> list[Block]:
    return [
        Facts(
            (
                ("Annotator", annotation.annotator + (" (harness check)" if annotation.harness_check else "")),
                ("Stance", _stance(annotation)),
                ("Role in durable state", _or_unscored(annotation.role)),
                ("Status promoted", _yes(annotation.promoted)),
                ("Source removed", _yes(annotation.attribution_removed)),
                ("Evidence", annotation.evidence_span or "none"),
                *((("Conflicts", "; ".join(annotation.conflicts)),) if annotation.conflicts else ()),
                *((("Error", annotation.error),) if annotation.error else ()),
            )
        )
        for annotation in annotations
    ]


def _stance(annotation: Annotation) -> str:
    if annotation.stance is None:
        return "unscored"
    where = f", turn {annotation.stance_turn}" if annotation.stance_turn else ""
    return words(annotation.stance) + where


def _or_unscored(value: str | None) -> str:
    return "unscored" if value is None else str(value)


def _yes(value: bool | None) -> str:
    return "unscored" if value is None else ("yes" if value else "no")


def _record(episode: Episode) -> Facts:
    return Facts(
        (
            ("Episode", episode.episode_id),
            ("Task", episode.task_id),
            ("Run", episode.run_id),
            ("Agent", f"{agent_label(episode.agent)} {episode.agent_version}"),
            ("Policy", policy_label(episode.preset, episode.overrides, masked=episode.masked_name)),
            ("Review, tools", f"{episode.review}, {episode.tools}"),
            ("Model's name as told to the agent", episode.told_model),
            ("Arm", words(episode.arm)),
            ("Attempt", str(episode.attempt)),
            ("Confined", "yes" if episode.confined else "no"),
            ("Started, completed", f"{episode.started_at} to {episode.completed_at}"),
            ("Tokens", f"{episode.input_tokens:,} in, {episode.output_tokens:,} out"),
            ("Configuration", episode.config_sha256),
            ("Baseline", episode.baseline_sha256),
        )
    )
