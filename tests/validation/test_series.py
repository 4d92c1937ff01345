"""From small clusters to large ones: each way of predicting finds a law that it has, and what it missed is stated."""

import math

import pytest

from bench.published_frameworks import instances
from stowage.validation import ernest
from stowage.validation.series import LARGE, SMALL, from_small_to_large

FOUND = from_small_to_large(instances())


def test_every_published_series_with_small_and_large_clusters_is_predicted() -> None:
    assert {(one.job.told["job"], one.job.nodes) for one in FOUND} == {
        (job, nodes) for job in ("terasort", "join") for nodes in (32, 40, 48)
    }
    assert all(one.job.nodes >= LARGE > SMALL for one in FOUND)


def test_terasorts_on_large_clusters_are_met_by_an_engine_whose_factor_grows_and_by_no_form_without_physics() -> None:
    sorts = [one for one in FOUND if one.job.told["job"] == "terasort"]
    assert all(abs(one.growth_s / one.job.time_s - 1.0) < 0.05 for one in sorts)
    assert all(one.level_s < one.job.time_s < one.ernest_s for one in sorts)


def test_ernests_form_finds_what_has_its_form() -> None:
    sizes = [(data_mb, nodes) for data_mb in (1e5, 4e5) for nodes in (2, 4, 8, 16)]
    times_s = [10.0 + 0.02 * data_mb / nodes + 3.0 * math.log(nodes) for data_mb, nodes in sizes]
    found = ernest.fit(sizes, times_s)
    assert found == pytest.approx([10.0, 0.02, 3.0, 0.0], abs=1e-6)
    assert ernest.time_s(found, 1e6, 32) == pytest.approx(10.0 + 625.0 + 3.0 * math.log(32))
