"""The published runs beside one's own: the paper's tables through the ordinary table functions.

``PublishedStudy`` answers the questions that tables ask of a study from the published counts, where those exist, so a
derived number such as df4 is computed for the paper's runs exactly as for one's own. Cells that the paper printed show
what it printed. There are no intervals: the published counts do not say which items failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from stewardbench import published
from stewardbench.agents.presets import RELEASED
from stewardbench.pasb.axes import SubAxis
from stewardbench.pasb.report import panels, tables
from stewardbench.pasb.report.boundary import BOUNDARY
from stewardbench.pasb.report.cells import DF4
from stewardbench.pasb.report.indicators import RATES, SURFACES
from stewardbench.pasb.report.rows import PUBLISHED, SCHEMA
from stewardbench.pasb.report.study import NO_MITIGATION, RUN_KEYS, Run, Study, table
from stewardbench.report.counts import Counts
from stewardbench.report.table import METRIC, Table

PUBLISHED_AVERAGE = "Average over published runs"
PUBLISHED_POOLED = "All published runs, pooled"
# Tables whose every cell follows from the published counts; the paper prints the first group as tables
PRINTED: tuple[Callable[[Study], Table], ...] = (
    tables.main_table,
    tables.model_averages,
    tables.scenario_table,
    tables.delivery_table,
    tables.cross_domain_table,
    tables.commit_table,
)
DERIVED: tuple[Callable[[Study], Table], ...] = (
    panels.scenario_heatmap,
    panels.scenario_by_agent,
    panels.delivery_by_agent,
)
MATCHED = ("model", "agent", "agents", "scenario", "delivery", METRIC)  # columns by which a printed cell is found
SIDES = {
    "session_only": "boundary_session_only_mean_maxfr_perturn",
    "committed": "boundary_committed_mean_maxfr_perturn",
    "gap": "boundary_jump",
}
_EPISODES = {"table02": 1600, "table10": 400, "table11": 400, "table12": 288, "table13": 400}
_SOURCES = {
    ("run_id",): ("table02",),
    ("run_id", "scenario"): ("table10", "table13"),
    ("run_id", "delivery"): ("table11",),
}


@dataclass(frozen=True)
class PublishedStudy(Study):
    """The 24 published runs, as counts. Only what the paper fixes can be asked for; the rest is empty."""

    rows: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=SCHEMA))
    draws: int = 1

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The published runs in the order of Table 2."""
        pairs = published.pasb_table("table02").select("model", "agent").unique(maintain_order=True).iter_rows()
        return tuple(
            Run(PUBLISHED, _run_id(model, agent), model, agent, RELEASED, NO_MITIGATION) for model, agent in pairs
        )

    def rates(self, keys: Sequence[str], sub_axis: SubAxis | None = None) -> Counts:
        """The published counts by run, by run and scenario, by run and delivery, or by run on cross-domain items."""
        sources = ("table12",) if sub_axis is SubAxis.CDL else _SOURCES[tuple(keys)]
        found = published.pasb_counts().filter(pl.col("table").is_in(sources))
        if sources == ("table02",):
            everything = (pl.col("table") == "table13") & (pl.col("cell") == tables.ALL)
            found = pl.concat([found, published.pasb_counts().filter(everything)])
        elif "table13" in sources:
            found = found.filter(pl.col("cell") != tables.ALL)
        names = [*RATES, *SURFACES]
        cells = [
            ((_run_id(model, agent), cell)[: len(keys)], metric, k, n)
            for model, agent, cell, metric, k, n in found.select("model", "agent", "cell", METRIC, "k", "n").iter_rows()
        ]
        groups = {group: index for index, group in enumerate(dict.fromkeys(group for group, *_ in cells))}
        k = np.zeros((1, len(groups), len(names)), np.int64)
        n = np.zeros_like(k)
        for group, metric, hits, total in cells:
            place = 0, groups[group], names.index(metric)
            k[place], n[place] = hits, total
        rows = dict.fromkeys(groups, _EPISODES[sources[0]])
        return Counts(groups, {name: index for index, name in enumerate(names)}, k, n, rows)


def published_tables() -> dict[str, Table]:
    """Everything the paper fixes, by table id, marked published; see ``beside``."""
    study = PublishedStudy()
    found = {one.id: _as_printed(one) for one in (build(study) for build in (*PRINTED, *DERIVED))}
    found["table09"] = _likert()
    found["mitigation"] = _mitigation()
    found[BOUNDARY] = _boundary()
    return found


def beside(own: Iterable[Table]) -> tuple[Table, ...]:
    """One's own tables with the published rows below each that has a published counterpart."""
    theirs = published_tables()
    return tuple(one.with_rows(theirs[one.id].frame) if one.id in theirs else one for one in own)


def pooled_boundary() -> dict[str, str]:
    """The pooled df4 on both sides of the boundary, and the gap, as the running text prints them."""
    text = published.pasb_text()
    return {side: f"{text[key]:{'+' if side == 'gap' else ''}.1f}" for side, key in SIDES.items()}


def _run_id(model: str, agent: str) -> str:
    return f"published {model} {agent}"


def _as_printed(one: Table) -> Table:
    """The computed table, showing the paper's own print where it has one, without what the paper does not fix."""
    frame = one.frame.filter(pl.col("value").is_not_null()).with_columns(origin=pl.lit(PUBLISHED))
    if one.id in published.PASB_TABLES:
        printed = published.pasb_table(one.id)
        keys = [key for key in printed.columns if key in frame.columns and key in MATCHED]
        frame = frame.join(printed.select(*keys, as_printed="printed"), on=keys, how="left", maintain_order="left")
        frame = frame.with_columns(printed=pl.coalesce("as_printed", "printed")).drop("as_printed")
    if "model" in frame.columns:
        frame = frame.with_columns(model=pl.col("model").replace(published.AVERAGE, PUBLISHED_AVERAGE))
    return replace(one, frame=frame)


def _likert() -> Table:
    frame = (
        published.pasb_table("table09")
        .drop("k", "n")
        .with_columns(policy=pl.lit(RELEASED), mitigation=pl.lit(NO_MITIGATION))
    )
    named = frame.with_columns(run_id=pl.concat_str(pl.lit("published"), "model", "agent", separator=" "))
    return table("table09", RUN_KEYS, named)


def _mitigation() -> Table:
    frame = published.pasb_table("mitigation").with_columns(policy=pl.lit(RELEASED))
    named = frame.with_columns(run_id=pl.concat_str(pl.lit("published"), "model", "agent", separator=" "))
    return table("mitigation", RUN_KEYS, named)


def _boundary() -> Table:
    named = {"origin": PUBLISHED, "run_id": "", "model": PUBLISHED_POOLED, "agent": "all", "policy": RELEASED}
    rows = [
        named | {"mitigation": "", "failure": DF4, METRIC: side, "printed": said, "value": float(said)}
        for side, said in pooled_boundary().items()
    ]
    return table(BOUNDARY, (*RUN_KEYS, "failure"), pl.DataFrame(rows))
