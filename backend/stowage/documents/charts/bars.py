"""Horizontal bars: stacked parts, or one value with its range."""

import math
from dataclasses import replace

from stowage.documents.charts.key import Entry
from stowage.documents.charts.lettering import shortened, text_width
from stowage.documents.charts.marks import Drawing, Label, Mark, Path, Rect
from stowage.documents.charts.palette import Look, looks, resource_words
from stowage.documents.charts.plane import Page
from stowage.documents.charts.points import drawable, in_words, range_words, whisker_ends
from stowage.documents.charts.rows import Rows, rows
from stowage.documents.charts.scale import tame
from stowage.documents.charts.shapes import line, px
from stowage.documents.text import one_line
from stowage.frozen import frozen
from stowage.model.report import Chart, Point, Series

_EDGE, _INSIDE, _AFTER, _CAP = 1.0, 5.0, 6.0, 4.0


@frozen
class _Part:
    """One part of a stacked bar, such as a phase of a job.

    ``place`` is the index of the bar. ``start`` and ``end`` are values on the x axis. ``words`` is the text of the
    part.
    """

    series: Series
    look: Look
    place: int
    start: float
    end: float
    words: str


def stacked(chart: Chart, page: Page) -> Drawing:
    """Draw a stacked bar for each category.

    Names are inside the bars if all names fit; otherwise they are in the legend.

    Parameters
    ----------
    chart : Chart
        Chart with a linear x axis: on a logarithmic axis, the lengths of parts would not add up. Parts of 0 or less are
        left out.
    page : Page
    """
    parts, totals = _parts(chart)
    right = max((text_width(in_words(total, chart.x), page.size, strong=True) for total in totals), default=0.0)
    shown = _shown(chart)

    def laid(named: list[Entry]) -> Rows:
        return rows(chart, page, named, totals, right=right + 2 * _AFTER, strong=_chosen(chart))

    on = laid(_resources(shown))
    written = {id(part.series) for part in parts if _fits(part, on, page)}
    if any(id(series) not in written for series, _ in shown):
        # The legend then names all parts, so that there is one place to look. The parts show their amounts.
        on = laid([Entry(_full_name(series), look, "area") for series, look in shown])
        parts = [replace(part, words=in_words(part.end - part.start, chart.x)) for part in parts]
    drawn = [mark for part in parts for mark in _part(part, on, chart, page)]
    ends = [mark for place, total in enumerate(totals) for mark in _total(place, total, chart, on, page)]
    return Drawing(page.width, on.height, (*on.marks, *drawn, *ends))


def _shown(chart: Chart) -> list[tuple[Series, Look]]:
    return list(zip(chart.series, looks(chart.series), strict=True))


def _parts(chart: Chart) -> tuple[list[_Part], list[float]]:
    """Compute the positions of the parts of all bars.

    The parts of a bar follow one another without gaps. Parts with the same name are neighbors, even if their resources
    differ. This keeps the phases of a job in order.

    Returns
    -------
    tuple
        The parts of all bars, and the total length of each bar in the unit of the x axis.
    """
    reached = [0.0] * len(chart.y.categories)
    parts = []
    names = [series.name for series in chart.series]
    for series, look in sorted(_shown(chart), key=lambda each: names.index(each[0].name)):
        for point in drawable(series.points, chart):
            length, place = tame(point.x), round(point.y)
            if length > 0.0:
                start, end = reached[place], reached[place] + length
                parts.append(_Part(series, look, place, start, end, one_line(point.label or series.name)))
                reached[place] = end
    return parts, reached


def _resources(shown: list[tuple[Series, Look]]) -> list[Entry]:
    """Return a legend entry for each resource that colors parts of the bars."""
    named = {series.resource: look for series, look in reversed(shown) if series.resource is not None}
    return [Entry(resource_words(name), look, "area") for name, look in reversed(named.items())]


def _full_name(series: Series) -> str:
    return series.name if series.resource is None else f"{series.name}: {resource_words(series.resource)}"


def _chosen(chart: Chart) -> set[int]:
    return {round(point.y) for series in chart.series for point in drawable(series.points, chart) if point.ringed}


def _fits(part: _Part, on: Rows, page: Page) -> bool:
    room = on.x.place(part.end) - on.x.place(part.start) - 2 * _INSIDE
    return 0.0 < text_width(part.words[:200], page.size) <= room


