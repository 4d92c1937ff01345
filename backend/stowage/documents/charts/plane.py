"""Two axes with their ticks, labels and limits, and the plot area between them."""

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from stowage.documents.charts.lettering import LINE, shortened, text_width
from stowage.documents.charts.marks import Label, Mark, Path
from stowage.documents.charts.placing import Box, box_of
from stowage.documents.charts.scale import Scale, span
from stowage.documents.charts.shapes import line, px
from stowage.documents.charts.ticks import SHOWN_UNITS, ticks, value_words
from stowage.frozen import frozen
from stowage.model.report import Axis, Chart, Limit

_GAP = 6.0
_TICK = 5.0
# A limit further out than this many times the largest value is not fitted in: it would compress everything else.
_FAR = 4.0
_SMALL_SHARE = 1e-5


@frozen
class Page:
    """Width and font size of a chart."""

    width: float
    """[px]"""
    size: float
    """Font size [px]."""

    @property
    def narrow(self) -> bool:
        """Return whether the page is as narrow as a phone."""
        return self.width < 500.0

    @property
    def line(self) -> float:
        """Line height: distance between two baselines [px]."""
        return LINE * self.size


@frozen
class Plane:
    """Plot area between two axes."""

    x: Scale
    y: Scale
    frame: Box

    def spot(self, x: float, y: float) -> tuple[float, float]:
        """Return the position of a point [px]."""
        return self.x.place(x), self.y.place(y)


def ends(axis: Axis, values: Iterable[float], limits: Iterable[float], *, tight: bool = False) -> tuple[float, float]:
    """Return the ends of an axis.

    The axis includes all values. It also includes those limits that are near the values.

    Parameters
    ----------
    axis : Axis
    values, limits : iterable of float
        Values and limits in the unit of the axis.
    tight : bool
        Whether the axis has no padding at its ends, as in `span`.
    """
    if axis.scale == "categories":
        return -0.5, max(1, len(axis.categories)) - 0.5
    log = axis.scale == "log"
    seen = list(values)
    low, high = span(seen, log=log, tight=tight)
    near = [value for value in limits if log or not seen or abs(value) <= _FAR * max(abs(low), abs(high))]
    # A negligible share must not fill the axis.
    least = [_SMALL_SHARE] if axis.unit == "1" and not log else []
    return span([*seen, *near, *least], log=log, tight=tight)


def tick_labels(scale: Scale, axis: Axis, size: float, *, across: bool, inside: Box) -> list[tuple[float, Label]]:
    """Return the tick labels of an axis.

    There are as many labels as fit without touching each other.

    Parameters
    ----------
    scale : Scale
    axis : Axis
    size : float
        Font size [px].
    across : bool
        Whether the axis is horizontal, with labels below it; a vertical axis has its labels on the left.
    inside : Box
        Area that bounds the labels; they are below its lower edge, or left of its left edge.

    Returns
    -------
    list of tuple
        Position of each tick along the axis [px], and its label.
    """
    most = max(2, int(scale.length / (56.0 if across else 36.0)) + 1)
    for count in range(most, 1, -1):
        labels = _written(scale, axis, size, count, across=across, inside=inside)
        if not _touch(labels, size):
            return labels
    kept: list[tuple[float, Label]] = []
    for each in labels:
        if not _touch([*kept[-1:], each], size):
            kept.append(each)
    return kept


