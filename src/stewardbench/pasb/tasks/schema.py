"""JSON schemas of the records that others may write: a task, a base item, a draft (JSON Schema 2020-12)."""

from __future__ import annotations

from typing import Any

from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.draft import Draft
from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.records import Record

SCHEMAS: dict[str, type[Record]] = {"task": Task, "item": BaseItem, "draft": Draft}


def json_schema(name: str) -> dict[str, Any]:
    """The schema of one record, by its name in ``SCHEMAS``, under the field names that files use."""
    schema = SCHEMAS[name].model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
