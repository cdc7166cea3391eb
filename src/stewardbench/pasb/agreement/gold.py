"""Human gold: labels of several people on the same episodes, brought to one score per unit (paper A.8).

A unit is one dimension of one query turn, or of the arc: fourteen scores per episode. The file is JSON lines, one line
per person and episode (``GoldLabel``), or a CSV sheet with the columns rater, episode_id, turn, dimension, score, where
an empty turn means the arc.

The gold score is the majority of the people. Without a majority it is the median, where that is a whole number; what is
left needs adjudication, and a line by the rater ``adjudicated`` settles it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from pydantic import Field

from stewardbench.errors import DataError
from stewardbench.pasb.axes import ARC_DIMENSIONS, QUERY_TURNS, TURN_DIMENSIONS
from stewardbench.pasb.records import Score
from stewardbench.records import Record, read_records
from stewardbench.records.sheets import Once, Row, read_sheet

ADJUDICATED = "adjudicated"
ARC = 0  # the turn number of arc scores
COLUMNS = ("rater", "episode_id", "turn", "dimension", "score")


class GoldTurn(Record):
    """One person's four scores of one query turn."""

    turn: int = Field(ge=1, le=QUERY_TURNS)
    syc: Score | None = None
    leak: Score | None = None
    upg: Score | None = None
    amp: Score | None = None


class GoldArc(Record):
    """One person's two scores of the query arc."""

    pers: Score | None = None
    esc: Score | None = None


class GoldLabel(Record):
    """Everything that one person said about one episode."""

    schema_: Literal["pasb-gold/1"] = Field("pasb-gold/1", alias="schema")
    rater: str = Field(min_length=1)
    episode_id: str = Field(min_length=1)
    turns: tuple[GoldTurn, ...] = ()
    arc: GoldArc = GoldArc()


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """What one score is about; ``turn`` is 0 for the arc."""

    episode_id: str
    turn: int
    dimension: str


@dataclass(frozen=True, slots=True)
class Gold:
    """Human labels: each person's scores, the agreed score of each unit, and the units that need adjudication."""

    raters: dict[str, dict[Unit, int]]
    agreed: dict[Unit, int]
    open_units: tuple[Unit, ...]


def read_gold(path: Path) -> Gold:
    """Read a gold file. Raises DataError with file, line and field for anything wrong, duplicates included."""
    raters: dict[str, dict[Unit, int]] = defaultdict(dict)
    once = Once(path, "score")
    scores = _sheet(path) if path.suffix.lower() == ".csv" else _lines(path)
    for line, rater, unit, score in scores:
        once.note((rater, unit), line, f"{rater}'s {unit.dimension} of {unit.episode_id}")
        raters[rater][unit] = score
    if not raters:
        raise DataError("no scores in it.", path=path, hint="One line per person and episode.")
    settled = raters.pop(ADJUDICATED, {})
    return Gold(dict(raters), *_agreed(raters, settled))


def consensus(scores: Sequence[int]) -> int | None:
    """The majority, else the median where it is whole, else None: people have to talk."""
    ranked = Counter(scores).most_common()
    if len(ranked) == 1 or ranked[0][1] > ranked[1][1]:
        return ranked[0][0]
    middle = median(scores)
    return int(middle) if middle == int(middle) else None


def _agreed(raters: dict[str, dict[Unit, int]], settled: dict[Unit, int]) -> tuple[dict[Unit, int], tuple[Unit, ...]]:
    given: dict[Unit, list[int]] = defaultdict(list)
    for scores in raters.values():
        for unit, score in scores.items():
            given[unit].append(score)
    agreed = dict(settled)
    left = []
    for unit, scores_of in sorted(given.items()):
        if unit in agreed:
            continue
        found = consensus(scores_of)
        if found is None:
            left.append(unit)
        else:
            agreed[unit] = found
    return agreed, tuple(left)


def _lines(path: Path) -> Iterator[tuple[int, str, Unit, int]]:
    for line, label in read_records(path, GoldLabel):
        found = [(turn.turn, name, getattr(turn, name)) for turn in label.turns for name in TURN_DIMENSIONS]
        found += [(ARC, name, getattr(label.arc, name)) for name in ARC_DIMENSIONS]
        for turn, name, score in found:
            if score is not None:
                yield line, label.rater, Unit(label.episode_id, turn, name), score


def _sheet(path: Path) -> Iterator[tuple[int, str, Unit, int]]:
    for row in read_sheet(path, COLUMNS):
        if row["score"].strip():  # else not scored by this person
            yield (row.line, *_cell(row))


def _cell(row: Row) -> tuple[str, Unit, int]:
    said = {name: row[name].strip() for name in COLUMNS}
    arc = said["turn"] == ""
    allowed = ARC_DIMENSIONS if arc else TURN_DIMENSIONS
    checks = {
        "rater": bool(said["rater"]),
        "episode_id": bool(said["episode_id"]),
        "turn": arc or said["turn"] in {str(turn) for turn in range(1, QUERY_TURNS + 1)},
        "dimension": said["dimension"] in allowed,
        "score": said["score"] in {"1", "2", "3", "4", "5"},
    }
    for field, good in checks.items():
        if not good:
            raise row.fault(field, f"{said[field]!r} is not allowed here.")
    unit = Unit(said["episode_id"], ARC if arc else int(said["turn"]), said["dimension"])
    return said["rater"], unit, int(said["score"])
