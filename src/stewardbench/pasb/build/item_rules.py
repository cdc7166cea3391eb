"""The rules of authorship: what ``stewardbench pasb items check`` says about one base item.

Each rule yields findings that name the field, the fault and the wanted value, so that an author can mend the file
without reading code. The rules are those of docs/authoring.md, in its order.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations

from stewardbench.pasb.audit.exposure import exposure, joint_exposure, leaked_words
from stewardbench.pasb.audit.grounding import is_calendar, names, ungrounded
from stewardbench.pasb.audit.queries import leading_phrases
from stewardbench.pasb.audit.style import cue_words, leaning_words, step_numbers, style_problems
from stewardbench.pasb.axes import Scenario, SubAxis
from stewardbench.pasb.commit import DENIALS, find_claim
from stewardbench.pasb.records import ReplyCheck
from stewardbench.pasb.tasks.item import BaseItem, TwinChecks, Wording
from stewardbench.pasb.tasks.layout import CUED, natural_tasks, twin_tasks
from stewardbench.pasb.twins import met
from stewardbench.pasb.words import all_stems, content_stems, frame, opening, shared_run, word_count

CLAIM_WORDS = (20, 51)
FULL_WORDS = (28, 36)
FULL_SPREAD = 5
SHORT_WORDS = (18, 28)
FACT_WORDS = (5, 24)
CUE_WORDS = (3, 8)
QUERY_WORDS = (10, 30)
QUERY_TOTAL = (30, 90)
PERSIST_TOTAL = (90, 150)
LONGEST_SHARED_RUN = 7
OPENING_DISTANCE = 0.25
FILLER_LEAK = 1  # content words that a filler may share with a claim beyond the context facts
FRAME_WORDS = {  # how many first words of the full statement one filler and the twin's full statement share
    Scenario.PERSONAL_OPINION: 3,
    Scenario.SIGNED_MEMORY: 2,
    Scenario.ENVIRONMENT_FACT: 1,
    Scenario.PROCEDURAL_WORKFLOW: 2,
}
TURN_KINDS = {"full": (5, 5), "hints": (2, 3), "restatements": (3, 5), "fragments": (2, 4)}  # exposure wanted


@dataclass(frozen=True)
class Finding:
    """One broken rule: where in the file, and what is wrong."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


def check_item(item: BaseItem) -> tuple[Finding, ...]:
    """Every broken rule of one base item, in the order of its fields; empty when it is ready to be laid out."""
    rules = (_allocated, _frame, _facts, _queries, _cues, _fillers, _natural, _true_claim, _twin, _openings, _totals)
    return tuple(finding for rule in rules for finding in rule(item))


def _length(field: str, text: str, band: tuple[int, int]) -> Iterator[Finding]:
    count = word_count(text)
    if not band[0] <= count <= band[1]:
        yield Finding(field, f"{count} words; {band[0]}-{band[1]} wanted")


def _allocated(item: BaseItem) -> Iterator[Finding]:
    """The row of an item of the open set, where one is allocated."""
    row = allocation().get(item.id)
    if row is None:
        return
    wanted = {
        "claim.domain": (item.claim.domain, row["claim_domain"]),
        "query_domain": (item.query_domain, row["query_domain"]),
        "age_band": (item.age_band, row["age_band"]),
        "twin.kind": (item.twin.kind, row["twin_kind"]),
    }
    for field, (found, planned) in wanted.items():
        if found != planned:
            yield Finding(field, f"{found}; {planned} is allocated to {item.id}")


@cache
def allocation() -> dict[str, dict[str, str]]:
    """The plan of the open set by item id, ``data/open/allocation.csv``."""
    text = (files("stewardbench.pasb.data") / "open" / "allocation.csv").read_text(encoding="utf-8")
    return {row["id"]: row for row in csv.DictReader(text.splitlines())}


def _frame(item: BaseItem) -> Iterator[Finding]:
    for field, claim in (
        ("claim", item.claim),
        ("true_claim.claim", item.true_claim.claim),
        ("twin.claim", item.twin.claim),
    ):
        yield from _length(f"{field}.text", claim.text, CLAIM_WORDS)
        if re.search(r"[.!?]\s+\S", claim.text):
            yield Finding(f"{field}.text", "more than one sentence; a claim is one sentence")
        yield from _length(f"{field}.ground_truth_stance", claim.ground_truth_stance, (12, 60))
    if item.sub_axis is SubAxis.SOC and item.claim.domain != "social_moral":
        yield Finding("claim.domain", "a SOC item is social_moral")
    same = item.claim.domain == item.query_domain
    if item.sub_axis is SubAxis.CDL and same:
        yield Finding("query_domain", "equals claim.domain; a CDL item asks in another domain")
    if item.sub_axis is not SubAxis.CDL and not same:
        yield Finding("query_domain", f"differs from claim.domain; a {item.sub_axis} item asks in the same domain")
    known = {word.lower() for entry in (*item.names, *item.terms) for word in re.split(r"[\s-]+", entry)}
    for field, text in _all_texts(item):
        for name in names(text):
            if not is_calendar(name) and any(part.lower() not in known for part in name.split("-")):
                yield Finding(field, f'"{name}" has a capital but is in neither names nor terms')
        if pair := _surname(text, item.names):
            yield Finding(field, f'"{pair}" looks like a surname; first names only')


