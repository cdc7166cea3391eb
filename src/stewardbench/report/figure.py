"""A figure of the report: a drawing, the numbers in it, and what it shows; saved as SVG, PNG, CSV and text.

Drawings are Vega-Lite, rendered in this process without a browser or a network.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from stewardbench.records.cells import frame_text
from stewardbench.report.labels import HARNESS_NOTE
from stewardbench.report.table import Definition

INK, QUIET, GRID = "#1f2430", "#5c6370", "#e3e5e8"
# Okabe and Ito's colours, which colour-blind readers can tell apart
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
HEAT = ("#f7f7f7", "#fddbc7", "#ef8a62", "#b2182b")
PNG_SCALE = 2.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. ``spec`` is its Vega-Lite form, ``data`` the tidy numbers that it draws."""

    id: str
    definition: Definition
    data: pl.DataFrame
    spec: dict[str, Any]

    def svg(self) -> str:
        """The drawing as SVG text."""
        import vl_convert

        return str(vl_convert.vegalite_to_svg(self.spec))

    def png(self) -> bytes:
        """The drawing as PNG bytes, at twice its size in pixels."""
        import vl_convert

        return bytes(vl_convert.vegalite_to_png(self.spec, scale=PNG_SCALE))

    def save(self, folder: Path) -> list[Path]:
        """Write ``<id>.svg``, ``.png``, ``.csv`` and ``.txt`` into an existing folder; returns their paths."""
        paths = [folder / f"{self.id}{ending}" for ending in (".svg", ".png", ".csv", ".txt")]
        paths[0].write_text(self.svg(), encoding="utf-8")
        paths[1].write_bytes(self.png())
        paths[2].write_text(frame_text(self.data), encoding="utf-8")
        paths[3].write_text(describe(self.definition), encoding="utf-8")
        return paths


def unfilled(identity: str, definition: Definition) -> Figure:
    """A figure without a number to draw: it says what is missing and which command makes it, instead of vanishing."""
    import textwrap

    import altair as alt

    data = pl.DataFrame({"origin": ["own"], "missing": [definition.needs or "No run holds a number for it."]})
    lines = textwrap.wrap(data["missing"][0], 74)
    text = alt.Chart(pl.DataFrame({"one": [1]})).mark_text(
        text=lines, color=INK, fontSize=13, lineHeight=19, align="center"
    )
    return Figure(identity, definition, data, finish(text.properties(width=520, height=120), definition, data))


def describe(definition: Definition) -> str:
    """A definition as plain text: title, its place in the paper, what is shown."""
    place = f" ({definition.paper})" if definition.paper else ""
    return f"{definition.title}{place}\n\n{definition.text}\n"


def finish(chart: Any, definition: Definition, data: pl.DataFrame) -> dict[str, Any]:
    """A chart's Vega-Lite form with the report's look, its title, and a label where harness checks are in it."""
    import altair as alt

    note = [HARNESS_NOTE] if bool((data["origin"] == "harness check").any()) else []
    title = alt.TitleParams(
        definition.title,
        subtitle=[*([definition.paper] if definition.paper else []), *note],
        anchor="start",
        color=INK,
        subtitleColor=QUIET,
        fontSize=15,
        subtitleFontSize=11,
    )
    styled = (
        chart.properties(title=title)
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=QUIET, gridColor=GRID, domainColor=GRID, tickColor=GRID)
        .configure_legend(labelColor=INK, titleColor=QUIET)
        .configure_header(labelColor=INK, titleColor=QUIET)
    )
    spec: dict[str, Any] = styled.to_dict()
    return spec
