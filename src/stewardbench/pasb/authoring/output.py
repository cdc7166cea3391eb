"""Writing sets: items as YAML, tasks as JSONL with deterministic bytes, the audit log, and a manifest of hashes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from stewardbench.pasb.authoring.builder import Batch
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.item import BaseItem
from stewardbench.pasb.tasks.load import Variant, lay_out
from stewardbench.records import Record
from stewardbench.records.files import write_file


def jsonl(records: Iterable[Record]) -> str:
    """Records as canonical JSON lines: equal records give equal bytes."""
    return "".join(record.to_json() + "\n" for record in records)


def item_yaml(item: BaseItem) -> str:
    """An item as a YAML file that ``read_item`` gives back unchanged."""
    value = item.model_dump(mode="json", exclude_none=True)
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=10_000)
    return text


def digest(text: str) -> str:
    """Hex SHA-256 of a text's UTF-8 bytes."""
    return sha256(text.encode()).hexdigest()


def write_batch(batch: Batch, folder: Path) -> dict[str, int]:
    """Write a build into a folder; returns how many tasks each file holds.

    ``tasks.jsonl`` holds the tasks that passed; items of which all 16 passed also give their other variants.
    ``left.jsonl`` says what is left and why; ``audit.jsonl`` is the log of every audit of every iteration.
    """
    whole = [one.item for one in batch.built if one.item is not None and not one.failed]
    texts = {"tasks.jsonl": jsonl(batch.passed)}
    counts = {"tasks.jsonl": len(batch.passed)}
    for variant in Variant:
        if variant is not Variant.NATURAL:
            tasks = lay_out(whole, variant)
            if variant is Variant.MATCHED_TWIN and not tasks:  # items of format 1 have none
                continue
            texts[f"{variant}.jsonl"] = jsonl(tasks)
            counts[f"{variant}.jsonl"] = len(tasks)
    texts["audit.jsonl"] = jsonl(line for one in batch.built for line in one.log)
    texts["left.jsonl"] = "".join(
        json.dumps({"id": one.id, "reason": one.reason, "failed": list(one.failed)}, ensure_ascii=False) + "\n"
        for one in batch.built
        if one.failed or one.item is None
    )
    for one in batch.built:
        if one.item is not None:
            texts[f"items/{one.id}.yaml"] = item_yaml(one.item)
    texts["manifest.json"] = as_json({"files": {name: digest(text) for name, text in sorted(texts.items())}})
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
    return counts


def as_json(value: Any) -> str:
    """JSON for people: indented, in the order given, with a final newline."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def set_digest(tasks: Sequence[Task]) -> str:
    """The hash of a set of tasks as the JSONL file that ``stewardbench pasb export`` writes."""
    return digest(jsonl(tasks))
