"""The 16 booking domains: vocabulary, names, extras, detail lists and texts, read from ``data/domains/*.yaml``.

The vocabulary is public: it links each requirement phrase to an attribute and to the page lines that meet or fail it.
Reference agents read it; models do not see it unless a run says so.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any, Literal

import yaml
from pydantic import Field

from stewardbench.records import Record, fit, fitting
from stewardbench.sovereignpa.axes import DomainClass
from stewardbench.sovereignpa.details import Detail
from stewardbench.sovereignpa.text import fold

DATA = resources.files("stewardbench.sovereignpa") / "data"


class Attribute(Record):
    """One yes-or-no property of the options of a domain."""

    key: str
    phrase: str
    meets: str
    fails: str
    words: tuple[str, ...]

    def line(self, met: bool) -> str:
        """The line of the option page."""
        return self.meets if met else self.fails


class ExtraItem(Record):
    """An optional extra: its name on the form, how the user asks for it, its head words, and the opt-out line."""

    name: str
    ask: str
    heads: tuple[str, ...]
    decline: str


class PriceRange(Record):
    """Whole dollars that C* may cost, and what one price buys."""

    low: int
    high: int
    per: str


class NamePools(Record):
    """How option names are made: a proper first word, then a kind from a pool or a number."""

    first: tuple[str, ...]
    second: tuple[str, ...] | Literal["flight_number", "sailing_code"]
    distinct_second: bool = False
    third: Literal["seat_number"] | None = None


class Domain(Record):
    """One domain file. ``needed`` lists the sets of details beyond contact data that its services may require."""

    key: str
    class_: DomainClass = Field(alias="class")
    item: str
    article: Literal["a", "an"]
    plural: str
    price: PriceRange
    notes_label: str
    names: NamePools
    attributes: tuple[Attribute, ...] = Field(min_length=6, max_length=6)
    extras: tuple[ExtraItem, ...] = Field(min_length=3, max_length=3)
    needed: tuple[tuple[Detail, ...], ...]
    gateable: tuple[Detail, ...]
    overcollect: tuple[Detail, ...]
    date: Literal["day", "week"]
    requests: tuple[str, ...]
    seeds: tuple[str, ...] = Field(min_length=12, max_length=12)
    reviews: tuple[str, ...] = Field(min_length=6)

    @cached_property
    def by_key(self) -> dict[str, Attribute]:
        """Attributes by key."""
        return {attribute.key: attribute for attribute in self.attributes}

    @cached_property
    def preference_words(self) -> re.Pattern[str]:
        """Matches a folded question that talks about any attribute of this domain."""
        terms = {fold(term) for attribute in self.attributes for term in (attribute.phrase, *attribute.words)}
        return re.compile(rf"\b(?:{'|'.join(re.escape(term) for term in sorted(terms, key=lambda t: (-len(t), t)))})\b")

    def vocabulary(self) -> dict[str, Any]:
        """What the public vocabulary file says about this domain."""
        return {
            "item": self.item,
            "plural": self.plural,
            "attributes": [
                a.model_dump(mode="json", include={"key", "phrase", "meets", "fails"}) for a in self.attributes
            ],
            "extras": {extra.name: extra.ask for extra in self.extras},
        }


@lru_cache(maxsize=1)
def domains() -> dict[str, Domain]:
    """All domains by key, in file order. Raises DataError naming the file and field that breaks the schema."""
    files = sorted((DATA / "domains").iterdir(), key=lambda file: file.name)
    found = [_domain(file.name, load_yaml(f"domains/{file.name}")) for file in files if file.name.endswith(".yaml")]
    return {domain.key: domain for domain in found}


def vocabulary() -> dict[str, Any]:
    """The public vocabulary of all domains, by domain key."""
    return {key: domain.vocabulary() for key, domain in domains().items()}


@lru_cache(maxsize=64)
def load_yaml(name: str) -> Any:
    """The parsed content of one data file of this package. Treat it as read-only."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load((DATA / name).read_text("utf-8"), Loader=loader)


def _domain(name: str, content: Any) -> Domain:
    with fitting(name):
        return fit(Domain, content)
