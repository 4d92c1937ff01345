"""Scatter charts: cost over time, with whiskers for ranges, a line for the Pareto frontier, rings for selections."""

from collections.abc import Sequence

from stowage.documents.charts.framing import Framed, framed, pieces, y_limits
from stowage.documents.charts.key import Entry
from stowage.documents.charts.lettering import shortened
from stowage.documents.charts.marks import Circle, Drawing, Label, Mark, Path
from stowage.documents.charts.palette import Look, looks
from stowage.documents.charts.placing import Box, beside, box_of, freest
from stowage.documents.charts.plane import Page
from stowage.documents.charts.points import drawable, said, whisker_ends
from stowage.documents.charts.shapes import dots, line, marker, px, steps
from stowage.model.report import Chart, Point, Series

_POINT, _RING, _CAP = 4.5, 9.0, 3.0
# Up to this many points have a shape and a label each; more are drawn as dots.
_APART = 400


def scatter(chart: Chart, page: Page) -> Drawing:
    """Draw points on two axes, the background first, the selected ones last."""
    shown = list(zip(chart.series, _looks(chart.series), strict=True))
    on = framed(chart, page, [_entry(series, look) for series, look in shown], right=0.02 * page.width)
    shapes = [_drawn(series, look, chart, on) for series, look in shown]
    taken = [box for _, boxes in shapes for box in boxes]
    limits, limit_boxes = y_limits(on, chart, page, taken)
    words = _words(chart, on, page, [*taken, *limit_boxes, *on.lines])
    marks = [*on.marks, *limits, *(mark for drawn, _ in shapes for mark in drawn), *words]
    return Drawing(page.width, on.height, tuple(marks))


def _looks(series: Sequence[Series]) -> tuple[Look, ...]:
    """Return the appearance of each series; lines have the style of the Pareto frontier instead of a series color."""
    own = [each for each in series if each.drawn not in {"line", "step"}]
    found = iter(looks(own))
    return tuple(
        next(found) if each.drawn not in {"line", "step"} else Look("frontier", None, "fill", 0) for each in series
    )


def _entry(series: Series, look: Look) -> Entry:
    if series.drawn in {"line", "step"}:
        return Entry(series.name, look, "line")
    return Entry(series.name, look, "dots" if look.style == "faint" else "point")


def _drawn(series: Series, look: Look, chart: Chart, on: Framed) -> tuple[list[Mark], list[Box]]:
    """Return the marks of a series, and the areas that labels must not cover."""
    points = drawable(series.points, chart)
    spots = [on.plane.spot(point.x, point.y) for point in points]
    if series.drawn in {"line", "step"}:
        way = steps(spots) if series.drawn == "step" else spots
        return ([Path(line(way), look.style, "bold", title=series.name)] if way else []), pieces(way)
    if look.style == "faint" or len(points) > _APART:
        return ([Path(dots(spots), look.style, "dots")] if spots else []), []
    marks: list[Mark] = []
    boxes: list[Box] = []
    for point, (x, y) in zip(points, spots, strict=True):
        if (ends := whisker_ends(point, chart.y)) is not None:
            low, high = (on.plane.y.place(end) for end in ends)
            marks.append(Path(_whisker(x, low, high), look.style, "line"))
            boxes.append(Box(x - 1, min(low, high), x + 1, max(low, high)))
        marks.append(marker(look.turn, x, y, _POINT, look.style, look.form, said(point, series, chart)))
        if point.ringed:
            marks.append(Circle(px(x), px(y), _RING, "ring", "bold"))
        reach = _RING if point.ringed else _POINT
        boxes.append(Box(x - reach, y - reach, x + reach, y + reach))
    return marks, boxes


def _whisker(x: float, low: float, high: float) -> str:
    caps = "".join(line([(x - _CAP, end), (x + _CAP, end)]) for end in (low, high))
    return line([(x, low), (x, high)]) + caps


def _words(chart: Chart, on: Framed, page: Page, taken: Sequence[Box]) -> list[Label]:
    """Return labels beside points: for each selected point, and for other points if the label covers nothing."""
    named = [
        (point, point.label)
        for series in chart.series
        if not series.faint
        for point in drawable(series.points, chart)
        if point.label
    ]
    covered, labels = list(taken), list[Label]()
    for point, text in sorted(named[:_APART], key=lambda each: not each[0].ringed):
        label = _word(point, text, on, page, covered)
        if label is not None:
            labels.append(label)
            covered.append(box_of(label))
    return labels


def _word(point: Point, text: str, on: Framed, page: Page, covered: Sequence[Box]) -> Label | None:
    words = shortened(text, page.size, 0.45 * on.plane.x.length)
    if not words:
        return None
    style = "text-strong" if point.ringed else "text"
    places = beside(*on.plane.spot(point.x, point.y), words, style=style, size=page.size)
    return freest(places, covered, on.plane.frame, bear=float("inf") if point.ringed else 0.0)
