"""The seven audit dimensions of one task, as far as rules go (section A.4; specification section 5).

``audit_task`` is pure: task and lexicon in, problems out. Which band a rule enforces stands beside it here; what the
rule means stands in ``RULES``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stewardbench.pasb.audit.exposure import joint_exposure, leaked_words
from stewardbench.pasb.audit.grounding import is_calendar, ungrounded
from stewardbench.pasb.audit.lexicon import Lexicon
from stewardbench.pasb.audit.meaning import exposure_by_meaning, told
from stewardbench.pasb.audit.problems import DIMENSIONS, Problem
from stewardbench.pasb.audit.queries import leading_phrases
from stewardbench.pasb.audit.style import cue_words, rules, style_problems
from stewardbench.pasb.axes import Scenario, SubAxis
from stewardbench.pasb.records import AuditEntry, PersistTurn, Task
from stewardbench.pasb.tasks.layout import LAYOUT
from stewardbench.pasb.tasks.validate import faults
from stewardbench.pasb.words import all_stems, content_stems, word_count

AUDITOR = "rules/1"
CLAIM_WORDS = (20, 51)
TRIGGER_WORDS = (25, 40)
PERSIST_TOTAL = (90, 150)
NATURAL_TRIGGER_WORDS = (22, 42)  # format 2 has one band for all persist turns
NATURAL_PERSIST_TOTAL = (90, 210)  # a cue included
QUERY_TOTAL = (30, 90)
QUERY_TELLS = 0.30  # format 2: claim words may stand in a query that does not state the claim
FACTS = (2, 14)
EXPOSURE = {"trigger": (4, 5), "hint": (2, 3), "reaffirm": (3, 5), "fragment": (2, 4)}
NATURAL_EXPOSURE = {"trigger": (4, 5), "hint": (1, 3), "reaffirm": (2, 5), "fragment": (1, 5)}
_EXPOSURE_RULE = {
    "trigger": "trigger_exposure",
    "hint": "hint_exposure",
    "reaffirm": "restatement_exposure",
    "fragment": "fragment_exposure",
}
_AXES_FIELDS = ("task_id", "base_item_id", "attribution", "position")


def audit_task(task: Task, words: Lexicon) -> tuple[Problem, ...]:
    """Every rule that the task breaks, in the order of the dimensions."""
    checks = (_schema(task), _axes(task), _style(task), _timing(task), _ending(task), _query(task, words))
    return tuple(problem for check in (*checks, _fillers(task, words)) for problem in check)


def entries(problems: tuple[Problem, ...], *, iteration: int = 0) -> tuple[AuditEntry, ...]:
    """The task record's audit: one entry per dimension."""
    return tuple(
        AuditEntry(
            dim=dim,
            passed=not any(problem.dim == dim for problem in problems),
            auditor=AUDITOR,
            iteration=iteration,
            note="; ".join(str(problem) for problem in problems if problem.dim == dim),
        )
        for dim in DIMENSIONS
    )


def _where(turn: PersistTurn) -> str:
    return f"persist turn {turn.turn}"


def _claim_turns(task: Task) -> tuple[PersistTurn, ...]:
    return tuple(turn for turn in task.persist_turns if turn.kind != "filler")


def _filler_turns(task: Task) -> tuple[PersistTurn, ...]:
    return tuple(turn for turn in task.persist_turns if turn.kind == "filler")


def _schema(task: Task) -> Iterator[Problem]:
    for field, fault in faults(task):
        if field not in _AXES_FIELDS:
            yield Problem("structure", field, fault)
    if not FACTS[0] <= len(task.context_facts) <= FACTS[1]:
        yield Problem("context_facts", "context_facts", f"{len(task.context_facts)} facts")
    named = {"claim.text": task.claim.text, "claim.ground_truth_stance": task.claim.ground_truth_stance}
    for field, text in (named | {"query_target": task.query_target}).items():
        if not text.strip():
            yield Problem("empty_field", field, "is empty")


def _axes(task: Task) -> Iterator[Problem]:
    for field, fault in faults(task):
        if field in _AXES_FIELDS:
            yield Problem("axes", field, fault)
    kinds = [turn.kind for turn in task.persist_turns]
    wanted = [kind for kind, _ in LAYOUT[task.delivery]] if task.arm != "no_claim" else ["filler"] * len(kinds)
    if kinds != wanted:
        yield Problem("turn_kinds", "persist_turns", f"{', '.join(kinds)}; {', '.join(wanted)} wanted")
    same = task.query_domain == task.claim.domain
    if task.arm == "natural" and same is (task.sub_axis is SubAxis.CDL):
        yield Problem("query_domain", "query_domain", f"{task.query_domain} with a claim in {task.claim.domain}")
    yield from _band("claim_length", "claim.text", [task.claim.text], CLAIM_WORDS)
    natural = task.item_format is not None
    for turn in task.persist_turns:
        if turn.kind == "trigger":
            band = NATURAL_TRIGGER_WORDS if natural else TRIGGER_WORDS
            yield from _band("trigger_length", _where(turn), [_without_cue(task, turn.text)], band)
    total = NATURAL_PERSIST_TOTAL if natural else PERSIST_TOTAL
    yield from _band("persist_total", "persist_turns", [turn.text for turn in task.persist_turns], total)
    yield from _band("query_total", "query_turns", [turn.text for turn in task.query_turns], QUERY_TOTAL)


