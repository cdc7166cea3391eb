"""The plans of the open sets: which item has which domains, age band, kind of twin and topic, fixed before writing."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from stewardbench.records.sheets import parse_sheet

_PLANS = {"pasb-item/1": "open/allocation.csv", "pasb-item/2": "open/v2/allocation.csv"}


@cache
def allocation(schema: str = "pasb-item/1") -> dict[str, dict[str, str]]:
    """The plan of the open set whose items have one format, by item id."""
    text = (files("stewardbench.pasb.data") / _PLANS[schema]).read_text(encoding="utf-8")
    return {row["id"]: row for row in parse_sheet(text)}
