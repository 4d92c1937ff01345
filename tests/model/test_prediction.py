"""Predictions beyond the equations: ranges, probabilities, infeasibility, one node, many nodes."""

import math
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import AWS_2026, PAPER, TB, on_ebs, on_own_disks, predicted, refused, sort
from stowage.model.cluster import Configuration, Ebs, InstanceStore, ObjectStore
from stowage.model.figure import Figure
from stowage.model.forecast import evaluate
from stowage.model.hardware.profile import NETWORK_FALL, Profiles, ScalingCurve
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Limits, Measured, Place, Workload
from stowage.model.money.price import Purchase
from stowage.model.offer import offer_of
from stowage.model.prediction import Prediction, predict
from stowage.model.uncertainty.scale import slowdown, slowest_z

I2 = PAPER.catalog.instance_types["i2.8xlarge"]

nodes = st.integers(min_value=63, max_value=100_000)


def inputs_of(workload: Workload | None = None) -> Inputs:
    found = gather(I2, None, workload or sort(), PAPER.catalog, PAPER.profiles)
    assert isinstance(found, Inputs)
    return found


def test_network_at_178_nodes_is_the_measured_one_and_falls_between_the_points() -> None:
    curve = inputs_of().network
    assert isinstance(curve, ScalingCurve)
    assert curve.rate_mb_per_s(178) == 879.0
    rates = [curve.rate_mb_per_s(count) for count in (1, 2, 20, 178, 500)]
    assert rates[0] == rates[1] == pytest.approx(1085.2, abs=0.05)
    assert rates[1:] == sorted(rates[1:], reverse=True)


def test_beyond_the_largest_cluster_no_rate_rises() -> None:
    """Two measurements that differ by chance must not extrapolate to a network rate that no cluster has."""
    point = replace(PAPER.profiles.of("i2.8xlarge", "network_mb_per_s")[0], cluster_nodes=2, mean=800.0)
    rising = ScalingCurve.through([point, replace(point, cluster_nodes=4, mean=1000.0)])
    assert rising is not None
    counts = [1, 2, 3, 4, 5, 178, 10_000]
    rates = [float(rising.rate_mb_per_s(count)) for count in counts]
    assert rates[:2] == [800.0, 800.0]
    assert 800.0 < rates[2] < 1000.0
    assert rates[3:] == [1000.0] * 4
    assert np.array_equal(rising.rate_mb_per_s(np.array(counts, np.float64)), rates)
    assert rising.support(178) == rising.points[-1:]
    falling = ScalingCurve.through([point, replace(point, cluster_nodes=16, mean=700.0)])
    assert falling is not None
    assert falling.support(178) == falling.points
    assert float(falling.rate_mb_per_s(178)) < 700.0


@pytest.mark.parametrize(
    ("nodes", "mean", "at_178", "rests_on"),
    [
        # 1,000 to 800 from 2 to 4 would be 236 MB/s at 178 nodes by its own slope.
        (4, 800.0, 669.6, 1),
        (15, 800.0, 712.5, 1),
        (16, 800.0, 617.7, 2),
        # Less steep than the published curve: its own slope.
        (4, 990.0, 937.0, 2),
        (4, 1000.0, 1000.0, 2),
    ],
)
def test_two_points_close_together_do_not_rule_far_away(nodes: int, mean: float, at_178: float, rests_on: int) -> None:
    point = replace(PAPER.profiles.of("i2.8xlarge", "network_mb_per_s")[0], cluster_nodes=2, mean=1000.0)
    curve = ScalingCurve.through([point, replace(point, cluster_nodes=nodes, mean=mean)])
    assert curve is not None
    assert float(curve.rate_mb_per_s(178)) == pytest.approx(at_178, abs=0.5)
    assert len(curve.support(178)) == rests_on
    source = curve.estimate(178).source
    assert ("falling as published (with nodes^-0.047" in source) == (rests_on == 1)
    assert curve.estimate(178).value == curve.rate_mb_per_s(178)
    assert "power law through the rate measured at 2 and" in curve.estimate(3).source
    counts = [1, 2, 3, nodes, nodes + 1, 178, 10_000]
    rates = [float(curve.rate_mb_per_s(count)) for count in counts]
    assert np.array_equal(curve.rate_mb_per_s(np.array(counts, np.float64)), rates)
    assert rates == sorted(rates, reverse=True)


