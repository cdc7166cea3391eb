"""The records of PASB: a task, an episode, a judgment, an annotation (specification sections 3, 9, 10, 11)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from stewardbench.agents.interface import Flush, Surface, ToolUse
from stewardbench.models.naming import MASKED
from stewardbench.pasb.axes import Attribution, Delivery, Domain, Scenario, SubAxis
from stewardbench.records import Record
from stewardbench.workspace.tree import FileState

EARLIER = "earlier"  # the preset of records made before there were any
Score = Annotated[int, Field(ge=1, le=5)]


def _absent(value: object) -> bool:
    return value is None


def _first(value: object) -> bool:
    return value == 1


def _nothing(value: object) -> bool:
    return value == ()


def _later() -> Any:
    """A field that later records have: absent from the JSON of records without it, so that their bytes stay."""
    return Field(default=None, exclude_if=_absent)


class Claim(Record):
    """The biased or scoped statement under test, and what an independent answer would hold."""

    text: str
    domain: Domain
    ground_truth_stance: str


class PersistTurn(Record):
    """One user turn of the persist stage; ``turn`` counts from 1."""

    turn: int
    text: str
    kind: Literal["trigger", "fragment", "reaffirm", "hint", "filler"]


class QueryTurn(Record):
    """One user turn of the query stage; ``turn`` counts from 1."""

    turn: int
    text: str


class AuditEntry(Record):
    """The outcome of one audit dimension (1-7, section A.4) on one task."""

    dim: int
    passed: bool
    auditor: str
    iteration: int = 0
    note: str = ""


class ReplyCheck(Record):
    """Case-insensitive regular expressions over a twin's three query replies.

    Every ``must`` has to match at least one reply; no ``must_not`` may match any.
    """

    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


class Task(Record):
    """One of the 16 variants of a base item."""

    schema_: Literal["pasb-task/1"] = Field("pasb-task/1", alias="schema")
    task_id: str
    base_item_id: str
    sub_axis: SubAxis
    source_dataset: str
    source_id: int
    source_sha256: str
    scenario: Scenario
    delivery: Delivery
    attribution: Attribution
    claim: Claim
    query_domain: Domain
    context_facts: tuple[str, ...]
    query_target: str
    persist_turns: tuple[PersistTurn, ...]
    query_turns: tuple[QueryTurn, ...]
    position: str
    position_scores: tuple[Score, ...] | None = None
    length_words: int | None = None
    audit: tuple[AuditEntry, ...] = ()
    split: Literal["main", "gold", "smoke"] | None = None
    cue: Literal["on", "off"] | None = None
    arm: Literal["natural", "twin", "matched_twin", "true_claim", "no_claim"] = "natural"
    scope: Literal["in", "out"] | None = None  # twins only: whether the query arc falls in the value's scope
    reply_check: ReplyCheck | None = None  # twins only
    item_format: Literal["pasb-item/2"] | None = _later()  # format of the base item; none for format 1
    topic: str | None = _later()  # the claim's matter without its stance
    subject: str | None = _later()
    stakes: Literal["material", "moderate", "taste"] | None = _later()


class InvalidReason(StrEnum):
    """Why an episode cannot be scored. An invalid episode is counted, shown and never scored.

    MODEL_ERROR is a failed endpoint and says nothing of the model: it uses up no attempt. CONTENT_FILTER and
    UNREADABLE_OUTPUT (a tool call that its own server could not read) are what the model did.
    """

    AGENT_CRASHED = "agent_crashed"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_ERROR = "agent_error"
    EMPTY_REPLY = "empty_reply"
    ERROR_REPLY = "error_reply"
    REVIEW_FAILED = "review_failed"
    MODEL_ERROR = "model_error"
    CONTENT_FILTER = "content_filter"
    UNREADABLE_OUTPUT = "unreadable_output"
    CALL_LIMIT = "call_limit"
    CUT_SESSION_ID = "cut_session_id"
    CUT_CANARY = "cut_canary"
    CUT_STORES = "cut_stores"
    CUT_DURABLE_CHANGED = "cut_durable_changed"
    CUT_TURN_COUNT = "cut_turn_count"
    CUT_CHANNEL = "cut_channel"
    STATE_BOUNDS = "state_bounds"
    LIMIT_EXCEEDED = "limit_exceeded"
    SLOT_UNHEALTHY = "slot_unhealthy"
    CONFIG_CHANGED = "config_changed"
    STALE_INDEX = "stale_index"


class Turn(Record):
    """One turn of an episode, in either stage."""

    turn: int
    user: str
    agent: str
    tool_calls: tuple[ToolUse, ...] = ()
    session_id: str
    elapsed_s: float = 0.0
    model_calls: int = 0
    retries: int = 0
    error: str | None = None


class Captured(FileState):
    """A captured file with the surface its path belongs to and how it differs from the baseline.

    ``text_kept`` is False where only hash and size are recorded: wiped history, and very large files that are on no
    commit surface.
    """

    surface: Surface
    change: Literal["added", "modified", "deleted", "same"] = "same"
    text_kept: bool = True


class Author(StrEnum):
    """Who wrote an entry of durable state; a framework's own write is no decision of the model."""

    AGENT = "agent"
    BACKGROUND = "background"
    FRAMEWORK = "framework"
    UNKNOWN = "unknown"


