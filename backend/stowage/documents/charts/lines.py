"""Line charts over months or nodes: steps, bands, and a label at the end of each series."""

from collections.abc import Sequence
from itertools import pairwise

from stowage.documents.charts.framing import Framed, framed, pieces, y_limits
from stowage.documents.charts.key import Entry
from stowage.documents.charts.lettering import text_width, wrapped
from stowage.documents.charts.marks import Circle, Drawing, Label, Mark, Path
from stowage.documents.charts.palette import Look, looks
from stowage.documents.charts.placing import apart
from stowage.documents.charts.plane import Page
from stowage.documents.charts.points import drawable, said, whisker_ends
from stowage.documents.charts.shapes import Spot, line, marker, px, steps
from stowage.documents.text import one_line
from stowage.model.report import Chart, Point, Series

_END, _TARGET, _GAP = 3.5, 7.0, 12.0
# More tooltip targets would add size without helping the pointer.
_TARGETS = 240
# Beside the plot area there is room for this many names; more go into the legend.
_BESIDE = 8


def lines(chart: Chart, page: Page) -> Drawing:
    """Draw lines over the horizontal axis, labeled at their ends."""
    shown = [
        (series, look, sorted(drawable(series.points, chart), key=lambda point: point.x))
        for series, look in zip(chart.series, looks(chart.series), strict=True)
    ]
    # A band is drawn behind the lines and has no end label.
    here = [each for each in shown if each[2]]
    ending = [each for each in here if each[0].drawn != "band"]
    room = (0.27 if page.narrow else 0.22) * page.width
    names = [wrapped(series.name, page.size, room, 3) for series, _, _ in ending]
    whole = all(" ".join(name) == one_line(series.name) for name, (series, _, _) in zip(names, ending, strict=True))
    beside = whole and len(ending) <= _BESIDE
    widest = max((text_width(text, page.size) for name in names for text in name), default=0.0)
    entries = [
        Entry(series.name, look, "cell" if series.drawn == "band" else "marked")
        for series, look, points in shown
        if series.drawn == "band" or not points or not beside
    ]
    on = framed(chart, page, entries, right=widest + _GAP + 2.0 if beside and ending else 0.0, tight=True)
    drawn = [mark for series, look, points in here for mark in _line(series, look, points, chart, on)]
    ways = [on.plane.spot(point.x, point.y) for _, _, points in here for point in points]
    limits, _ = y_limits(on, chart, page, pieces(ways) if len(ways) <= _TARGETS else [])
    ended = [(look, on.plane.spot(points[-1].x, points[-1].y)) for _, look, points in ending]
    last = _ends(ended, names, on, page) if beside else [_end(look, spot) for look, spot in ended]
    marks = [*on.marks, *_bands(here, chart, on), *limits, *drawn, *last, *_targets(here, chart, on)]
    return Drawing(page.width, on.height, tuple(marks))


def _bands(shown: Sequence[tuple[Series, Look, list[Point]]], chart: Chart, on: Framed) -> list[Mark]:
    marks: list[Mark] = []
    for series, look, points in shown:
        ranges = [(point.x, found) for point in points if (found := whisker_ends(point, chart.y)) is not None]
        if len(ranges) < 2:
            continue
        upper = [on.plane.spot(x, high) for x, (_, high) in ranges]
        lower = [on.plane.spot(x, low) for x, (low, _) in ranges]
        if series.drawn == "step":
            upper, lower = steps(upper), steps(lower)
        marks.append(Path(line([*upper, *reversed(lower)], closed=True), look.style, "soft"))
    return marks


def _line(series: Series, look: Look, points: Sequence[Point], chart: Chart, on: Framed) -> list[Mark]:
    spots = [on.plane.spot(point.x, point.y) for point in points]
    marks: list[Mark] = []
    if series.drawn not in {"points", "band"} and len(spots) > 1:
        way = steps(spots) if series.drawn in {"step", "bars"} else spots
        marks.append(Path(line(_straightened(way)), look.style, "line" if series.faint else "bold", title=series.name))
    for point, (x, y) in zip(points, spots, strict=True):
        if series.drawn == "points" or (len(points) == 1 and series.drawn != "band"):
            marks.append(marker(look.turn, x, y, _END, look.style, "fill", said(point, series, chart)))
        if point.ringed:
            marks.append(Circle(px(x), px(y), 2 * _END, "ring", "bold"))
    return marks


def _straightened(way: list[Spot]) -> list[Spot]:
    """Remove points on a horizontal line between their neighbors."""
    kept = way[:1]
    for before, (here, after) in zip(way, pairwise(way[1:]), strict=False):
        level = before[1] == here[1] == after[1]
        if not level:
            kept.append(here)
    return [*kept, *way[-1:]] if len(way) > 1 else kept


def _ends(ended: Sequence[tuple[Look, Spot]], names: Sequence[tuple[str, ...]], on: Framed, page: Page) -> list[Mark]:
    """Label each line at its end; a label that has to move aside gets a leader line."""
    if not ended:
        return []
    frame = on.plane.frame
    gap = page.line * max(len(name) for name in names)
    gap = min(gap, (frame.bottom - frame.top) / len(ended))
    places = apart([y for _, (_, y) in ended], gap, frame.bottom)
    marks: list[Mark] = []
    for (look, (x, y)), name, place in zip(ended, names, places, strict=True):
        if abs(place - y) > 0.4 * page.size or x < frame.right - 1.0:
            marks.append(Path(line([(x, y), (frame.right + _GAP - 3.0, place)]), look.style, "line"))
        marks.append(_end(look, (x, y)))
        first = place + 0.35 * page.size - (len(name) - 1) * page.line / 2
        for row, text in enumerate(name):
            foot = px(first + row * page.line)
            marks.append(Label(px(frame.right + _GAP), foot, text, "text", page.size))
    return marks


def _end(look: Look, spot: Spot) -> Mark:
    return marker(look.turn, *spot, _END, look.style, "fill", None)


def _targets(shown: Sequence[tuple[Series, Look, list[Point]]], chart: Chart, on: Framed) -> list[Mark]:
    """Return invisible circles over the points, each with a tooltip that describes its point."""
    each = -(-sum(len(points) for _, _, points in shown) // _TARGETS)
    return [
        Circle(px(x), px(y), _TARGET, look.style, "target", title=said(point, series, chart))
        for series, look, points in shown
        if series.drawn not in {"points", "band"}
        for point in points[:: max(1, each)]
        for x, y in (on.plane.spot(point.x, point.y),)
    ]
