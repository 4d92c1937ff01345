"""Legend above a chart, for series that cannot be labeled in the plot area."""

from collections.abc import Sequence
from typing import Literal

from stowage.documents.charts.lettering import shortened, text_width
from stowage.documents.charts.marks import Label, Mark, Path, Rect
from stowage.documents.charts.palette import Look
from stowage.documents.charts.plane import Page
from stowage.documents.charts.shapes import dots, line, marker, px
from stowage.frozen import frozen

_BETWEEN, _AFTER = 14.0, 5.0

Sample = Literal["area", "line", "marked", "point", "dots", "cell"]


@frozen
class Entry:
    """One entry of the legend, which stands for a series."""

    name: str
    look: Look
    sample: Sample
    """Kind of the sample that is drawn beside the name."""


def key(entries: Sequence[Entry], top: float, page: Page) -> tuple[list[Mark], float]:
    """Lay out the legend, in as many lines as it needs.

    Parameters
    ----------
    entries : sequence of Entry
    top : float
        Top of the first line [px].
    page : Page

    Returns
    -------
    tuple
        The marks, and the bottom of the last line [px].
    """
    marks: list[Mark] = []
    left, middle = 0.0, top + 0.5 * page.line
    for entry in entries:
        sample = _width(entry.sample, page)
        name = shortened(entry.name, page.size, page.width - sample - _AFTER)
        width = sample + _AFTER + text_width(name, page.size)
        if left > 0.0 and left + width > page.width:
            left, middle = 0.0, middle + page.line
        marks += _sample(entry, left, middle, page)
        marks.append(Label(px(left + sample + _AFTER), px(middle + 0.35 * page.size), name, "text", page.size))
        left += width + _BETWEEN
    return marks, (middle + 0.5 * page.line if entries else top)


def _width(sample: Sample, page: Page) -> float:
    return {"area": 1.2, "line": 1.8, "marked": 1.8, "point": 0.9, "dots": 0.9, "cell": 1.2}[sample] * page.size


def _sample(entry: Entry, left: float, middle: float, page: Page) -> list[Mark]:
    look, width, half = entry.look, _width(entry.sample, page), 0.42 * page.size
    if entry.sample == "point":
        return [marker(look.turn, left + width / 2, middle, 0.34 * page.size, look.style, look.form, None)]
    if entry.sample == "dots":
        spread = ((0.2, -0.3), (0.75, -0.1), (0.4, 0.3))
        return [Path(dots((left + x * width, middle + y * width) for x, y in spread), look.style, "dots")]
    if entry.sample in {"line", "marked"}:
        through = Path(line([(left, middle), (left + width, middle)]), look.style, "bold")
        end = marker(look.turn, left + width / 2, middle, 0.3 * page.size, look.style, "fill", None)
        return [through, end] if entry.sample == "marked" else [through]
    form = "soft" if entry.sample == "cell" else look.form
    return [Rect(px(left), px(middle - half), px(width), px(2 * half), look.style, form, look.pattern)]