class CommitSpan(Record):
    """Where the claim stands in a durable file. ``start`` and ``end`` are character offsets in its text.

    ``doubt`` says why its words are no evidence that the claim is held (see ``pasb.commits``); ``author`` is None in
    records of before authors were told apart.
    """

    path: str
    surface: Surface
    start: int
    end: int
    text: str
    score: float
    doubt: str | None = _later()
    author: Author | None = _later()


class Commit(Record):
    """Whether the claim reached durable state, where, and by which matcher (section 8).

    ``committed`` is None when the matcher cannot decide (``unknown``); ``doubts`` are then what it found. ``matcher``
    names the method and its version: records that two methods made are never one measurement.
    """

    committed: bool | None
    primary: Surface | Literal["session_only", "unknown"]
    surfaces: tuple[Surface, ...] = ()
    spans: tuple[CommitSpan, ...] = ()
    matcher: str
    doubts: tuple[CommitSpan, ...] = Field(default=(), exclude_if=_nothing)


class Relation(StrEnum):
    """What an entry has to do with the claim, as a reader says."""

    STATES = "states"
    ATTRIBUTES = "attributes"
    APPLIES = "applies"
    PART = "part"
    CIRCUMSTANCES = "circumstances"
    DENIES = "denies"


class Scope(StrEnum):
    """How far an entry goes beside the claim."""

    SAME = "same"
    WIDER = "wider"
    NARROWER = "narrower"


class ReadEntry(Record):
    """What a reader said of one entry. The quote was found in the entry; offsets are characters of the file's text."""

    entry: int
    relation: Relation
    scope: Scope
    path: str
    surface: Surface
    start: int
    end: int
    quote: str
    author: Author | None = None


class CommitReading(Record):
    """One reader's reading of the new entries of one episode. ``held`` is None where it is void, for ``error``."""

    schema_: Literal["pasb-commit-reading/1"] = Field("pasb-commit-reading/1", alias="schema")
    episode_id: str
    task_id: str
    reader_model: str
    prompt_sha256: str
    entries: int
    relations: tuple[ReadEntry, ...] = ()
    held: bool | None
    error: str = ""
    raw: str = ""
    same_family: bool = False
    harness_check: bool = False


class Cut(Record):
    """The attestation of the execution cut (section 7, checks a-f, and the turn count as g).

    None is an open check: nothing speaks against it, and the agent can only be seen from outside.
    """

    ids_differ: bool
    canary_ok: bool | None
    stores_cleared: bool | None
    durable_hash_equal: bool | None
    claim_in_query_input: bool | None
    whole_tree_captured: bool | None
    turn_counts_ok: bool | None
    channels: tuple[str, ...] = ()  # what was found beside the bytes of captured files; empty in older records
    details: tuple[str, ...] = ()

    @property
    def attested(self) -> bool:
        """Whether every check was made and passed; what the model was shown (c) is an observation and no check."""
        checks = (
            *(self.ids_differ, self.canary_ok, self.stores_cleared, self.durable_hash_equal),
            *(self.whole_tree_captured, self.turn_counts_ok),
        )
        return all(checks) and not self.channels


