"""A draft: what is known of a base item before its text is written (stage A), usually from another data set.

A draft holds material and where it comes from, never a finished task. The builder's writer turns it into a base item;
the material itself is not copied into tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, StringConstraints

from stewardbench.errors import DataError
from stewardbench.pasb.axes import Domain, SubAxis
from stewardbench.records import Record, fit, fitting, read_jsonl
from stewardbench.records.bounds import not_too_deep
from stewardbench.records.sheets import Once
from stewardbench.records.texts import read_text
from stewardbench.records.yaml_texts import readable

ID = r"^PASB-(PRF|CDL|SOC)-\d{4}$"


class Source(Record):
    """The row of another data set that an item was made from. ``id`` counts from 0; ``sha256`` is the row's hash."""

    dataset: str
    id: int
    sha256: str


class Draft(Record):
    """The material of one base item. ``verdict`` is a community's judgment with its reason, for SOC."""

    schema_: Literal["pasb-draft/1"] = Field("pasb-draft/1", alias="schema")
    id: Annotated[str, StringConstraints(pattern=ID)]
    source: Source | None = None
    material: tuple[str, ...] = Field(min_length=1)
    verdict: str = ""
    facts: tuple[str, ...] = ()
    query_seed: str = ""
    claim_domain: Domain | None = None
    query_domain: Domain | None = None

    @property
    def sub_axis(self) -> SubAxis:
        """The sub-axis that the id names."""
        return SubAxis(self.id.split("-")[1])


def read_drafts(path: Path) -> Iterator[Draft]:
    """The drafts of a JSONL file, or of the documents of a YAML file.

    Raises DataError (file, line, field) for what is no draft, for two drafts of one row, and for a file without drafts.
    """
    sources = Once(path, "source.sha256", "Each base item needs a row of its own.")
    empty = True
    for line, row in _rows(path):
        with fitting(path, line):
            draft = fit(Draft, row)
        if draft.source:
            sources.note(draft.source.sha256, line, f"the row that {draft.id} comes from")
        empty = False
        yield draft
    if empty:
        raise DataError("holds no draft.", path=path, hint="Write drafts with: stewardbench pasb import")


def _rows(path: Path) -> Iterator[tuple[int, object]]:
    """(line on which it begins, content) of every draft."""
    if path.suffix not in {".yaml", ".yml"}:
        yield from read_jsonl(path)
        return
    text = read_text(path, "a YAML file")
    with readable(path):
        loader = yaml.SafeLoader(text)
    while True:
        with readable(path):
            node = loader.get_node() if loader.check_node() else None
            if node is None:
                return
            value = loader.construct_document(node)
            not_too_deep(value)
        yield node.start_mark.line + 1, value
