"""Pages from templates. Templates escape every value; only drawings, made by our own charts, enter as markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from stewardbench.site.charts import svg
from stewardbench.site.model import Column, Quantity

BOARD = svg.Series("", 0)  # the mark of leaderboards


@dataclass(frozen=True, slots=True)
class PageInfo:
    """One page: its file, its entry in the navigation, its template and its heading."""

    file: str
    label: str
    template: str
    title: str
    heading: str = ""
    intro: str = ""


class PageWriter:
    """Renders pages that share a navigation and a footer."""

    def __init__(self, folder: Path, pages: Sequence[PageInfo], summary: str) -> None:
        self._folder = folder
        self._environment = Environment(
            loader=PackageLoader("stewardbench.site"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(pages=pages, summary=summary, shade=shade, interval=interval)

    def write(self, page: PageInfo, values: Mapping[str, object]) -> None:
        """Render one page into its file."""
        text = self._environment.get_template(page.template).render(page=page, **values)
        (self._folder / page.file).write_text(text, encoding="utf-8")


def shade(scale: tuple[float, float] | None, cell: Quantity) -> str:
    """The class of a cell by its place on a scale, `` h1`` to `` h9``; nothing at the low end or without a scale."""
    if scale is None or cell.value is None:
        return ""
    low, high = scale
    step = round(9 * (cell.value - low) / (high - low))
    return f" h{min(step, 9)}" if step > 0 else ""


def interval(cell: Quantity, column: Column) -> Markup:
    """A small drawing of a value with its interval, on the same scale in every row of the column."""
    if cell.value is None:
        return Markup("")
    scale = svg.Scale(*column.scale, 3, 93)
    parts = [svg.line(3, 7, 93, 7, "grid")]
    if cell.low is not None and cell.high is not None:
        parts.append(svg.line(scale(cell.low), 7, scale(cell.high), 7, f"whisker {BOARD.tone}"))
    parts.append(svg.mark(scale(cell.value), 7, BOARD))
    return Markup(svg.tag("svg", *parts, class_="fig interval", width=96, height=14, aria_hidden="true"))
