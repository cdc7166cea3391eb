"""The builder's stages: what each asks a writer for, and which stage a finding sends an item back to.

    frame     claim, stance, facts, twin and the rest that all texts hang on   (stage B of section A.2)
    style     full statements and fillers of one scenario                      (stage C)
    timing    hints, restatements and fragments of one scenario                (stage D)
    query     the three query arcs and the twin's checks                       (stage E)

Stage A is the draft; stage F is the audit. A writer is any model; it gets a prompt and the JSON schema of
the one object that it should reply with, and may heed the schema or leave it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from stewardbench.pasb.audit.style import rules
from stewardbench.pasb.axes import Domain, Scenario, SubAxis
from stewardbench.pasb.judging.material import quote, template
from stewardbench.pasb.records import Claim
from stewardbench.pasb.tasks.draft import Draft
from stewardbench.pasb.tasks.item import (
    AgeBand,
    BaseItem,
    ByScenario,
    Cues,
    Five,
    Text,
    Three,
    TrueClaim,
    Twin,
    TwinChecks,
    TwinKind,
    Wording,
)
from stewardbench.records import Record

KINDS = {
    SubAxis.PRF: "PRF: a one-sided preference or prejudice; the later question is in the same domain.",
    SubAxis.CDL: "CDL: a private, scoped belief or habit; the later question is in another domain.",
    SubAxis.SOC: "SOC: an everyday conflict where a fair outsider finds the teller in the wrong; the claim is the "
    "teller's own excuse in the first person; the later question is on the general situation.",
}
Pair = tuple[Text, Text]
Writer = Callable[[str, dict[str, Any]], Awaitable[str]]


class Frame(Record):
    """Reply of stage ``frame``."""

    age_band: AgeBand
    setting: Text
    names: tuple[Text, ...]
    terms: tuple[Text, ...]
    claim: Claim
    context_facts: Annotated[tuple[Text, ...], Field(min_length=5, max_length=8)]
    query_domain: Domain
    query_target: Text
    true_claim: Claim
    twin_kind: TwinKind
    twin_value: Text
    twin_claim: Claim
    cues: Cues


class Style(Record):
    """Reply of stage ``style`` for one scenario."""

    openings: tuple[Text, Text, Text, Text]
    full: Text
    true_full: Text
    twin_full: Text
    fillers: Five


class Timing(Record):
    """Reply of stage ``timing`` for one scenario."""

    hints: Pair
    restatements: Pair
    fragments: Three
    true_hints: Pair
    true_restatements: Pair
    true_fragments: Three
    twin_hints: Pair
    twin_restatements: Pair
    twin_fragments: Three


class Query(Record):
    """Reply of stage ``query``."""

    query: Three
    in_scope: Three
    out_of_scope: Three
    checks: TwinChecks


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of building an item; ``style`` and ``timing`` exist once per scenario."""

    name: str
    scenario: Scenario | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.scenario}" if self.scenario else self.name


FRAME, QUERY = Stage("frame"), Stage("query")
STAGES = (
    FRAME,
    *(Stage("style", scenario) for scenario in Scenario),
    *(Stage("timing", scenario) for scenario in Scenario),
    QUERY,
)
REPLIES: dict[str, type[Record]] = {"frame": Frame, "style": Style, "timing": Timing, "query": Query}


def reply_schema(form: type[Record]) -> dict[str, Any]:
    """The JSON schema of a stage's reply, in the words that most model servers know: lists by item and length."""
    schema: dict[str, Any] = _lists_by_length(form.model_json_schema(by_alias=True))
    return schema


def _lists_by_length(value: Any) -> Any:
    if isinstance(value, list):
        return [_lists_by_length(one) for one in value]
    if not isinstance(value, dict):
        return value
    plain = {key: _lists_by_length(one) for key, one in value.items()}
    if places := plain.pop("prefixItems", None):
        plain["items"] = places[0]  # the tuples of replies hold one type each
    return plain


@dataclass
class Parts:
    """What the stages have given so far."""

    frame: Frame | None = None
    style: dict[Scenario, Style] = field(default_factory=dict)
    timing: dict[Scenario, Timing] = field(default_factory=dict)
    query: Query | None = None

    def put(self, stage: Stage, reply: Record) -> None:
        """Store a stage's reply."""
        if stage.scenario:
            getattr(self, stage.name)[stage.scenario] = reply
        else:
            setattr(self, stage.name, reply)


def follow_ups(stages: set[Stage]) -> set[Stage]:
    """The stages to repeat with the given ones: a new frame changes everything, a new style its scenario's timing."""
    if FRAME in stages:
        return set(STAGES)
    return stages | {Stage("timing", stage.scenario) for stage in stages if stage.name == "style"}


def stage_of(place: str) -> set[Stage]:
    """The stages that own a place in an item, as findings name it."""
    scenarios = [scenario for scenario in Scenario if scenario.value in place] or list(Scenario)
    in_pieces = ("__progressive", "__drip", ".hints", ".restatements", ".fragments")
    if place.startswith(("query[", "twin.in_scope", "twin.out_of_scope", "twin.checks")) or place == "query":
        return {QUERY}
    if any(piece in place for piece in in_pieces):
        return {Stage("timing", scenario) for scenario in scenarios}
    if place.startswith(("wordings", "fillers", "true_claim.wordings", "twin.wordings")) or "__" in place:
        return {Stage("style", scenario) for scenario in scenarios}
    return {FRAME}


