"""Grid of cells, shaded by value or colored by series."""

import math
from collections.abc import Sequence

from stowage.documents.charts.key import Entry, key
from stowage.documents.charts.lettering import shortened, text_width
from stowage.documents.charts.marks import Drawing, Form, Label, Mark, Rect
from stowage.documents.charts.palette import HEAT, Look, looks
from stowage.documents.charts.plane import Page, axis_title
from stowage.documents.charts.points import in_words
from stowage.documents.charts.shapes import px
from stowage.documents.charts.ticks import value_words
from stowage.documents.text import one_line
from stowage.frozen import frozen
from stowage.model.report import Axis, Chart, Point, Series

_FILL: Form = "fill"
_SOFT: Form = "soft"
_CELL, _GAP, _LEAST = 30.0, 8.0, 9.0
# Above this ratio of the largest to the smallest value, cells are shaded by the logarithm.
_WIDE = 20.0


@frozen
class _Side:
    """Labels and values of all columns of a grid, or of all its rows."""

    names: tuple[str, ...]
    values: tuple[float, ...]

    def place(self, value: float) -> int | None:
        return next((at for at, each in enumerate(self.values) if each == value), None)


def grid(chart: Chart, page: Page) -> Drawing:
    """Draw a grid of cells with labels.

    The first row is on top.

    Parameters
    ----------
    chart : Chart
        With a single series, cells are shaded by `Point.value`. With several series, each cell has the color of its
        series. An axis without categories has a column or row for each different coordinate of a point.
    page : Page
    """
    columns = _side(chart.x, [point.x for series in chart.series for point in series.points])
    rows = _side(chart.y, [point.y for series in chart.series for point in series.points])
    shown = list(zip(chart.series, looks(chart.series), strict=True))
    alone = len(shown) == 1 and any(point.value is not None for point in shown[0][0].points)
    marks, top = key([] if alone else [Entry(series.name, look, "cell") for series, look in shown], 0.0, page)
    said = [part for part in (_arrow(axis_title(chart.x), "→"), _arrow(axis_title(chart.y), "↓")) if part]
    if alone and (name := one_line(shown[0][0].name)):
        said.insert(0, name)
    if said:
        top += page.line
        text = shortened(" · ".join(said), page.size, page.width)
        marks.append(Label(0.0, px(top - 0.3 * page.size), text, "text-faint", page.size))
    left = min(0.3 * page.width, max((text_width(name[:200], page.size) for name in rows.names), default=0.0) + _GAP)
    each = min((page.width - left) / max(1, len(columns.names)), 130.0)
    top += page.line + 2.0
    shades = _shades([point for series, _ in shown for point in series.points]) if alone else None
    on = _Grid(chart, page, columns, rows, left, top, each, shades)
    marks += on.heads()
    marks += [mark for series, look in shown for point in series.points for mark in on.cell(point, series, look)]
    bottom = top + _CELL * max(1, len(rows.names))
    return Drawing(page.width, px(bottom + 2.0), tuple(marks))


@frozen
class _Shades:
    """Mapping of the values of cells to shades of color, on a linear or logarithmic scale."""

    low: float
    high: float
    log: bool

    def of(self, value: float) -> int:
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(at)
        share = 0.0 if high <= low else (at / 2 - low / 2) / (high / 2 - low / 2)
        return min(HEAT - 1, int(share * HEAT))


@frozen
class _Grid:
    """Geometry of a grid: position of its first cell, and width of each cell [px]; and what its cells show."""

    chart: Chart
    page: Page
    columns: _Side
    rows: _Side
    left: float
    top: float
    each: float
    shades: _Shades | None

    def heads(self) -> list[Mark]:
        """Return the labels of the rows and columns of a grid.

        All rows are labeled. If the column labels are wide, only every second, third, ... column is labeled.
        """
        columns, left, each, page = self.columns, self.left, self.each, self.page
        widest = max((text_width(name[:60], page.size) for name in columns.names), default=0.0)
        step = max(1, math.ceil(min(widest + 4.0, 90.0) / each)) if columns.names else 1
        marks: list[Mark] = []
        for place in range(0, len(columns.names), step):
            middle = left + (place + 0.5) * each
            room = min(step * each - 4.0, 2.0 * (page.width - middle), 2.0 * middle)
            text = shortened(columns.names[place], page.size, room)
            marks.append(Label(px(middle), px(self.top - 0.45 * page.size), text, "text-faint", page.size, "middle"))
        for place, name in enumerate(self.rows.names):
            foot = self.top + (place + 0.5) * _CELL + 0.35 * page.size
            text = shortened(name, page.size, left - _GAP)
            marks.append(Label(px(left - _GAP), px(foot), text, "text-faint", page.size, "end"))
        return marks

    def cell(self, point: Point, series: Series, look: Look) -> list[Mark]:
        """Draw the cell of a point, with its label; nothing if it has no place in the grid."""
        column, row = self.columns.place(point.x), self.rows.place(point.y)
        if column is None or row is None:
            return []
        left, top = self.left + column * self.each, self.top + row * _CELL
        title = ", ".join(
            one_line(text)[:200]
            for text in (in_words(point.x, self.chart.x), in_words(point.y, self.chart.y), point.label or series.name)
            if text
        )
        style, form = look.style, _SOFT
        if self.shades is not None and point.value is not None and math.isfinite(point.value):
            style, form = f"heat-{self.shades.of(point.value)}", _FILL
        width, height = max(0.5, self.each - 1.0), _CELL - 1.0
        marks: list[Mark] = [Rect(px(left), px(top), px(width), height, style, form, None, title)]
        if point.ringed:
            marks.append(Rect(px(left + 1.0), px(top + 1.0), px(max(0.5, width - 2.0)), height - 2.0, "ring", "bold"))
        size = next(
            (size for size in (self.page.size, _LEAST) if point.label and _fits(point.label, size, width)), None
        )
        if point.label and size is not None:
            foot = top + height / 2 + 0.35 * size
            marks.append(Label(px(left + width / 2), px(foot), one_line(point.label), "on-cell", size, "middle"))
        return marks


def _side(axis: Axis, values: Sequence[float]) -> _Side:
    if axis.scale == "categories":
        return _Side(axis.categories, tuple(float(place) for place in range(len(axis.categories))))
    found = tuple(sorted({value for value in values if math.isfinite(value)}))
    return _Side(tuple(value_words(value, axis.unit) for value in found), found)


def _arrow(title: str, arrow: str) -> str:
    return f"{title} {arrow}" if title else ""


def _shades(points: Sequence[Point]) -> _Shades:
    values = [point.value for point in points if point.value is not None and math.isfinite(point.value)]
    low, high = min(values, default=0.0), max(values, default=0.0)
    return _Shades(low, high, log=low > 0.0 and high / low > _WIDE)


def _fits(text: str, size: float, width: float) -> bool:
    said = one_line(text[:400])
    return len(text) <= 400 and text_width(said, size, strong=True) <= width - 4.0
