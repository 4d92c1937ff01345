"""Growth with nodes: its prior equals that of the series, and calibrations extrapolate it to large clusters."""

import math

import numpy as np
import pytest

from bench import ernest
from bench.growth import (
    LABORATORY,
    Series,
    growth_of_another,
    laboratory_series,
    published_series,
)
from bench.growth_with_nodes import LARGE, SMALL, to_large, to_the_upper_half
from bench.published_frameworks import instances
from stowage.model.jobs.framework import GROWTH, GROWTH_SPREAD

KNOWN = instances()


def test_what_is_expected_of_growth_is_what_the_series_of_other_clusters_show() -> None:
    series = (*published_series(KNOWN), *laboratory_series())
    width = growth_of_another(series)
    assert width.median == pytest.approx(GROWTH.value, abs=0.015)
    assert width.deviation == pytest.approx(GROWTH_SPREAD.value, abs=0.015)
    assert f"{len(series)} series" in GROWTH.source
    means = [
        np.mean([each.growth for each in series if each.source == source])
        for source in {each.source for each in series}
    ]
    assert f"from {min(means):.2f} to {max(means):.2f}" in GROWTH_SPREAD.source
    slopes = [each.growth for each in series if each.source != LABORATORY]
    assert f"from {min(slopes):.2f} to {max(slopes):.2f}" in GROWTH_SPREAD.source


def test_the_growth_of_a_series_is_its_power() -> None:
    nodes = (2.0, 8.0, 64.0)
    grown = Series("", "", nodes, tuple(0.3 + 0.2 * math.log(count) for count in nodes))
    assert grown.growth == pytest.approx(0.2)


def test_terasorts_on_large_clusters_are_met_and_held() -> None:
    found = to_large(KNOWN)
    assert {(one.case.nodes, "join" in one.group.what) for one in found} == {
        (nodes, joins) for nodes in (32, 40, 48) for joins in (False, True)
    }
    for one in found:
        assert one.case.nodes >= LARGE > SMALL
        if "terasort" in one.group.what:
            assert abs(one.errors[0]) < 0.05
            assert one.errors[1] > 0.4
            assert one.held


def test_ranges_hold_sizes_that_were_left_out() -> None:
    found = to_the_upper_half(KNOWN)
    assert 0.7 <= np.mean([one.held for one in found]) <= 0.9
    ours, ernests, lines = (np.median(np.abs(column)) for column in zip(*(one.errors for one in found), strict=True))
    assert ours < 0.5 * min(ernests, lines)


def test_ernests_form_finds_what_has_its_form() -> None:
    sizes = [(data_mb, nodes) for data_mb in (1e5, 4e5) for nodes in (2, 4, 8, 16)]
    times_s = [10.0 + 0.02 * data_mb / nodes + 3.0 * math.log(nodes) for data_mb, nodes in sizes]
    found = ernest.fit(sizes, times_s)
    assert found == pytest.approx([10.0, 0.02, 3.0, 0.0], abs=1e-6)
    assert ernest.time_s(found, 1e6, 32) == pytest.approx(10.0 + 625.0 + 3.0 * math.log(32))