def _written(
    scale: Scale, axis: Axis, size: float, count: int, *, across: bool, inside: Box
) -> list[tuple[float, Label]]:
    if axis.scale == "categories":
        each = max(1, -(-len(axis.categories) // (4 * count)))
        named = [(float(place), axis.categories[place]) for place in range(0, len(axis.categories), each)]
        room = scale.length / max(1, len(named)) - _GAP if across else inside.left - 2 * _GAP
        words = [(value, shortened(text, size, max(room, 3 * size))) for value, text in named]
    else:
        words = [(value, value_words(value, axis.unit)) for value in ticks(scale, axis.unit, count)]
    labels = []
    for value, text in words:
        place = scale.place(value)
        if across:
            half = text_width(text, size) / 2
            middle = min(max(place, inside.left + half), inside.right - half)
            label = Label(px(middle), px(inside.bottom + _TICK + size), text, "text-faint", size, "middle")
        else:
            label = Label(px(inside.left - _GAP), px(place + 0.35 * size), text, "text-faint", size, "end")
        labels.append((place, label))
    return labels


def _touch(labels: Sequence[tuple[float, Label]], size: float) -> bool:
    boxes = sorted((box_of(label) for _, label in labels), key=lambda box: (box.left, box.top))
    spread = [Box(box.left - size / 3, box.top, box.right + size / 3, box.bottom) for box in boxes]
    return any(one.meets(other) for place, one in enumerate(spread) for other in spread[place + 1 :])


def y_margin(axis: Axis, low_high: tuple[float, float], height: float, size: float, most: float) -> float:
    """Return the width of the margin for the labels left of a vertical axis [px].

    Parameters
    ----------
    axis : Axis
    low_high : tuple of float
        Ends of the axis.
    height : float
        Length of the axis [px].
    size : float
        Font size [px].
    most : float
        Width above which names of categories are shortened [px]; numbers are not.
    """
    if axis.scale == "categories":
        widest = max((text_width(text[:200], size) for text in axis.categories), default=0.0)
        return min(most, widest + 2 * _GAP)
    scale = Scale(*low_high, axis.scale == "log", height, 0.0)
    labels = tick_labels(scale, axis, size, across=False, inside=Box(most, 0.0, most, height))
    return max((text_width(label.text, size) for _, label in labels), default=0.0) + 2 * _GAP


def axes(plane: Plane, chart: Chart, page: Page) -> list[Mark]:
    """Draw both axes: grid, ticks, labels and the title of the horizontal axis."""
    frame, marks = plane.frame, list[Mark]()
    below = Box(0.0, frame.top, page.width, frame.bottom)
    across = tick_labels(plane.x, chart.x, page.size, across=True, inside=below)
    beside = tick_labels(plane.y, chart.y, page.size, across=False, inside=frame)
    marks += [Path(line([(x, frame.top), (x, frame.bottom)]), "grid") for x, _ in across]
    marks += [Path(line([(frame.left, y), (frame.right, y)]), "grid") for y, _ in beside]
    marks += [Path(line([(x, frame.bottom), (x, frame.bottom + _TICK)]), "axis") for x, _ in across]
    marks.append(Path(line([(frame.left, frame.bottom), (frame.right, frame.bottom)]), "axis"))
    marks += [label for _, label in (*across, *beside)]
    marks += x_title(chart.x, plane.frame, page)
    return marks


def x_title(axis: Axis, frame: Box, page: Page) -> list[Mark]:
    """Return the title of the horizontal axis, below its ticks."""
    title = shortened(axis_title(axis), page.size, page.width - 2 * _GAP)
    if not title:
        return []
    half = text_width(title, page.size) / 2
    middle = min(max((frame.left + frame.right) / 2, half), page.width - half)
    y = frame.bottom + _TICK + page.size + 1.35 * page.line
    return [Label(px(middle), px(y), title, "text", page.size, "middle")]


def below_axis(axis: Axis, page: Page) -> float:
    """Return the height that ticks, labels and title below a horizontal axis need [px]."""
    return _TICK + page.size + (1.35 * page.line if axis_title(axis) else 0.0) + 0.4 * page.size


def y_title(axis: Axis, page: Page) -> list[Label]:
    """Return the title of the vertical axis, placed above the axis.

    Readers see it there first.
    """
    title = shortened(axis_title(axis), page.size, page.width)
    return [Label(0.0, px(0.95 * page.size), title, "text", page.size)] if title else []


def axis_title(axis: Axis) -> str:
    """Return the title of an axis.

    The title includes the unit if the labels of the ticks do not show it.

    Examples
    --------
    >>> axis_title(Axis("Read rate", "MB/s")), axis_title(Axis("Time", "s")), axis_title(Axis("Nodes", "nodes"))
    ('Read rate [MB/s]', 'Time', 'Nodes')
    """
    said = axis.unit in SHOWN_UNITS or axis.unit == axis.label.lower() or axis.scale == "categories"
    return axis.label if said else f"{axis.label} [{axis.unit}]"


def limit_values(chart: Chart, axis: Literal["x", "y"]) -> list[float]:
    """Return the values of the limits of an axis, as far as they are finite."""
    return [limit.value for limit in chart.limits if limit.axis == axis and math.isfinite(limit.value)]


def limits_above(limits: Sequence[Limit], x: Scale, page: Page) -> list[tuple[Limit, Label, int]]:
    """Arrange the labels of vertical limits in rows above the plot area.

    Returns
    -------
    list of tuple
        Each vertical limit, its label with the baseline at y = 0, and the index of the label's row: 0 is the lowest.
    """
    rows: list[list[Box]] = []
    placed = []
    for limit in sorted((each for each in limits if each.axis == "x"), key=lambda each: each.value):
        beyond = limit.value > x.high
        text = shortened(f"{limit.words} →" if beyond else limit.words, page.size, 0.6 * page.width)
        half = text_width(text, page.size) / 2
        middle = min(max(x.place(limit.value), half), page.width - half)
        label = Label(px(middle), 0.0, text, "limit", page.size, "middle")
        wide = Box(box_of(label).left - _GAP, -1.0, box_of(label).right + _GAP, 1.0)
        row = next((place for place, taken in enumerate(rows) if not any(wide.meets(box) for box in taken)), len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append(wide)
        placed.append((limit, label, row))
    return placed
