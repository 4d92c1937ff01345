"""Drawing of a chart: the only module that decides the geometry of a report's charts."""

from dataclasses import replace
from typing import Literal

from stowage.documents.charts.bars import bars, stacked
from stowage.documents.charts.grid import grid
from stowage.documents.charts.lines import lines
from stowage.documents.charts.marks import Drawing, Label
from stowage.documents.charts.plane import Page
from stowage.documents.charts.points import drawable
from stowage.documents.charts.scatter import scatter
from stowage.documents.charts.shapes import px
from stowage.model.report import Chart, Scale

Width = Literal["wide", "narrow"]
"""720 px, for desktop and paper, and 340 px, for phones."""
_PAGES: dict[Width, Page] = {"wide": Page(720.0, 12.0), "narrow": Page(340.0, 12.0)}
_WAYS = {"scatter": scatter, "lines": lines, "stacked": stacked, "bars": bars, "grid": grid}


def draw(chart: Chart, width: Width = "wide") -> Drawing:
    """Draw a chart.

    Parameters
    ----------
    chart : Chart
        Points without a position on the axes are left out, such as zero on a logarithmic axis.
    width : {'wide', 'narrow'}

    Returns
    -------
    Drawing
        All marks lie within the frame; the height depends on the content.
    """
    page = _PAGES[width]
    meant = _meant(chart)
    drawing = _WAYS[chart.chart](meant, page)
    if any(drawable(series.points, meant) for series in chart.series):
        return drawing
    middle = Label(drawing.width / 2, px(drawing.height / 2), "nothing to show", "text", page.size, "middle")
    return replace(drawing, marks=(*drawing.marks, middle))


def _meant(chart: Chart) -> Chart:
    """Return a bar chart with axes that bars support; return any other chart unchanged.

    Bars need categories on the y axis and a linear x axis; the x axis of bars without stacking may be logarithmic.
    """
    if chart.chart not in {"stacked", "bars"}:
        return chart
    along: Scale = "log" if chart.x.scale == "log" and chart.chart == "bars" else "linear"
    return replace(chart, x=replace(chart.x, scale=along), y=replace(chart.y, scale="categories"))
