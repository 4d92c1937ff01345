"""The unknown framework covers every known framework, each left out in turn."""

import math
from dataclasses import replace

import pytest

from bench.unknown_framework import (
    HADOOP,
    PAGE,
    SPARK,
    THEMIS,
    Piece,
    evidence,
    fit,
    left_out,
    needed_error,
    spread,
    tables,
    unknown_range,
    write,
)
from knowledge import known
from stowage.model.cluster import Configuration, InstanceStore
from stowage.model.jobs.framework import RUN_SPREAD
from stowage.model.jobs.frameworks import UNKNOWN
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Workload
from stowage.model.prediction import Prediction, predict
from validation.published import GROUND

PIECES = evidence(GROUND)


def test_the_evidence_is_every_measured_time_of_a_framework() -> None:
    measured = [piece for piece in PIECES if piece.measured]
    assert {piece.framework: 0 for piece in measured}.keys() == {THEMIS, SPARK, HADOOP}
    assert [piece.time_s for piece in measured] == [
        888.0,
        1378.0,
        2981.0,
        1406.0,
        *(1794, 1673, 1503, 1452, 1384, 1249),
    ]


@pytest.mark.parametrize("framework", [THEMIS, SPARK, HADOOP])
def test_a_framework_that_was_left_out_is_held_by_what_the_others_say(framework: str) -> None:
    low, high = left_out(PIECES, framework).range
    own = [piece.log_ratio for piece in PIECES if piece.framework == framework and piece.measured]
    assert own
    assert low <= min(own) <= max(own) <= high
    assert high - low <= 2.0 * spread(PIECES)


def test_unknown_holds_all_evidence_and_is_no_wider_than_twice_its_spread() -> None:
    low, high = unknown_range()
    assert all(low <= piece.log_ratio <= high for piece in PIECES)
    assert high - low <= 2.0 * spread(PIECES)


def test_the_stated_figures_are_those_of_the_fit() -> None:
    fitted = fit(PIECES)
    assert UNKNOWN.faster is not None
    assert UNKNOWN.efficiency is not None
    assert round(fitted.deviation, 2) == UNKNOWN.faster.value
    assert round(fitted.within, 2) == RUN_SPREAD.value
    assert needed_error(PIECES) <= UNKNOWN.error.value <= needed_error(PIECES) + 0.03
    # The stored median predates Spark's entry in the evidence, and is within a twentieth of the current fit.
    assert -math.log(UNKNOWN.efficiency.value) == pytest.approx(fitted.median, abs=0.05)


def test_the_range_holds_what_the_profile_of_hadoop_gives_of_a_nightly_sort() -> None:
    newest = known("aws-2026-07-06")
    asked = Workload("", MapReduce("sort", 40e6))
    configuration = Configuration("i3.4xlarge", 60, InstanceStore(1, 1))

    def times_of(framework: str) -> Prediction:
        found = predict(configuration, replace(asked, framework=framework), newest.catalog, newest.profiles)
        assert isinstance(found, Prediction)
        return found

    unknown, hadoop = times_of("unknown").time_s, times_of("hadoop-dfsio").time_s
    assert unknown.p10 < hadoop.p50 < unknown.p90
    assert hadoop.p50 > 1.5 * unknown.p50


def test_the_fit_is_the_hierarchical_model_s() -> None:
    """Two frameworks, by hand: v = 0.02, M = 0.1, s^2 = 0.02 / 2, and Student's t with one degree of freedom."""
    by_hand = [Piece("a", "", math.exp(value), 1.0) for value in (-0.1, 0.1)] + [
        Piece("b", "", math.exp(value), 1.0) for value in (0.1, 0.3)
    ]
    found = fit(by_hand)
    half = 3.0776835 * math.sqrt(0.02 * 1.5 + 0.02)
    assert found.median == pytest.approx(0.1)
    assert found.range == pytest.approx((0.1 - half, 0.1 + half))


def test_the_page_states_the_tables_of_the_day() -> None:
    page = PAGE.read_text()
    assert write(page, tables(PIECES)) == page
