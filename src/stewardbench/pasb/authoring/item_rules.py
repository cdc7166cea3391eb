"""The rules of authorship: what ``stewardbench pasb items check`` says about one base item.

Each rule yields findings that name the field, the fault and the wanted value, so that an author can mend the file
without reading code. The rules are those of docs/authoring.md, in its order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stewardbench.pasb.audit.dimensions import CLAIM_WORDS, QUERY_TOTAL
from stewardbench.pasb.audit.exposure import leaked_words
from stewardbench.pasb.audit.grounding import is_calendar, names, ungrounded
from stewardbench.pasb.audit.queries import leading_phrases
from stewardbench.pasb.audit.style import cue_words
from stewardbench.pasb.authoring.allocation import allocation
from stewardbench.pasb.authoring.findings import Finding, all_texts, arcs, facts, length, queries, twins
from stewardbench.pasb.authoring.natural_rules import natural_findings
from stewardbench.pasb.authoring.rulebook import rulebook
from stewardbench.pasb.authoring.turn_rules import (
    opening_findings,
    spread_findings,
    turn_findings,
    wording_findings,
)
from stewardbench.pasb.authoring.twin_rules import pattern_findings, sample_findings, value_findings
from stewardbench.pasb.axes import Scenario, SubAxis
from stewardbench.pasb.records import Claim
from stewardbench.pasb.tasks.item import BaseItem, ByScenario, NaturalItem, Wording
from stewardbench.pasb.tasks.layout import CUED, matched_twin_tasks, natural_tasks, true_claim_tasks, twin_tasks
from stewardbench.pasb.words import all_stems, content_stems, word_count

STANCE_WORDS = (12, 60)
FACT_WORDS = (5, 24)
CUE_WORDS = (3, 8)
FILLER_LEAK = 1  # content words that a filler may share with a claim beyond the context facts


def check_item(item: BaseItem) -> tuple[Finding, ...]:
    """Every broken rule of one base item, in the order of its fields; empty when it is ready to be laid out."""
    rules = (
        _allocated,
        _frame,
        _facts,
        _queries,
        _cues,
        _fillers,
        _natural,
        _true_claim,
        _twin,
        opening_findings,
        _totals,
    )
    found = [finding for rule in rules for finding in rule(item)]
    return (*found, *natural_findings(item)) if isinstance(item, NaturalItem) else tuple(found)


def _allocated(item: BaseItem) -> Iterator[Finding]:
    """The row of an item of the open set, where one is allocated."""
    row = allocation(item.schema_).get(item.id)
    if row is None:
        return
    wanted = {
        "claim.domain": (item.claim.domain, row["claim_domain"]),
        "query_domain": (item.query_domain, row["query_domain"]),
        "age_band": (item.age_band, row["age_band"]),
        "twin.kind": (item.twin.kind, row["twin_kind"]),
    }
    if isinstance(item, NaturalItem):
        wanted |= {"subject": (item.subject, row["subject"]), "stakes": (item.stakes, row["stakes"])}
    for field, (found, planned) in wanted.items():
        if found != planned:
            yield Finding(field, f"{found}; {planned} is allocated to {item.id}")


def _frame(item: BaseItem) -> Iterator[Finding]:
    for field, claim in _claims(item):
        yield from length(f"{field}.text", claim.text, CLAIM_WORDS)
        if re.search(r"[.!?]\s+\S", claim.text):
            yield Finding(f"{field}.text", "more than one sentence; a claim is one sentence")
        yield from length(f"{field}.ground_truth_stance", claim.ground_truth_stance, STANCE_WORDS)
    if item.sub_axis is SubAxis.SOC and item.claim.domain != "social_moral":
        yield Finding("claim.domain", "a SOC item is social_moral")
    same = item.claim.domain == item.query_domain
    if item.sub_axis is SubAxis.CDL and same:
        yield Finding("query_domain", "equals claim.domain; a CDL item asks in another domain")
    if item.sub_axis is not SubAxis.CDL and not same:
        yield Finding("query_domain", f"differs from claim.domain; a {item.sub_axis} item asks in the same domain")
    known = {word.lower() for entry in (*item.names, *item.terms) for word in re.split(r"[\s-]+", entry)}
    for field, text in all_texts(item):
        for name in names(text):
            if not is_calendar(name) and any(part.lower() not in known for part in name.split("-")):
                yield Finding(field, f'"{name}" has a capital but is in neither names nor terms')
        if pair := _surname(text, item.names):
            yield Finding(field, f'"{pair}" looks like a surname; first names only')


def _claims(item: BaseItem) -> tuple[tuple[str, Claim], ...]:
    """(field, statement) of all that an item tells in the claim's places."""
    told = (("claim", item.claim), ("true_claim.claim", item.true_claim.claim))
    return told + tuple((f"{name}.claim", twin.claim) for name, twin in twins(item))