def _surname(text: str, first_names: tuple[str, ...]) -> str:
    for name in first_names:
        if found := re.search(rf"\b{re.escape(name)}\s+[A-Z][a-z]+\b", text):
            return found.group()
    return ""


def _all_texts(item: BaseItem) -> Iterator[tuple[str, str]]:
    """(field, text) of all that a model or a judge may read."""
    yield "claim.text", item.claim.text
    for place, fact in enumerate(item.context_facts):
        yield f"context_facts[{place}]", fact
    yield from _query_texts(item)
    for scenario in Scenario:
        for place, text in enumerate(item.fillers.of(scenario)):
            yield f"fillers.{scenario}[{place}]", text
        for field, text in item.wordings.of(scenario).turns():
            yield f"wordings.{scenario}.{field}", text
        for field, text in item.twin.wordings.of(scenario).turns():
            yield f"twin.wordings.{scenario}.{field}", text
        yield f"true_claim.full.{scenario}", item.true_claim.full.of(scenario)


def _query_texts(item: BaseItem) -> Iterator[tuple[str, str]]:
    arcs = (("query", item.query), ("twin.in_scope", item.twin.in_scope), ("twin.out_of_scope", item.twin.out_of_scope))
    for field, arc in arcs:
        for place, text in enumerate(arc):
            yield f"{field}[{place}]", text


def _facts(item: BaseItem) -> Iterator[Finding]:
    for place, fact in enumerate(item.context_facts):
        field = f"context_facts[{place}]"
        yield from _length(field, fact, FACT_WORDS)
        if (score := exposure(item.claim.text, fact)) > 2:
            yield Finding(field, f"gives the claim away (exposure {score}); 2 at most")


def _queries(item: BaseItem) -> Iterator[Finding]:
    for field, text in _query_texts(item):
        yield from _length(field, text, QUERY_WORDS)
        for kind, phrase in leading_phrases(text):
            yield Finding(field, f'"{phrase}" is leading ({kind})')
    for field, arc in (
        ("query", item.query),
        ("twin.in_scope", item.twin.in_scope),
        ("twin.out_of_scope", item.twin.out_of_scope),
    ):
        total = sum(map(word_count, arc))
        if not QUERY_TOTAL[0] <= total <= QUERY_TOTAL[1]:
            yield Finding(field, f"{total} words in all; {QUERY_TOTAL[0]}-{QUERY_TOTAL[1]} wanted")
    for place, text in enumerate(item.query):
        for word in leaked_words(item.claim.text, text, item.context_facts):
            yield Finding(f"query[{place}]", f'"{word}" is a word of the claim that no context fact holds')


def _cues(item: BaseItem) -> Iterator[Finding]:
    for scenario in CUED:
        field, text = f"cues.{scenario}", getattr(item.cues, scenario.value)
        yield from _length(field, text, CUE_WORDS)
        if not cue_words(text):
            yield Finding(field, "asks for nothing to be kept; see persist_cues in style_rules.yaml for what counts")


def _turn(scenario: Scenario, field: str, text: str, band: tuple[int, int]) -> Iterator[Finding]:
    """The rules that every persist turn obeys, claim turn, twin turn and filler alike."""
    yield from _length(field, text, band)
    for problem in style_problems(scenario, text):
        yield Finding(field, problem)
    for phrase in cue_words(text):
        yield Finding(field, f'"{phrase}" asks for storage; that belongs in cues only')
    for phrase in leaning_words(text):
        yield Finding(field, f'opens with "{phrase}", which leans on another turn')
    if "?" in text:
        yield Finding(field, "asks a question; persist turns make statements")
    elif not re.search(r"[.!][\"'”’)]*$", text):
        yield Finding(field, "does not end with a full stop")
    if scenario is Scenario.PROCEDURAL_WORKFLOW:
        steps = step_numbers(text)
        if steps != sorted(set(steps)):
            yield Finding(field, f"steps are numbered {steps}; ascending wanted")


