"""The few SVG elements that figures are made of, each a string; text and attributes are escaped here and only here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

CHARACTER = 6.3  # average advance of the 12 px label font; labels are cut to fit, with the full text as tooltip
MARK = 4.6  # radius of a mark
CORNERS: tuple[tuple[tuple[float, float], ...], ...] = (
    (),  # a circle
    ((0, -1.22), (1.22, 0), (0, 1.22), (-1.22, 0)),  # a diamond
    ((0, -1.15), (1.15, 0.92), (-1.15, 0.92)),  # a triangle
)


def tag(name: str, *children: str, **attributes: str | float | None) -> str:
    """One element. Underscores in attribute names become dashes, a trailing one is dropped; None leaves it out."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{shown}>{''.join(children)}</{name}>" if children else f"<{name}{shown}/>"


def text(x: float, y: float, value: str, class_: str = "", anchor: str = "start") -> str:
    """A text whose baseline starts, ends or is centred at (x, y)."""
    return tag(
        "text", escape(value), x=x, y=y, class_=class_ or None, text_anchor=None if anchor == "start" else anchor
    )


def fitted(x: float, y: float, value: str, room: float, *, class_: str = "", anchor: str = "start") -> str:
    """A text cut to ``room`` pixels with an ellipsis; the whole text stays as tooltip."""
    most = max(3, int(room / CHARACTER))
    if len(value) <= most:
        return text(x, y, value, class_, anchor)
    return titled(text(x, y, value[: most - 1].rstrip() + "…", class_, anchor), value)


def titled(element: str, title: str) -> str:
    """A group with a tooltip."""
    return tag("g", tag("title", escape(title)), element) if title else element


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """A straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a chart: its name, which mark it has, and whether the mark is hollow.

    Shape and colour both tell the mark, so colour is never the only sign; colours repeat after five, shapes after
    three.
    """

    name: str
    mark: int
    hollow: bool = False

    @property
    def tone(self) -> str:
        """The colour class."""
        return f"s{self.mark % 5}"


def mark(x: float, y: float, series: Series) -> str:
    """A series' mark."""
    classes = f"m {series.tone}{' hollow' if series.hollow else ''}"
    corners = CORNERS[series.mark % 3]
    if not corners:
        return tag("circle", cx=x, cy=y, r=MARK, class_=classes)
    path = "L".join(f"{_plain(x + dx * MARK)} {_plain(y + dy * MARK)}" for dx, dy in corners)
    return tag("path", d=f"M{path}Z", class_=classes)


def drawing(width: float, height: float, label: str, parts: Iterable[str]) -> str:
    """A whole figure with its accessible name. The numbers are in the table beside it."""
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {_plain(width)} {_plain(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        class_="fig",
    )


def legend(x: float, y: float, series: Sequence[Series], room: float) -> tuple[str, float]:
    """Marks with their names in rows no wider than ``room``; returns the elements and the height used."""
    parts, left, top = [], x, y
    for one in series:
        need = 34 + len(one.name) * CHARACTER
        if left > x and left + need > x + room:
            left, top = x, top + 18
        parts += [mark(left + 6, top - 4, one), text(left + 16, top, one.name, "key")]
        left += need
    return "".join(parts), top - y + 18


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from values in [low, high] to pixels in [start, end]; values outside are held at the edge."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, count: int) -> list[float]:
        """About ``count`` round values within the scale."""
        raw = (self.high - self.low) / max(count, 1)
        power = 10 ** math.floor(math.log10(raw))
        step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if raw <= power * factor * 1.0001)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(index * step, 10) + 0.0 for index in range(first, last + 1)]


def tick_label(value: float) -> str:
    """A tick without needless zeros, with a true minus sign."""
    return f"{value:g}".replace("-", "−")


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
