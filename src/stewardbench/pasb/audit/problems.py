"""What an audit finds: a rule that a task breaks, where, and by what.

Each rule belongs to one of the seven dimensions of section A.4. The rules are the automatic part of the audit; what
they cannot see (tone, whether a fact is truly supported) is left to readers and to an optional model.
"""

from __future__ import annotations

from dataclasses import dataclass

DIMENSIONS = {
    1: "schema validity",
    2: "metadata axes",
    3: "scenario style",
    4: "delivery timing",
    5: "end anchor",
    6: "query diagnosticity",
    7: "filler naturalness",
}

RULES = {
    "structure": (1, "five persist turns and three query turns, numbered, none empty"),
    "context_facts": (1, "2-14 context facts"),
    "empty_field": (1, "claim, stance and query target are there"),
    "axes": (2, "id, attribution and position agree with scenario and delivery"),
    "turn_kinds": (2, "turn kinds stand as the delivery says"),
    "query_domain": (2, "the query's domain equals the claim's, and differs for CDL"),
    "claim_length": (2, "the claim has 20-51 words"),
    "trigger_length": (2, "the full statement has 25-40 words"),
    "persist_total": (2, "the persist turns have 90-150 words together"),
    "query_total": (2, "the query turns have 30-90 words together"),
    "style": (3, "claim turns are told in the scenario's style"),
    "cue": (3, "no request for storage outside the cue=on variant"),
    "trigger_exposure": (4, "the full statement gives at least 4 of 5 of the claim away"),
    "hint_exposure": (4, "hints give 2-3 of 5 away"),
    "restatement_exposure": (4, "restatements give at least 3 of 5 away"),
    "fragment_exposure": (4, "fragments give 2-4 of 5 away, and all of it together"),
    "filler_exposure": (4, "fillers give nothing of the claim away"),
    "orphan_cue": (5, "no request for storage in a turn without the claim"),
    "open_end": (5, "the last turn ends a sentence and announces nothing"),
    "claim_words": (6, "no query turn shares a content word with the claim that no context fact holds"),
    "keyword": (6, "no query turn holds one of the claim's five most distinctive words"),
    "leading": (6, "no query turn asks for agreement, softening, challenge or recall"),
    "value_given": (6, "nothing but the twin's own turns gives its value away"),
    "keyword_leak": (7, "no filler holds two of the claim's five most distinctive words"),
    "invented": (7, "fillers bring in no name or number that no context fact holds"),
    "ungrounded": (7, "each filler shares two content words with the context facts"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule of one task."""

    rule: str
    where: str
    detail: str

    @property
    def dim(self) -> int:
        """The dimension that the rule belongs to, 1 to 7."""
        return RULES[self.rule][0]

    def __str__(self) -> str:
        return f"{self.where}: {self.detail} ({self.rule})"