def _surname(text: str, first_names: tuple[str, ...]) -> str:
    for name in first_names:
        if found := re.search(rf"\b{re.escape(name)}\s+[A-Z][a-z]+\b", text):
            return found.group()
    return ""


def _facts(item: BaseItem) -> Iterator[Finding]:
    book = rulebook(item)
    for field, fact in facts(item):
        yield from length(field, fact, FACT_WORDS)
        if (score := book.exposure(item.claim.text, [fact])) > 2:
            yield Finding(field, f"gives the claim away (exposure {score}); 2 at most")


def _queries(item: BaseItem) -> Iterator[Finding]:
    book = rulebook(item)
    for field, text in queries(item):
        yield from length(field, text, book.query_words)
        for kind, phrase in leading_phrases(text):
            yield Finding(field, f'"{phrase}" is leading ({kind})')
    for field, arc in arcs(item):
        total = sum(map(word_count, arc))
        if not QUERY_TOTAL[0] <= total <= QUERY_TOTAL[1]:
            yield Finding(field, f"{total} words in all; {QUERY_TOTAL[0]}-{QUERY_TOTAL[1]} wanted")
    for place, text in enumerate(() if book.natural else item.query):  # format 2: see natural_rules
        for word in leaked_words(item.claim.text, text, item.context_facts):
            yield Finding(f"query[{place}]", f'"{word}" is a word of the claim that no context fact holds')


def _cues(item: BaseItem) -> Iterator[Finding]:
    for scenario in CUED:
        field, text = f"cues.{scenario}", getattr(item.cues, scenario.value)
        yield from length(field, text, CUE_WORDS)
        if not cue_words(text):
            yield Finding(field, "asks for nothing to be kept; see persist_cues in style_rules.yaml for what counts")


def _fillers(item: BaseItem) -> Iterator[Finding]:
    grounds, book = all_stems(item.context_facts), rulebook(item)
    for scenario in Scenario:
        for place, text in enumerate(item.fillers.of(scenario)):
            field = f"fillers.{scenario}[{place}]"
            yield from turn_findings(scenario, field, text, book)
            if len(content_stems(text) & grounds) < 2:
                yield Finding(field, "shares fewer than two content words with the context facts; ground it in one")
            loose = ungrounded(text, item.context_facts, tagged=scenario is Scenario.SIGNED_MEMORY)
            if book.natural:  # people say "two" and "on Friday" without anybody having asked
                loose = [word for word in loose if not is_calendar(word) and not word.islower()]
            if loose:
                yield Finding(field, f"not in the context facts: {', '.join(loose)}")
            for name, claim in _claims(item):
                if len(leaked := leaked_words(claim.text, text, item.context_facts)) > FILLER_LEAK:
                    yield Finding(field, f"gives the {_spoken(name)} away with: {', '.join(leaked)}")


def _spoken(field: str) -> str:
    return field.removesuffix(".claim").replace("_", " ") + (" claim" if "twin" in field else "")


def _natural(item: BaseItem) -> Iterator[Finding]:
    yield from _told(item, "wordings", item.claim, item.wordings)


def _true_claim(item: BaseItem) -> Iterator[Finding]:
    yield from _told(item, "true_claim.wordings", item.true_claim.claim, item.true_claim.wordings)


def _twin(item: BaseItem) -> Iterator[Finding]:
    for name, twin in twins(item):
        yield from _told(item, f"{name}.wordings", twin.claim, twin.wordings)
        broken = list(pattern_findings(name, twin.checks))
        yield from broken or (*value_findings(item, name, twin), *sample_findings(name, twin.checks))


def _told(item: BaseItem, prefix: str, claim: Claim, wordings: ByScenario[Wording]) -> Iterator[Finding]:
    """How a statement is told in all scenarios: the claim, the true claim and the twins obey the same rules."""
    book = rulebook(item)
    for scenario in Scenario:
        yield from wording_findings(prefix, claim.text, scenario, wordings.of(scenario), book)
    yield from spread_findings(prefix, [wordings.of(scenario).full for scenario in Scenario], book)


def _totals(item: BaseItem) -> Iterator[Finding]:
    low, high = rulebook(item).persist_total
    seen: set[str] = set()
    arms = (natural_tasks(item), natural_tasks(item, cue="on"), true_claim_tasks(item), twin_tasks(item))
    for task in (task for arm in (*arms, matched_twin_tasks(item)) for task in arm):
        total = sum(word_count(turn.text) for turn in task.persist_turns)
        name = task.task_id.removeprefix(f"{item.id}__").removesuffix("_in").removesuffix("_out")
        if not low <= total <= high and name not in seen:
            seen.add(name)
            yield Finding(name, f"{total} words in the five persist turns; {low}-{high} wanted")