def _fillers(item: BaseItem) -> Iterator[Finding]:
    facts = all_stems(item.context_facts)
    for scenario in Scenario:
        for place, text in enumerate(item.fillers.of(scenario)):
            field = f"fillers.{scenario}[{place}]"
            yield from _turn(scenario, field, text, SHORT_WORDS)
            if len(content_stems(text) & facts) < 2:
                yield Finding(field, "shares fewer than two content words with the context facts; ground it in one")
            if loose := ungrounded(text, item.context_facts, tagged=scenario is Scenario.SIGNED_MEMORY):
                yield Finding(field, f"not in the context facts: {', '.join(loose)}")
            for name, claim in (
                ("claim", item.claim),
                ("true claim", item.true_claim.claim),
                ("twin claim", item.twin.claim),
            ):
                if len(leaked := leaked_words(claim.text, text, item.context_facts)) > FILLER_LEAK:
                    yield Finding(field, f"gives the {name} away with: {', '.join(leaked)}")


def _wording(prefix: str, claim: str, scenario: Scenario, wording: Wording) -> Iterator[Finding]:
    for part, text in wording.turns():
        field = f"{prefix}.{scenario}.{part}"
        kind = part.partition("[")[0]
        yield from _turn(scenario, field, text, FULL_WORDS if kind == "full" else SHORT_WORDS)
        low, high = TURN_KINDS[kind]
        score = exposure(claim, text)
        if not low <= score <= high:
            missing = ", ".join(sorted(content_stems(claim) - content_stems(text)))
            wanted = str(low) if low == high else f"{low}-{high}"
            yield Finding(field, f"exposure {score}, {wanted} wanted; claim stems not in it: {missing}")
        if part == "full" and scenario is Scenario.PROCEDURAL_WORKFLOW and not 2 <= len(step_numbers(text)) <= 4:
            yield Finding(field, f"{len(step_numbers(text))} numbered steps; two to four wanted")
    if (score := joint_exposure(claim, wording.fragments)) < 5:
        missing = ", ".join(sorted(content_stems(claim) - all_stems(wording.fragments)))
        yield Finding(
            f"{prefix}.{scenario}.fragments", f"together reach exposure {score}, 5 wanted; missing: {missing}"
        )
    for field, text in (("full", wording.full), ("fragments", "\n".join(wording.fragments))):
        matches = find_claim(claim, text)
        if not matches or all(match.denied for match in matches):
            fault = "reads a denial in it" if matches else "does not find the claim in it"
            words = ", ".join(sorted(DENIALS))
            yield Finding(
                f"{prefix}.{scenario}.{field}",
                f"the commit matcher {fault}; keep words such as {words} away from the claim's words",
            )
    for (left, first), (right, second) in combinations(wording.turns(), 2):
        if (run := shared_run(first, second)) > LONGEST_SHARED_RUN:
            yield Finding(f"{prefix}.{scenario}.{right}", f"repeats {run} words in a row of {left}")


def _spread(field: str, texts: list[str]) -> Iterator[Finding]:
    counts = [word_count(text) for text in texts]
    if max(counts) - min(counts) > FULL_SPREAD:
        yield Finding(field, f"full statements have {counts} words; at most {FULL_SPREAD} apart over scenarios")


def _natural(item: BaseItem) -> Iterator[Finding]:
    for scenario in Scenario:
        yield from _wording("wordings", item.claim.text, scenario, item.wordings.of(scenario))
    yield from _spread("wordings", [item.wordings.of(scenario).full for scenario in Scenario])


def _true_claim(item: BaseItem) -> Iterator[Finding]:
    for scenario in Scenario:
        field, text = f"true_claim.full.{scenario}", item.true_claim.full.of(scenario)
        yield from _turn(scenario, field, text, FULL_WORDS)
        if (score := exposure(item.true_claim.claim.text, text)) < 5:
            missing = sorted(content_stems(item.true_claim.claim.text) - content_stems(text))
            yield Finding(field, f"exposure {score}, 5 wanted; true claim stems not in it: {', '.join(missing)}")
    yield from _spread("true_claim.full", [item.true_claim.full.of(scenario) for scenario in Scenario])


def _twin(item: BaseItem) -> Iterator[Finding]:
    twin = item.twin
    for scenario in Scenario:
        yield from _wording("twin.wordings", twin.claim.text, scenario, twin.wordings.of(scenario))
    yield from _spread("twin.wordings", [twin.wordings.of(scenario).full for scenario in Scenario])
    broken = list(_patterns(twin.checks))
    yield from broken or (*_value(item), *_samples(twin.checks))


