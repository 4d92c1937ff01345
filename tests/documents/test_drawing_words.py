"""Ticks of axes: round numbers, in the same words as the rest of a report."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.documents.charts.scale import Scale, span
from stowage.documents.charts.ticks import ticks, value_words
from stowage.workloads.wording import duration, usd


@given(st.floats(1e-3, 1e9))
def test_durations_are_those_of_the_tables(seconds: float) -> None:
    assert value_words(seconds, "s") == duration(seconds)


@given(st.floats(1e-5, 1e11))
def test_money_is_that_of_the_tables(amount: float) -> None:
    assert value_words(amount, "USD") == usd(amount)


@given(
    st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=5),
    st.booleans(),
    st.sampled_from(["s", "USD", "months", "nodes", "1", "MB/s"]),
    st.integers(2, 12),
)
def test_ticks_are_few_in_order_and_on_the_axis(values: list[float], log: bool, unit: str, most: int) -> None:  # noqa: FBT001
    low, high = span(values, log=log)
    placed = ticks(Scale(low, high, log, 0.0, 400.0), unit, most)
    assert len(placed) <= most + 1
    assert list(placed) == sorted(set(placed))
    slack = 1e-9 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in placed)


@pytest.mark.parametrize(
    ("low", "high", "log", "unit", "said"),
    [
        (0.0, 1_100.0, False, "s", ["0", "5 min", "10 min", "15 min"]),
        (60.0, 7_200.0, True, "s", ["1 min", "5 min", "20 min", "1 h"]),
        (0.0, 540.0, False, "USD", ["$0", "$200", "$400"]),
        (1.0, 36.0, False, "months", ["1 y", "2 y", "3 y"]),
        (0.0, 0.55, False, "1", ["0%", "20%", "40%"]),
    ],
    ids=["time", "time, logarithmic", "money", "months", "shares"],
)
def test_ticks_are_what_people_count_in(low: float, high: float, log: bool, unit: str, said: list[str]) -> None:  # noqa: FBT001
    placed = ticks(Scale(low, high, log, 0.0, 400.0), unit, 4)
    assert [value_words(tick, unit) for tick in placed] == said
