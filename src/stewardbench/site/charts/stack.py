"""Shares of a whole as stacked bars, one row per run: where a claim was written."""

from __future__ import annotations

from dataclasses import dataclass

from stewardbench.site.charts import svg
from stewardbench.site.charts.dots import LABEL_LINE, STACKED_BELOW, WIDEST_GUTTER
from stewardbench.site.model import Quantity

ROW, BAR = 26, 16


@dataclass(frozen=True, slots=True)
class StackRow:
    """One bar: a percentage per part, in the order of the chart's parts. ``end`` is printed right of it."""

    label: str
    shares: tuple[Quantity, ...]
    end: str = ""


@dataclass(frozen=True, slots=True)
class Stack:
    """The chart; ``parts`` are the names of the segments and ``classes`` their colour classes."""

    label: str
    parts: tuple[str, ...]
    classes: tuple[str, ...]
    rows: tuple[StackRow, ...]

    def draw(self, width: int) -> str:
        """The SVG at a width in pixels."""
        needed = max((len(row.label) for row in self.rows), default=0) * svg.CHARACTER + 14
        above = needed > width * WIDEST_GUTTER and width < STACKED_BELOW
        gutter = 6.0 if above else min(needed, width * WIDEST_GUTTER)
        tail = max((len(row.end) for row in self.rows), default=0) * 6.6 + 14
        scale = svg.Scale(0, 100, gutter, width - tail)
        parts, top = self._legend(width)
        for row in self.rows:
            if above:
                parts.append(svg.fitted(2, top + 11, row.label, width - tail))
                top += LABEL_LINE + 2
            else:
                parts.append(svg.fitted(gutter - 10, top + BAR / 2 + 4, row.label, gutter - 12, anchor="end"))
            parts += self._bar(row, scale, top)
            parts.append(svg.text(width - tail + 8, top + BAR / 2 + 4, row.end, "tick"))
            top += ROW
        for tick in scale.ticks(4 if width < 500 else 5):
            parts.append(svg.text(scale(tick), top + 12, svg.tick_label(tick), "tick", "middle"))
        parts.append(svg.text(scale(100), top + 27, "% of episodes", "tick", "end"))
        return svg.drawing(width, top + 32, self.label, parts)

    def _legend(self, width: int) -> tuple[list[str], float]:
        parts, left, top = [], 0.0, 14.0
        for name, class_ in zip(self.parts, self.classes, strict=True):
            need = 30 + len(name) * svg.CHARACTER
            if left and left + need > width:
                left, top = 0.0, top + 18
            parts.append(svg.tag("rect", x=left, y=top - 10, width=12, height=12, rx=2, class_=f"bar {class_}"))
            parts.append(svg.text(left + 18, top, name, "key"))
            left += need
        return parts, top + 16

    def _bar(self, row: StackRow, scale: svg.Scale, top: float) -> list[str]:
        parts, reached = [], 0.0
        for name, class_, share in zip(self.parts, self.classes, row.shares, strict=True):
            if not share.value:
                continue
            start, end = scale(reached), scale(reached + share.value)
            reached += share.value
            shape = svg.tag(
                "rect", x=start, y=top, width=max(end - start - 1, 0.5), height=BAR, rx=2, class_=f"bar {class_}"
            )
            if end - start > 34:
                shape += svg.text((start + end) / 2, top + BAR - 4, f"{share.value:.0f}", f"in {class_}", "middle")
            parts.append(svg.titled(shape, f"{row.label}, {name}: {share.text()} % ({share.explanation()})"))
        return parts
