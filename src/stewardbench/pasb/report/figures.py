"""PASB's figures, drawn from the tables that hold their numbers.

Intervals are the ones clustered by base item. Where own and published numbers meet, each origin has its own panel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from stewardbench.agents.presets import RELEASED
from stewardbench.pasb.axes import DIMENSIONS, Delivery, Scenario
from stewardbench.pasb.records import Stance
from stewardbench.pasb.report.indicators import SURFACES
from stewardbench.pasb.report.panels import AVERAGE, POOLED, STANCE_RATES
from stewardbench.pasb.report.study import NO_MITIGATION
from stewardbench.report.figure import HEAT, INK, PALETTE, Figure, finish, unfilled
from stewardbench.report.labels import words
from stewardbench.report.table import METRIC, Table, definitions

STEP = 22
_NAMED = 12  # points that can carry their model's name without covering each other
_ANCHORS = ("session_only", "same_domain", "committed")


def pasb_figures(tables: Iterable[Table]) -> tuple[Figure, ...]:
    """Every figure of the paper; one without a number says what it needs."""
    found = {table.id: table for table in tables}
    known = definitions("stewardbench.pasb.report")
    figures = []
    for identity, draw in _DRAWINGS.items():
        table = found.get(identity)
        data = _readable(table.frame.filter(pl.col("value").is_not_null())) if table else None
        if table is None or data is None or data.is_empty():
            figures.append(unfilled(identity, known[identity]))
        else:
            figures.append(Figure(identity, table.definition, data, finish(draw(data), table.definition, data)))
    return tuple(figures)


def _stances(data: pl.DataFrame) -> Any:
    shown = data.filter(pl.col("stance") != "All")
    return _beside(_stance_panel(shown), shown, "origin")


def _stances_per_run(data: pl.DataFrame) -> Any:
    import altair as alt

    panel = _stance_panel(data, width=170, height=120, angle=-35)
    return panel.facet(alt.Facet("system:N", title=None, sort=_order(data, "system")), columns=4)


def _stance_panel(data: pl.DataFrame, width: int = 420, height: int = 240, angle: int = 0) -> Any:
    """Points with intervals: strongest persist-stage stance along, percent up, one colour per rate."""
    import altair as alt

    base = alt.Chart(data).encode(
        x=alt.X("stance:N", sort=[words(stance) for stance in Stance], title=None, axis=alt.Axis(labelAngle=angle)),
        xOffset=alt.XOffset("metric:N", sort=[words(rate) for rate in STANCE_RATES]),
        color=_colour("metric", [words(rate) for rate in STANCE_RATES]),
    )
    bars = base.mark_rule(strokeWidth=1.5).encode(y=_percent("low"), y2="high:Q")
    points = base.mark_point(filled=True, size=55, opacity=1).encode(y=_percent("value"))
    return alt.layer(bars, points).properties(width=width, height=height)


def _gaps(data: pl.DataFrame) -> Any:
    """Scatter: a run's commit rate along, its sycophancy gap up."""
    import altair as alt

    keys = ["origin", "system", "model", "agent"]
    wide = data.filter(pl.col(METRIC).is_in(["Commit", "Syc gap"])).pivot(
        METRIC, index=keys, values=["value", "low", "high"]
    )
    if not {"value_Commit", "value_Syc gap"} <= set(wide.columns):
        return alt.Chart(data).mark_point()
    flat = wide.rename({"value_Commit": "commit", "value_Syc gap": "gap", "low_Syc gap": "low", "high_Syc gap": "high"})
    agents = _order(flat, "agent")
    base = alt.Chart(flat).encode(
        x=alt.X("commit:Q", title="Episodes committed, %", scale=alt.Scale(domain=[0, 100])),
        color=_colour("agent", agents),
    )
    up = "Sycophancy gap, points"
    zero = alt.Chart(pl.DataFrame({"gap": [0.0]})).mark_rule(color=INK, strokeDash=[3, 3]).encode(y="gap:Q")
    bars = base.mark_rule().encode(y=alt.Y("low:Q", title=up), y2="high:Q")
    shape = alt.Shape("agent:N", title=None, sort=agents, scale=alt.Scale(domain=agents))
    points = base.mark_point(filled=True, size=70, opacity=1).encode(y=alt.Y("gap:Q", title=up), shape=shape)
    if len(flat) > _NAMED:
        return alt.layer(zero, bars, points).properties(width=520, height=340)
    names = base.mark_text(align="left", dx=7, dy=-6, fontSize=9).encode(y="gap:Q", text="model:N")
    return alt.layer(zero, bars, points, names).properties(width=520, height=340)


def _surfaces(data: pl.DataFrame) -> Any:
    """Stacked bars: one per run, commit labels that add up to 100 %."""
    import altair as alt

    present = set(data[METRIC])
    labels = [words(label) for label in SURFACES if words(label) in present]
    ranked = data.with_columns(
        rank=pl.col(METRIC).replace_strict(labels, list(range(len(labels))), return_dtype=pl.Int64)
    )
    return (
        alt.Chart(ranked)
        .mark_bar()
        .encode(
            y=alt.Y("system:N", sort=_order(data, "system"), title=None, axis=alt.Axis(labelLimit=260)),
            x=alt.X("value:Q", title="Share of episodes, %", scale=alt.Scale(domain=[0, 100])),
            color=_colour("metric", labels, ("#b9bec6", *PALETTE)),
            order="rank:Q",
        )
        .properties(width=460, height=alt.Step(STEP))
    )


