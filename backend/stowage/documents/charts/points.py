"""Points of a chart that can be drawn on its axes, and their text."""

import math
from collections.abc import Iterator, Sequence

from stowage.documents.charts.ticks import SHOWN_UNITS, value_words
from stowage.documents.text import one_line
from stowage.model.report import Axis, Chart, Point, Series


def drawable(points: Sequence[Point], chart: Chart) -> list[Point]:
    """Return the points that have a position on both axes."""
    return [each for each in points if _has_place(each.x, chart.x) and _has_place(each.y, chart.y)]


def _has_place(value: float, axis: Axis) -> bool:
    if axis.scale == "categories":
        return math.isfinite(value) and -0.5 < value < len(axis.categories) - 0.5
    return math.isfinite(value) and (axis.scale != "log" or value > 0.0)


def whisker_ends(point: Point, axis: Axis) -> tuple[float, float] | None:
    """Return the ends of a point's range; None if the point has no range, or an end has no position on the axis.

    Parameters
    ----------
    point : Point
    axis : Axis
        Axis of the range.
    """
    low, high = point.low, point.high
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return None
    return (low, high) if axis.scale != "log" or low > 0.0 else None


def along_y(series: Sequence[Series]) -> Iterator[float]:
    """Yield the y values of all points, and the ends of the points' ranges."""
    for each in series:
        for point in each.points:
            yield point.y
            yield from (end for end in (point.low, point.high) if end is not None)


def said(point: Point, series: Series, chart: Chart) -> str:
    """Return the tooltip of a point on two axes."""
    words = [point.label or series.name, in_words(point.x, chart.x), in_words(point.y, chart.y)]
    if point.low is not None and point.high is not None:
        words[-1] += f" ({range_words(point, chart.y)})"
    return ", ".join(one_line(each)[:200] for each in words if each)


def range_words(point: Point, axis: Axis) -> str:
    """Return the range of a point in words."""
    low, high = (math.nan if end is None else end for end in (point.low, point.high))
    return f"{in_words(low, axis)}–{in_words(high, axis)}"


def in_words(value: float, axis: Axis) -> str:
    """Return a value of an axis in words: a number with its unit, or the name of a category.

    Examples
    --------
    >>> in_words(40.0, Axis("Rate", "MB/s")), in_words(40.0, Axis("Time", "s"))
    ('40 MB/s', '40 s')
    """
    if not math.isfinite(value):
        return "?"
    if axis.scale == "categories":
        place = round(value)
        return axis.categories[place] if 0 <= place < len(axis.categories) else ""
    words = value_words(value, axis.unit)
    own = axis.unit in SHOWN_UNITS or axis.unit.startswith("USD/")
    return words if own else f"{words} {axis.unit}"