def _part(part: _Part, on: Rows, chart: Chart, page: Page) -> list[Mark]:
    left, right, top = on.x.place(part.start), on.x.place(part.end), on.tops[part.place]
    title = f"{one_line(part.series.name)[:200]}: {in_words(part.end - part.start, chart.x)}"
    width = max(right - left - _EDGE, 0.5)
    look = part.look
    marks: list[Mark] = [Rect(px(left), px(top), px(width), on.bar, look.style, look.form, look.pattern, title)]
    if _fits(part, on, page):
        foot = px(top + on.bar / 2 + 0.35 * page.size)
        style = "on-cell" if look.form == "pale" or look.style == "faint" else f"on-{look.style}"
        marks.append(Label(px(left + _INSIDE), foot, part.words, style, page.size))
    return marks


def _total(place: int, total: float, chart: Chart, on: Rows, page: Page) -> list[Mark]:
    if total <= 0.0:
        return []
    words = in_words(total, chart.x)
    return [_word(words, on.x.place(total), on.tops[place] + on.bar / 2, page, strong=place in _chosen(chart))]


def _word(words: str, end: float, middle: float, page: Page, *, strong: bool) -> Label:
    style = "text-strong" if strong else "text"
    return Label(px(end + _AFTER), px(middle + 0.35 * page.size), words, style, page.size)


def bars(chart: Chart, page: Page) -> Drawing:
    """Draw a horizontal bar for each value.

    A whisker shows the range of the value. The text of the value follows the bar.

    Parameters
    ----------
    chart : Chart
        With several series, each category has a thinner bar for each series.
    page : Page
    """
    shown = [(series, look, drawable(series.points, chart)) for series, look in _shown(chart)]
    values = [value for _, _, points in shown for point in points for value in _reach(point, chart)]
    words = [_words(point, chart, page) for _, _, points in shown for point in points]
    right = max((text_width(text, page.size, strong=True) for text in words), default=0.0) + 2 * _AFTER
    # The axis already names a single series.
    entries = [] if len(shown) == 1 else [Entry(series.name, look, "area") for series, look, _ in shown]
    on = rows(chart, page, entries, values, right=right, strong=_chosen(chart))
    each = on.bar / max(1, len(shown))
    marks = list(on.marks)
    for at, (series, look, points) in enumerate(shown):
        for point in points:
            top = on.tops[round(point.y)] + at * each
            marks += _bar(point, series, look, top, each, on, chart, page)
    return Drawing(page.width, on.height, tuple(marks))


def _reach(point: Point, chart: Chart) -> list[float]:
    return [point.x, *(whisker_ends(point, chart.x) or ())]


def _words(point: Point, chart: Chart, page: Page) -> str:
    # A narrow page has room for less beside the bars, but a range such as −46.7% to +87.7% must be readable.
    most = (0.45 if page.narrow else 0.3) * page.width
    return shortened(point.label or in_words(point.x, chart.x), page.size, most)


def _bar(
    point: Point, series: Series, look: Look, top: float, each: float, on: Rows, chart: Chart, page: Page
) -> list[Mark]:
    zero = on.x.start if on.x.log else on.x.place(0.0)
    at = on.x.place(point.x)
    left, right = min(zero, at), max(zero, at)
    whole = f"{one_line(series.name)[:200]}: {in_words(point.x, chart.x)}"
    title = f"{whole} ({range_words(point, chart.x)})" if point.low is not None and point.high is not None else whole
    width, high = px(max(right - left, 0.5)), px(max(each - _EDGE, 0.5))
    marks: list[Mark] = [Rect(px(left), px(top), width, high, look.style, look.form, look.pattern, title)]
    end, middle = right, top + each / 2
    if (found := whisker_ends(point, chart.x)) is not None:
        low, most = sorted(on.x.place(value) for value in found)
        cap = min(_CAP, each / 2)
        caps = "".join(line([(x, middle - cap), (x, middle + cap)]) for x in (low, most))
        marks.append(Path(line([(low, middle), (most, middle)]) + caps, "text", "line"))
        end = max(end, most)
    if each >= 0.9 * page.size and math.isfinite(point.x):
        marks.append(_word(_words(point, chart, page), end, middle, page, strong=point.ringed))
    return marks
