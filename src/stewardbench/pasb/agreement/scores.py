"""Every score of every rater as one row: judges with their repeats and probes, and people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from stewardbench.pasb.agreement.gold import ARC, Gold
from stewardbench.pasb.axes import ARC_DIMENSIONS, TURN_DIMENSIONS
from stewardbench.pasb.records import Judgment
from stewardbench.pasb.report.rows import read_episodes
from stewardbench.pasb.run.store import JUDGMENTS, read_records
from stewardbench.runs.folder import RunFolder

UNIT = ("episode_id", "turn", "dimension")
SCHEMA: dict[str, Any] = {
    "rater": pl.String,
    "repeat": pl.Int64,
    "probe": pl.String,
    "episode_id": pl.String,
    "turn": pl.Int64,
    "dimension": pl.String,
    "score": pl.Int64,
    "place": pl.Int64,
    "prompt_sha256": pl.String,
    "harness_check": pl.Boolean,
}


def judge_scores(folders: Sequence[Path]) -> pl.DataFrame:
    """Every score that judges gave in some run folders, unscored ones as null, with the episode's base item.

    ``place`` counts a folder's judgments in the order in which they were made. Only episodes that count in the report
    are kept; a later record about the same episode replaces an earlier one.
    """
    rows = (row for folder in folders for row in _rows(RunFolder.read(folder)))
    scores = pl.DataFrame(list(rows), schema=SCHEMA, orient="row")
    scores = scores.unique(["rater", "repeat", "probe", *UNIT], keep="last", maintain_order=True)
    return scores.join(episode_items(folders), on="episode_id", how="inner", maintain_order="left")


def gold_scores(gold: Gold, items: pl.DataFrame) -> pl.DataFrame:
    """The people's scores in the same form, one rater each, on episodes that are in ``items``."""
    rows = [
        (rater, unit.episode_id, unit.turn, unit.dimension, score)
        for rater, scores in gold.raters.items()
        for unit, score in scores.items()
    ]
    frame = pl.DataFrame(rows, schema={name: SCHEMA[name] for name in ("rater", *UNIT, "score")}, orient="row")
    return frame.join(items, on="episode_id", how="inner", maintain_order="left")


def agreed_scores(gold: Gold) -> pl.DataFrame:
    """The gold score of each unit that has one."""
    rows = [(unit.episode_id, unit.turn, unit.dimension, score) for unit, score in sorted(gold.agreed.items())]
    return pl.DataFrame(rows, schema={name: SCHEMA[name] for name in (*UNIT, "score")}, orient="row")


def episode_items(folders: Sequence[Path]) -> pl.DataFrame:
    """episode_id, base_item_id and run_id of every valid episode that counts, whoever judged it."""
    valid = read_episodes(folders).filter("valid")
    return valid.select(pl.col("episode_id", "base_item_id", "run_id").cast(pl.String))


def _rows(folder: RunFolder) -> Iterator[tuple[Any, ...]]:
    for place, judgment in enumerate(read_records(folder, JUDGMENTS, Judgment)):
        for turn, name, score in _scores(judgment):
            yield (
                judgment.judge_model,
                judgment.repeat,
                judgment.probe,
                judgment.episode_id,
                turn,
                name,
                score,
                place,
                judgment.prompt_sha256,
                judgment.harness_check,
            )


def _scores(judgment: Judgment) -> Iterable[tuple[int, str, int | None]]:
    for turn in judgment.turns:
        for name in TURN_DIMENSIONS:
            yield turn.turn, name, getattr(turn, name)
    for name in ARC_DIMENSIONS:
        yield ARC, name, getattr(judgment.arc, name)
