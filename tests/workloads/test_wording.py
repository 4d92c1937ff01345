"""Figures in words: a central value is never outside the range that is written next to it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stowage.model.prediction import Range
from stowage.workloads.wording import duration, duration_range, usd

CASES = json.loads((Path(__file__).parents[2] / "frontend" / "tests" / "fixtures" / "ranges.json").read_text())
"""The same figures as in the page's test: one figure has one text everywhere."""
UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3_600.0, "d": 86_400.0}


def read_s(text: str) -> float:
    parts = re.findall(r"([\d.]+) (ms|s|min|h|d)\b", text.replace(",", ""))
    return sum(float(value) * UNITS[unit] for value, unit in parts)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["range"])
def test_a_range_is_written_as_on_the_page(case: dict[str, Any]) -> None:
    quantiles = Range(case["p10"], case["p50"], case["p90"])
    assert (duration(quantiles.p50), duration_range(quantiles)) == (case["centre"], case["range"])


@given(st.floats(0.001, 1e8), st.floats(0.0, 0.9), st.floats(0.0, 9.0))
@example(1010.0, 0.0, 0.0)
@example(443_880.0, 0.0008, 0.0016)
def test_what_is_written_of_the_median_lies_within_its_range(p50: float, below: float, above: float) -> None:
    low, high, unit = re.split("[– ]", duration_range(Range(p50 * (1 - below), p50, p50 * (1 + above))))
    centre = read_s(duration(p50))
    assert read_s(f"{low} {unit}") <= centre * (1 + 1e-12)
    assert read_s(f"{high} {unit}") >= centre * (1 - 1e-12)


@given(st.floats(1e-4, 1e9), st.floats(0.0, 0.9), st.floats(0.0, 9.0))
def test_amounts_of_money_are_rounded_all_alike(p50: float, below: float, above: float) -> None:
    low, centre, high = (
        float(usd(amount).removeprefix("$").replace(",", "")) for amount in (p50 * (1 - below), p50, p50 * (1 + above))
    )
    assert low <= centre <= high
