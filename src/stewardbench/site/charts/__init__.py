"""Figures as SVG text, drawn at build time from quantities: dots with intervals, stacked shares, a plane.

Colours, fonts and themes are CSS classes, so one drawing serves light and dark; each chart is drawn once per width.
"""

from stewardbench.site.charts.dots import Dot, DotPanel, DotRow, Dots
from stewardbench.site.charts.plane import Plane, PlanePoint
from stewardbench.site.charts.stack import Stack, StackRow
from stewardbench.site.charts.svg import Series

__all__ = ["NARROW", "WIDE", "Dot", "DotPanel", "DotRow", "Dots", "Plane", "PlanePoint", "Series", "Stack", "StackRow"]

WIDE, NARROW = 840, 344