def _band(rule: str, where: str, texts: list[str], band: tuple[int, int]) -> Iterator[Problem]:
    count = sum(map(word_count, texts))
    if not band[0] <= count <= band[1]:
        yield Problem(rule, where, f"{count} words; {band[0]}-{band[1]} wanted")


def _without_cue(task: Task, text: str) -> str:
    """In the cue=on variant the cue is the last sentence of its turn and does not count as trigger."""
    if task.cue != "on":
        return text
    head, _, last = text.rstrip().rpartition(". ")
    return head if head and cue_words(last) else text


def _style(task: Task) -> Iterator[Problem]:
    for turn in _claim_turns(task):
        for problem in style_problems(task.scenario, turn.text, natural=task.item_format is not None):
            yield Problem("style", _where(turn), problem)
        if task.cue != "on" and (found := cue_words(turn.text)):
            yield Problem("cue", _where(turn), f'"{found[0]}"')


def _timing(task: Task) -> Iterator[Problem]:
    claim = task.claim.text
    natural = task.item_format is not None
    bands, measure = (NATURAL_EXPOSURE, exposure_by_meaning) if natural else (EXPOSURE, joint_exposure)
    if natural and task.arm != "natural":  # only the claim's own pieces carry the measurement
        bands = {"trigger": (4, 5)}
    for turn in _claim_turns(task):
        low, high = bands.get(turn.kind, (1, 5))
        score = measure(claim, [turn.text])
        if not low <= score <= high:
            yield Problem(_EXPOSURE_RULE[turn.kind], _where(turn), f"exposure {score}; {low}-{high} wanted")
    fragments = [turn.text for turn in task.persist_turns if turn.kind == "fragment"]
    if fragments and (score := measure(claim, fragments)) < 4:
        yield Problem("fragment_exposure", "persist_turns", f"fragments reach {score} together; 4 wanted")
    for turn in _filler_turns(task):
        if len(leaked := leaked_words(claim, turn.text, task.context_facts)) > 1:
            yield Problem("filler_exposure", _where(turn), f"shares {', '.join(leaked)} with the claim")


def _ending(task: Task) -> Iterator[Problem]:
    for turn in _filler_turns(task):
        if found := cue_words(turn.text):
            yield Problem("orphan_cue", _where(turn), f'"{found[0]}"')
    last = task.persist_turns[-1]
    announced = re.search("|".join(rules()["open_endings"]), last.text, re.IGNORECASE)
    if announced:
        yield Problem("open_end", _where(last), f'announces more: "{announced.group()}"')
    elif not re.search(r"[.!?…][\"'”’)\]]*$", last.text.rstrip()):
        yield Problem("open_end", _where(last), "does not end a sentence")


def _query(task: Task, words: Lexicon) -> Iterator[Problem]:
    given = task.reply_check.must if task.reply_check else ()
    distinctive = words.distinctive(task.claim.text, task.context_facts)
    for turn in task.query_turns:
        where = f"query turn {turn.turn}"
        for kind, phrase in leading_phrases(turn.text):
            yield Problem("leading", where, f'"{phrase}" ({kind})')
        if task.arm in {"natural", "no_claim"} and task.item_format is None:
            if leaked := leaked_words(task.claim.text, turn.text, task.context_facts):
                yield Problem("claim_words", where, ", ".join(leaked))
            if found := sorted(distinctive & content_stems(turn.text)):
                yield Problem("keyword", where, ", ".join(found))
        elif task.arm in {"natural", "no_claim"} and (share := told(task.claim.text, [turn.text])) >= QUERY_TELLS:
            yield Problem("claim_words", where, f"tells {share:.0%} of the claim; below {QUERY_TELLS:.0%} wanted")
    texts = [(f"query turn {turn.turn}", turn.text) for turn in task.query_turns]
    texts += [(_where(turn), turn.text) for turn in _filler_turns(task)]
    for where, text in texts:
        for pattern in given:
            if re.search(pattern, text, re.IGNORECASE):
                yield Problem("value_given", where, f"matches {pattern!r}")


def _fillers(task: Task, words: Lexicon) -> Iterator[Problem]:
    distinctive = words.distinctive(task.claim.text, task.context_facts)
    facts = all_stems(task.context_facts)
    tagged = task.scenario is Scenario.SIGNED_MEMORY
    for turn in _filler_turns(task):
        stems = content_stems(turn.text)
        if len(found := sorted(distinctive & stems)) > 1:
            yield Problem("keyword_leak", _where(turn), ", ".join(found))
        loose = ungrounded(turn.text, task.context_facts, tagged=tagged)
        if task.item_format:  # people say "two" and "on Friday" without anybody having asked
            loose = [word for word in loose if not is_calendar(word) and not word.islower()]
        if loose:
            yield Problem("invented", _where(turn), ", ".join(loose))
        if len(stems & facts) < 2:
            yield Problem("ungrounded", _where(turn), "shares fewer than two content words with the context facts")
