"""A table of the report: a tidy frame, what it shows, and its plain forms (grid, CSV, Parquet).

The frame has one row per printed number: ``origin`` (own, published or harness check), the table's keys, ``metric``,
then the measures of ``report.lines``. A table that is not made of rates (counts of episodes, agreement) has columns of
its own and an empty ``across``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files

import polars as pl
import yaml

from stewardbench.records.cells import frame_text

METRIC = "metric"


@dataclass(frozen=True, slots=True)
class Definition:
    """What a table or figure shows, in words. ``paper`` is its number there, empty where it is ours.

    ``needs`` says what has to be there before anything can be shown, and the command that makes it.
    """

    title: str
    text: str
    paper: str = ""
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table. ``keys`` identify a row of the grid; ``across`` is the column whose values become grid columns.

    ``notes`` are sentences that belong under it: what was left out, what a number must not be used for.
    """

    id: str
    definition: Definition
    keys: tuple[str, ...]
    frame: pl.DataFrame
    across: str = METRIC
    notes: tuple[str, ...] = field(default=())

    @property
    def harness_check(self) -> bool:
        """Whether any number comes from scripted models or the reference judge."""
        return "origin" in self.frame.columns and bool((self.frame["origin"] == "harness check").any())

    def with_rows(self, more: pl.DataFrame) -> Table:
        """The same table with further tidy rows, for example the published runs."""
        return replace(self, frame=pl.concat([self.frame, more], how="diagonal"))

    def grid(self, value: str = "printed") -> tuple[list[str], list[list[str]]]:
        """(header, rows) as text: one row per combination of keys, one column per value of ``across``."""
        if not self.across:
            return self.frame.columns, [[_text(cell) for cell in row] for row in self.frame.rows()]
        columns = self.frame[self.across].unique(maintain_order=True).to_list()
        cells: dict[tuple[str, ...], dict[str, str]] = {}
        for row in self.frame.select([*self.keys, self.across, value]).iter_rows():
            cells.setdefault(tuple(str(part) for part in row[: len(self.keys)]), {})[row[-2]] = _text(row[-1])
        return [*self.keys, *columns], [[*key, *(found.get(c, "") for c in columns)] for key, found in cells.items()]

    def csv(self) -> str:
        """The tidy frame as CSV: the form whose hash an audit bundle records."""
        return frame_text(self.frame)


@cache
def definitions(package: str) -> dict[str, Definition]:
    """The definitions of a package's tables and figures, by id, from its ``definitions.yaml``."""
    text = files(package).joinpath("definitions.yaml").read_text(encoding="utf-8")
    return {key: Definition(**value) for key, value in yaml.safe_load(text).items()}


def stack(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Tidy frames below each other; columns that one lacks are empty there."""
    return pl.concat([frame for frame in frames if frame.width], how="diagonal") if frames else pl.DataFrame()


def _text(value: object) -> str:
    return "" if value is None else str(value)
