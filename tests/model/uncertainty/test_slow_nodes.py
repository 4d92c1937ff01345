"""Slow nodes and volumes: their effects, and the two peaks of the range."""

from dataclasses import replace

import numpy as np
import pytest

from knowledge import AWS_2026, PAPER, predicted, refused
from stowage.model.cluster import Configuration, Ebs, InstanceStore
from stowage.model.forecast import forecast
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Limits, Measured, Workload
from stowage.model.offer import offer_of
from stowage.model.uncertainty.straggler import Stragglers

QUIET = Assumptions(network="unlimited", cpu="ignored", launch="ignored")
READ = Workload(
    "",
    Hdfs("hdfs-read", 1e6, Durability("application", 1)),
    measured=Measured(storage_mb_per_s=1000.0),
    limits=Limits(deadline_s=90.0, budget_usd=1e9),
    assume=QUIET,
    stragglers=Stragglers(0.05, 3.0),
)
CLUSTER = Configuration("i2.8xlarge", 13, InstanceStore(8, 0))


def test_chance_and_quantiles_are_those_of_a_simulation_with_two_peaks() -> None:
    found = predicted(CLUSTER, READ)
    draws = np.random.default_rng(20151)
    slow = (draws.random((100_000, 13)) < 0.05).any(axis=1)
    even_s = 1e6 / 13 / 2000.0
    times = np.where(slow, 3.0, 1.0) * even_s * np.exp(0.13 * draws.standard_normal(100_000))
    assert found.meets_deadline == pytest.approx(float(np.mean(times <= 90.0)), abs=0.04)
    assert found.time_s.p10 == pytest.approx(float(np.quantile(times, 0.1)), rel=0.03)
    assert found.time_s.p90 == pytest.approx(float(np.quantile(times, 0.9)), rel=0.03)
    assert found.time_s.p10 <= found.time_s.p50 <= found.time_s.p90
    assert dict(found.range_sources)["slow nodes"] > 0.0


def test_arrays_of_clusters_with_slow_nodes_give_what_each_gives_alone() -> None:
    inputs = gather(PAPER.catalog.instance_types["i2.8xlarge"], None, READ, PAPER.catalog, PAPER.profiles)
    assert isinstance(inputs, Inputs)
    nodes = np.array([3.0, 13.0, 60.0])
    together = forecast(offer_of(inputs, CLUSTER.layout, READ, nodes), READ, nodes)
    for index, count in enumerate(nodes.tolist()):
        alone = forecast(offer_of(inputs, CLUSTER.layout, READ, count), READ, count)
        assert [np.asarray(part)[index] for part in together.time_s] == pytest.approx(list(alone.time_s), rel=1e-9)
        assert np.asarray(together.meets_deadline)[index] == pytest.approx(alone.meets_deadline, rel=1e-9)


def test_slow_volumes_slow_volumes_and_not_the_disks_of_the_node() -> None:
    job = MapReduce("sort", 1e6, durability=Durability("infrastructure"))
    measured = Measured(storage_mb_per_s=100.0)
    even = Workload("", job, measured=measured, assume=QUIET)
    slow = replace(even, stragglers=Stragglers(0.05, 3.0), straggling="volumes")
    cluster = Configuration("i2.4xlarge", 40, Ebs("gp2", 100, 8))
    assert predicted(cluster, slow).time_s.p50 == predicted(cluster, even).time_s.p50
    times = dict(predicted(cluster, slow).phases[0].resource_times_s)
    assert times["EBS volumes"] == pytest.approx(
        3.0 * float(dict(predicted(cluster, even).phases[0].resource_times_s)["EBS volumes"])
    )


def test_slow_volumes_change_nothing_where_there_are_no_volumes() -> None:
    even = predicted(CLUSTER, replace(READ, stragglers=None))
    volumes = predicted(CLUSTER, replace(READ, straggling="volumes"))
    assert volumes.time_s.p50 == even.time_s.p50


def test_a_given_direction_of_the_link_has_no_spread_and_a_worse_one_is_never_faster() -> None:
    job = Hdfs("hdfs-write", 1e6, Durability("infrastructure", 1))
    cluster = Configuration("i2.4xlarge", 4, Ebs("gp2", 500, 8))
    nothing = predicted(cluster, Workload("", job, assume=QUIET)).time_s.p50
    slow_reads = Measured(ebs_read_mb_per_s=1.0)
    assert predicted(cluster, Workload("", job, measured=slow_reads, assume=QUIET)).time_s.p50 == pytest.approx(nothing)
    slow_writes = Measured(ebs_write_mb_per_s=1.0)
    written = predicted(cluster, Workload("", job, measured=slow_writes, assume=QUIET)).time_s.p50
    assert written == pytest.approx(1e6 / 4 / 1.0)


def test_one_direction_alone_is_refused_where_nothing_is_known_of_the_other() -> None:
    job = Hdfs("hdfs-write", 1e6, Durability("infrastructure", 1))
    workload = Workload("", job, measured=Measured(ebs_read_mb_per_s=100.0), assume=QUIET)
    volume = AWS_2026.catalog.volume_types["gp2"]
    instance = AWS_2026.catalog.instance_types["r5.xlarge"]
    found = gather(instance, volume, workload, AWS_2026.catalog, AWS_2026.profiles)
    assert not isinstance(found, Inputs)
    assert found.nearest == "measured.ebs_write_mb_per_s too"


def test_the_node_with_the_most_keys_must_hold_them() -> None:
    cluster = Configuration("i2.8xlarge", 80, InstanceStore(4, 4))
    job = MapReduce("sort", 100e6)
    assume = Assumptions(network="unlimited")
    assert predicted(cluster, Workload("", job, assume=assume)).time_s.p50 > 0.0

    obstacle = refused(cluster, Workload("", replace(job, skew=4.0), assume=assume))
    assert obstacle.limit == "capacity"
    # Input as it comes and four times the mean of the output, over disks of 3.2 TB a node.
    assert obstacle.needed_nodes == 157


def test_fewer_partitions_than_nodes_leave_nodes_without_work() -> None:
    cluster = Configuration("i2.8xlarge", 80, InstanceStore(4, 4))
    assume = Assumptions(network="unlimited", cpu="ignored")
    many, few = (
        predicted(cluster, Workload("", MapReduce("sort", 1e4, partitions=count), assume=assume)) for count in (80, 20)
    )
    assert float(few.phases[1].time_s) == pytest.approx(4.0 * float(many.phases[1].time_s))


def test_a_month_of_a_cluster_that_stays_includes_what_its_runs_move() -> None:
    job = Hdfs("hdfs-write", 1e6, Durability("application", 3))
    once = Workload("", job, assume=QUIET)
    apart = replace(once, place=replace(once.place, zones=3, placement_group=False), runs_per_month=100.0)
    cluster = Configuration("i2.8xlarge", 12, InstanceStore(8, 0))
    still, moving = predicted(cluster, once), predicted(cluster, apart)
    assert moving.always_on_usd - still.always_on_usd == pytest.approx(100.0 * float(moving.cost.traffic))
    assert float(moving.cost.traffic) > 0.0


def test_spare_nodes_make_the_slowest_faster_and_its_range_narrower() -> None:
    spread = replace(READ, stragglers=None, measured=Measured())
    even, spared = predicted(CLUSTER, spread), predicted(CLUSTER, replace(spread, spares=5))
    assert spared.time_s.p50 < even.time_s.p50
    assert spared.time_s.p90 / spared.time_s.p10 < even.time_s.p90 / even.time_s.p10
    assert float(spared.cost.screening) > 0.0
