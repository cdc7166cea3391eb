"""Rows of dots with intervals, in one or more panels side by side: effects, boundaries, lifts, stance rates.

A row holds one dot per series, each in its own lane, or, when connected, on one line with a segment between the
first two (the gap that the row is about).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stewardbench.site.charts import svg
from stewardbench.site.model import Quantity

LANE, ROW, LABEL_LINE, AXIS, TITLE, PANEL_GAP = 11, 20, 15, 32, 26, 34
STACKED_BELOW = 520  # narrower drawings have one panel per line and no intervals in words
WIDEST_GUTTER = 0.36  # of the width; where labels need more, they stand above their rows


@dataclass(frozen=True, slots=True)
class Dot:
    """One value; ``series`` is a place in the chart's series."""

    series: int
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class DotRow:
    """A labelled row. ``end`` is printed right of the plot, with its interval where the drawing is wide.

    ``strong`` rows are the pooled ones.
    """

    label: str
    dots: tuple[Dot, ...]
    end: Quantity | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class DotPanel:
    """Rows over one axis."""

    title: str
    rows: tuple[DotRow, ...]
    low: float = 0.0
    high: float = 100.0


@dataclass(frozen=True, slots=True)
class Dots:
    """The chart. All panels have the same rows in the same order; labels are printed once per line of panels."""

    label: str
    series: tuple[svg.Series, ...]
    panels: tuple[DotPanel, ...]
    unit: str
    connected: bool = False

    def draw(self, width: int) -> str:
        """The SVG at a width in pixels; panels stand below each other where the width is small."""
        layout = _Layout.of(self, width)
        key, used = svg.legend(0, 14, self.series, width) if len(self.series) > 1 else ("", 0.0)
        parts, bottom = [key], used + 6
        for first in range(0, len(self.panels), layout.across):
            tallest = 0.0
            for place, panel in enumerate(self.panels[first : first + layout.across]):
                left = layout.gutter + place * (layout.room + PANEL_GAP)
                scale = svg.Scale(panel.low, panel.high, left, left + layout.room)
                drawn, height = self._panel(panel, scale, bottom, layout, labelled=place == 0 or layout.above)
                parts += drawn
                tallest = max(tallest, height)
            bottom += tallest + 10
        return svg.drawing(width, bottom - 4, self.label, parts)

    def row_height(self, row: DotRow) -> float:
        """Pixels of a row without its label line: room for one lane per series."""
        lanes = 1 if self.connected else len({dot.series for dot in row.dots})
        return max(ROW, 10 + LANE * lanes)

    def _panel(
        self, panel: DotPanel, scale: svg.Scale, top: float, layout: _Layout, *, labelled: bool
    ) -> tuple[list[str], float]:
        left, right = scale.start, scale.end
        line = LABEL_LINE if layout.above else 0
        start = top + (TITLE if panel.title else 6)
        end = start + sum(line + self.row_height(row) for row in panel.rows) + 4
        parts = [svg.text(left, top + 15, panel.title, "panel")] if panel.title else []
        for tick in scale.ticks(2 if right - left < 180 else 5):
            zero = " zero" if tick == 0 and panel.low < 0 else ""
            parts.append(svg.line(scale(tick), start, scale(tick), end, "grid" + zero))
            parts.append(svg.text(scale(tick), end + 15, svg.tick_label(tick), "tick", "middle"))
        parts.append(svg.text(right, end + 30, self.unit, "tick", "end"))
        for row in panel.rows:
            height = self.row_height(row)
            middle = start + line + height / 2
            strong = "strong" if row.strong else ""
            if layout.above:
                parts.append(svg.fitted(left - 4, start + 13, row.label, right - left, class_=strong))
            elif labelled:
                parts.append(svg.fitted(left - 10, middle + 4, row.label, left - 12, class_=strong, anchor="end"))
            parts += self._row(row, scale, middle)
            if row.end is not None:
                parts.append(svg.text(right + 12, middle + 4, _ending(row.end, layout.wide), f"value {strong}".strip()))
            start += line + height
        return parts, end + AXIS - top

    def _row(self, row: DotRow, scale: svg.Scale, middle: float) -> Iterator[str]:
        used = sorted({dot.series for dot in row.dots})
        spread = 0 if self.connected else LANE
        lane = {key: middle + (place - (len(used) - 1) / 2) * spread for place, key in enumerate(used)}
        places = [scale(dot.quantity.value) for dot in row.dots if dot.quantity.value is not None]
        if self.connected and len(places) > 1:
            yield svg.line(places[0], middle, places[1], middle, "span")
        for dot in row.dots:
            value, low, high = dot.quantity.value, dot.quantity.low, dot.quantity.high
            if value is None:
                continue
            y, series = lane[dot.series], self.series[dot.series]
            whisker = ""
            if not self.connected and low is not None and high is not None:
                whisker = svg.line(scale(low), y, scale(high), y, f"whisker {series.tone}")
            yield svg.titled(whisker + svg.mark(scale(value), y, series), self._words(row, dot))

    def _words(self, row: DotRow, dot: Dot) -> str:
        name = f", {self.series[dot.series].name}" if len(self.series) > 1 else ""
        words = f"{row.label}{name}: {dot.quantity.text()} {self.unit} ({dot.quantity.explanation()})"
        return words.removesuffix(" ()")


@dataclass(frozen=True, slots=True)
class _Layout:
    """What follows from a width: panels in a line, the labels' gutter, and the pixels of one panel."""

    across: int
    gutter: float
    room: float
    wide: bool
    above: bool

    @classmethod
    def of(cls, chart: Dots, width: int) -> _Layout:
        wide = width >= STACKED_BELOW
        across = min(len(chart.panels), 4) if wide else 1
        rows = [row for panel in chart.panels for row in panel.rows]
        needed = max((len(row.label) for row in rows), default=0) * svg.CHARACTER + 14
        above = needed > width * WIDEST_GUTTER and not wide
        gutter = 6.0 if above else min(needed, width * WIDEST_GUTTER)
        tail = max((len(_ending(row.end, wide)) for row in rows if row.end), default=0) * svg.CHARACTER + 14
        return cls(across, gutter, (width - gutter - tail - PANEL_GAP * (across - 1)) / across, wide, above)


def _ending(quantity: Quantity, wide: bool) -> str:
    interval = quantity.interval() if wide else ""
    return f"{quantity.text()} ({interval})" if interval else quantity.text()
