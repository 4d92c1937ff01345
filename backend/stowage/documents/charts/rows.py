"""Frame of horizontal bars: rows with names, and one axis below all rows.

Each category has a row. Its name is beside or above the row.
"""

from collections.abc import Sequence

from stowage.documents.charts.key import Entry, key
from stowage.documents.charts.lettering import shortened, text_width, wrapped
from stowage.documents.charts.marks import Label, Mark, Path
from stowage.documents.charts.placing import Box
from stowage.documents.charts.plane import Page, below_axis, ends, limit_values, limits_above, tick_labels, x_title
from stowage.documents.charts.scale import Scale
from stowage.documents.charts.shapes import line, px
from stowage.frozen import frozen
from stowage.model.report import Chart

_BAR, _NARROW_BAR, _BETWEEN = 26.0, 20.0, 14.0
_GAP, _BESIDE = 10.0, 4.0
"""Distance between names and bars; distance between the axis line and a name above its bar [px]."""


@frozen
class Rows:
    """Layout of a chart with horizontal bars, one row for each category."""

    x: Scale
    tops: list[float]
    """Top of each category's bar [px]."""
    bar: float
    """Height of a bar [px]."""
    marks: list[Mark]
    """Marks around and behind the bars."""
    height: float
    """Height of the whole drawing [px]."""


def rows(
    chart: Chart, page: Page, entries: Sequence[Entry], values: Sequence[float], *, right: float, strong: set[int]
) -> Rows:
    """Lay out a row for each category of the vertical axis.

    Parameters
    ----------
    chart : Chart
    page : Page
    entries : sequence of Entry
        Entries of the legend above the rows.
    values : sequence of float
        Values that the horizontal axis must include, besides its limits.
    right : float
        Space to leave free at the right, for text at the ends of the bars [px].
    strong : set of int
        Indices of the selected categories.
    """
    names = chart.y.categories
    column = 0.0 if page.narrow else min(0.3 * page.width, _widest(names, page) + _GAP)
    x = Scale(
        *ends(chart.x, values, limit_values(chart, "x")),
        chart.x.scale == "log",
        column,
        page.width - max(right, page.size),
    )
    marks, top = key(entries, 0.0, page)
    words = limits_above(chart.limits, x, page)
    above = 1 + max((row for _, _, row in words), default=-1)
    start = top + (6.0 if entries else 0.0) + above * page.line
    bar = _NARROW_BAR if page.narrow else _BAR
    each = bar + _BETWEEN + (page.line if page.narrow else 0.0)
    tops = [start + place * each + (page.line if page.narrow else 0.0) + 0.5 * _BETWEEN for place in range(len(names))]
    bottom = start + max(1, len(names)) * each
    frame = Box(column, start, x.end, bottom)
    marks += _axis(chart, x, frame, page)
    for place, at in enumerate(tops):
        marks += _name(names[place], at, bar, column, page, strong=place in strong)
    for limit, label, row in words:
        foot = start - 4.0 - row * page.line
        marks.append(Label(label.x, px(foot), label.text, label.style, label.size, label.anchor))
        if x.holds(limit.value):
            across = line([(x.place(limit.value), start - 2.0), (x.place(limit.value), bottom)])
            marks.append(Path(across, "limit", "dashed"))
    return Rows(x, tops, bar, marks, px(bottom + below_axis(chart.x, page)))


def _widest(names: Sequence[str], page: Page) -> float:
    """Return the width of the widest name [px].

    A name that is wrapped into two lines is as wide as its longer line.
    """
    room = 0.3 * page.width - _GAP
    said = [text for name in names for text in wrapped(name, page.size, room, 2)]
    return max((text_width(text, page.size, strong=True) for text in said), default=0.0)


def _axis(chart: Chart, x: Scale, frame: Box, page: Page) -> list[Mark]:
    labels = tick_labels(x, chart.x, page.size, across=True, inside=Box(0.0, frame.top, page.width, frame.bottom))
    marks: list[Mark] = [Path(line([(at, frame.top), (at, frame.bottom)]), "grid") for at, _ in labels]
    zero = x.start if x.log else x.place(0.0)
    marks.append(Path(line([(zero, frame.top), (zero, frame.bottom)]), "axis"))
    marks += [label for _, label in labels]
    return [*marks, *x_title(chart.x, frame, page)]


def _name(name: str, top: float, bar: float, column: float, page: Page, *, strong: bool) -> list[Mark]:
    style = "text-strong" if strong else "text"
    if page.narrow:
        text = shortened(name, page.size, page.width - _BESIDE, strong=strong)
        # To the right of the axis line, which begins above the first bar.
        return [Label(_BESIDE, px(top - 0.35 * page.size), text, style, page.size)]
    said = wrapped(name, page.size, column - _GAP, 2, strong=strong)
    first = top + bar / 2 + 0.35 * page.size - (len(said) - 1) * page.line / 2
    feet = [px(first + row * page.line) for row in range(len(said))]
    return [Label(0.0, foot, text, style, page.size) for foot, text in zip(feet, said, strict=True)]
