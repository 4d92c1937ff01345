"""Properties of every drawing: it stays within its frame, it is legible, and no text in it becomes markup."""

import math
import re
from dataclasses import replace
from itertools import pairwise
from typing import TypeGuard, get_args
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.charts import KINDS, charts, words
from documents.sample import full_report
from stowage.documents.charts.drawing import Width, draw
from stowage.documents.charts.lettering import shortened, text_width, wrapped
from stowage.documents.charts.marks import Circle, Drawing, Label, Mark, Path, Rect
from stowage.documents.charts.palette import STYLES
from stowage.documents.charts.placing import box_of
from stowage.documents.charts.svg import svg
from stowage.documents.text import one_line
from stowage.model.report import Axis, Chart, ChartKind, Limit, Point, Series

WIDTHS: tuple[Width, ...] = get_args(Width)
SAMPLES = {
    block.key: block for section in full_report().sections for block in section.blocks if isinstance(block, Chart)
}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# Estimated text widths and rounded positions may exceed an edge by this much [px].
SLACK = 1.0

widths = st.sampled_from(WIDTHS)


def edges(mark: Mark) -> tuple[float, float, float, float]:
    """Return the left, upper, right and lower end of a mark."""
    if isinstance(mark, Rect):
        return mark.x, mark.y, mark.x + mark.width, mark.y + mark.height
    if isinstance(mark, Circle):
        # Pointer targets are invisible.
        r = 0.0 if mark.form == "target" else mark.r
        return mark.cx - r, mark.cy - r, mark.cx + r, mark.cy + r
    if isinstance(mark, Path):
        places = [float(number) for number in NUMBER.findall(mark.d)]
        return min(places[::2]), min(places[1::2]), max(places[::2]), max(places[1::2])
    box = box_of(mark)
    return box.left, box.top, box.right, box.bottom


def words_of(drawing: Drawing) -> list[str]:
    return [mark.text for mark in drawing.marks if isinstance(mark, Label)]


@settings(max_examples=40)
@given(charts(), widths)
def test_everything_is_within_the_frame_and_has_a_style_that_pages_know(chart: Chart, width: Width) -> None:
    drawing = draw(chart, width)
    assert drawing.width == {"wide": 720.0, "narrow": 340.0}[width]
    assert 0.0 < drawing.height < math.inf
    for mark in drawing.marks:
        left, top, right, bottom = edges(mark)
        assert all(math.isfinite(place) for place in (left, top, right, bottom)), mark
        assert left >= -SLACK, mark
        assert top >= -SLACK, mark
        assert right <= drawing.width + SLACK, mark
        assert bottom <= drawing.height + SLACK, mark
        assert mark.style in STYLES


@pytest.mark.parametrize("width", WIDTHS)
def test_the_range_at_the_end_of_a_bar_is_whole(width: Width) -> None:
    said = "−46.7% to +87.7%"
    chart = Chart(
        key="range-sources",
        title="What makes the range wide",
        caption="It is moved most by framework error.",
        chart="bars",
        x=Axis("Longer by", "1"),
        y=Axis("", "", "categories", ("framework error",)),
        series=(Series("longer by", (Point(0.877, 0.0, label=said),), "bars"),),
    )
    assert said in words_of(draw(chart, width))


@settings(max_examples=40)
@given(charts(), widths)
def test_no_two_ticks_touch(chart: Chart, width: Width) -> None:
    ticks = [mark for mark in draw(chart, width).marks if isinstance(mark, Label) and mark.style == "text-faint"]
    boxes = [box_of(label) for label in ticks if label.text]
    for place, box in enumerate(boxes):
        assert not any(box.meets(other) for other in boxes[place + 1 :]), ticks


@settings(max_examples=40)
@given(charts(), widths)
def test_what_people_write_is_text_in_a_file(chart: Chart, width: Width) -> None:
    drawing = draw(chart, width)
    root = ET.fromstring(svg(drawing, chart.title))  # noqa: S314 - ours
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names <= {"svg", "title", "defs", "pattern", "rect", "path", "circle", "text"}
    written = [element.text or "" for element in root.iter() if element.tag.endswith("}text")]
    assert written == [one_line(text) for text in words_of(drawing)]
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not any(name.startswith("on") or "href" in name for name in attributes)


@settings(max_examples=15)
@given(charts(), widths)
def test_the_same_chart_is_the_same_drawing(chart: Chart, width: Width) -> None:
    assert svg(draw(chart, width), chart.title) == svg(draw(replace(chart), width), chart.title)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("key", sorted(SAMPLES))
def test_every_series_is_named(key: str, width: Width) -> None:
    chart = SAMPLES[key]
    said = " ".join(words_of(draw(chart, width)))
    # For a single series, the axis and the title name it.
    names = [series.name for series in chart.series] if len(chart.series) > 1 else []
    assert [name for name in names if name not in said] == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [2, 12])
