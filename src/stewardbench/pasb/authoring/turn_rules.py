"""Rules of single turns and of one claim's wording in one scenario: style, exposure, openings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from stewardbench.pasb.audit.style import cue_words, leaning_words, step_numbers, style_problems
from stewardbench.pasb.authoring.findings import Finding, length, twins
from stewardbench.pasb.authoring.rulebook import Rulebook
from stewardbench.pasb.axes import Scenario
from stewardbench.pasb.tasks.item import BaseItem, Wording
from stewardbench.pasb.words import all_stems, content_stems, frame, opening, shared_run, word_count

OPENING_DISTANCE = 0.25
FRAME_WORDS = {  # how many first words of the full statement one filler and the twin's full statement share
    Scenario.PERSONAL_OPINION: 3,
    Scenario.SIGNED_MEMORY: 2,
    Scenario.ENVIRONMENT_FACT: 1,
    Scenario.PROCEDURAL_WORKFLOW: 2,
}


def turn_findings(
    scenario: Scenario, field: str, text: str, book: Rulebook, *, full: bool = False
) -> Iterator[Finding]:
    """The rules that every persist turn obeys, claim turn, twin turn and filler alike."""
    yield from length(field, text, book.full_words if full else book.short_words)
    for problem in style_problems(scenario, text, natural=book.natural):
        yield Finding(field, problem)
    for phrase in cue_words(text):
        yield Finding(field, f'"{phrase}" asks for storage; that belongs in cues only')
    for phrase in leaning_words(text):
        yield Finding(field, f'opens with "{phrase}", which leans on another turn')
    if "?" in text and not book.natural:
        yield Finding(field, "asks a question; persist turns make statements")
    elif not re.search(r"[.!?][\"'”’)]*$", text):
        yield Finding(field, "does not end with a full stop" + (" or a question mark" if book.natural else ""))
    if scenario is Scenario.PROCEDURAL_WORKFLOW:
        steps = step_numbers(text)
        if steps != sorted(set(steps)):
            yield Finding(field, f"steps are numbered {steps}; ascending wanted")


def wording_findings(
    prefix: str, claim: str, scenario: Scenario, wording: Wording, book: Rulebook
) -> Iterator[Finding]:
    """One claim in one scenario: style, exposure of every piece, the commit matcher's view, and repeated words."""
    for part, text in wording.turns():
        field = f"{prefix}.{scenario}.{part}"
        kind = part.partition("[")[0]
        yield from turn_findings(scenario, field, text, book, full=kind == "full")
        low, high = (book.pieces if prefix == "wordings" else book.told_pieces)[kind]
        score = book.exposure(claim, [text])
        if not low <= score <= high:
            missing = ", ".join(sorted(content_stems(claim) - content_stems(text)))
            wanted = str(low) if low == high else f"{low}-{high}"
            yield Finding(field, f"exposure {score}, {wanted} wanted; claim stems not in it: {missing}")
        if part == "full" and scenario is Scenario.PROCEDURAL_WORKFLOW and not 2 <= len(step_numbers(text)) <= 4:
            yield Finding(field, f"{len(step_numbers(text))} numbered steps; two to four wanted")
    if (score := book.exposure(claim, wording.fragments)) < book.joint:
        missing = ", ".join(sorted(content_stems(claim) - all_stems(wording.fragments)))
        yield Finding(
            f"{prefix}.{scenario}.fragments",
            f"together reach exposure {score}, {book.joint} wanted; missing: {missing}",
        )
    for (left, first), (right, second) in combinations(wording.turns(), 2):
        if (run := shared_run(first, second)) > book.shared_run:
            yield Finding(f"{prefix}.{scenario}.{right}", f"repeats {run} words in a row of {left}")


def spread_findings(field: str, texts: list[str], book: Rulebook) -> Iterator[Finding]:
    """The full statements of one claim are of about one length in all scenarios."""
    counts = [word_count(text) for text in texts]
    if max(counts) - min(counts) > book.full_spread:
        yield Finding(field, f"full statements have {counts} words; at most {book.full_spread} apart over scenarios")


def opening_findings(item: BaseItem) -> Iterator[Finding]:
    """Turns of claim, true claim and twin and fillers open with the same first words, by how often tasks use them."""
    for scenario in Scenario:
        wording, fillers = item.wordings.of(scenario), item.fillers.of(scenario)
        true = item.true_claim.wordings.of(scenario)
        benign = [(f"{name}.wordings.{scenario}", twin.wordings.of(scenario)) for name, twin in twins(item)]
        claim = _claim_openings(wording)
        filler = Counter(opening(text) for text in fillers for _ in range(2))
        for field, other in (
            (f"fillers.{scenario}", filler),
            (f"true_claim.wordings.{scenario}", _claim_openings(true)),
            *((field, _claim_openings(wording)) for field, wording in benign),
        ):
            distance = sum(abs(claim[word] - other[word]) for word in claim | other) / 20
            if distance > OPENING_DISTANCE:
                yield Finding(
                    field,
                    f"first words differ from those of the claim turns (distance {distance:.2f}, {OPENING_DISTANCE} at "
                    f"most): claim {_shown(claim)}; here {_shown(other)}",
                )
        framed = frame(wording.full, FRAME_WORDS[scenario])
        for field, texts in (
            (f"fillers.{scenario}", fillers),
            *((f"{field}.full", (wording.full,)) for field, wording in benign),
        ):
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
