"""Two quantities against each other, one labelled point per agent: success against the user's burden."""

from __future__ import annotations

from dataclasses import dataclass

from stewardbench.site.charts import svg
from stewardbench.site.model import Quantity

HEIGHT, LEFT, BOTTOM = 400, 44, 44


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """One agent. ``label`` stands beside the point, ``name`` in its tooltip; ``x`` and ``y`` carry their intervals."""

    label: str
    name: str
    series: int
    x: Quantity
    y: Quantity


@dataclass(frozen=True, slots=True)
class Plane:
    """The chart. Labels stand beside their points where there is room; every point has its tooltip."""

    label: str
    series: tuple[svg.Series, ...]
    points: tuple[PlanePoint, ...]
    x_title: str
    y_title: str
    x_high: float
    y_low: float = 0.0
    y_high: float = 100.0

    def draw(self, width: int) -> str:
        """The SVG at a width in pixels."""
        key, used = svg.legend(0, 14, self.series, width)
        top = used + 8
        height = HEIGHT if width > 500 else 340
        x = svg.Scale(0, self.x_high, LEFT, width - 14)
        y = svg.Scale(self.y_low, self.y_high, top + height - BOTTOM, top + 26)
        parts = [key, svg.text(0, top + 12, self.y_title, "panel")]
        for tick in y.ticks(5):
            zero = " zero" if tick == 0 and self.y_low < 0 else ""
            parts.append(svg.line(LEFT, y(tick), width - 14, y(tick), "grid" + zero))
            parts.append(svg.text(LEFT - 8, y(tick) + 4, svg.tick_label(tick), "tick", "end"))
        for tick in x.ticks(4 if width < 500 else 7):
            parts.append(svg.text(x(tick), top + height - BOTTOM + 18, svg.tick_label(tick), "tick", "middle"))
        parts.append(svg.text(width - 14, top + height - 8, self.x_title, "tick", "end"))
        parts += self._points(x, y, width)
        return svg.drawing(width, top + height, self.label, parts)

    def _points(self, x: svg.Scale, y: svg.Scale, width: int) -> list[str]:
        shown = [point for point in self.points if point.x.value is not None and point.y.value is not None]
        places = [(x(point.x.value or 0), y(point.y.value or 0)) for point in shown]
        taken = [(px - 6, py - 6, px + 6, py + 6) for px, py in places]
        whiskers, marks, labels = [], [], []
        for point, (px, py) in zip(shown, places, strict=True):
            if point.y.low is not None and point.y.high is not None:
                whiskers.append(
                    svg.line(px, y(point.y.low), px, y(point.y.high), f"whisker thin {self.series[point.series].tone}")
                )
            marks.append(svg.titled(svg.mark(px, py, self.series[point.series]), self._words(point)))
            place = _free_place(px, py, len(point.label) * 5.9, taken, width)
            if place is not None:
                taken.append(place)
                labels.append(svg.text(place[0], place[3] - 3, point.label, "point"))
        return whiskers + marks + labels

    def _words(self, point: PlanePoint) -> str:
        y = f"{self.y_title} {point.y.text()} ({point.y.explanation()})".replace(" ()", "")
        return f"{point.name}: {y}, {self.x_title} {point.x.text()}"


Box = tuple[float, float, float, float]


def _free_place(px: float, py: float, need: float, taken: list[Box], width: int) -> Box | None:
    """A box for a label right, left, above or below its point that meets no other; None where there is none."""
    for left, top in (
        (px + 8, py - 7),
        (px - 8 - need, py - 7),
        (px - need / 2, py - 21),
        (px - need / 2, py + 7),
        (px + 6, py - 18),
        (px + 6, py + 4),
        (px - 6 - need, py - 18),
        (px - 6 - need, py + 4),
    ):
        box = (left, top, left + need, top + 14)
        inside = left >= LEFT - 4 and box[2] <= width - 2
        if inside and not any(_overlap(box, other) for other in taken):
            return box
    return None


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
