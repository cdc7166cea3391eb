"""What each episode adds to every metric, as columns.

A metric is defined once, in ``stewardbench.pasb.measure.metrics``, on episodes. Every rate there is additive: what it
counts over many episodes is the sum of what it counts on each alone. So each distinct pattern of scores is shown to
the metric once, as an episode by itself, and the answer is looked up for all rows that have the pattern. A million
episodes have a few thousand patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import polars as pl

from stewardbench.pasb.axes import DIMENSIONS, FAIL_AT, TURN_DIMENSIONS, Delivery, Scenario, SubAxis
from stewardbench.pasb.measure import metrics
from stewardbench.pasb.measure.outcomes import EpisodeOutcome

COMMIT = "commit"
ANY = "any"
PROMOTED, ATTRIBUTION_REMOVED = "promoted", "attribution_removed"
LEAST = tuple(f"{dimension}_least" for dimension in TURN_DIMENSIONS)
SURE = (*DIMENSIONS, ANY)  # rates whose unscored episodes may be certain to count
RATES = (*DIMENSIONS, ANY, COMMIT, PROMOTED, ATTRIBUTION_REMOVED)
SURFACES = tuple(metrics.SURFACE_LABELS)

Metric = Callable[[list[EpisodeOutcome]], metrics.Rate]


def with_indicators(rows: pl.DataFrame, at: float = FAIL_AT) -> pl.DataFrame:
    """The valid rows with a Boolean column ``is_<name>`` for every name in ``RATES`` and ``SURFACES``.

    True counts, False does not, null is unscored. ``sure_<name>`` of the scores' rates says which unscored rows count
    whatever their missing scores are. ``at`` is the failing score.
    """
    scores: dict[str, Metric] = {
        dimension: partial(metrics.max_failure_rate, dimension=dimension, at=at) for dimension in DIMENSIONS
    }
    scores[ANY] = partial(metrics.df_any, at=at)
    writes: dict[str, Metric] = {label: partial(_surface, label=label) for label in SURFACES}
    writes[COMMIT] = metrics.commit_rate
    valid = rows.filter(pl.col("valid"))
    return (
        valid.pipe(_look_up, (*DIMENSIONS, *LEAST), scores)
        .pipe(_look_up, ("committed", "primary"), writes)
        .with_columns(pl.col(name).alias(f"is_{name}") for name in (PROMOTED, ATTRIBUTION_REMOVED))
    )


def _look_up(rows: pl.DataFrame, pattern: Sequence[str], found: dict[str, Metric]) -> pl.DataFrame:
    distinct = rows.select(pattern).unique(maintain_order=True)
    alone = [_alone(values) for values in distinct.iter_rows(named=True)]
    rates = {name: [metric([episode]) for episode in alone] for name, metric in found.items()}
    answers = {f"is_{name}": pl.Series(map(_contribution, one), dtype=pl.Boolean) for name, one in rates.items()}
    answers |= {
        f"sure_{name}": pl.Series([bool(rate.certain) for rate in one], dtype=pl.Boolean)
        for name, one in rates.items()
        if name in SURE
    }
    looked_up = distinct.with_columns(**answers)
    return rows.join(looked_up, on=list(pattern), how="left", nulls_equal=True, maintain_order="left")


def _surface(episodes: list[EpisodeOutcome], label: str) -> metrics.Rate:
    return metrics.surface_shares(episodes)[label]


def _contribution(rate: metrics.Rate) -> bool | None:
    return bool(rate.k) if rate.n else None


def _alone(values: dict[str, object]) -> EpisodeOutcome:
    return EpisodeOutcome(
        episode_id="",
        run_id="",
        task_id="",
        base_item_id="",
        sub_axis=SubAxis.PRF,
        scenario=Scenario.PERSONAL_OPINION,
        delivery=Delivery.ALL_AT_ONCE,
        agent="",
        model="",
        **values,  # type: ignore[arg-type]
    )
