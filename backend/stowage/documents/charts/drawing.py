"""A chart as a drawing: the one place where the geometry of a report's charts is decided."""

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
"""720 px, as on a desk and on paper, and 340 px, as on a phone."""
_PAGES: dict[Width, Page] = {"wide": Page(720.0, 12.0), "narrow": Page(340.0, 12.0)}
_WAYS = {"scatter": scatter, "lines": lines, "stacked": stacked, "bars": bars, "grid": grid}


def draw(chart: Chart, width: Width = "wide") -> Drawing:
    """Draw a chart.

    Parameters
    ----------
    chart : Chart
        Points that its axes have no place for, such as zero on a logarithmic one, are left out.
    width : {'wide', 'narrow'}

    Returns
    -------
    Drawing
        All of it within its frame; as high as it needs.
    """
    page = _PAGES[width]
    meant = _meant(chart)
    drawing = _WAYS[chart.chart](meant, page)
    if any(drawable(series.points, meant) for series in chart.series):
        return drawing
    middle = Label(drawing.width / 2, px(drawing.height / 2), "nothing to show", "text", page.size, "middle")
    return replace(drawing, marks=(*drawing.marks, middle))


def _meant(chart: Chart) -> Chart:
    """Give bars the axes that bars have, whatever is said of them: values across, categories down."""
    if chart.chart not in {"stacked", "bars"}:
        return chart
    along: Scale = "log" if chart.x.scale == "log" and chart.chart == "bars" else "linear"
    return replace(chart, x=replace(chart.x, scale=along), y=replace(chart.y, scale="categories"))