class Episode(Record):
    """One task run by one agent and one model, as everything later reads it.

    ``preset`` and ``overrides`` are the agent's policy, ``told_model`` the name that the agent was told its model has.
    Records made before there were presets carry the mark ``earlier``; their agents were all told ``assistant``.
    """

    schema_: Literal["pasb-episode/1"] = Field("pasb-episode/1", alias="schema")
    episode_id: str
    run_id: str
    task_id: str
    base_item_id: str
    sub_axis: SubAxis
    scenario: Scenario
    delivery: Delivery
    model: str
    agent: str
    agent_version: str
    review: str
    tools: str
    preset: str = EARLIER
    overrides: tuple[str, ...] = ()
    told_model: str = MASKED
    masked_name: bool = True
    arm: str = "natural"
    trial: int = Field(default=1, ge=1, exclude_if=_first)  # absent from the JSON of a first trial: its bytes stay
    config_sha256: str
    baseline_sha256: str
    worker: int
    attempt: int
    started_at: str
    completed_at: str
    confined: bool
    canary: str
    persist: tuple[Turn, ...]
    query: tuple[Turn, ...]
    flush: Flush | None
    state_before: tuple[Captured, ...]
    state_after_persist: tuple[Captured, ...]
    state_after_query: tuple[Captured, ...]
    commit: Commit | None
    cut: Cut | None
    exchanges_sha256: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    valid: bool
    invalid_reason: InvalidReason | None = None
    invalid_detail: str = ""
    unseen: dict[str, str] | None = _later()  # checks and ``commit`` that nobody can see of this agent, with reasons

    @property
    def state_seen(self) -> bool:
        """Whether the durable state could be captured: where not, nothing is known of what was saved."""
        return "commit" not in (self.unseen or {})


def policy_label(preset: str, overrides: Sequence[str], *, masked: bool) -> str:
    """The agent's policy in a few words, such as ``stock, review=off, masked name``; what is pooled has the same."""
    return ", ".join([preset, *overrides, *(["masked name"] if masked else [])])


class TurnJudgment(Record):
    """The judge's four scores of one query turn; None is unscored, never a 1."""

    turn: int
    located: bool | None = None
    assertion: str = ""
    query_neutral: bool | None = None
    mirror: str = ""
    fact_source: str = ""
    pushback: str = ""
    empathy_note: str = ""
    syc: Score | None = None
    leak: Score | None = None
    upg: Score | None = None
    amp: Score | None = None
    rationale: str = ""
    error: str = ""
    raw: str = ""


class ArcJudgment(Record):
    """The judge's two scores of the whole query arc."""

    engaged: tuple[bool, ...] = ()
    pers: Score | None = None
    esc: Score | None = None
    rationale: str = ""
    error: str = ""
    raw: str = ""


class Judgment(Record):
    """Everything one judge said about one episode (section 10)."""

    schema_: Literal["pasb-judge/1"] = Field("pasb-judge/1", alias="schema")
    episode_id: str
    task_id: str
    judge_model: str
    prompt_sha256: str
    rubric_version: str
    repeat: int = 0
    probe: str = ""
    turns: tuple[TurnJudgment, ...]
    arc: ArcJudgment
    blind_to_state: bool = False  # the judge was not shown the durable state
    same_family: bool = False  # the judge is of the subject's own model family, and the user insisted
    harness_check: bool = False  # made by the reference judge: proves plumbing, not quality


class Stance(StrEnum):
    """What the agent's replies did with the claim; later members are stronger acceptance (A.7)."""

    CHALLENGE = "challenge"
    NEUTRAL = "neutral"
    ACKNOWLEDGE = "acknowledge"
    AGREE = "agree"
    COMPLY = "comply"


class Role(StrEnum):
    """The status the claim has in durable state; later members dominate (A.7)."""

    NONE = "none"
    PREFERENCE = "preference"
    FACT = "fact"
    PROCEDURE = "procedure"


class Annotation(Record):
    """The persist-stage annotation of one episode (section 11); None is unscored."""

    schema_: Literal["pasb-annot/1"] = Field("pasb-annot/1", alias="schema")
    run_id: str
    task_id: str
    episode_id: str
    model: str
    agent: str
    stance: Stance | None
    stance_turn: int | None = None
    role: Role | None
    promoted: bool | None
    attribution_removed: bool | None
    evidence_paths: tuple[str, ...] = ()
    evidence_span: str = ""
    conflicts: tuple[str, ...] = ()
    annotator: str
    prompt_sha256: str
    error: str = ""
    harness_check: bool = False
