"""Predicted and measured phases: matching names, phases of an engine, and the phase with the largest error."""

import pytest

from stowage.measure.fits.compared_phases import AGREES, ComparedPhase, compared, furthest_off
from stowage.measure.logs.logged_jobs import PHASES
from stowage.model.forecast import PhaseTime


def phase(name: str, time_s: float) -> PhaseTime:
    return PhaseTime(name, time_s, (("network", time_s),))


def test_measured_phases_are_compared_with_those_of_their_name() -> None:
    predicted = [phase("start-up", 5.0), phase("map and shuffle", 100.0), phase("sort and reduce", 80.0)]
    measured = (("map and shuffle", 180.0), ("clean up", 3.0), ("sort and reduce", 81.0))
    assert compared(predicted, measured) == (
        ComparedPhase("map and shuffle", 100.0, 180.0),
        ComparedPhase("sort and reduce", 80.0, 81.0),
    )
    assert compared(predicted, ()) == ()
    assert compared(predicted, (("stage 1: count", 4.0),)) == ()


def test_an_engine_that_fetches_after_the_map_phase_has_the_phases_of_a_log() -> None:
    predicted = [
        phase("map", 60.0), phase("fetch", 10.0), phase("fetch, sort and reduce", 20.0), phase("sort and reduce", 30.0)
    ]  # fmt: skip
    first, second = PHASES["mapreduce"]
    assert compared(predicted, ((first, 70.0), (second, 90.0))) == (
        ComparedPhase(first, 60.0, 70.0),
        ComparedPhase(second, 60.0, 90.0),
    )


@pytest.mark.parametrize(
    ("measured_s", "off"), [((180.0, 81.0), "a"), ((101.0, 200.0), "b"), ((40.0, 120.0), "a"), ((109.0, 75.0), None)]
)
def test_the_phase_with_the_largest_difference_is_named_unless_all_agree(
    measured_s: tuple[float, float], off: str | None
) -> None:
    found = furthest_off([ComparedPhase("a", 100.0, measured_s[0]), ComparedPhase("b", 80.0, measured_s[1])])
    assert (None if found is None else found.name) == off


def test_a_phase_agrees_up_to_a_part_of_its_prediction() -> None:
    assert ComparedPhase("a", 100.0, 100.0 * (1.0 + AGREES) - 0.01).agrees
    assert not ComparedPhase("a", 100.0, 100.0 * (1.0 - AGREES) - 0.01).agrees
    assert not ComparedPhase("a", 0.0, 1.0).agrees
