"""Grid of cells, shaded by value or colored by series."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stowage.documents.charts.cell_colours import CELL_STYLES, CellColour, family_style, scale_style
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

_NEAR_MARK = "≈"
_CELL, _GAP, _LEAST = 30.0, 8.0, 9.0
# Above this ratio of the largest to the smallest value, cells in steps are shaded by the logarithm.
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
        With a single series, cells are colored by `Point.value`. With several series, each cell has the color of its
        series. Near-ties are marked. An axis without categories has a column or row for each different coordinate of a
        point.
    page : Page
    """
    columns = _side(chart.x, [point.x for series in chart.series for point in series.points])
    rows = _side(chart.y, [point.y for series in chart.series for point in series.points])
    shown = list(zip(chart.series, _looks(chart.series), strict=True))
    valued = _valued(chart.series)
    entries = [Entry(series.name, look, "area") for series, look in shown if series is not valued]
    marks, top = key(entries, 0.0, page)
    said = [part for part in (_arrow(axis_title(chart.x), "→"), _arrow(axis_title(chart.y), "↓")) if part]
    if valued is not None and (name := one_line(valued.name)):
        said.insert(0, name)
    if said:
        top += page.line
        text = shortened(" · ".join(said), page.size, page.width)
        marks.append(Label(0.0, px(top - 0.3 * page.size), text, "text-faint", page.size))
    left = min(0.3 * page.width, max((text_width(name[:200], page.size) for name in rows.names), default=0.0) + _GAP)
    each = min((page.width - left) / max(1, len(columns.names)), 130.0)
    top += page.line + 2.0
    on = _Grid(chart, page, columns, rows, left, top, each, None if valued is None else _shades(valued))
    marks += on.heads()
    marks += [mark for series, look in shown for point in series.points for mark in on.cell(point, series, look)]
    bottom = top + _CELL * max(1, len(rows.names))
    return Drawing(page.width, px(bottom + 2.0), tuple(marks))


@frozen
class _Shades:
    """Mapping of the values of a series' cells to styles, on a linear or logarithmic scale."""

    series: Series
    low: float
    high: float
    log: bool
    ratios: bool
    """True if the colors are those of the perceptual scale."""

    def of(self, value: float) -> str:
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(at)
        alone = 0.5 if self.ratios else 0.0
        share = alone if high <= low else (at / 2 - low / 2) / (high / 2 - low / 2)
        return scale_style(share) if self.ratios else f"heat-{min(HEAT - 1, int(share * HEAT))}"


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
        style, form = _look_of(point, series, look, self.shades)
        ink = f"on-{style}" if style in CELL_STYLES else "on-cell"
        width, height = max(0.5, self.each - 1.0), _CELL - 1.0
        marks: list[Mark] = [Rect(px(left), px(top), px(width), height, style, form, None, title)]
        if point.ringed:
            marks.append(Rect(px(left + 1.0), px(top + 1.0), px(max(0.5, width - 2.0)), height - 2.0, "ring", "bold"))
        size = next(
            (size for size in (self.page.size, _LEAST) if point.label and _fits(point.label, size, width)), None
        )
        if point.label and size is not None:
            foot = top + height / 2 + 0.35 * size
            marks.append(Label(px(left + width / 2), px(foot), one_line(point.label), ink, size, "middle"))
        if point.near_tie and _fits(_NEAR_MARK, self.page.size, width):
            foot = px(top + 0.75 * self.page.size)
            marks.append(Label(px(left + width - 2.0), foot, _NEAR_MARK, ink, self.page.size, "end"))
        return marks


def cell_colours(chart: Chart) -> dict[tuple[float, float], CellColour]:
    """Return the colors of a grid's cells by their coordinates; none for cells in colors of the palette."""
    valued = _valued(chart.series)
    shades = None if valued is None else _shades(valued)
    found = {
        (point.x, point.y): CELL_STYLES.get(_look_of(point, series, look, shades)[0])
        for series, look in zip(chart.series, _looks(chart.series), strict=True)
        for point in series.points
    }
    return {place: colour for place, colour in found.items() if colour is not None}


def _look_of(point: Point, series: Series, look: Look, shades: _Shades | None) -> tuple[str, Form]:
    """Return style and form of a cell."""
    if shades is None or series is not shades.series or point.value is None or not math.isfinite(point.value):
        return look.style, look.form
    return shades.of(point.value), "fill"


def _looks(series: Sequence[Series]) -> Iterator[Look]:
    """Yield the appearance of each series of a grid: the hue of its family, or a pale color of the palette."""
    for each, look in zip(series, looks(series), strict=True):
        if each.family is None:
            yield replace(look, form="soft")
        else:
            yield Look(family_style(each.family, each.strength), None, "fill", 0)


def _valued(series: Sequence[Series]) -> Series | None:
    """Return the only series of a grid, whose cells are colored by their values; None for a grid of several series.

    Cells without an answer are a faint series of their own, which counts in reports from before November 2026 only.
    """
    ratios = any(each.shades == "ratios" for each in series)
    named = [each for each in series if not (ratios and each.faint)]
    if len(named) != 1 or all(point.value is None for point in named[0].points):
        return None
    return named[0]


def _side(axis: Axis, values: Sequence[float]) -> _Side:
    if axis.scale == "categories":
        return _Side(axis.categories, tuple(float(place) for place in range(len(axis.categories))))
    found = tuple(sorted({value for value in values if math.isfinite(value)}))
    return _Side(tuple(value_words(value, axis.unit) for value in found), found)


def _arrow(title: str, arrow: str) -> str:
    return f"{title} {arrow}" if title else ""


def _shades(series: Series) -> _Shades:
    values = [point.value for point in series.points if point.value is not None and math.isfinite(point.value)]
    low, high = min(values, default=0.0), max(values, default=0.0)
    ratios = series.shades == "ratios"
    return _Shades(series, low, high, log=low > 0.0 and (ratios or high / low > _WIDE), ratios=ratios)


def _fits(text: str, size: float, width: float) -> bool:
    said = one_line(text[:400])
    return len(text) <= 400 and text_width(said, size, strong=True) <= width - 4.0
