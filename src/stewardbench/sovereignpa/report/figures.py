"""SovereignPA-Bench's figures, drawn from the tables that hold their numbers. Intervals resample situations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from stewardbench.published import ORIGIN
from stewardbench.report.figure import HEAT, INK, PALETTE, Figure, finish
from stewardbench.report.labels import words
from stewardbench.report.table import METRIC, Table, definitions
from stewardbench.sovereignpa.axes import CancelVariant, Variant
from stewardbench.sovereignpa.report.rows import MODEL

STEP = 24
ENDS = {"cancelled": "#009e73", "offer_accepted": "#d55e00", "paused": "#e69f00", "active": "#7f7f7f"}


def sovereignpa_figures(tables: Iterable[Table]) -> tuple[Figure, ...]:
    """Every figure whose table is there and holds a number."""
    found = {table.id: table for table in tables}
    figures = []
    for identity, (source, select, draw) in _DRAWINGS.items():
        if source not in found:
            continue
        data = select(_named(found[source].frame.filter(pl.col("value").is_not_null())))
        if not data.is_empty():
            definition = definitions("stewardbench.sovereignpa.report")[identity]
            figures.append(Figure(identity, definition, data, finish(draw(data), definition, data)))
    return tuple(figures)


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    """With ``name``, the system and its defence, and ``who``, which also says that a number was published."""
    defense = pl.when(pl.col("defense") == "direct").then(pl.lit("")).otherwise(pl.format(" + {}", pl.col("defense")))
    origin = pl.when(pl.col("origin") == "own").then(pl.lit("")).otherwise(pl.format(" ({})", pl.col("origin")))
    name = pl.concat_str(pl.col("system"), defense)
    return frame.with_columns(name=name, who=pl.concat_str(name, origin))


def _success_and_burden(frame: pl.DataFrame) -> pl.DataFrame:
    keys = ["origin", "kind", "who", "name"]
    kept = frame.filter(pl.col(METRIC).is_in(["ssr", "burden"]))
    wide = kept.pivot(METRIC, index=keys, values=["value", "low", "high"])
    return wide if {"value_ssr", "value_burden"} <= set(wide.columns) else wide.clear()


def _plane(data: pl.DataFrame) -> Any:
    import altair as alt

    base = alt.Chart(data).encode(
        x=alt.X("value_burden:Q", title="Unnecessary questions per episode", scale=alt.Scale(zero=True)),
        color=alt.Color("kind:N", title=None, scale=alt.Scale(range=list(PALETTE))),
    )
    up = base.mark_rule(strokeWidth=1.2, opacity=0.7).encode(
        y=alt.Y("low_ssr:Q", title="Sovereign success, %", scale=alt.Scale(domain=[0, 100])), y2="high_ssr:Q"
    )
    along = base.mark_rule(strokeWidth=1.2, opacity=0.7).encode(x="low_burden:Q", x2="high_burden:Q", y="value_ssr:Q")
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        y="value_ssr:Q", shape=alt.Shape("origin:N", title=None)
    )
    told = data.filter((pl.col("kind") == MODEL) | (pl.col("origin") != ORIGIN))  # published rules repeat ours
    names = alt.Chart(told).mark_text(align="left", dx=8, dy=-4, color=INK, fontSize=10)
    names = names.encode(x="value_burden:Q", y="value_ssr:Q", text="name:N")
    return alt.layer(up, along, points, names).properties(width=520, height=360)


def _effects(data: pl.DataFrame) -> Any:
    import altair as alt

    shown = data.with_columns(
        contrast=pl.when(pl.col("against") == "control")
        .then(pl.col("variant"))
        .otherwise(pl.format("{} - {}", pl.col("variant"), pl.col("against")))
    )
    base = alt.Chart(shown).encode(y=alt.Y("contrast:N", title=None, sort=None))
    bars = base.mark_rule(strokeWidth=1.5, color=PALETTE[0]).encode(
        x=alt.X("low:Q", title="Change of sovereign success, points"), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=55, opacity=1, color=PALETTE[0]).encode(x="value:Q")
    zero = alt.Chart(shown).mark_rule(color=INK, strokeDash=[3, 3]).encode(x=alt.datum(0))
    panel = alt.layer(zero, bars, points).properties(width=260, height=alt.Step(STEP - 4))
    return panel.facet(alt.Facet("who:N", title=None, sort=None), columns=2)


def _heat(data: pl.DataFrame) -> Any:
    import altair as alt

    base = alt.Chart(data).encode(
        x=alt.X("variant:N", title=None, sort=list(Variant), axis=alt.Axis(labelAngle=-35, orient="top")),
        y=alt.Y("who:N", title=None, sort=None),
    )
    boxes = base.mark_rect().encode(
        color=alt.Color("value:Q", title="SSR, %", scale=alt.Scale(domain=[0, 100], range=list(reversed(HEAT))))
    )
    dark = alt.condition("datum.value < 40", alt.value("white"), alt.value(INK))
    texts = base.mark_text(fontSize=10).encode(text=alt.Text("value:Q", format=".0f"), color=dark)
    return alt.layer(boxes, texts).properties(width=alt.Step(46), height=alt.Step(STEP))


def _ends(data: pl.DataFrame) -> Any:
    import altair as alt

    order = {name: place for place, name in enumerate(ENDS)}
    shown = data.with_columns(
        place=pl.col(METRIC).replace_strict(order), end=pl.col(METRIC).map_elements(words, return_dtype=pl.String)
    )
    bars = (
        alt.Chart(shown)
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title="Share of episodes, %", scale=alt.Scale(domain=[0, 100])),
            y=alt.Y("variant:N", title=None, sort=list(CancelVariant)),
            color=alt.Color(
                "end:N", title=None, scale=alt.Scale(domain=list(map(words, ENDS)), range=list(ENDS.values()))
            ),
            order="place:O",
        )
        .properties(width=300, height=alt.Step(STEP))
    )
    return bars.facet(alt.Facet("who:N", title=None, sort=None), columns=2)


def _only(metric: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda frame: frame.filter(pl.col(METRIC) == metric)


_DRAWINGS: dict[str, tuple[str, Callable[[pl.DataFrame], pl.DataFrame], Callable[[pl.DataFrame], Any]]] = {
    "sovereignpa_plane": ("sovereignpa_main", _success_and_burden, _plane),
    "sovereignpa_effects": ("sovereignpa_effects", _only("ssr"), _effects),
    "sovereignpa_by_variant": ("sovereignpa_by_variant", _only("ssr"), _heat),
    "sovereignpa_defenses": ("sovereignpa_defenses", _only("ssr"), _effects),
    "sovereignpa_cancellation": (
        "sovereignpa_cancellation",
        lambda frame: frame.filter(pl.col(METRIC).is_in(list(ENDS))),
        _ends,
    ),
}