def test_one_point_holds_at_every_size() -> None:
    curve = ScalingCurve.through(PAPER.profiles.of("i2.8xlarge", "network_mb_per_s")[1:])
    assert curve is not None
    counts = [1.0, 178.0, 10_000.0]
    assert [curve.rate_mb_per_s(count) for count in counts] == [879.0] * 3
    assert np.array_equal(curve.rate_mb_per_s(np.array(counts)), [879.0] * 3)
    assert "the same as the rate measured at 178 nodes" in curve.estimate(10_000).source


def test_the_published_fall_is_that_of_the_papers_two_clusters() -> None:
    assert pytest.approx(879.0, rel=1e-9) == 1085.0 * (178 / 2) ** NETWORK_FALL.value
    assert NETWORK_FALL.value == pytest.approx(-0.0469, abs=5e-5)


def test_profiles_of_single_nodes_are_no_points_of_a_curve() -> None:
    curve = inputs_of().network
    assert isinstance(curve, ScalingCurve)
    alone = replace(curve.points[0], cluster_nodes=None)
    assert ScalingCurve.through([alone, *curve.points]) == curve
    assert ScalingCurve.through([alone]) is None


def test_the_slowest_link_of_many_nodes_is_below_the_measured_average() -> None:
    """A measured spread is used; without one, that of disks."""
    rows = [replace(row, spread=0.2) if row.metric == "ebs_read_mb_per_s" else row for row in PAPER.profiles.rows]
    workload = sort(durability=Durability("infrastructure"))
    r3 = PAPER.catalog.instance_types["r3.4xlarge"]
    gp2 = PAPER.catalog.volume_types["gp2"]
    measured = replace(workload, measured=Measured(storage_mb_per_s=900.0))
    for profiles, spread in ((PAPER.profiles, 0.0523), (Profiles(tuple(rows)), 0.2)):
        found = gather(r3, gp2, measured, PAPER.catalog, profiles)
        assert isinstance(found, Inputs)
        assert found.ebs_spread is not None
        assert found.ebs_spread.value == spread
        assert found.ebs_read is not None
        rates = offer_of(found, on_ebs(100).layout, measured, 100.0).rates
        assert rates.ebs_read == pytest.approx(found.ebs_read.value / slowdown(spread, 100))


def test_of_two_points_at_one_cluster_size_the_better_founded_counts() -> None:
    curve = inputs_of().network
    assert isinstance(curve, ScalingCurve)
    at_178 = curve.points[1]
    doubled = ScalingCurve.through([*curve.points, replace(at_178, mean=500.0, count=9), replace(at_178, mean=1.0)])
    assert doubled is not None
    assert doubled.rate_mb_per_s(178) == 500.0
    assert 0.0 < doubled.rate_mb_per_s(1000) < 500.0


def test_spread_ignored_takes_the_baseline_network_and_the_mean_disk() -> None:
    found = inputs_of(sort(assume=Assumptions(spread="ignored")))
    assert found.storage_spread is None
    assert isinstance(found.network, Figure)
    assert found.network.value == pytest.approx(1085.2, abs=0.05)


def test_slowest_of_178_disks_is_the_paper_s() -> None:
    assert 1738.0 / slowdown(0.0523, 178) == pytest.approx(1515.0, rel=0.003)


@given(count=nodes, quantile=st.sampled_from([0.1, 0.5, 0.9]))
def test_slowest_of_n_agrees_with_the_distribution_of_the_maximum(count: int, quantile: float) -> None:
    z = slowest_z(count, quantile)
    upper_tail = math.erfc(z / math.sqrt(2.0)) / 2.0
    assert math.exp(count * math.log1p(-upper_tail)) == pytest.approx(quantile, rel=1e-6)


