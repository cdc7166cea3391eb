"""What the site's pages show, as plain values.

Every number arrives here from the report's tables; nothing in the site computes one. The views fill these values,
templates only lay them out.

    Quantity    one printed number with its n, interval and unscored count
    Board       a leaderboard: columns, and rows marked by origin
    PageFigure      a drawing with its definition and the table of numbers behind it

What the episode explorer shows is in ``episodes.blocks`` and ``episodes.index``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Origin(StrEnum):
    """Where a row's numbers come from. Published rows and harness checks are marked wherever they appear."""

    OWN = "own"
    PUBLISHED = "published"
    HARNESS_CHECK = "harness check"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a report table. ``printed`` is its text, rounded by the report; ``value`` places and sorts it.

    ``value`` is in the printed unit (percent, points, questions), None where nothing was scored. ``low`` and ``high``
    bound it at 95 %; ``n`` counts what it rests on, ``unscored`` what it could not use.
    """

    printed: str
    value: float | None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    unscored: int = 0

    def text(self) -> str:
        """The printed value with a true minus sign; an en dash where there is none."""
        return "–" if self.value is None else self.printed.replace("-", "−")

    def explanation(self) -> str:
        """n, unscored and interval in words: the title of a cell and the label of a mark."""
        parts = [] if self.n is None else [f"n = {self.n:,}"]
        if self.unscored:
            parts.append(f"{self.unscored:,} unscored")
        if interval := self.interval():
            parts.append(f"95 % interval {interval}")
        return ", ".join(parts)

    def interval(self) -> str:
        """The 95 % interval as ``low to high``, or nothing."""
        if self.low is None or self.high is None:
            return ""
        low, high = (f"{bound:.1f}".replace("-", "−") for bound in (self.low, self.high))
        return f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class Column:
    """One numeric column of a board. ``tint`` shades cells by value; ``interval`` draws the interval beside it."""

    key: str
    label: str
    definition: str
    better: Literal["low", "high", "none"] = "low"
    tint: bool = False
    interval: bool = False
    scale: tuple[float, float] = (0.0, 100.0)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One run. ``episodes`` is the hash that opens its episodes in the explorer, empty where there are none."""

    name: str
    agent: str
    origin: Origin
    cells: tuple[Quantity, ...]
    n: int | None
    invalid: int = 0
    note: str = ""
    episodes: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard with its columns; rows come in the order of the first sort column."""

    id: str
    title: str
    lead: str
    name_label: str
    agent_label: str
    columns: tuple[Column, ...]
    rows: tuple[BoardRow, ...]
    sort: str
    note: str = ""
    csv: str = ""


Cell = str | Quantity


@dataclass(frozen=True, slots=True)
class DataTable:
    """The numbers behind a figure, or a table of the paper.

    ``csv`` is the table's file below the site's folder. ``scale`` shades numbers by their place between two values,
    for tables that are read as a heat map.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    csv: str
    scale: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A drawing, once for wide and once for narrow screens, or only a table where ``wide`` is empty."""

    id: str
    title: str
    lead: str
    definition: str
    table: DataTable
    wide: str = ""
    narrow: str = ""
    notes: tuple[str, ...] = ()
    harness_check: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Figures under one heading of a page."""

    id: str
    title: str
    figures: tuple[PageFigure, ...]
    lead: str = ""