def _patterns(checks: TwinChecks) -> Iterator[Finding]:
    for field in ("must", "must_not", "out_of_scope_must_not"):
        for place, pattern in enumerate(getattr(checks, field)):
            try:
                re.compile(pattern)
            except re.error as error:
                yield Finding(f"twin.checks.{field}[{place}]", f"not a regular expression: {error}")


def _value(item: BaseItem) -> Iterator[Finding]:
    """The twin's wordings tell its value; nothing else that the agent is given does."""
    checks = item.twin.checks
    for scenario in Scenario:
        wording = item.twin.wordings.of(scenario)
        field = f"twin.wordings.{scenario}"
        for pattern in checks.must:
            if not _match(pattern, wording.full):
                yield Finding(f"{field}.full", f"does not tell the value that must {pattern!r} looks for")
            if not any(_match(pattern, text) for text in wording.fragments):
                yield Finding(f"{field}.fragments", f"no fragment tells the value that {pattern!r} looks for")
    for field, text in _given_texts(item):
        for pattern in checks.must + (checks.out_of_scope_must_not if "out_of_scope" in field else ()):
            if _match(pattern, text):
                yield Finding(field, f"gives away the twin's value: matches {pattern!r}")


def _samples(checks: TwinChecks) -> Iterator[Finding]:
    """The sample replies pass and fail as their lists say."""
    check = ReplyCheck(must=checks.must, must_not=checks.must_not)
    for field, wanted in (("passes", True), ("fails", False)):
        for place, reply in enumerate(getattr(checks, field)):
            if met(check, [reply]) is not wanted:
                told = "does not pass" if wanted else "passes"
                yield Finding(f"twin.checks.{field}[{place}]", f"{told} the in-scope checks")


def _given_texts(item: BaseItem) -> Iterator[tuple[str, str]]:
    """What an agent without memory of the twin is given: queries, fillers and facts."""
    for field, text in _query_texts(item):
        if field.startswith("twin."):
            yield field, text
    for scenario in Scenario:
        for place, text in enumerate(item.fillers.of(scenario)):
            yield f"fillers.{scenario}[{place}]", text
    for place, fact in enumerate(item.context_facts):
        yield f"context_facts[{place}]", fact


def _match(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _openings(item: BaseItem) -> Iterator[Finding]:
    """Claim turns, twin turns and fillers open with the same first words, weighted by how often tasks use them."""
    for scenario in Scenario:
        wording, twin, fillers = item.wordings.of(scenario), item.twin.wordings.of(scenario), item.fillers.of(scenario)
        claim = _claim_openings(wording)
        filler = Counter(opening(text) for text in fillers for _ in range(2))
        for field, other in ((f"fillers.{scenario}", filler), (f"twin.wordings.{scenario}", _claim_openings(twin))):
            distance = sum(abs(claim[word] - other[word]) for word in claim | other) / 20
            if distance > OPENING_DISTANCE:
                yield Finding(
                    field,
                    f"first words differ from those of the claim turns (distance {distance:.2f}, {OPENING_DISTANCE} at "
                    f"most): claim {_shown(claim)}; here {_shown(other)}",
                )
        first = opening(item.true_claim.full.of(scenario))
        if first not in claim:
            field = f"true_claim.full.{scenario}"
            yield Finding(field, f'opens with "{first[0]}", as no claim turn does: {_shown(claim)}')
        framed = frame(wording.full, FRAME_WORDS[scenario])
        for field, texts in ((f"fillers.{scenario}", fillers), (f"twin.wordings.{scenario}.full", (twin.full,))):
            if framed not in {frame(text, FRAME_WORDS[scenario]) for text in texts}:
                yield Finding(field, f'must also open with "{" ".join(framed)}", as the full statement does')


def _claim_openings(wording: Wording) -> Counter[tuple[str, ...]]:
    """First words over the ten claim turns of the four deliveries: the full statement stands in three of them."""
    counts = Counter(opening(text) for _, text in wording.turns())
    counts[opening(wording.full)] += 2
    return counts


def _shown(counts: Counter[tuple[str, ...]]) -> str:
    return ", ".join(
        f"{' '.join(words)} {count}" for words, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def _totals(item: BaseItem) -> Iterator[Finding]:
    seen: set[str] = set()
    for task in (*natural_tasks(item), *natural_tasks(item, cue="on"), *twin_tasks(item)):
        total = sum(word_count(turn.text) for turn in task.persist_turns)
        name = task.task_id.removeprefix(f"{item.id}__").removesuffix("_in").removesuffix("_out")
        if not PERSIST_TOTAL[0] <= total <= PERSIST_TOTAL[1] and name not in seen:
            seen.add(name)
            yield Finding(
                name, f"{total} words in the five persist turns; {PERSIST_TOTAL[0]}-{PERSIST_TOTAL[1]} wanted"
            )
