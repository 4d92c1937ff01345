"""The fit to the six times of TestDFSIO: its constants, its order, and its sensitivity to single rows."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import PAPER
from stowage.model.jobs.framework import busy_share
from stowage.model.jobs.frameworks import HADOOP_DFSIO
from stowage.validation.comparison import validate
from stowage.validation.st1 import DIRECTIONS, LAYOUTS, Row, fit, predicted_with, rows
from validation.published import GROUND, case_of, predicted_of, validated, with_actuals

IDS = [f"st1-{direction}-{volumes}" for direction in DIRECTIONS for volumes in LAYOUTS]


def test_the_bounds_are_those_of_two_copies_written_and_one_read_at_500_mib_per_s() -> None:
    assert {round(row.bound_s, 2) for row in rows(GROUND) if row.direction == "write"} == {1310.72}
    assert {round(row.bound_s, 2) for row in rows(GROUND) if row.direction == "read"} == {655.36}


def test_the_full_fit_is_the_profile_of_the_model() -> None:
    found = fit(rows(GROUND)).framework()
    for fitted, kept, digits in (
        (found.read_efficiency, HADOOP_DFSIO.read_efficiency, 3),
        (found.write_efficiency, HADOOP_DFSIO.write_efficiency, 3),
        (found.streams, HADOOP_DFSIO.streams, 1),
    ):
        assert fitted is not None
        assert kept is not None
        assert round(fitted.value, digits) == kept.value


def test_the_full_fit_is_within_3_4_percent_of_every_row() -> None:
    whole = fit(rows(GROUND))
    for row in rows(GROUND):
        predicted = predicted_with(GROUND, whole, row.direction, row.volumes)
        assert predicted.time_s.p50 == pytest.approx(row.time_s, rel=0.034)
        assert predicted.phases[0].bottleneck == "EBS volumes"


@given(
    streams=st.floats(1.5, 200.0),
    read=st.floats(0.1, 1.0),
    write=st.floats(0.1, 1.0),
)
@settings(max_examples=25)
def test_a_fit_finds_what_rows_were_made_from(streams: float, read: float, write: float) -> None:
    efficiencies = {"read": read, "write": write}
    made = [
        replace(row, time_s=row.bound_s / float(efficiencies[row.direction] * busy_share(streams, row.volumes)))
        for row in BOUNDS
    ]
    found = fit(made)
    assert found.streams == pytest.approx(streams, rel=1e-4)
    assert found.efficiencies == pytest.approx(efficiencies, rel=1e-5)


BOUNDS = [Row(direction, volumes, 1.0, 655.36) for direction in DIRECTIONS for volumes in LAYOUTS]


@pytest.mark.parametrize("name", IDS)
def test_a_row_left_out_is_within_10_percent_and_a_layout_left_out_within_15(name: str) -> None:
    case = case_of(name)
    assert case.predicted is not None
    left_out = case.predicted.left_out
    assert left_out is not None
    assert left_out.row_error_pct == pytest.approx(case.error_pct, rel=1e-12)
    assert abs(left_out.row_error_pct) <= 10.0
    assert abs(left_out.layout_error_pct) <= 15.0


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_rows_come_in_the_measured_order(direction: str) -> None:
    predicted = predicted_of(validated())
    times_s = [predicted[f"st1-{direction}-{volumes}"] for volumes in LAYOUTS]
    assert times_s == sorted(times_s, reverse=True)


@pytest.mark.parametrize("name", ["st1-write-1", "st1-read-4"])
def test_a_row_does_not_see_its_own_time(name: str) -> None:
    changed = with_actuals({name: 2_000.0})
    after = predicted_of(validate(PAPER.catalog, PAPER.profiles, changed))
    before = predicted_of(validated())
    assert after[name] == before[name]
    assert after["st1-write-2"] != before["st1-write-2"]
