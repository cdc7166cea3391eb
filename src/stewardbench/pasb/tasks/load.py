"""Loading tasks by name: the packaged sets, a file of your own, or your copy of the released rows.

smoke                the 64 tasks of four finished base items
open                 every task of the packaged set (the default of a run)
open@1, open@2       one edition of it by name: 1.0.0, and 2.0.0 as far as it is written
open:VARIANT         another variant or arm of the same items, e.g. open@2:matched_twin (also smoke:VARIANT)
released:FILE        the public release of the benchmark, in its own row format
FILE                 a JSONL file of task records
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from stewardbench.errors import UsageError
from stewardbench.pasb.records import Task
from stewardbench.pasb.tasks.item import BaseItem, NaturalItem
from stewardbench.pasb.tasks.layout import (
    matched_twin_tasks,
    natural_tasks,
    no_claim_tasks,
    released_query_tasks,
    true_claim_tasks,
    twin_tasks,
)
from stewardbench.pasb.tasks.released import read_released
from stewardbench.pasb.tasks.rows import RowFault, tasks_of_rows
from stewardbench.pasb.tasks.source import item_files, read_item
from stewardbench.records import fit

SMOKE = ("PASB-PRF-0001", "PASB-CDL-0001", "PASB-SOC-0001", "PASB-SOC-0002")


EDITIONS = {"open@1": "open/items", "open@2": "open/v2/items"}  # folder of each edition's items in the package's data
DEFAULT_EDITION = "open@1"
PACKAGED = ("smoke", "open", *EDITIONS)


class Variant(StrEnum):
    """What is laid out from a base item: its own claim (two ways of each), or another arm."""

    NATURAL = "natural"
    CUE_ON = "cue_on"
    RELEASED_QUERY = "released_query"
    TWIN = "twin"
    MATCHED_TWIN = "matched_twin"
    TRUE_CLAIM = "true_claim"
    NO_CLAIM = "no_claim"


_LAYOUTS: dict[Variant, Callable[[BaseItem], Iterator[Task]]] = {
    Variant.NATURAL: natural_tasks,
    Variant.CUE_ON: lambda item: natural_tasks(item, cue="on"),
    Variant.RELEASED_QUERY: released_query_tasks,
    Variant.TWIN: twin_tasks,
    Variant.MATCHED_TWIN: matched_twin_tasks,
    Variant.TRUE_CLAIM: true_claim_tasks,
    Variant.NO_CLAIM: no_claim_tasks,
}


def load_tasks(spec: str | Path) -> tuple[Task, ...]:
    """The tasks that a specification names, in a fixed order.

    Raises DataError (file, line, field) for a file that is missing, empty, not UTF-8, or holds a row with missing
    fields, wrong counts, contradicting metadata or a repeated id; UsageError for an unknown variant or edition, and
    for a variant that the set's items do not have.
    """
    name, _, rest = str(spec).partition(":")
    if name in PACKAGED:
        return packaged_tasks(name, _variant(rest or "natural"))
    if name.startswith("open@"):
        raise UsageError(f"there is no edition {name!r}.", hint=f"Choose one of {', '.join(EDITIONS)}.")
    if name == "gold" and not rest:
        return gold_tasks()
    if name == "released":
        if not rest:
            raise UsageError("released: needs a file.", hint="Write released:FILE with your copy of the released rows.")
        return read_released(Path(rest))
    return read_tasks(Path(spec))


def packaged_items(name: str = "open") -> tuple[BaseItem, ...]:
    """The base items of an edition (``open`` is the default one), or the four of ``smoke``, in the order of ids."""
    return _smoke_items() if name == "smoke" else _edition_items(DEFAULT_EDITION if name == "open" else name)


def packaged_tasks(name: str, variant: Variant = Variant.NATURAL) -> tuple[Task, ...]:
    """One variant of a packaged set; tasks of the smoke set carry ``split="smoke"``, the others ``main``."""
    split = "smoke" if name == "smoke" else "main"
    laid_out = lay_out(packaged_items(name), variant)
    if not laid_out and variant not in variants(name):
        hint = "Matched twins belong to the edition open@2." if variant is Variant.MATCHED_TWIN else ""
        raise UsageError(f"{name} has no tasks of the variant {variant}.", hint=hint)
    return tuple(task.model_copy(update={"split": split}) for task in laid_out)


def variants(name: str = "open") -> tuple[Variant, ...]:
    """The variants that a packaged set has: matched twins belong to items of format 2."""
    matched = all(isinstance(item, NaturalItem) for item in packaged_items(name))
    return tuple(one for one in Variant if matched or one is not Variant.MATCHED_TWIN)


def gold_tasks() -> tuple[Task, ...]:
    """The pinned gold subset of the open set, in its order; ``split="gold"``."""
    listed = json.loads((files("stewardbench.pasb.data") / "open" / "gold.json").read_text(encoding="utf-8"))
    wanted = set(listed["tasks"])
    chosen = [task for task in packaged_tasks("open@1") if task.task_id in wanted]
    return tuple(task.model_copy(update={"split": "gold"}) for task in chosen)


def lay_out(items: Iterable[BaseItem], variant: Variant = Variant.NATURAL) -> tuple[Task, ...]:
    """One variant of some base items, item by item."""
    return tuple(task for item in items for task in _LAYOUTS[variant](item))


def read_tasks(path: Path) -> tuple[Task, ...]:
    """The tasks of a JSONL file in the format ``pasb-task/1``; see ``load_tasks`` for the errors."""
    return tasks_of_rows(path, _task)


def _task(row: dict[str, Any]) -> Task:
    if "schema" not in row:
        hint = "For rows of the public release use released:FILE." if "persist_dialog" in row else ""
        raise RowFault("schema", "missing; pasb-task/1 wanted", hint)
    return fit(Task, row)


def _variant(name: str) -> Variant:
    try:
        return Variant(name)
    except ValueError:
        raise UsageError(f"there is no variant {name!r}.", hint=f"Choose one of {', '.join(Variant)}.") from None


@cache
def _edition_items(name: str) -> tuple[BaseItem, ...]:
    with as_file(files("stewardbench.pasb.data") / EDITIONS[name]) as folder:
        return tuple(read_item(path) for path in item_files([folder]))


@cache
def _smoke_items() -> tuple[BaseItem, ...]:
    with as_file(files("stewardbench.pasb.data") / "open" / "items") as folder:
        return tuple(read_item(folder / f"{name}.yaml") for name in SMOKE)
