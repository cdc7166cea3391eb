"""A draft: what is known of a base item before its text is written (stage A), usually from another data set.

A draft holds material and where it comes from, never a finished task. The builder's writer turns it into a base item;
the material itself is not copied into tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, StringConstraints, ValidationError

from stewardbench.errors import DataError
from stewardbench.pasb.axes import Domain, SubAxis
from stewardbench.pasb.tasks.fields import field_path
from stewardbench.records import Record, read_jsonl

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
    """The drafts of a JSONL file, or of the documents of a YAML file. Raises DataError (file, line or place, field)."""
    seen: dict[str, str] = {}
    for place, row in _rows(path):
        try:
            draft = Draft.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            raise DataError(f"{place}: {first['msg']}.", path=path, field=field_path(first["loc"])) from None
        if draft.source and draft.source.sha256 in seen:
            raise DataError(
                f"{place}: {draft.id} and {seen[draft.source.sha256]} come from the same row.",
                path=path,
                field="source.sha256",
                hint="Each base item needs a row of its own.",
            )
        if draft.source:
            seen[draft.source.sha256] = draft.id
        yield draft


def _rows(path: Path) -> Iterator[tuple[str, object]]:
    if path.suffix not in {".yaml", ".yml"}:
        yield from ((f"line {line}", row) for line, row in read_jsonl(path))
        return
    try:
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DataError("no such file.", path=path, hint="Check the path.") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise DataError(f"not YAML: {error.problem}.", path=path, line=line) from None
    yield from ((f"document {number}", document) for number, document in enumerate(documents, 1))
