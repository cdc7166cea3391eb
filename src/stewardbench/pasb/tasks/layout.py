"""From a base item to its tasks: which of its texts stands in which persist turn (section A.2, stages D and E).

    all_at_once   full      filler 1  filler 2    filler 3     filler 4
    progressive   hint 1    hint 2    full        restate 1    restate 2
    drip          fragment  filler 5  fragment    filler 1     fragment
    late_shock    filler 2  filler 3  filler 4    filler 5     full

So each filler is used exactly twice over the four deliveries, as often as claim turns are. In the no-claim arm the
claim's places are taken by the fillers that the delivery leaves over; all other turns stay as they are. The layout
is a pure function of the item: the same item gives the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from stewardbench.pasb.audit.meaning import exposure_by_meaning
from stewardbench.pasb.axes import ATTRIBUTION, POSITION, Delivery, Scenario
from stewardbench.pasb.records import Claim, PersistTurn, QueryTurn, ReplyCheck, Task
from stewardbench.pasb.tasks.item import BaseItem, NaturalItem, Twin, Wording
from stewardbench.pasb.words import word_count

Kind = Literal["trigger", "fragment", "reaffirm", "hint", "filler"]
Cue = Literal["on", "off"]
Place = tuple[Kind, int]

LAYOUT: dict[Delivery, tuple[Place, ...]] = {
    Delivery.ALL_AT_ONCE: (("trigger", 0), ("filler", 0), ("filler", 1), ("filler", 2), ("filler", 3)),
    Delivery.PROGRESSIVE: (("hint", 0), ("hint", 1), ("trigger", 0), ("reaffirm", 0), ("reaffirm", 1)),
    Delivery.DRIP: (("fragment", 0), ("filler", 4), ("fragment", 1), ("filler", 0), ("fragment", 2)),
    Delivery.LATE_SHOCK: (("filler", 1), ("filler", 2), ("filler", 3), ("filler", 4), ("trigger", 0)),
}
CUED = (Scenario.SIGNED_MEMORY, Scenario.PROCEDURAL_WORKFLOW)  # scenarios that have a cue=on variant
SOURCE = "stewardbench-open"  # of the edition 1.0.0, whose rows named no edition yet
SOURCE_2 = "stewardbench-open@2.0.0"


def natural_tasks(item: BaseItem, *, cue: Cue = "off") -> Iterator[Task]:
    """The tasks of the item's own claim: 16 with ``cue="off"``, the eight that have a cue with ``cue="on"``."""
    for scenario in Scenario if cue == "off" else CUED:
        for delivery in Delivery:
            turns = _persist(item, item.wordings.of(scenario), scenario, delivery, cue)
            suffix = "" if cue == "off" else "__cue_on"
            yield _task(item, item.claim, scenario, delivery, turns, query=item.query, suffix=suffix, cue=cue)


def released_query_tasks(item: BaseItem) -> Iterator[Task]:
    """The 16 tasks with the leading follow-up queries that the public release uses, for comparison with it."""
    pool = _released_queries()[item.sub_axis]
    second, third = pool[item.number % len(pool)]
    for task in natural_tasks(item):
        arc = (item.query[0], second, third)
        turns = tuple(QueryTurn(turn=turn, text=text) for turn, text in enumerate(arc, 1))
        yield task.model_copy(update={"task_id": f"{task.task_id}__released_query", "query_turns": turns})


@cache
def _released_queries() -> dict[str, list[list[str]]]:
    text = (files("stewardbench.pasb.data") / "released_queries.yaml").read_text(encoding="utf-8")
    queries: dict[str, list[list[str]]] = yaml.safe_load(text)
    return queries


def true_claim_tasks(item: BaseItem) -> Iterator[Task]:
    """The 16 tasks that tell the true claim instead, in the same places and followed by the same queries."""
    true = item.true_claim
    for scenario in Scenario:
        for delivery in Delivery:
            turns = _persist(item, true.wordings.of(scenario), scenario, delivery, "off")
            yield _task(
                item, true.claim, scenario, delivery, turns, query=item.query, suffix="__true_claim", arm="true_claim"
            )


def no_claim_tasks(item: BaseItem) -> Iterator[Task]:
    """The 16 tasks without the claim: its places are filled by the fillers that the delivery leaves over."""
    for scenario in Scenario:
        fillers = item.fillers.of(scenario)
        for delivery in Delivery:
            kept = [place for kind, place in LAYOUT[delivery] if kind == "filler"]
            left = iter([place for place in range(len(fillers)) if place not in kept])
            order = [place if kind == "filler" else next(left) for kind, place in LAYOUT[delivery]]
            turns = tuple(
                PersistTurn(turn=turn, text=fillers[place], kind="filler") for turn, place in enumerate(order, 1)
            )
            yield _task(
                item, item.claim, scenario, delivery, turns, query=item.query, suffix="__no_claim", arm="no_claim"
            )


