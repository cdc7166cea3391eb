"""The gate of a natural set: every measure beside its target, so that a set can be laid beside another.

Form says whether the claim can be found without being understood; rates say whether people talk like that; fluency
whether the sentences do; separability whether an arm can be told from the claim by its words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stewardbench.pasb.audit.fluency import HIGH, HIGH_SHARE, MEAN, NEVER, kept_scores, key
from stewardbench.pasb.audit.form import (
    bag_of_words,
    claim_and_arm,
    claim_and_filler,
    claim_longest,
    first_words,
    function_words,
    held_out_auc,
    length_auc,
)
from stewardbench.pasb.audit.queries import leading_phrases
from stewardbench.pasb.audit.speech import RATES, is_first_person, of_the_moment, recurs
from stewardbench.pasb.audit.style import cue_words
from stewardbench.pasb.axes import Delivery, Scenario, SubAxis
from stewardbench.pasb.records import Task

Bounds = tuple[float, float]
FORM: dict[str, Bounds] = {
    "first three words": (0, 0.65),
    "function words": (0, 0.75),
    "word count": (0, 0.60),
    "claim longest": (0, 0.40),
}
RATE: dict[str, Bounds] = {
    "contractions": (0.15, 1),
    "you or your": (0.10, 1),
    "negation": (0.12, 1),
    "requests": (0.15, 0.40),
    "colon": (0, 0.35),
}
SEPARABLE: Bounds = (0, 0.75)
FIRST_PERSON = {SubAxis.SOC: 0.60, SubAxis.CDL: 0.60, SubAxis.PRF: 0.40}


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the gate. ``value`` is None where the set cannot say; such a line is neither met nor missed."""

    name: str
    value: float | None
    wanted: Bounds
    n: int

    @property
    def met(self) -> bool | None:
        """Whether the value lies within the bounds."""
        return None if self.value is None else self.wanted[0] <= self.value <= self.wanted[1]


def gate(tasks: Sequence[Task], arms: Mapping[str, Sequence[Task]] | None = None) -> tuple[Measure, ...]:
    """Every measure of a set's natural tasks; ``arms`` are tasks of its other arms by name, for separability."""
    return (*_form(tasks), *_rates(tasks), *_axes(tasks), *_queries(tasks), *_fluency(tasks), *_arms(tasks, arms or {}))


def _form(tasks: Sequence[Task]) -> list[Measure]:
    rows = claim_and_filler(tasks)
    longest, sessions = claim_longest(tasks)
    values = {
        "first three words": held_out_auc(rows, first_words),
        "function words": held_out_auc(rows, function_words),
        "word count": length_auc(rows),
    }
    found = [
        Measure(f"claim against filler, {name} (AUC)", value, FORM[name], len(rows)) for name, value in values.items()
    ]
    share = longest / sessions if sessions else None
    return [*found, Measure("claim is the longest turn, one-claim sessions", share, FORM["claim longest"], sessions)]


def _rates(tasks: Sequence[Task]) -> list[Measure]:
    found = []
    for scenario in Scenario:
        texts = [turn.text for task in tasks if task.scenario is scenario for turn in task.persist_turns]
        found += [
            Measure(f"{name}, {scenario}", _share(texts, holds), RATE[name], len(texts))
            for name, holds in RATES.items()
        ]
    return found


def _axes(tasks: Sequence[Task]) -> list[Measure]:
    found = []
    for name, scenario, holds in (
        ("full opinions marked in time", Scenario.PERSONAL_OPINION, of_the_moment),
        ("full procedures that say when", Scenario.PROCEDURAL_WORKFLOW, recurs),
    ):
        texts = [
            t.text for task in tasks if task.scenario is scenario for t in task.persist_turns if t.kind == "trigger"
        ]
        found.append(Measure(name, _share(texts, holds), (0.95, 1), len(texts)))
    cued = [any(cue_words(turn.text) for turn in task.persist_turns) for task in tasks]
    deepens = [
        sorted(task.position_scores) == list(task.position_scores)
        for task in tasks
        if task.delivery is Delivery.PROGRESSIVE and task.position_scores
    ]
    share = sum(deepens) / len(deepens) if deepens else None
    found.append(Measure("progressive sessions whose exposure never falls", share, (1, 1), len(deepens)))
    return [*found, Measure("tasks with a storage cue", sum(cued) / len(cued) if cued else None, (0, 0), len(cued))]


def _queries(tasks: Sequence[Task]) -> list[Measure]:
    arcs = {task.base_item_id: (task.sub_axis, [turn.text for turn in task.query_turns]) for task in tasks}
    found = []
    for axis, wanted in FIRST_PERSON.items():
        own = [any(map(is_first_person, arc)) for sub_axis, arc in arcs.values() if sub_axis is axis]
        found.append(
            Measure(
                f"query arcs in the first person, {axis}", sum(own) / len(own) if own else None, (wanted, 1), len(own)
            )
        )
    leading = [any(leading_phrases(text) for text in arc) for _, arc in arcs.values()]
    return [
        *found,
        Measure("leading query arcs", sum(leading) / len(leading) if leading else None, (0, 0), len(leading)),
    ]


def _fluency(tasks: Sequence[Task]) -> list[Measure]:
    found: list[Measure] = []
    every: list[float] = []
    for scenario in Scenario:
        texts = {turn.text for task in tasks if task.scenario is scenario for turn in task.persist_turns}
        scores = sorted(kept_scores()[key(text)] for text in texts if key(text) in kept_scores())
        every += scores
        mean = sum(scores) / len(scores) if scores else None
        found.append(Measure(f"loss per token, {scenario}", mean, (0, MEAN), len(scores)))
    n = len(every)
    high = sum(score > HIGH for score in every) / n if n else None
    found.append(Measure(f"turns above {HIGH} nats per token", high, (0, HIGH_SHARE), n))
    return [*found, Measure("highest loss per token", max(every) if n else None, (0, NEVER), n)]


def _arms(tasks: Sequence[Task], arms: Mapping[str, Sequence[Task]]) -> list[Measure]:
    found = []
    for name, others in arms.items():
        rows = claim_and_arm(tasks, others)
        wanted = SEPARABLE if name != "twin" else (0.0, 1.0)  # an ordinary twin may be about anything
        found.append(
            Measure(f"claim against {name}, bag of words (AUC)", held_out_auc(rows, bag_of_words), wanted, len(rows))
        )
        items = {task.base_item_id: any(letter.isdigit() for letter in task.claim.text) for task in others}
        if "twin" in name:
            without = 1 - sum(items.values()) / len(items) if items else None
            bounds = (0.5, 1.0) if name == "matched_twin" else (0.0, 1.0)
            found.append(Measure(f"{name}s without a digit", without, bounds, len(items)))
    return found


def _share(texts: Sequence[str], holds: Callable[[str], bool]) -> float | None:
    return sum(map(holds, texts)) / len(texts) if texts else None
