"""Compiled cells of tables and time series: the results of Python, to the last bit, or none."""

import csv
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.files.compiled import all_series, append, cells, figures, product, record, record_row, words_at
from stowage.measure.files.printed import KIB, MIB
from stowage.measure.monitors.sysstat import CPU_COLUMNS, DEVICE_COLUMNS, Column, figure_of, stored_of
from stowage.measure.reading import MOST_POINTS, MOST_SERIES, Metric, PrintedValue, Series


@given(st.text(alphabet='ab1", ;\t\x1c\x85\xa0é\r', max_size=14), st.sampled_from(",;\t"))
def test_cells_are_those_of_the_library_or_none(text: str, delimiter: str) -> None:
    found = cells(text, delimiter)
    if found is not None:
        rows = csv.reader([text], delimiter=delimiter, skipinitialspace=True)
        assert found == [cell.strip() for cell in next(rows)]


def test_usual_lines_are_split() -> None:
    assert cells('a, "b, c",', ",") == ["a", "b, c", ""]
    assert cells('a "b"', ",") is None
    assert cells('"a""b"', ",") is None
    assert cells('"a', ",") is None
    assert cells("", ",") is None


@pytest.mark.parametrize("columns", [CPU_COLUMNS, DEVICE_COLUMNS])
def test_figures_of_a_row_are_those_of_its_cells(columns: Mapping[str, Column]) -> None:
    chance = random.Random(3)  # noqa: S311 - no secret
    stored = stored_of(columns, columns)
    for _ in range(200):
        row = [f"{chance.uniform(0, 10 ** chance.randint(0, 9)):.{chance.randint(0, 6)}f}" for _ in columns]
        values = tuple(figure_of(row[place], column) for place, _, column, *_ in stored.columns)
        assert figures(stored.columns, row) == (values, tuple(row[place] for place, *_ in stored.columns))
    assert figures(stored.columns, ["1.4M", *row[1:]]) is None
    with pytest.raises(IndexError):
        figures(stored.columns, row[:1])


Interval = tuple[float, float, float, float]


def merged(found: list[Interval]) -> list[Interval]:
    """Return intervals whose neighbors are merged in pairs: start, end, mean and peak."""
    pairs = [(first, found[min(at + 1, len(found) - 1)]) for at, first in enumerate(found) if at % 2 == 0]
    return [
        (
            first[0],
            last[1],
            (first[2] * (first[1] - first[0]) + last[2] * (last[1] - last[0]))
            / sum([first[1] - first[0], last[1] - last[0]]),
            max(first[3], last[3]),
        )
        for first, last in pairs
    ]


@pytest.mark.parametrize("count", [1, 5, 100, 101, MOST_POINTS, MOST_POINTS + 1, 4_321])
def test_a_series_merges_its_neighbors(count: int) -> None:
    chance = random.Random(count)  # noqa: S311 - no secret
    ends = [0.0, *sorted(chance.uniform(0.1, 1e6) for _ in range(count))]
    lanes: dict[tuple[str, str], object] = {}
    expected: list[Interval] = []
    for start, end in pairwise(ends):
        value = chance.uniform(0, 1e4)
        assert append(lanes, ("device_iops", "a"), start - 0.5, end, value)
        assert not append(lanes, ("device_iops", "a"), start, end, value), "it is not later"
        expected.append((start if expected else start - 0.5, end, value, value))
        if len(expected) > MOST_POINTS:
            expected = merged(expected)
    while len(expected) > 100:
        expected = merged(expected)
    started_at = datetime(2026, 11, 29, tzinfo=UTC)
    assert all_series(lanes, started_at, 2.5, 100) == (
        Series(
            "device_iops",
            "a",
            started_at,
            tuple(end - 2.5 for _, end, _, _ in expected),
            tuple(mean for _, _, mean, _ in expected),
            tuple(peak for *_, peak in expected),
        ),
    )