def twin_tasks(item: BaseItem) -> Iterator[Task]:
    """The 32 tasks of the benign twin: each variant with the in-scope and with the out-of-scope query arc."""
    return _twin_tasks(item, item.twin, "twin")


def matched_twin_tasks(item: BaseItem) -> Iterator[Task]:
    """The 32 tasks of the matched twin, laid out as the twin's are; none for an item of format 1, which has none."""
    return _twin_tasks(item, item.matched_twin, "matched_twin") if isinstance(item, NaturalItem) else iter(())


def _twin_tasks(item: BaseItem, twin: Twin, arm: Literal["twin", "matched_twin"]) -> Iterator[Task]:
    arcs: tuple[tuple[Literal["in", "out"], tuple[str, str, str], ReplyCheck], ...] = (
        ("in", twin.in_scope, ReplyCheck(must=twin.checks.must, must_not=twin.checks.must_not)),
        ("out", twin.out_of_scope, ReplyCheck(must_not=twin.checks.out_of_scope_must_not)),
    )
    for scenario in Scenario:
        for delivery in Delivery:
            turns = _persist(item, twin.wordings.of(scenario), scenario, delivery, "off")
            for scope, query, check in arcs:
                task = _task(
                    item, twin.claim, scenario, delivery, turns, query=query, suffix=f"__{arm}_{scope}", arm=arm
                )
                target = f"use of the remembered value ({twin.value}), {scope} of its scope"
                update = {"scope": scope, "reply_check": check, "query_target": target}
                yield task.model_copy(update=update | {"query_domain": twin.claim.domain})


def _persist(
    item: BaseItem, wording: Wording, scenario: Scenario, delivery: Delivery, cue: Cue
) -> tuple[PersistTurn, ...]:
    texts: dict[Kind, tuple[str, ...]] = {
        "trigger": (wording.full,),
        "hint": wording.hints,
        "reaffirm": wording.restatements,
        "fragment": wording.fragments,
        "filler": item.fillers.of(scenario),
    }
    cued = _cued_turn(delivery) if cue == "on" else None
    turns = []
    for turn, (kind, place) in enumerate(LAYOUT[delivery], 1):
        text = texts[kind][place]
        if turn == cued:
            text = f"{text} {getattr(item.cues, scenario.value)}"
        turns.append(PersistTurn(turn=turn, text=text, kind=kind))
    return tuple(turns)


def _cued_turn(delivery: Delivery) -> int:
    """The turn that completes the claim, counted from 1: the full statement, or a drip's last fragment."""
    kinds = [kind for kind, _ in LAYOUT[delivery]]
    return kinds.index("trigger") + 1 if "trigger" in kinds else len(kinds)


def _task(
    item: BaseItem,
    claim: Claim,
    scenario: Scenario,
    delivery: Delivery,
    turns: tuple[PersistTurn, ...],
    *,
    query: tuple[str, str, str],
    suffix: str,
    arm: Literal["natural", "twin", "matched_twin", "true_claim", "no_claim"] = "natural",
    cue: Cue = "off",
) -> Task:
    told = [turn.text for turn in turns if turn.kind in {"trigger", "fragment"}]
    natural = item if isinstance(item, NaturalItem) else None
    return Task(
        task_id=f"{item.id}__{scenario}__{delivery}{suffix}",
        base_item_id=item.id,
        sub_axis=item.sub_axis,
        source_dataset=item.source.dataset if item.source else SOURCE_2 if natural else SOURCE,
        source_id=item.source.id if item.source else item.number,
        source_sha256=item.source.sha256 if item.source else item.sha256,
        scenario=scenario,
        delivery=delivery,
        attribution=ATTRIBUTION[scenario],
        claim=claim,
        query_domain=item.query_domain,
        context_facts=item.context_facts,
        query_target=item.query_target,
        persist_turns=turns,
        query_turns=tuple(QueryTurn(turn=turn, text=text) for turn, text in enumerate(query, 1)),
        position=POSITION[delivery],
        length_words=sum(map(word_count, told)),
        cue=cue,
        arm=arm,
        position_scores=_position_scores(claim, turns, arm) if natural else None,
        item_format=natural.schema_ if natural else None,
        topic=natural.topic if natural else None,
        subject=natural.subject.value if natural else None,
        stakes=natural.stakes.value if natural else None,
    )


def _position_scores(claim: Claim, turns: tuple[PersistTurn, ...], arm: str) -> tuple[int, ...]:
    """How much of the statement the session has told by the end of each claim turn, 1 to 5; a filler tells nothing (1).

    Told once, it stays told: a restatement after the full statement keeps its 5 (section A.3, progressive).
    """
    scores, so_far = [], list[str]()
    for turn in turns:
        if turn.kind == "filler" or arm == "no_claim":
            scores.append(1)
            continue
        so_far.append(turn.text)
        scores.append(exposure_by_meaning(claim.text, so_far))
    return tuple(scores)
