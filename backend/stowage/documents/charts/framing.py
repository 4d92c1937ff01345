"""Frame of a chart with two axes: everything around the plot area, and the limit lines across it.

Around the plot area are the legend, the titles and the labels of limits. A limit is a value on an axis, such as a
deadline.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from stowage.documents.charts.key import Entry, key
from stowage.documents.charts.lettering import shortened
from stowage.documents.charts.marks import Anchor, Label, Mark, Path
from stowage.documents.charts.placing import Box, box_of, freest
from stowage.documents.charts.plane import (
    Page,
    Plane,
    axes,
    below_axis,
    ends,
    limit_values,
    limits_above,
    y_margin,
    y_title,
)
from stowage.documents.charts.points import along_y
from stowage.documents.charts.scale import Scale
from stowage.documents.charts.shapes import Spot, line, px
from stowage.frozen import frozen
from stowage.model.report import Chart

_WIDE_HEIGHT, _NARROW_HEIGHT = 300.0, 230.0
_TOP = 6.0
_PIECE = 6.0


@frozen
class Framed:
    """One plot area with the marks of its frame."""

    plane: Plane
    marks: list[Mark]
    lines: list[Box]
    """Areas of the limit lines in the plot area, which labels should not cover."""
    height: float
    """Height of the whole drawing [px]."""


def framed(chart: Chart, page: Page, entries: Sequence[Entry], *, right: float, tight: bool = False) -> Framed:
    """Lay out a chart with two axes.

    Parameters
    ----------
    chart : Chart
    page : Page
    entries : sequence of Entry
        Entries of the legend above the plot area.
    right : float
        Space to leave free at the right of the plot area [px].
    tight : bool
        Whether the horizontal axis has no padding at its ends.
    """
    points = [point for series in chart.series for point in series.points]
    xs = ends(chart.x, (point.x for point in points), limit_values(chart, "x"), tight=tight)
    ys = ends(chart.y, along_y(chart.series), limit_values(chart, "y"))
    deep = _NARROW_HEIGHT if page.narrow else _WIDE_HEIGHT
    left = y_margin(chart.y, ys, deep, page.size, 0.35 * page.width)
    x = Scale(*xs, chart.x.scale == "log", left, page.width - max(right, page.size))
    words = limits_above(chart.limits, x, page)
    named, bottom_of_key = key(entries, 0.0, page)
    marks: list[Mark] = list(named)
    top_of_title = bottom_of_key + (4.0 if entries else 0.0)
    marks += [replace(label, y=px(label.y + top_of_title)) for label in y_title(chart.y, page)]
    rows = 1 + max((row for _, _, row in words), default=-1)
    top = top_of_title + (page.line if chart.y.label else 0.0) + rows * page.line + _TOP
    frame = Box(left, top, x.end, top + deep)
    plane = Plane(x, Scale(*ys, chart.y.scale == "log", frame.bottom, frame.top), frame)
    marks += axes(plane, chart, page)
    crossing: list[Box] = []
    for limit, label, row in words:
        foot = top - _TOP - row * page.line
        marks.append(Label(label.x, px(foot), label.text, label.style, label.size, label.anchor))
        if x.holds(limit.value):
            at = x.place(limit.value)
            # A label in a higher row has no line to it: the line would cross the labels below.
            start = foot + 0.35 * page.size if row == 0 else frame.top
            marks.append(Path(line([(at, start), (at, frame.bottom)]), "limit", "dashed"))
            crossing.append(Box(at - 1, frame.top, at + 1, frame.bottom))
    return Framed(plane, marks, crossing, px(frame.bottom + below_axis(chart.x, page)))


def y_limits(on: Framed, chart: Chart, page: Page, taken: Sequence[Box]) -> tuple[list[Mark], list[Box]]:
    """Draw horizontal limit lines with their labels.

    Each label is placed where it covers the fewest marks.

    Parameters
    ----------
    on : Framed
    chart : Chart
    page : Page
    taken : sequence of Box
        Areas that should stay visible.

    Returns
    -------
    tuple
        The marks of lines and labels, and the areas of these marks and of the vertical limit lines.
    """
    marks: list[Mark] = []
    covered = [*on.lines]
    frame = on.plane.frame
    for limit in chart.limits:
        if limit.axis != "y":
            continue
        y = on.plane.y.place(limit.value)
        if on.plane.y.holds(limit.value):
            marks.append(Path(line([(frame.left, y), (frame.right, y)]), "limit", "dashed"))
            covered.append(Box(frame.left, y - 1, frame.right, y + 1))
        arrow = " ↑" if limit.value > on.plane.y.high else ""
        room = frame.right - frame.left - page.size
        text = shortened(limit.words, page.size, room - page.size) + arrow
        places = [
            Label(px(x), px(foot), text, "limit", page.size, anchor)
            for foot in (y - 0.4 * page.size, y + 1.1 * page.size)
            for x, anchor in _stations(frame)
        ]
        label = freest(places, [*taken, *covered], frame, bear=float("inf"))
        if label is not None:
            marks.append(label)
            covered.append(box_of(label))
    return marks, covered


def _stations(frame: Box) -> list[tuple[float, Anchor]]:
    middle = (frame.left + frame.right) / 2
    return [(frame.right - 4.0, "end"), (frame.left + 4.0, "start"), (middle, "middle")]


def pieces(way: Sequence[Spot]) -> list[Box]:
    """Return small boxes that together cover a line.

    Used to keep labels away from the line: a label covers the line if it overlaps one of the boxes.
    """
    boxes: list[Box] = []
    for (x, y), (to_x, to_y) in pairwise(way):
        parts = max(1, math.ceil(math.hypot(to_x - x, to_y - y) / _PIECE))
        for part in range(parts + 1):
            at_x, at_y = x + (to_x - x) * part / parts, y + (to_y - y) * part / parts
            boxes.append(Box(at_x - 1.5, at_y - 1.5, at_x + 1.5, at_y + 1.5))
    return boxes
