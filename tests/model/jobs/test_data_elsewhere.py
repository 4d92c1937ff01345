"""Input from and output to locations outside AWS, over a link that all nodes share."""

from dataclasses import replace
from typing import Any

import pytest

from knowledge import AWS_2026
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Elsewhere, Measured, Workload
from stowage.model.prediction import Prediction, predict

LINK = Elsewhere(1_250.0)
"""10 Gbit/s."""
FAST_DISKS = Measured(storage_mb_per_s=90_000.0)
PLAIN = Assumptions(cpu="ignored", spread="ignored")
OWN_DISKS = InstanceStore(1, 1)


def sort(layout: Layout = OWN_DISKS, nodes: int = 4, instance: str = "r5d.4xlarge", **changes: Any) -> Prediction:
    job = changes.pop("job", MapReduce("sort", 40_000.0))
    asked = replace(Workload("", job, measured=FAST_DISKS, assume=PLAIN), **changes)
    found = predict(Configuration(instance, nodes, layout), asked, AWS_2026.catalog, AWS_2026.profiles)
    assert not isinstance(found, Infeasible), found
    return found


def test_loading_and_unloading_are_phases_that_the_shared_link_limits() -> None:
    in_place = sort()
    found = sort(input=LINK, output=Elsewhere(500.0))
    first, last = found.phases[0], found.phases[-1]
    assert (first.name, first.bottleneck) == ("load from elsewhere", "link to the data")
    assert (last.name, last.bottleneck) == ("unload to elsewhere", "link to the data")
    assert (first.time_s, last.time_s) == (40_000.0 / 1_250.0, 40_000.0 / 500.0)
    assert found.phases[1:-1] == tuple(
        replace(phase, resource_times_s=(*phase.resource_times_s, ("link to the data", 0.0)))
        for phase in in_place.phases
    )
    assert found.time_s.p50 == pytest.approx(in_place.time_s.p50 + 32.0 + 80.0)
    assert found.cost.object_store == 0.0


def test_more_nodes_do_not_speed_up_the_link() -> None:
    assert [sort(nodes=nodes, input=LINK).phases[0].time_s for nodes in (4, 40, 100)] == [32.0] * 3


@pytest.mark.parametrize(
    ("instance", "layout", "each_mb_per_s"),
    [("r5d.4xlarge", OWN_DISKS, 625.0), ("r5d.24xlarge", InstanceStore(2, 2), 0.5 * 3_125.0)],
    ids=["below 32 vCPUs 5 Gbit/s", "half of the network of a large type"],
)
def test_traffic_out_of_the_region_gets_a_share_of_a_nodes_network(
    instance: str, layout: Layout, each_mb_per_s: float
) -> None:
    found = sort(layout, 1, instance, input=Elsewhere(1e5), output=Elsewhere(1e5))
    for phase in (found.phases[0], found.phases[-1]):
        assert phase.bottleneck.startswith("network")
        assert float(phase.time_s) == pytest.approx(40_000.0 / each_mb_per_s)


def test_disks_slower_than_the_link_limit_the_loading() -> None:
    found = sort(input=LINK, measured=Measured(storage_mb_per_s=100.0))
    assert found.phases[0].bottleneck == "input/output disks"
    assert float(found.phases[0].time_s) == pytest.approx(10_000.0 / 100.0)


def test_skew_does_not_change_the_bytes_on_the_link() -> None:
    job = MapReduce("mapreduce", 40_000.0, 0.5, 0.5, Durability("application", 2), skew=2.0)
    found = sort(job=job, output=Elsewhere(10.0))
    assert found.phases[-1].bottleneck == "link to the data"
    assert found.phases[-1].time_s == 10_000.0 / 10.0


def test_framework_efficiency_does_not_apply_to_the_link() -> None:
    assert sort(input=LINK, framework="hadoop-dfsio").phases[0].time_s == 32.0


def test_input_of_an_object_store_job_is_first_loaded_into_the_store() -> None:
    """16 vCPUs a node reach the given 500 MB/s from and to the store; every written object costs a request."""
    measured = replace(FAST_DISKS, object_store_mb_per_s=100.0)
    job = MapReduce("sort", 40_000.0, durability=Durability("object-store"))
    found = sort(ObjectStore(), job=job, measured=measured, input=LINK, output=LINK)
    itself = sort(ObjectStore(), job=job, measured=measured)
    assert [phase.name for phase in found.phases] == [
        "load from elsewhere",
        "map and shuffle",
        "sort and reduce",
        "unload to elsewhere",
    ]
    assert found.phases[0].bottleneck == "object store"
    assert float(found.phases[0].time_s) == pytest.approx(10_000.0 / 100.0)
    assert found.cost.object_store == pytest.approx(2 * itself.cost.object_store, rel=0.01)


def test_data_from_elsewhere_to_the_object_store_pays_for_requests_once() -> None:
    found = sort(input=LINK, output="object-store")
    assert [phase.name for phase in found.phases][:: len(found.phases) - 1] == [
        "load from elsewhere",
        "unload to the object store",
    ]
    assert found.cost.object_store == pytest.approx(299 / 1000 * 0.005)


def test_data_from_elsewhere_can_be_loaded_onto_volumes() -> None:
    """One gp3 volume a node takes 125 MiB/s; 4 nodes 524 MB/s, below the link."""
    job = MapReduce("sort", 40_000.0, durability=Durability("infrastructure"))
    found = sort(Ebs("gp3", 1_000, 1), job=job, input=LINK)
    assert found.phases[0].bottleneck == "EBS volumes"


def test_hdfs_jobs_do_not_accept_data_elsewhere() -> None:
    asked = Workload("", Hdfs("hdfs-write", 40_000.0), input=LINK, output=LINK)
    assert (asked.loaded_from, asked.unloaded_to, asked.talks_elsewhere) == ("in-place", "in-place", False)


def test_a_single_node_needs_a_network_for_data_elsewhere() -> None:
    assert Workload("", MapReduce("sort", 1e5), output=LINK).talks_outside
    assert not Workload("", MapReduce("sort", 1e5)).talks_outside


def test_the_rate_is_listed_as_given_and_the_part_of_the_network_where_it_matters() -> None:
    def listed(found: Prediction) -> dict[str, tuple[float, str]]:
        return {figure.quantity: (figure.value, figure.kind) for figure in found.provenance}

    slow = listed(sort(input=Elsewhere(10.0), output=Elsewhere(20.0)))
    assert slow["workload.input.elsewhere"] == (10.0, "given")
    assert slow["workload.output.elsewhere"] == (20.0, "given")
    assert listed(sort(input=Elsewhere(1e5)))["outside_mb_per_s"] == (625.0, "published")
    unlimited = replace(PLAIN, network="unlimited")
    assert "outside_mb_per_s" not in listed(sort(input=LINK, assume=unlimited))
    assert "outside_mb_per_s" not in listed(sort())
