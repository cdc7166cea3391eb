"""The packaged open set's companions: manifest, gold list and Croissant card, each a pure function of its items.

The items are the only source. ``stewardbench pasb build --packaged`` writes these files anew; with ``--check`` it says
which of them no longer fit the items.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from stewardbench.pasb.authoring.gold import choose_gold
from stewardbench.pasb.authoring.output import as_json, digest, set_digest
from stewardbench.pasb.tasks.layout import SOURCE
from stewardbench.pasb.tasks.load import packaged_tasks, variants
from stewardbench.pasb.tasks.schema import json_schema
from stewardbench.records.files import write_file

VERSION = "1.0.0"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
FOLDER = Path(str(files("stewardbench.pasb.data") / "open"))
DESCRIPTION = (
    "Tasks that measure persistent sycophancy: does an agent with durable memory write a user's one-sided claim into "
    "its profile, memory or skills, under a stronger role than it had, and use it in a session that never saw the "
    "first?"
)


def companions(folder: Path = FOLDER) -> dict[str, str]:
    """File name to text of everything that is derived from the items of the packaged set."""
    natural = packaged_tasks("open@1")
    gold = [task.task_id for task in choose_gold(natural)] if len(natural) >= 50 else []
    texts = {
        "gold.json": as_json({"schema": "pasb-gold/1", "version": VERSION, "tasks": gold}),
        "task.schema.json": as_json(json_schema("task")),
        "item.schema.json": as_json(json_schema("item")),
    }
    sets = {}
    for variant in variants("open@1"):
        tasks = packaged_tasks("open@1", variant)
        sets[variant.value] = {"tasks": len(tasks), "sha256": set_digest(tasks)}
    items = {path.name: digest(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("items/*.yaml"))}
    texts["croissant.json"] = as_json(croissant(sets))
    texts["manifest.json"] = as_json(
        {
            "schema": "pasb-manifest/1",
            "name": SOURCE,
            "version": VERSION,
            "licence": "CC-BY-4.0",
            "items": items,
            "sets": sets,
            "files": {name: digest(text) for name, text in sorted(texts.items())},
        }
    )
    return texts


def stale(folder: Path = FOLDER) -> Iterator[str]:
    """Names of companion files that are missing or no longer fit the items."""
    for name, text in companions(folder).items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield name


def write_companions(folder: Path = FOLDER) -> list[str]:
    """Write every companion file; returns the names of those that changed."""
    changed = list(stale(folder))
    for name, text in companions(folder).items():
        write_file(folder / name, text)
    return changed


def croissant(sets: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The machine-readable card in the Croissant vocabulary (1.0), over the files that ``pasb export`` writes."""
    return {
        "@context": {
            "@vocab": "https://schema.org/",
            "sc": "https://schema.org/",
            "cr": "http://mlcommons.org/croissant/",
            "dct": "http://purl.org/dc/terms/",
            "conformsTo": "dct:conformsTo",
            "recordSet": "cr:recordSet",
            "field": "cr:field",
            "source": "cr:source",
            "fileObject": "cr:fileObject",
            "extract": "cr:extract",
            "jsonPath": "cr:jsonPath",
            "repeated": "cr:repeated",
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        },
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": SOURCE,
        "description": DESCRIPTION,
        "license": LICENCE,
        "version": VERSION,
        "inLanguage": "en",
        "creator": {"@type": "sc:Organization", "name": "The stewardbench authors"},
        "isAccessibleForFree": True,
        "keywords": ["agents", "memory", "sycophancy", "evaluation"],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": f"{name}.jsonl",
                "name": f"{name}.jsonl",
                "description": f"{entry['tasks']} tasks, one JSON object per line",
                "contentUrl": f"{name}.jsonl",
                "encodingFormat": "application/jsonlines",
                "sha256": entry["sha256"],
            }
            for name, entry in sets.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "field": [_field(name, *field) for field in _FIELDS],
            }
            for name in sets
        ],
    }


_FIELDS = (
    ("task_id", "$.task_id", "sc:Text", False),
    ("base_item_id", "$.base_item_id", "sc:Text", False),
    ("sub_axis", "$.sub_axis", "sc:Text", False),
    ("scenario", "$.scenario", "sc:Text", False),
    ("delivery", "$.delivery", "sc:Text", False),
    ("attribution", "$.attribution", "sc:Text", False),
    ("claim", "$.claim.text", "sc:Text", False),
    ("claim_domain", "$.claim.domain", "sc:Text", False),
    ("ground_truth_stance", "$.claim.ground_truth_stance", "sc:Text", False),
    ("query_domain", "$.query_domain", "sc:Text", False),
    ("query_target", "$.query_target", "sc:Text", False),
    ("context_facts", "$.context_facts[*]", "sc:Text", True),
    ("persist_turns", "$.persist_turns[*].text", "sc:Text", True),
    ("persist_kinds", "$.persist_turns[*].kind", "sc:Text", True),
    ("query_turns", "$.query_turns[*].text", "sc:Text", True),
    ("position", "$.position", "sc:Text", False),
    ("length_words", "$.length_words", "sc:Integer", False),
    ("arm", "$.arm", "sc:Text", False),
    ("cue", "$.cue", "sc:Text", False),
    ("scope", "$.scope", "sc:Text", False),
)


def _field(record_set: str, name: str, path: str, kind: str, repeated: bool) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "dataType": kind,
        **({"repeated": True} if repeated else {}),
        "source": {"fileObject": {"@id": f"{record_set}.jsonl"}, "extract": {"jsonPath": path}},
    }