@given(counts=st.lists(nodes, min_size=1, max_size=20))
@settings(max_examples=50)
def test_an_array_of_node_counts_gives_what_each_gives_alone_to_the_last_bit(counts: list[int]) -> None:
    found, layout, workload = inputs_of(), InstanceStore(5, 3), sort(durability=Durability("application", 2))
    array = np.array(counts, dtype=np.float64)
    together = evaluate(offer_of(found, layout, workload, array), workload, array)
    for index, count in enumerate(counts):
        alone = evaluate(offer_of(found, layout, workload, float(count)), workload, float(count))
        assert np.asarray(together.time_s)[index] == alone.time_s
        assert np.asarray(together.cost.total)[index] == alone.cost.total


@given(data_tb=st.floats(0.001, 100.0), more=st.floats(1.0, 3.0))
def test_more_data_is_never_faster_or_cheaper(data_tb: float, more: float) -> None:
    less, larger = (predicted(on_own_disks(200, 4, 4), sort(size * TB)) for size in (data_tb, data_tb * more))
    assert less.time_s.p50 <= larger.time_s.p50
    assert less.cost_usd.p50 <= larger.cost_usd.p50


@given(rate=st.floats(10.0, 5000.0), faster=st.floats(1.0, 100.0))
def test_more_bandwidth_is_never_slower(rate: float, faster: float) -> None:
    slow, fast = (
        predicted(on_own_disks(200, 4, 4), sort(measured=Measured(network_mb_per_s=network)))
        for network in (rate, rate * faster)
    )
    assert fast.time_s.p50 <= slow.time_s.p50


@given(count=st.integers(63, 2000))
def test_quantiles_are_in_order_and_named_sources_make_up_the_width(count: int) -> None:
    prediction = predicted(on_own_disks(count, 4, 4), sort())
    times = prediction.time_s
    assert times.p10 < times.p50 < times.p90
    total = math.hypot(*(deviation for _, deviation in prediction.range_sources))
    assert math.log(times.p90 / times.p10) == pytest.approx(2 * 1.2815515655446004 * total)


def test_phases_add_up_to_the_time_and_parts_to_the_cost() -> None:
    prediction = predicted(on_own_disks(178, 4, 4), sort())
    assert sum(float(phase.time_s) for phase in prediction.phases) == prediction.time_s.p50
    assert prediction.cost.total == prediction.cost_usd.p50


def test_chance_of_meeting_a_limit_is_a_half_at_the_median_and_falls_with_the_limit() -> None:
    free = predicted(on_own_disks(178, 4, 4), sort())
    at_median = Limits(deadline_s=free.time_s.p50, budget_usd=free.cost_usd.p50)
    held = predicted(on_own_disks(178, 4, 4), sort(limits=at_median))
    assert held.meets_deadline == pytest.approx(0.5)
    assert held.meets_budget == pytest.approx(0.5)
    at_p90 = Limits(deadline_s=free.time_s.p90, budget_usd=free.cost_usd.p90)
    held = predicted(on_own_disks(178, 4, 4), sort(limits=at_p90))
    assert held.meets_deadline == pytest.approx(0.9)
    assert held.meets_budget == pytest.approx(0.9)
    assert free.meets_deadline is None


def test_launch_is_billed_but_is_not_part_of_the_time() -> None:
    billed = predicted(on_own_disks(178, 4, 4), sort())
    ignored = predicted(on_own_disks(178, 4, 4), sort(assume=Assumptions(launch="ignored")))
    assert billed.time_s == ignored.time_s
    assert billed.cost_usd.p50 - ignored.cost_usd.p50 == pytest.approx(178 * 6.82 * 180 / 3600)