def test_many_series_are_named_too(kind: ChartKind, count: int, width: Width) -> None:
    places = range(4)
    series = tuple(
        Series(f"way {number:02}", tuple(Point(*_at(kind, place, number)) for place in places), "line")
        for number in range(count)
    )
    if kind == "scatter":
        series = tuple(replace(each, drawn="points") for each in series)
    names = Axis("", "", "categories", tuple("abcd"))
    bars = kind in {"stacked", "bars"}
    chart = Chart("k", "t", "c", kind, Axis("x", "USD"), names if bars else Axis("y", "USD"), series)
    said = " ".join(words_of(draw(chart, width)))
    assert [each.name for each in series if each.name not in said] == []


def _at(kind: ChartKind, place: int, number: int) -> tuple[float, float]:
    return (1.0 + number, float(place)) if kind in {"stacked", "bars"} else (float(place), 1.0 + number)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_without_points_says_so(kind: ChartKind, width: Width) -> None:
    for series in ((), (Series("none", ()),), (Series("unseen", (Point(math.inf, math.nan),)),)):
        chart = Chart("k", "t", "c", kind, Axis("x", "s"), Axis("y", "USD"), series)
        assert "nothing to show" in words_of(draw(chart, width))


def test_points_stand_where_their_values_are() -> None:
    chart = Chart(
        "k",
        "t",
        "c",
        "scatter",
        Axis("Time", "s", "log"),
        Axis("Cost", "USD", "log"),
        (Series("a", tuple(Point(10.0**power, 10.0**power) for power in range(4))),),
    )
    spots = [(mark.cx, mark.cy) for mark in draw(chart).marks if isinstance(mark, Circle)][-4:]
    steps = [(b[0] - a[0], a[1] - b[1]) for a, b in pairwise(spots)]
    # Decades have equal lengths, to the tenth of a pixel that is drawn.
    assert all(step == pytest.approx(steps[0], abs=0.21) for step in steps)


def test_parts_of_a_bar_lie_one_after_the_other_and_end_at_their_sum() -> None:
    drawing = draw(SAMPLES["time-by-phase"])
    parts = [mark for mark in drawing.marks if isinstance(mark, Rect) and mark.title]
    for top in {part.y for part in parts}:
        row = sorted((part for part in parts if part.y == top), key=lambda part: part.x)
        for one, other in pairwise(row):
            assert one.x + one.width == pytest.approx(other.x, abs=1.2)
    assert "16 min 50 s" in words_of(drawing)


def test_phases_keep_their_order_with_any_bottlenecks() -> None:
    where = Axis("", "", "categories", ("one", "two"))
    phases = (
        Series("first", (Point(10.0, 0.0),), "bars", "network"),
        Series("second", (Point(10.0, 0.0), Point(10.0, 1.0)), "bars", "network"),
        Series("first", (Point(30.0, 1.0),), "bars", "CPU"),
    )
    drawing = draw(Chart("k", "t", "c", "stacked", Axis("Time", "s"), where, phases))
    below = [mark for mark in drawing.marks if isinstance(mark, Rect) and mark.title]
    lowest = max(mark.y for mark in below)
    assert [mark.title for mark in below if mark.y == lowest] == ["first: 30 s", "second: 10 s"]


def test_limits_are_said_even_where_they_lie_beyond_the_axis() -> None:
    limits = (Limit("x", 1e9, "deadline"), Limit("y", 1e9, "budget"))
    series = (Series("a", (Point(1.0, 1.0), Point(2.0, 2.0)), "line"),)
    said = words_of(draw(Chart("k", "t", "c", "lines", Axis("x", "USD"), Axis("y", "USD"), series, limits)))
    assert {"deadline →", "budget ↑"} <= set(said)


@given(words, st.floats(8.0, 20.0), st.floats(0.0, 400.0))
def test_what_is_shortened_fits(text: str, size: float, room: float) -> None:
    assert text_width(shortened(text, size, room), size) <= room
    for line in wrapped(text, size, room, 2):
        assert text_width(line, size) <= room


@pytest.mark.parametrize("kind", KINDS)
def test_five_thousand_points_are_drawn_as_a_few_marks(kind: ChartKind) -> None:
    cloud = tuple(Point(1.0 + index % 71, 1.0 + index % 73) for index in range(5_000))
    names = Axis("", "", "categories", tuple(f"row {index}" for index in range(80)))
    y = names if kind in {"stacked", "bars", "grid"} else Axis("y", "USD")
    x = replace(names) if kind == "grid" else Axis("x", "USD")
    drawing = draw(Chart("k", "t", "c", kind, x, y, (Series("all", cloud, "line" if kind == "lines" else "points"),)))
    most = 1_500 if kind in {"scatter", "lines"} else 25_000
    assert len(drawing.marks) < most


def test_chances_of_nearly_nothing_do_not_look_like_much() -> None:
    where = Axis("", "", "categories", ("one",))
    rare = (Series("late", (Point(2.4e-12, 0.0, label="under 0.0001%"),), "bars"),)
    bars = [
        mark for mark in draw(Chart("k", "t", "c", "bars", Axis("Chance", "1"), where, rare)).marks if _is_bar(mark)
    ]
    assert [bar.width for bar in bars] == [0.5]


def _is_bar(mark: Mark) -> TypeGuard[Rect]:
    return isinstance(mark, Rect) and mark.title is not None
