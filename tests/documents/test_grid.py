"""Colors of a grid's cells, in drawings and spreadsheets."""

import io
from dataclasses import replace
from typing import get_args

import openpyxl

from documents.sample import full_report
from stowage.documents.charts.cell_colours import CELL_STYLES, SCALE
from stowage.documents.charts.drawing import Width, draw
from stowage.documents.charts.marks import Label, Rect
from stowage.documents.charts.svg import svg
from stowage.documents.spreadsheet import workbook
from stowage.model.report import Axis, Chart, Point, Section, Series

_COSTS = Series(
    "cost of a run",
    tuple(Point(float(at), 0.0, label=f"${value:g}", value=value) for at, value in enumerate((10.0, 20.0, 40.0))),
    shades="ratios",
)
_NONE = Series("none fits", (Point(3.0, 0.0, label="—"),), faint=True)
_SIZES = Axis("Data", "", "categories", ("1 TB", "2 TB", "4 TB", "8 TB"))


def grid_of(*series: Series) -> Chart:
    return Chart("cost", "Cost", "From $10 to $40.", "grid", _SIZES, Axis("", "", "categories", ("30 min",)), series)


def styles(chart: Chart) -> list[str]:
    return [mark.style for mark in draw(chart).marks if isinstance(mark, Rect) and mark.title is not None]


def test_equal_ratios_are_equal_steps_of_the_scale_also_beside_cells_without_an_answer() -> None:
    middle, last = (len(SCALE) - 1) // 2, len(SCALE) - 1
    assert styles(grid_of(_COSTS, _NONE)) == ["scale-0", f"scale-{middle}", f"scale-{last}", "faint"]
    same = replace(_COSTS, points=tuple(replace(point, value=10.0) for point in _COSTS.points))
    assert styles(grid_of(same)) == [f"scale-{middle}"] * 3


def test_a_value_of_a_cell_without_an_answer_has_no_color() -> None:
    valued = replace(_NONE, points=(replace(_NONE.points[0], value=0.0),))
    assert styles(grid_of(_COSTS, valued)) == styles(grid_of(_COSTS, _NONE))


def test_older_reports_keep_their_colors() -> None:
    old = replace(_COSTS, shades="steps")
    assert styles(grid_of(old)) == ["heat-0", "heat-2", "heat-6"]
    assert styles(grid_of(old, _NONE)) == ["series-1"] * 3 + ["faint"]


def test_sizes_of_a_family_share_a_hue() -> None:
    small, large, other = (
        Series(name, (Point(at, 0.0, label="9"),), family=family, strength=strength)
        for name, at, family, strength in (
            ("i4i.large", 0.0, 1, 0.0),
            ("i4i.metal", 1.0, 1, 1.0),
            ("r5.large", 2.0, 8, 0.5),
        )
    )
    chart = grid_of(small, large, other)
    assert styles(chart) == ["hue-1-0", "hue-1-10", "hue-0-5"]
    picture = svg(draw(chart), chart.title)
    assert all(CELL_STYLES[style].light.fill in picture for style in styles(chart))


def test_near_ties_are_marked() -> None:
    near = replace(_COSTS, points=(replace(_COSTS.points[0], near_tie=True), *_COSTS.points[1:]))
    for width in get_args(Width):
        labels = [mark for mark in draw(grid_of(near), width).marks if isinstance(mark, Label)]
        [mark] = [label for label in labels if label.text == "≈"]
        [cost] = [label for label in labels if label.text == "$10"]
        assert mark.style == cost.style == "on-scale-0"
        assert mark.y < cost.y - 0.7 * cost.size


def test_the_sheet_of_a_grid_has_the_same_colors() -> None:
    near = replace(_COSTS, points=(replace(_COSTS.points[0], near_tie=True), *_COSTS.points[1:]))
    report = replace(full_report(), sections=(Section("cost", "Cost", (grid_of(near, _NONE),)),))
    sheet = openpyxl.load_workbook(io.BytesIO(workbook(report)))["cost"]
    rows = {row[8].value: row for row in sheet.iter_rows(min_row=5) if row[8].value}
    for label, colour in (("$10", SCALE[0]), ("$40", SCALE[-1])):
        assert rows[label][8].fill.start_color.rgb == f"FF{colour.light.fill[1:].upper()}"
        assert rows[label][8].font.color.rgb == f"FF{colour.light.ink[1:].upper()}"
    assert rows["—"][8].fill.patternType is None
    assert [rows[label][10].value for label in ("$10", "$20")] == ["near-tie", None]