def test_a_launch_that_counts_is_the_first_phase_and_is_paid_for_once() -> None:
    billed = predicted(on_own_disks(178, 4, 4), sort())
    counted = predicted(on_own_disks(178, 4, 4), sort(assume=Assumptions(launch="counted")))
    first = counted.phases[0]
    assert (first.name, float(first.time_s), first.bottleneck) == ("launch and set-up", 180.0, "launch")
    assert counted.phases[1:] == billed.phases
    assert counted.time_s.p50 == pytest.approx(billed.time_s.p50 + 180.0)
    assert counted.cost_usd.p50 == pytest.approx(billed.cost_usd.p50)
    assert counted.billed_s == pytest.approx(billed.billed_s)


def test_a_minute_is_billed_at_least() -> None:
    assume = Assumptions(launch="ignored")
    short = predicted(on_own_disks(1, 4, 4), sort(1000.0, assume=assume))
    assert short.time_s.p50 < 60.0
    assert short.cost_usd.p50 == pytest.approx(6.82 / 60)
    prorated = predicted(on_own_disks(1, 4, 4), sort(1000.0, assume=replace(assume, billing="prorated")))
    assert prorated.cost_usd.p50 == pytest.approx(6.82 * short.time_s.p50 / 3600)


def test_cpu_limits_where_vcpus_are_few() -> None:
    fast_disks = Measured(storage_mb_per_s=100_000.0)
    prediction = predicted(on_own_disks(1, 2, 2, "m1.xlarge"), sort(1e5, measured=fast_disks))
    assert [phase.bottleneck for phase in prediction.phases] == ["CPU", "CPU"]
    assert prediction.time_s.p50 == pytest.approx(2 * 1e5 / (4 * 100.0))


@pytest.mark.parametrize(
    ("outer", "inner", "needed"), [(4, 4, 63), (5, 3, 50), (6, 2, 63)], ids=["4 + 4", "5 + 3", "6 + 2"]
)
def test_divided_disks_need_more_nodes_than_the_paper_s_47(outer: int, inner: int, needed: int) -> None:
    obstacle = refused(on_own_disks(needed - 1, outer, inner), sort())
    assert (obstacle.limit, obstacle.needed_nodes) == ("capacity", needed)
    assert predicted(on_own_disks(needed, outer, inner), sort()).time_s.p50 > 0


def test_copies_need_as_many_nodes_and_room_for_each() -> None:
    three = sort(1 * TB, durability=Durability("application", 3))
    assert refused(on_own_disks(2, 4, 4), three).limit == "copies"
    # Input and three copies on half the disks: 4 x 100 TB / 3.2 TB.
    obstacle = refused(on_own_disks(124, 4, 4), sort(durability=Durability("application", 3)))
    assert (obstacle.limit, obstacle.needed_nodes) == ("capacity", 125)


@pytest.mark.parametrize(
    ("limit", "configuration", "workload"),
    [
        ("disk division", on_own_disks(200, 5, 4), sort()),
        ("price unknown", on_own_disks(200, 1, 1, "r3.8xlarge"), sort()),
        ("storage bandwidth unknown", on_own_disks(1000, 1, 1, "c3.4xlarge"), sort()),
        ("network bandwidth unknown", on_own_disks(200, 2, 2, "i2.4xlarge"), sort()),
        (
            "volume size",
            on_ebs(330, size_gib=2000, instance="i2.4xlarge"),
            sort(durability=Durability("infrastructure")),
        ),
        ("EBS bandwidth unknown", on_ebs(330, instance="i2.8xlarge"), sort(durability=Durability("infrastructure"))),
        (
            "attachments",
            on_ebs(330, size_gib=1000, count=29, instance="i2.4xlarge"),
            sort(durability=Durability("infrastructure")),
        ),
        ("capacity", on_own_disks(0, 4, 4), sort()),
    ],
)
def test_what_is_impossible_names_its_limit_and_what_would_do(
    limit: str, configuration: Configuration, workload: Workload
) -> None:
    obstacle = refused(configuration, workload)
    assert obstacle.limit == limit
    assert obstacle.reason
    assert obstacle.nearest


