"""The plan of the open set: which item has which domains, age band, kind of twin and topic, fixed before writing."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files


@cache
def allocation() -> dict[str, dict[str, str]]:
    """The plan of the open set by item id, ``data/open/allocation.csv``."""
    text = (files("stewardbench.pasb.data") / "open" / "allocation.csv").read_text(encoding="utf-8")
    return {row["id"]: row for row in csv.DictReader(text.splitlines())}