def test_a_row_is_recorded_with_its_extremes() -> None:
    lanes: dict[tuple[str, str], object] = {}
    metrics: dict[str, Metric] = {}
    targets = ((("device_iops", "a"), "device_iops.max", "1/s", "tps of a", False),)
    for second, text in enumerate(("3", "7", "7.0", "5")):
        assert record(lanes, metrics, targets, (float(text),), (text,), second, second + 1.0) == 0
    assert metrics == {"device_iops.max": Metric("device_iops.max", 7.0, PrintedValue("7", "1/s", "tps of a"))}
    assert record(lanes, metrics, targets, (9.0,), ("9",), 0.0, 1.0) == 1, "an interval out of order is counted"
    for place in range(MOST_SERIES):
        append(lanes, ("device_iops", str(place)), 0.0, 1.0, 1.0)
    assert len(lanes) == MOST_SERIES
    assert not append(lanes, ("device_iops", "another"), 0.0, 1.0, 1.0)
    with pytest.raises(TypeError):
        record(lanes, metrics, targets, (), (), 0.0, 1.0)
    with pytest.raises(ValueError, match="PyCapsule"):
        append({("device_iops", "a"): "no series"}, ("device_iops", "a"), 0.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="PyCapsule"):
        all_series({("device_iops", "a"): "no series"}, None, 0.0, 100)
    with pytest.raises(TypeError):
        record(lanes, cast("dict[str, Metric]", {"device_iops.max": "none"}), targets, (9.0,), ("9",), 4.0, 5.0)


def rows(count: int) -> list[str]:
    """Return rows of a device and three figures, many of which are in no usual form."""
    chance = random.Random(8)  # noqa: S311 - no secret
    cells = ("0.00", "12.5", "7", "1.4M", "0,5", "", "99999999999999999999", "-1", "e", "7.", "12.50\u00e9", "\udc80")
    return [
        chance.choice((" ", "  ", "\t", "\x1c")).join(
            ["sda", *(chance.choice(cells[: chance.choice((3, 3, 12))]) for _ in range(3))]
        )
        for _ in range(count)
    ]


def test_a_row_of_words_is_recorded_as_its_figures_are() -> None:
    stored = stored_of(("DEV", "tps", "rkB/s", "%util"), DEVICE_COLUMNS)
    targets = stored.targets("sda")
    ours: dict[tuple[str, str], Any] = {}
    theirs: dict[tuple[str, str], Any] = {}
    metrics: tuple[dict[str, Metric], dict[str, Metric]] = ({}, {})
    usual = 0
    for second, row in enumerate(rows(3_000)):
        words = row.split()
        found = figures(stored.columns, words) if len(words) == 4 and row.isascii() else None
        left_out = record_row(ours, metrics[0], targets, stored.columns, row, second, second + 1.0)
        assert (left_out is None) == (found is None), row
        if found is not None:
            usual += 1
            assert left_out == record(theirs, metrics[1], targets, *found, second, second + 1.0)
    assert usual > 500
    assert metrics[0] == metrics[1]
    assert all_series(ours, None, 0.0, MOST_POINTS) == all_series(theirs, None, 0.0, MOST_POINTS)


def test_means_have_no_series() -> None:
    stored = stored_of(("DEV", "tps"), DEVICE_COLUMNS)
    metrics: dict[str, Metric] = {}
    for row in ("sda 3", "sda 7", "sda 5"):
        assert record_row(None, metrics, stored.means("sda"), stored.columns, row, 0.0, 0.0) == 0
    assert record(None, metrics, stored.means("sdb"), (8.0,), ("8",), 0.0, 0.0) == 0
    told = PrintedValue("8", "1/s", "Average tps of sdb")
    assert metrics == {"device_iops.mean": Metric("device_iops.mean", 8.0, told)}
    with pytest.raises(TypeError):
        record_row(None, metrics, (), stored.columns, "sda 3", 0.0, 0.0)


@pytest.mark.parametrize(
    ("texts", "count", "place", "expected"),
    [
        ((), 3, 1, ()),
        (("a b", " c\t d "), 2, 0, ("a", "c")),
        (("a b", " c\t d "), 2, 1, ("b", "d")),
        (("a b", "a"), 2, 0, None),
        (("\u00e9 b",), 2, 0, None),
        (("\udc80",), 1, 0, None),
        (("1 " * 64,), 64, 63, ("1",)),
        (("1 " * 65,), 65, 0, None),
    ],
)
def test_words_are_found_in_rows_that_have_so_many(
    texts: tuple[str, ...], count: int, place: int, expected: tuple[str, ...] | None
) -> None:
    assert words_at(texts, count, place) == expected
    with pytest.raises(IndexError):
        words_at(texts, count, count)


def test_a_product_is_exact_or_none() -> None:
    assert product("74.2", MIB) == 77.8043392
    assert product("1.5e3", KIB) is None
    assert product("", KIB) is None