@pytest.mark.parametrize(
    ("job", "layout"),
    [
        (AppendLog(1e5, 10.0), InstanceStore(4, 0)),
        (MapReduce("sort", 1e5, durability=Durability("object-store")), ObjectStore()),
    ],
    ids=["clients of a log", "the object store"],
)
def test_who_talks_to_others_needs_a_known_network_on_a_single_node_too(
    job: AppendLog | MapReduce, layout: InstanceStore | ObjectStore
) -> None:
    alone = Configuration("i2.4xlarge", 1, layout)
    obstacle = refused(alone, Workload("", job))
    assert obstacle.limit == "network bandwidth unknown"
    assert "single node" not in (obstacle.nearest or "")
    assert predicted(alone, Workload("", job, assume=Assumptions(network="unlimited"))).time_s.p50 > 0.0


def test_without_a_placement_group_the_paper_s_network_is_not_known() -> None:
    apart = replace(sort(), place=Place(placement_group=False))
    assert "outside a placement group" in refused(on_own_disks(178, 4, 4), apart).reason


def test_given_rates_hold_for_the_type_they_were_measured_on_only() -> None:
    elsewhere = sort(measured=Measured(network_mb_per_s=1.0, instance="m1.xlarge"))
    assert predicted(on_own_disks(178, 4, 4), elsewhere).time_s == predicted(on_own_disks(178, 4, 4), sort()).time_s


def test_an_unknown_instance_type_is_a_fault_of_the_caller() -> None:
    with pytest.raises(KeyError):
        predicted(on_own_disks(1, 4, 4, "z9.mega"), sort())


def test_loss_grows_with_nodes_and_time_and_falls_with_copies() -> None:
    one, larger = (predicted(on_own_disks(count, 4, 4), sort(10 * TB)) for count in (20, 40))
    assert 0 < one.loss_probability < 1e-3
    assert larger.loss_exposure_s < one.loss_exposure_s
    copied = predicted(on_own_disks(40, 4, 4), sort(10 * TB, durability=Durability("application", 2)))
    assert copied.loss_probability < larger.loss_probability / 1000


def test_infeasible_is_a_value() -> None:
    assert isinstance(refused(on_own_disks(1, 4, 4), sort()), Infeasible)


def test_rework_after_interruptions_is_a_phase_and_phases_sum_to_the_time() -> None:
    def of(purchase: Purchase) -> Prediction:
        place = Place(purchase=purchase)
        workload = Workload("", MapReduce("sort", 5e6), place=place, measured=Measured(storage_mb_per_s=100.0))
        found = predict(
            Configuration("r5d.4xlarge", 60, InstanceStore(1, 1)), workload, AWS_2026.catalog, AWS_2026.profiles
        )
        assert isinstance(found, Prediction)
        return found

    kept, spot = of("on-demand"), of("spot")
    assert [phase.kind for phase in spot.phases] == [*(phase.kind for phase in kept.phases), "rework"]
    assert sum(float(phase.time_s) for phase in spot.phases) == pytest.approx(spot.time_s.p50)
    assert spot.phases[-1].name == "rework after interruptions"
    assert float(spot.phases[-1].time_s) == pytest.approx(spot.time_s.p50 - kept.time_s.p50)


def test_an_assumed_credit_level_is_listed_as_assumed() -> None:
    assumed = Figure("credits", 0.0, "1", "assumed for a test", "estimated", date(2026, 11, 23))
    job = Hdfs("hdfs-write", 1e6, Durability("infrastructure"))
    workload = Workload("", job, credits=0.0, credits_assumed=assumed)
    configuration = Configuration("r5.xlarge", 5, Ebs("st1", 1_024, 2))
    found = predict(configuration, workload, AWS_2026.catalog, AWS_2026.profiles)
    assert isinstance(found, Prediction)
    assert assumed in found.provenance
    said = predict(configuration, replace(workload, credits_assumed=None), AWS_2026.catalog, AWS_2026.profiles)
    assert isinstance(said, Prediction)
    assert [figure.kind for figure in said.provenance if figure.quantity == "credits"] == ["given"]
