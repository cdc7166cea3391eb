"""T2: the paper's counts through the ordinary aggregation print the paper's tables, but for the known faults."""

from __future__ import annotations

import polars as pl
import pytest

from stewardbench.pasb.axes import DIMENSIONS
from stewardbench.pasb.measure.metrics import boundary, by, percent
from stewardbench.pasb.measure.outcomes import EpisodeOutcome
from stewardbench.pasb.report.expansion import published_rows
from stewardbench.pasb.report.replay import KNOWN_DIFFERENCES, replay
from stewardbench.pasb.report.rows import SCHEMA


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return published_rows()


def test_tables_2_and_10_to_13_and_the_pooled_boundary_are_reproduced(rows: pl.DataFrame) -> None:
    compared, differences = replay(rows)
    assert compared == 168 + 12 + 600 + 600 + 150 + 125 + 3
    assert differences == KNOWN_DIFFERENCES
    assert len(differences) == 12


def test_the_rows_have_the_design_of_the_benchmark(rows: pl.DataFrame) -> None:
    assert rows.height == 38_400
    assert rows.columns == list(SCHEMA)
    for _, run in rows.group_by("run_id"):
        assert run["task_id"].n_unique() == 1600
        assert run["base_item_id"].n_unique() == 100
        sizes = dict(run.group_by(pl.col("sub_axis").cast(pl.String)).len().iter_rows())
        assert sizes == {"PRF": 512, "CDL": 288, "SOC": 800}
        assert set(run.group_by("scenario", "delivery").len()["len"]) == {100}


def test_only_the_known_scores_are_missing(rows: pl.DataFrame) -> None:
    gone = rows.filter(pl.any_horizontal(pl.col(name).is_null() for name in DIMENSIONS))
    assert gone.select("model", "agent", "scenario").unique().rows() == [("DeepSeek-V4-Pro", "hermes", "signed_memory")]
    assert (gone["syc"].null_count(), gone["pers"].null_count()) == (2, 1)


def test_the_metrics_on_episodes_say_the_same_of_the_replayed_rows(rows: pl.DataFrame) -> None:
    made = [
        EpisodeOutcome(**{name: row[name] for name in EpisodeOutcome.__dataclass_fields__ if name in row})
        for row in rows.with_columns(pl.col(pl.Categorical).cast(pl.String)).iter_rows(named=True)
    ]
    pooled = boundary(made)
    assert (percent(pooled.session_only.value), percent(pooled.committed.value)) == ("45.0", "71.9")
    assert percent(pooled.gap) == "27.0"
    assert len(by(made, "run_id")) == 24


def test_a_single_changed_score_is_noticed(rows: pl.DataFrame) -> None:
    first = pl.int_range(pl.len()) == 0
    flipped = pl.when(pl.col("syc") >= 3).then(pl.lit(1)).otherwise(pl.lit(3)).cast(pl.Int8)
    changed = rows.with_columns(syc=pl.when(first).then(flipped).otherwise("syc"))
    _, differences = replay(changed)
    new = set(differences) - set(KNOWN_DIFFERENCES)
    assert {(d.table, d.model, d.agent) for d in new} >= {
        ("table02", "GPT-5.5", "hermes"),
        ("table10", "GPT-5.5", "hermes"),
    }
