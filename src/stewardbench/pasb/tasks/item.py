"""A base item as its author writes it: one YAML file that holds the text of all its variants.

    claim         the biased or scoped statement under test, its domain and what an independent answer would hold
    wordings      per scenario: the full statement, two hints, two restatements, three fragments
    fillers       per scenario: five neutral turns in the same style, grounded in the context facts
    query         three neutral turns of the later session
    true_claim    an unbiased statement of the same shape, in the same wordings
    twin          something that *should* be remembered, in the same wordings, with checks on the replies

Format and word counts are explained in docs/authoring.md; ``stewardbench pasb items check`` enforces them.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field, StringConstraints

from stewardbench.pasb.axes import Domain, Scenario, SubAxis
from stewardbench.pasb.records import Claim
from stewardbench.pasb.tasks.draft import ID, Source
from stewardbench.records import Record, sha256_text

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Three = tuple[Text, Text, Text]
Five = tuple[Text, Text, Text, Text, Text]
T = TypeVar("T")


class ByScenario(Record, Generic[T]):
    """One value for each of the four scenarios."""

    personal_opinion: T
    signed_memory: T
    environment_fact: T
    procedural_workflow: T

    def of(self, scenario: Scenario) -> T:
        """The value of one scenario."""
        value: T = getattr(self, scenario.value)
        return value


class Wording(Record):
    """One claim in one scenario's style: whole, and in the pieces that the deliveries need."""

    full: Text
    hints: tuple[Text, Text]
    restatements: tuple[Text, Text]
    fragments: Three

    def turns(self) -> tuple[tuple[str, str], ...]:
        """(field path, text) of all eight turns."""
        named = [("full", self.full)]
        for name in ("hints", "restatements", "fragments"):
            named += [(f"{name}[{place}]", text) for place, text in enumerate(getattr(self, name))]
        return tuple(named)


class Cues(Record):
    """The sentence that asks for storage in the ``cue=on`` variant; only two scenarios have one."""

    signed_memory: Text
    procedural_workflow: Text


class TrueClaim(Record):
    """A fair, true statement of the same shape as the claim, told exactly as the claim is told."""

    claim: Claim
    wordings: ByScenario[Wording]


class TwinKind(StrEnum):
    """What a benign twin is."""

    NEED = "need"
    RULE = "rule"
    FACT = "fact"


class TwinChecks(Record):
    """Regular expressions (case-insensitive) over the replies to the twin's queries.

    In scope, each ``must`` has to match at least one of the three replies and no ``must_not`` may match any. Out of
    scope, no ``out_of_scope_must_not`` may match any. ``passes`` and ``fails`` are sample replies that prove the
    in-scope expressions.
    """

    must: tuple[Text, ...] = Field(min_length=1)
    must_not: tuple[Text, ...] = ()
    out_of_scope_must_not: tuple[Text, ...] = Field(min_length=1)
    passes: tuple[Text, ...] = Field(min_length=2)
    fails: tuple[Text, ...] = Field(min_length=2)


class Twin(Record):
    """A benign statement that a good memory keeps and uses, told exactly as the claim is told."""

    kind: TwinKind
    claim: Claim
    value: Text
    wordings: ByScenario[Wording]
    in_scope: Three
    out_of_scope: Three
    checks: TwinChecks


class AgeBand(StrEnum):
    """How old the invented teller is, for the spread over the set."""

    UNDER_25 = "under_25"
    FROM_25 = "from_25"
    FROM_40 = "from_40"
    FROM_60 = "from_60"


class BaseItem(Record):
    """One base item: everything that its 16 variants, its twin and its other arms are laid out from.

    ``source`` names the row of another data set that it was made from; items of the open set have none.
    """

    schema_: Literal["pasb-item/1", "pasb-item/2"] = Field(alias="schema")
    id: Annotated[str, StringConstraints(pattern=ID)]
    age_band: AgeBand
    setting: Text
    names: tuple[Text, ...]
    terms: tuple[Text, ...]
    source: Source | None = None
    claim: Claim
    context_facts: tuple[Text, ...] = Field(min_length=5, max_length=8)
    query_domain: Domain
    query_target: Text
    query: Three
    cues: Cues
    fillers: ByScenario[Five]
    wordings: ByScenario[Wording]
    true_claim: TrueClaim
    twin: Twin

    @cached_property
    def sha256(self) -> str:
        """The hash of the item's canonical JSON: what its tasks carry as the hash of their source."""
        return sha256_text(self.to_json())

    @property
    def sub_axis(self) -> SubAxis:
        """The sub-axis that the id names."""
        return SubAxis(self.id.split("-")[1])

    @property
    def number(self) -> int:
        """The item's number within its sub-axis."""
        return int(self.id.rsplit("-", 1)[1])


class Subject(StrEnum):
    """What a claim is about, in the groups in which people bring things to an assistant."""

    HEALTH = "health"
    MONEY_LAW = "money_law"
    WORK_HIRING = "work_hiring"
    TECHNOLOGY = "technology"
    PARENTING_EDUCATION = "parenting_education"
    RELATIONSHIPS_FAMILY = "relationships_family"
    SOCIETY = "society"
    FOOD_HOME_HOBBY_MEDIA = "food_home_hobby_media"


class Stakes(StrEnum):
    """What follows if an agent acts on the claim: somebody's pay, health or chances; a nuisance; a matter of taste."""

    MATERIAL = "material"
    MODERATE = "moderate"
    TASTE = "taste"


class NaturalItem(BaseItem):
    """A base item of format 2: people talking to the assistant they use, with stakes, a topic and a matched twin.

    ``topic`` names the claim's matter without its stance, for ways of retracting and editing it. ``harmed`` says who
    would be worse off and how, if an agent acted on the claim. ``matched_twin`` is a benign statement in the claim's
    own vocabulary and speech act, so that wording alone tells them not apart.
    """

    schema_: Literal["pasb-item/2"] = Field(alias="schema")
    topic: Text
    subject: Subject
    stakes: Stakes
    harmed: Text
    teller: Text
    runs_agent: bool
    matched_twin: Twin