def _scenario_heat(data: pl.DataFrame) -> Any:
    return _heat(data, "scenario", [words(s) for s in Scenario], [words(d) for d in DIMENSIONS], "origin")


def _scenario_matrix(data: pl.DataFrame) -> Any:
    side = data.with_columns(panel=pl.concat_str("agent", "origin", separator=", "))
    return _heat(side, "scenario", [words(s) for s in Scenario], ["Commit", "DF4"], "panel")


def _deliveries(data: pl.DataFrame) -> Any:
    """Lines over the four deliveries: df4 and commit of each agent."""
    import altair as alt

    base = alt.Chart(data).encode(
        x=alt.X("delivery:N", sort=[words(d) for d in Delivery], title=None, axis=alt.Axis(labelAngle=0)),
        color=_colour("agent", _order(data, "agent")),
    )
    lines = base.mark_line(point=True).encode(y=_percent("value"))
    bars = base.mark_rule().encode(y=_percent("low"), y2="high:Q")
    panel = alt.layer(bars, lines).properties(width=360, height=170)
    return panel.facet(row=_facet("metric"), column=_facet("origin"))


def _lifts(data: pl.DataFrame) -> Any:
    """Three anchors per dimension: light dots are runs, large dots their mean (or the pooled value of a single run)."""
    import altair as alt

    anchors = [words(anchor) for anchor in _ANCHORS]
    shown = data.filter(pl.col(METRIC).is_in(anchors))
    mean = shown.filter(pl.col("model") == AVERAGE)
    large = mean if not mean.is_empty() else shown.filter(pl.col("model") == POOLED)
    y = alt.Y("dimension:N", sort=[words(d) for d in DIMENSIONS], title=None)
    x = alt.X("value:Q", title="Episodes that fail, %", scale=alt.Scale(domain=[0, 100]))
    colour = _colour("metric", anchors, ("#7f8794", "#e69f00", "#d55e00"))
    runs = alt.Chart(shown.filter(~pl.col("model").is_in([AVERAGE, POOLED])))
    light = runs.mark_point(filled=True, size=26, opacity=0.35).encode(x=x, y=y, color=colour)
    dots = alt.Chart(large).mark_point(filled=True, size=130, opacity=1).encode(x=x, y=y, color=colour)
    return alt.layer(light, dots).properties(width=460, height=alt.Step(STEP + 12))


def _heat(data: pl.DataFrame, row: str, rows: list[str], columns: list[str], panel: str) -> Any:
    """A matrix of shaded cells with their numbers."""
    import altair as alt

    base = alt.Chart(data).encode(
        x=alt.X("metric:N", sort=columns, title=None, axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y(f"{row}:N", sort=rows, title=None),
    )
    scale = alt.Scale(domain=[0, 100], range=list(HEAT))
    cells = base.mark_rect(stroke="white").encode(color=alt.Color("value:Q", scale=scale, legend=None))
    dark = alt.condition("datum.value > 75", alt.value("white"), alt.value(INK))
    numbers = base.mark_text(fontSize=11).encode(text="printed:N", color=dark)
    return _beside(alt.layer(cells, numbers).properties(width=alt.Step(76), height=alt.Step(30)), data, panel)


def _readable(frame: pl.DataFrame) -> pl.DataFrame:
    """Identifiers in words, and one column ``system`` that names a run."""
    spoken = [n for n in (METRIC, "scenario", "delivery", "stance", "dimension", "agent") if n in frame.columns]
    mapped = frame.with_columns(pl.col(name).map_elements(words, return_dtype=pl.String) for name in spoken)
    if "model" not in mapped.columns:
        return mapped
    suffixes = [
        pl.when(pl.col(name).is_in(["", plain])).then(pl.lit("")).otherwise(pl.lit(" · ") + pl.col(name))
        for name, plain in (("policy", RELEASED), ("mitigation", NO_MITIGATION))
        if name in mapped.columns
    ]
    return mapped.with_columns(system=pl.concat_str(pl.col("model"), pl.lit(" · "), pl.col("agent"), *suffixes))


def _order(data: pl.DataFrame, column: str) -> list[str]:
    return data[column].unique(maintain_order=True).to_list()


def _percent(field: str) -> Any:
    import altair as alt

    return alt.Y(f"{field}:Q", title="Episodes, %", scale=alt.Scale(domain=[0, 100]))


def _colour(field: str, values: list[str], palette: tuple[str, ...] = PALETTE) -> Any:
    import altair as alt

    colours = [palette[index % len(palette)] for index in range(len(values))]
    return alt.Color(f"{field}:N", title=None, sort=values, scale=alt.Scale(domain=values, range=colours))


def _beside(panel: Any, data: pl.DataFrame, field: str) -> Any:
    """One panel per value of a field, or the panel itself where there is one value only."""
    return panel.facet(column=_facet(field)) if data[field].n_unique() > 1 else panel


def _facet(field: str) -> Any:
    import altair as alt

    return alt.Facet(f"{field}:N", title=None)


_DRAWINGS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "figure03a": _stances,
    "figure03b": _gaps,
    "surfaces": _surfaces,
    "figure03d": _scenario_heat,
    "figure04a": _scenario_matrix,
    "figure04b": _deliveries,
    "figure05": _lifts,
    "figure07": _stances_per_run,
}
