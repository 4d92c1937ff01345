"""Frameworks calibrated from finished jobs: efficiency by resource, start-up, growth with the nodes."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stowage.model.figure import given
from stowage.model.forecast import START_UP, evaluate, forecast
from stowage.model.jobs.flows import Role
from stowage.model.jobs.framework import REPETITION, RUN_SPREAD, Framework, TodayRun
from stowage.model.jobs.frameworks import IDEAL, UNKNOWN
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Limits, Workload
from stowage.model.money.cost import Prices
from stowage.model.offer import Offer
from stowage.model.rates import Rates, node_resources
from stowage.model.uncertainty.scale import Z90

MOVED = {
    "network out": {Role.NETWORK_OUT: 1_000.0},
    "EBS link": {Role.INPUT_READ: 1_000.0},
    "object store": {Role.INPUT_READ: 1_000.0},
    "intermediate disks": {Role.INTERMEDIATE_READ: 1_000.0},
    "CPU": {Role.CPU: 1_000.0},
}
RATES = Rates(network=100.0, intermediate_disks=100.0, ebs_read=100.0, ebs_write=100.0, object_store=100.0, cpu=100.0)


def ours(**fitted: float | tuple[float, float]) -> Framework:
    units = {"start_up": "s", "log_nodes": "s", "per_node": "s"}
    figures: dict[str, Any] = {
        name: given(name, value, units.get(name, "1")) if isinstance(value, float) else value
        for name, value in fitted.items()
    }
    return replace(IDEAL, name="ours", **figures)


def seconds(framework: Framework) -> dict[str, float]:
    return {
        resource.name: float(resource.time_s(MOVED[resource.name]))
        for resource in node_resources(RATES, framework)
        if resource.name in MOVED
    }


@pytest.mark.parametrize(
    ("efficiency", "resource"),
    [
        ("network_efficiency", "network out"),
        ("link_efficiency", "EBS link"),
        ("object_store_efficiency", "object store"),
        ("read_efficiency", "intermediate disks"),
        ("cpu_efficiency", "CPU"),
    ],
)
def test_an_efficiency_slows_its_own_resource_and_no_other(efficiency: str, resource: str) -> None:
    bound = seconds(IDEAL)
    assert seconds(ours(**{efficiency: 0.5})) == {**bound, resource: 2.0 * bound[resource]}


def test_an_efficiency_of_one_resource_comes_on_top_of_that_of_all() -> None:
    both = ours(efficiency=0.8, cpu_efficiency=0.5)
    assert both.slower("CPU") == pytest.approx(2.5)
    assert both.slower("storage") == 1.25
    assert IDEAL.slower("CPU") == 1.0


def test_start_up_and_growth_are_the_last_phase_and_are_paid_for() -> None:
    nodes, grown = 8.0, ours(start_up=30.0, log_nodes=5.0, per_node=0.5)
    without, found = evaluate(an_offer(IDEAL), JOB, nodes), evaluate(an_offer(grown), JOB, nodes)
    more_s = 30.0 + 5.0 * math.log(8.0) + 0.5 * 8.0
    assert [phase.name for phase in found.phases] == [*(phase.name for phase in without.phases), START_UP]
    assert found.phases[-1].bottleneck == "framework"
    assert found.phases[-1].time_s == pytest.approx(more_s)
    assert found.time_s == pytest.approx(without.time_s + more_s)
    assert found.cost.total == pytest.approx(without.cost.total * found.time_s / without.time_s)


def test_a_framework_that_says_nothing_of_start_up_has_no_such_phase() -> None:
    assert IDEAL.overhead_s(5.0) is UNKNOWN.overhead_s(5.0) is None
    assert ours(per_node=2.0).overhead_s(5.0) == 10.0
    assert ours(log_nodes=2.0).overhead_s(1.0) == 0.0


def test_the_busiest_node_does_more_the_more_nodes_there_are() -> None:
    grown = replace(ours(growth=0.2), growth_from=5.0)
    for nodes in (1.0, 5.0, 80.0):
        even, found = evaluate(an_offer(IDEAL), JOB, nodes), evaluate(an_offer(grown), JOB, nodes)
        assert found.time_s == pytest.approx(even.time_s * (nodes / 5.0) ** 0.2)
    assert grown.grown(5.0) == 1.0
    assert IDEAL.grown(80.0) is None
    measured = replace(grown, measured_nodes=(4.0, 8.0))
    assert measured.grown(1.0) == measured.grown(4.0) == grown.grown(4.0)
    assert np.asarray(measured.grown(np.array([2.0, 4.0, 5.0]))).tolist() == [grown.grown(4.0), grown.grown(4.0), 1.0]


def test_growth_slows_neither_loading_nor_unloading() -> None:
    """Loading and unloading are not done by the framework."""
    grown = replace(ours(growth=0.2), growth_from=5.0)
    moved = replace(JOB, input="object-store", output="object-store")

    def phases(framework: Framework) -> dict[str, float]:
        return {phase.kind: float(phase.time_s) for phase in evaluate(an_offer(framework), moved, 80.0).phases}

    even, found = phases(IDEAL), phases(grown)
    assert (found["load"], found["unload"]) == (even["load"], even["unload"])
    assert found["work"] > even["work"]


def test_start_up_rules_its_part_of_the_time_without_any_doubt_of_its_own() -> None:
    rulings = forecast(an_offer(ours(start_up=1e6)), JOB, 4.0).rulings
    assert rulings[-1].resource == "framework"
    assert rulings[-1].share > 0.99
    assert (rulings[-1].spread, rulings[-1].doubts) == (0.0, ())


def test_the_error_grows_on_both_sides_of_the_runs_it_was_fitted_to() -> None:
    fitted = ours(error=0.1, extrapolation=0.05, measured_nodes=(4.0, 20.0))
    nodes = np.array([1.0, 2.0, 4.0, 10.0, 20.0, 40.0, 80.0])
    assert fitted.doublings_beyond(nodes).tolist() == pytest.approx([2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0])  # type: ignore[union-attr] # an array of an array
    wide = [math.hypot(0.1, 0.1), math.hypot(0.1, 0.05), 0.1, 0.1, 0.1, math.hypot(0.1, 0.05), math.hypot(0.1, 0.1)]
    assert fitted.error_at(nodes).tolist() == pytest.approx(wide)  # type: ignore[union-attr] # as above
    assert [fitted.error_at(float(count)) for count in nodes] == fitted.error_at(nodes).tolist()  # type: ignore[union-attr] # as above


def test_without_runs_the_error_is_the_same_everywhere() -> None:
    assert UNKNOWN.error_at(1e6) == UNKNOWN.error.value
    assert UNKNOWN.doublings_beyond(1e6) == 0.0


def test_an_error_that_differs_below_the_median_moves_p10_and_early_chances_only() -> None:
    wide = ours(error=0.5)
    two_sided = replace(wide, faster=replace(wide.error, value=0.1))
    one, other = (forecast(an_offer(framework), JOB, 20.0) for framework in (wide, two_sided))
    assert (one.time_s.p50, one.time_s.p90) == (other.time_s.p50, other.time_s.p90)
    assert math.log(other.time_s.p50 / other.time_s.p10) == pytest.approx(0.1 * Z90, rel=0.01)
    for limit_s, quantile in ((other.time_s.p10, 0.1), (other.time_s.p90, 0.9)):
        asked = replace(JOB, limits=Limits(deadline_s=float(limit_s)))
        assert forecast(an_offer(two_sided), asked, 20.0).meets_deadline == pytest.approx(quantile)


def test_slow_nodes_keep_both_sides_of_an_error() -> None:
    wide = ours(error=0.5)
    two_sided = replace(wide, faster=replace(wide.error, value=0.1))
    one, other = (replace(an_offer(framework), courses=(an_offer(framework),) * 2) for framework in (wide, two_sided))
    assert forecast(other, JOB, 20.0).time_s == pytest.approx(forecast(an_offer(two_sided), JOB, 20.0).time_s)
    assert forecast(one, JOB, 20.0).time_s.p10 < forecast(other, JOB, 20.0).time_s.p10


def test_a_range_widens_beyond_the_runs() -> None:
    fitted = ours(error=0.1, extrapolation=0.05, measured_nodes=(1.0, 20.0))
    near, far = (forecast(an_offer(fitted), JOB, nodes).time_s for nodes in (20.0, 100.0))
    assert far.p90 / far.p50 > near.p90 / near.p50


def test_arrays_of_nodes_have_the_bits_of_each() -> None:
    grown = ours(start_up=3.0, log_nodes=5.0, per_node=0.7, error=0.1, extrapolation=0.05, measured_nodes=(2.0, 3.0))
    grown = replace(grown, faster=replace(grown.error, value=0.07), growth=given("growth", 0.17, "1"))
    nodes = np.arange(1.0, 50.0)
    offered = an_offer(grown)
    at_once = forecast(offered, replace(JOB, limits=Limits(deadline_s=900.0)), nodes)
    for place, count in enumerate(nodes):
        alone = forecast(offered, replace(JOB, limits=Limits(deadline_s=900.0)), float(count))
        assert [part[place] for part in at_once.time_s] == list(alone.time_s)  # type: ignore[index] # arrays here
        assert at_once.meets_deadline[place] == alone.meets_deadline  # type: ignore[index] # as above


def test_a_workload_takes_the_teams_profile_before_one_of_the_same_name() -> None:
    own = ours(start_up=1.0)
    assert Workload("", JOB.job, framework="ideal", calibrated=own).reached is own
    assert Workload("", JOB.job, framework="unknown").reached is UNKNOWN


JOB = Workload("", MapReduce("sort", 100_000.0))


def an_offer(framework: Framework) -> Offer:
    rates = Rates(network=100.0, input_output_disks=300.0, intermediate_disks=300.0, cpu=1_000.0)
    return Offer(
        rates=rates,
        prices=Prices(1.0, 0.0, 0.0, 0.0),
        framework=framework,
        memory_mb=1e4,
        vcpus=4.0,
    )


def test_a_profile_scaled_to_a_run_is_slower_by_that_and_as_sure_as_one_run_makes_it() -> None:
    run = TodayRun(time_s=6_600.0, predicted_s=2_400.0, instance="i3.4xlarge", nodes=60, data_mb=40e6)
    scaled = UNKNOWN.scaled_to(run, 2.75)
    assert UNKNOWN.efficiency is not None
    assert scaled.slower("network") == pytest.approx(2.75 * UNKNOWN.slower("network"))
    assert scaled.error.value == pytest.approx(math.hypot(RUN_SPREAD.value, REPETITION.value))
    assert (scaled.faster, scaled.measured_nodes) == (None, (60.0, 60.0))
    assert scaled.error_at(60.0) == scaled.error.value < scaled.error_at(120.0)
    # The efficiency of a profile without one is 100% of the bound.
    assert IDEAL.scaled_to(run, 2.0).slower("network") == pytest.approx(2.0)
    given = {figure.quantity: figure.value for figure in scaled.figures() if figure.kind == "given"}
    assert (given["today.time"], given["today.nodes"], given["today.data"]) == (6_600.0, 60.0, 40e6)