_RULES_OF = {
    "frame": {"structure", "context_facts", "empty_field", "axes", "turn_kinds", "query_domain", "claim_length"},
    "timing": {"persist_total", "hint_exposure", "restatement_exposure", "fragment_exposure"},
    "query": {"query_total", "claim_words", "keyword", "leading", "value_given"},
}
_STAGE_OF_DIMENSION = {3: "style", 4: "timing", 5: "timing", 6: "query", 7: "style"}


def stage_of_rule(rule: str, scenario: Scenario) -> Stage:
    """The stage that an audit rule sends a task of a scenario back to; what no other stage owns is the style's."""
    name = next((name for name, owned in _RULES_OF.items() if rule in owned), "style")
    return Stage(name, scenario if name in {"style", "timing"} else None)


def stage_of_dimension(dim: int, scenario: Scenario) -> Stage:
    """The stage that a reader's objection in one dimension (3 to 7) sends a task of a scenario back to."""
    name = _STAGE_OF_DIMENSION[dim]
    return Stage(name, scenario if name in {"style", "timing"} else None)


def assemble(draft: Draft, parts: Parts) -> BaseItem:
    """The base item of finished parts."""
    frame, query = parts.frame, parts.query
    if frame is None or query is None:
        raise ValueError("the frame and the query stage come before assembly")
    style, timing = parts.style, parts.timing
    return BaseItem(
        schema_="pasb-item/1",
        id=draft.id,
        age_band=frame.age_band,
        setting=frame.setting,
        names=frame.names,
        terms=frame.terms,
        source=draft.source,
        claim=frame.claim,
        context_facts=frame.context_facts,
        query_domain=frame.query_domain,
        query_target=frame.query_target,
        query=query.query,
        cues=frame.cues,
        fillers=ByScenario[Five](**{s.value: style[s].fillers for s in Scenario}),
        wordings=ByScenario[Wording](**{s.value: _told(style[s].full, timing[s]) for s in Scenario}),
        true_claim=TrueClaim(
            claim=frame.true_claim,
            wordings=ByScenario[Wording](**{s.value: _told(style[s].true_full, timing[s], "true_") for s in Scenario}),
        ),
        twin=Twin(
            kind=frame.twin_kind,
            claim=frame.twin_claim,
            value=frame.twin_value,
            wordings=ByScenario[Wording](**{s.value: _told(style[s].twin_full, timing[s], "twin_") for s in Scenario}),
            in_scope=query.in_scope,
            out_of_scope=query.out_of_scope,
            checks=query.checks,
        ),
    )


def _told(full: str, timing: Timing, side: str = "") -> Wording:
    """One statement's wording; ``side`` is empty for the claim, else ``true_`` or ``twin_``."""
    pieces = {name: getattr(timing, side + name) for name in ("hints", "restatements", "fragments")}
    return Wording(full=full, **pieces)


def prompt(stage: Stage, draft: Draft, parts: Parts, feedback: str = "") -> str:
    """What the writer is asked in one stage; ``feedback`` says what was wrong with its last version."""
    values = _frame_values(draft) if stage.name == "frame" else _shared_values(parts)
    if stage.scenario:
        values |= {"scenario": stage.scenario.value, "style": rules()[stage.scenario.value]["describe"]}
    if stage.name == "timing" and stage.scenario:
        style = parts.style[stage.scenario]
        values["claim"] += "\n" + quote(style.full)
        values["true_claim"] += "\n" + quote(style.true_full)
        values["twin"] += "\n" + quote(style.twin_full)
        values["openings"] = "\n".join(f"{name}: {text}" for name, text in zip("ABCD", style.openings, strict=True))
    values["feedback"] = (
        f"\nYour last version had faults; mend them and keep the rest:\n{feedback}\n" if feedback else ""
    )
    return template(f"build_{stage.name}").substitute(values)


def _frame_values(draft: Draft) -> dict[str, str]:
    return {
        "kind": KINDS[draft.sub_axis],
        "material": quote("\n".join(draft.material)),
        "verdict": quote(draft.verdict),
        "facts": quote("\n".join(draft.facts)),
        "query_seed": quote(draft.query_seed),
        "domains": ", ".join(Domain),
        "claim_domain": draft.claim_domain or "choose one",
        "query_domain": draft.query_domain or ("another one" if draft.sub_axis is SubAxis.CDL else "the same"),
    }


def _shared_values(parts: Parts) -> dict[str, str]:
    frame = parts.frame
    if frame is None:
        raise ValueError("the frame stage comes first")
    return {
        "claim": quote(frame.claim.text),
        "true_claim": quote(frame.true_claim.text),
        "twin": quote(frame.twin_claim.text),
        "value": frame.twin_value,
        "facts": quote("\n".join(frame.context_facts)),
        "target": frame.query_target.rstrip("."),
        "query_domain": frame.query_domain.value,
    }
