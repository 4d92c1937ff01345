"""Resources of a node: its disks, volumes, links and network, separately and together."""

import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import AWS_2026, predicted, published
from stowage.model.cluster import (
    Configuration,
    Ebs,
    InstanceStore,
    Layout,
    ObjectStore,
    capacity_groups_mb,
    check_layout,
    divisions,
    fewest_nodes,
    nodes_needed,
    smallest_volume_gib,
    storage_kind,
)
from stowage.model.hardware.resource import Line, Resource
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.framework import Framework, busy_share
from stowage.model.jobs.frameworks import HADOOP_DFSIO, IDEAL, UNKNOWN
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Assumptions, Limits, Measured, Workload
from stowage.model.rates import LINK_BURST_S, Rates, channel, node_resources
from stowage.model.sizes import MB_PER_GIB, MB_PER_MIB

READ, WRITE, RANDOM_READ = Role.INPUT_READ, Role.OUTPUT_WRITE, Role.RANDOM_READ
PLAIN = Assumptions(cpu="ignored", spread="ignored", launch="ignored")
R5, R5D = "r5.xlarge", "r5d.4xlarge"
LINK_MOST, LINK_BASE = 593.75, 143.75
"""EBS rates of r5.xlarge, 4,750 and 1,150 Mbit/s [MB/s]."""
TYPES, VOLUMES = AWS_2026.catalog.instance_types, AWS_2026.catalog.volume_types


def resources(rates: Rates, framework: Framework = IDEAL, cache_mb: float = 0.0) -> dict[str, Resource]:
    return {resource.name: resource for resource in node_resources(rates, framework, cache_mb)}


def seconds(rates: Rates, name: str, moved_mb: Mapping[Role, float], framework: Framework = IDEAL) -> float:
    return float(resources(rates, framework)[name].time_s(moved_mb))


def hdfs(kind: str, data_mb: float, model: str = "infrastructure", **changes: object) -> Workload:
    job = Hdfs("hdfs-write" if kind == "write" else "hdfs-read", data_mb, Durability(model, 1))  # type: ignore[arg-type]
    return replace(Workload("", job, assume=replace(PLAIN, network="unlimited")), **changes)  # type: ignore[arg-type]


def time_s(configuration: Configuration, workload: Workload) -> float:
    return predicted(configuration, workload, AWS_2026).time_s.p50


def test_a_node_has_the_resources_of_its_layout_in_the_order_of_ties() -> None:
    own = Rates(network=1.0, input_output_disks=1.0, intermediate_disks=1.0, cpu=1.0)
    assert list(resources(own)) == ["network out", "network in", "input/output disks", "intermediate disks", "CPU"]
    assert list(resources(Rates(input_output_disks=1.0, shares_disks=True))) == ["shared disks"]
    on_ebs = Rates(ebs_read=1.0, ebs_write=1.0, volumes=(Line(1.0, {READ: 1.0}),), intermediate_disks=1.0)
    assert list(resources(on_ebs)) == ["EBS link", "EBS volumes", "intermediate disks"]
    assert list(resources(Rates(network=1.0, object_store=1.0))) == ["network out", "network in", "object store"]


def test_every_resource_belongs_to_a_channel() -> None:
    rates = Rates(network=1.0, object_store=1.0, ebs_maximum=1.0, ebs_baseline=1.0, intermediate_disks=1.0, cpu=1.0)
    rates = replace(rates, volumes=(Line(1.0, {READ: 1.0}),), input_output_disks=1.0)
    assert {channel(name) for name in resources(rates)} == {
        "network",
        "storage",
        "EBS link",
        "EBS volumes",
        "object store",
        "CPU",
    }
    kinds = [storage_kind(layout) for layout in (InstanceStore(1, 1), Ebs("gp2", 1, 1), ObjectStore())]
    assert kinds == ["instance-store", "ebs", "object-store"]


def test_shared_disks_carry_everything_and_divided_ones_their_own() -> None:
    moved = {READ: 100.0, WRITE: 50.0, Role.INTERMEDIATE_WRITE: 200.0}
    assert seconds(Rates(input_output_disks=10.0, shares_disks=True), "shared disks", moved) == 35.0
    divided = Rates(input_output_disks=10.0, intermediate_disks=40.0)
    assert seconds(divided, "input/output disks", moved) == 15.0
    assert seconds(divided, "intermediate disks", moved) == 5.0


def test_a_measured_link_adds_reads_and_writes_at_their_own_rates() -> None:
    """Half-duplex: 243 MB/s read and 226 written, one after the other."""
    link = Rates(ebs_read=243.0, ebs_write=226.0)
    assert seconds(link, "EBS link", {READ: 243.0, WRITE: 226.0}) == pytest.approx(2.0)
    assert seconds(link, "EBS link", {Role.RANDOM_WRITE: 113.0, RANDOM_READ: 243.0}) == pytest.approx(1.5)


def test_intermediate_data_of_a_sort_on_ebs_meets_the_nodes_own_disks_only() -> None:
    """4 nodes with 4 st1 of 500 GiB: 100 GB / 4 at 4 x 125 x 500 / 512 MiB/s, at any shuffle volume."""
    job = MapReduce("sort", 100_000.0, durability=Durability("infrastructure"))
    measured = Measured(storage_mb_per_s=5_000.0)
    workload = Workload("", job, measured=measured, assume=replace(PLAIN, network="unlimited"))
    found = predicted(Configuration("r5d.24xlarge", 4, Ebs("st1", 500, 4)), workload, AWS_2026)
    volumes_mb_per_s = 4 * 250.0 * 500 / 1024 * MB_PER_MIB
    for phase in found.phases:
        assert dict(phase.resource_times_s)["EBS volumes"] == pytest.approx(25_000.0 / volumes_mb_per_s)
        assert dict(phase.resource_times_s)["intermediate disks"] == pytest.approx(25_000.0 / 10_000.0)


@pytest.mark.parametrize("count", [4, 8, 16])
def test_volumes_share_the_link_of_their_instance(count: int) -> None:
    """gp3 with 500 MiB/s each: from two on the link of r5.xlarge is the bottleneck."""
    layout = Ebs("gp3", 1_000, count, iops=4_000, throughput_mib_per_s=500)
    found = predicted(Configuration(R5, 1, layout), hdfs("read", 100_000.0), AWS_2026)
    assert found.phases[0].bottleneck == "EBS link"
    assert found.time_s.p50 == pytest.approx(100_000.0 / LINK_MOST)


def test_one_volume_does_not_fill_the_link_and_two_reach_twice_as_much() -> None:
    one, two = (
        predicted(Configuration(R5, 1, Ebs("gp3", 1_000, count)), hdfs("read", 50_000.0), AWS_2026) for count in (1, 2)
    )
    assert one.phases[0].bottleneck == two.phases[0].bottleneck == "EBS volumes"
    assert one.time_s.p50 == pytest.approx(50_000.0 / (125 * MB_PER_MIB)) == pytest.approx(2 * two.time_s.p50)


def test_a_link_keeps_its_maximum_for_half_an_hour_and_falls_to_its_baseline() -> None:
    """EC2 user guide, EBS optimization: 30 minutes at least once a day."""
    layout = Ebs("gp3", 16_000, 1, iops=8_000, throughput_mib_per_s=2_000)
    configuration = Configuration(R5, 1, layout)
    burst_mb = LINK_MOST * LINK_BURST_S
    assert LINK_BURST_S == 1_800.0
    assert time_s(configuration, hdfs("write", burst_mb)) == pytest.approx(1_800.0)
    later_s = time_s(configuration, hdfs("write", burst_mb + 3_600.0 * LINK_BASE))
    assert later_s == pytest.approx(1_800.0 + 3_600.0)
    empty = hdfs("write", burst_mb, credits=0.0)
    assert time_s(configuration, empty) == pytest.approx(burst_mb / LINK_BASE)
    half = hdfs("write", burst_mb, credits=0.5)
    assert time_s(configuration, half) == pytest.approx(900.0 + (burst_mb - 900.0 * LINK_MOST) / LINK_BASE)


def test_a_link_whose_baseline_is_its_maximum_keeps_no_credit() -> None:
    full = resources(Rates(ebs_maximum=500.0, ebs_baseline=500.0))["EBS link"]
    assert [(line.rate, line.credit, line.full) for line in full.lines] == [(500.0, 0.0, 0.0)] * 2
    # A baseline above the maximum in the catalog does not create a negative credit.
    wrong = resources(Rates(ebs_maximum=500.0, ebs_baseline=600.0))["EBS link"]
    assert all(float(line.credit) >= 0.0 for line in wrong.lines)


def shuffling(nodes: int, sent_mb: float, **changes: object) -> tuple[Configuration, Workload]:
    """Phases in which each of some nodes sends and receives a number of bytes."""
    moved = {Role.NETWORK_OUT: nodes * sent_mb, Role.NETWORK_IN: nodes * sent_mb}
    workload = Workload("", FreePhases(1.0, (("shuffle", moved),)), assume=PLAIN)
    return Configuration(R5D, nodes, InstanceStore(2, 0)), replace(workload, **changes)  # type: ignore[arg-type]


def test_a_network_without_a_known_credit_counts_on_its_baseline() -> None:
    """r5d.4xlarge: 5 Gbit/s, and up to 10 for a time that AWS does not publish."""
    assert time_s(*shuffling(4, 62_500.0)) == pytest.approx(100.0)


def test_a_given_credit_lends_the_peak_until_it_is_used() -> None:
    """100 s at 1,250 MB/s use (1,250 - 625) x 100 MB; the rest goes at 625."""
    credit = Measured(network_credit_mb=62_500.0)
    assert time_s(*shuffling(4, 125_000.0, measured=credit)) == pytest.approx(100.0)
    assert time_s(*shuffling(4, 125_000.0 + 62_500.0, measured=credit)) == pytest.approx(200.0)
    assert time_s(*shuffling(4, 125_000.0, measured=credit, credits=0.0)) == pytest.approx(200.0)
    assert time_s(*shuffling(4, 125_000.0, measured=credit, credits=0.4)) == pytest.approx(160.0)
    baseline = replace(PLAIN, network="baseline")
    assert time_s(*shuffling(4, 125_000.0, measured=credit, assume=baseline)) == pytest.approx(200.0)


def test_a_measured_network_stands_before_a_published_one() -> None:
    assert time_s(*shuffling(4, 62_500.0, measured=Measured(network_mb_per_s=100.0))) == pytest.approx(625.0)


@pytest.mark.parametrize(
    ("nodes", "grouped", "mb_per_s"),
    [
        (2, True, 1_250.0),  # one flow to the other node: 10 Gbit/s
        (2, False, 625.0),  # 5 Gbit/s
        (3, False, 1_250.0),
        (4, False, 1_875.0),
        (6, False, 3_125.0),  # five flows could carry as much as the link
        (9, False, 3_125.0),
        (4, True, 3_125.0),
    ],
)
def test_one_flow_to_each_other_node_limits_small_clusters(nodes: int, grouped: bool, mb_per_s: float) -> None:  # noqa: FBT001 - a row of the table
    configuration, workload = shuffling(nodes, 62_500.0, measured=Measured(storage_mb_per_s=1.0))
    configuration = replace(configuration, instance="r5d.24xlarge", layout=InstanceStore(4, 0))
    placed = replace(workload, place=replace(workload.place, placement_group=grouped))
    assert time_s(configuration, placed) == pytest.approx(62_500.0 / mb_per_s)


def test_efficiencies_weigh_on_peaks_and_not_on_credits() -> None:
    """A framework that reaches 83%: slower while bursting, as fast as any once the bucket is empty."""
    bucket = (Line(500.0, {READ: 1.0}), Line(40.0, {READ: 1.0}, credit=10_000.0, full=10_000.0))
    rates = Rates(volumes=bucket, cpu=100.0)
    assert seconds(rates, "EBS volumes", {READ: 1_000.0}, UNKNOWN) == pytest.approx(2.0 / 0.83)
    assert seconds(rates, "EBS volumes", {READ: 50_000.0}, UNKNOWN) == pytest.approx(1_000.0)
    assert seconds(rates, "CPU", {Role.CPU: 100.0}, UNKNOWN) == pytest.approx(1.0 / 0.83)


def test_hadoop_reads_and_writes_volumes_at_parts_of_their_peaks() -> None:
    """0.517 and 0.851 of the peak, times 17.8 / (17.8 + v - 1) over v volumes; local disks count as one."""
    bucket = (Line(500.0, {READ: 1.0, WRITE: 1.0}), Line(40.0, {READ: 1.0, WRITE: 1.0}, 10_000.0, 10_000.0))
    rates = Rates(volumes=bucket, volume_count=4.0, input_output_disks=500.0)
    over_four = 17.8 / 20.8
    assert seconds(rates, "EBS volumes", {READ: 500.0}, HADOOP_DFSIO) == pytest.approx(1 / (0.517 * over_four))
    assert seconds(rates, "EBS volumes", {WRITE: 500.0}, HADOOP_DFSIO) == pytest.approx(1 / (0.851 * over_four))
    assert seconds(rates, "EBS volumes", {READ: 50_000.0}, HADOOP_DFSIO) == pytest.approx(1_000.0)
    assert seconds(rates, "input/output disks", {READ: 500.0}, HADOOP_DFSIO) == pytest.approx(1 / 0.517)


def test_an_efficiency_in_one_direction_alone_leaves_the_other() -> None:
    writes_badly = replace(IDEAL, write_efficiency=published("write_efficiency", 0.5))
    rates = Rates(input_output_disks=100.0)
    assert seconds(rates, "input/output disks", {READ: 100.0}, writes_badly) == 1.0
    assert seconds(rates, "input/output disks", {WRITE: 100.0}, writes_badly) == 2.0


def test_a_page_cache_lends_each_disk_and_link_its_megabytes() -> None:
    """x = r T + dirty on each: 100 MB/s for 5 s and 300 MB of cache take 800 MB."""
    rates = Rates(ebs_read=200.0, ebs_write=100.0, volumes=(Line(100.0, {WRITE: 1.0}), Line(9.0, {READ: 1.0})))
    cached = resources(rates, cache_mb=300.0)
    assert float(cached["EBS volumes"].time_s({WRITE: 800.0})) == pytest.approx(5.0)
    assert float(cached["EBS link"].time_s({WRITE: 800.0})) == pytest.approx(5.0)
    assert float(cached["EBS volumes"].time_s({READ: 90.0})) == pytest.approx(10.0)


def test_random_io_of_own_disks_is_limited_by_iops_and_by_their_bandwidth() -> None:
    """10,000 IOPS of 16 KiB are 164 MB/s, of 1 MiB they would be 10 GB/s: the disks move 2 x 450."""
    measured = Measured(storage_iops=10_000.0, storage_mb_per_s=900.0)
    configuration = Configuration(R5D, 1, InstanceStore(2, 0))
    small = RandomIo(16_384.0, 16.0, working_set_mb=1_000.0)
    workload = Workload("", small, measured=measured, assume=PLAIN)
    found = predicted(configuration, workload, AWS_2026)
    assert found.time_s.p50 == pytest.approx(16_384.0 / (10_000 * 16 / 1024 * MB_PER_MIB))
    large = replace(workload, job=replace(small, io_kib=1024.0))
    assert time_s(configuration, large) == pytest.approx(16_384.0 / 1_800.0)


def test_half_the_disks_do_half_the_ios() -> None:
    measured = Measured(storage_iops=10_000.0, storage_mb_per_s=900.0)
    job = RandomIo(16_384.0, 16.0, working_set_mb=1_000.0)
    workload = Workload("", job, measured=measured, assume=PLAIN)
    all_of_them, half = (time_s(Configuration(R5D, 1, InstanceStore(count, 0)), workload) for count in (2, 1))
    assert half == pytest.approx(2 * all_of_them)


@pytest.mark.parametrize(("streams", "channels"), [(1, 3), (3, 1), (4, 4), (6, 2), (2, 5)])
def test_busy_share_is_that_of_all_equally_likely_ways_to_share_requests(streams: int, channels: int) -> None:
    """Product form of a closed network of equal exponential stations (Buzen 1973): every way is as likely."""
    ways = [way for way in itertools.product(range(streams + 1), repeat=channels) if sum(way) == streams]
    assert len(ways) == math.comb(streams + channels - 1, streams)
    busy = sum(way[0] > 0 for way in ways) / len(ways)
    assert busy_share(float(streams), float(channels)) == pytest.approx(busy)


@pytest.mark.parametrize(("streams", "channels"), [(4, 4), (18, 4), (18, 2), (3, 8)])
def test_busy_share_is_that_of_a_simulated_closed_network(streams: int, channels: int) -> None:
    """Requests one by one: exponential service, each finished request goes to a randomly drawn channel."""
    drawn = random.Random(20261120)  # noqa: S311 - a simulation
    queues = [0] * channels
    for _ in range(streams):
        queues[drawn.randrange(channels)] += 1
    busy_s = elapsed_s = 0.0
    for _ in range(40_000):
        working = [index for index, waiting in enumerate(queues) if waiting]
        # The first of m exponential services ends after 1 / m, and any of them may be the first.
        passed_s = drawn.expovariate(len(working))
        elapsed_s += passed_s
        busy_s += passed_s * len(working)
        queues[drawn.choice(working)] -= 1
        queues[drawn.randrange(channels)] += 1
    assert busy_share(float(streams), float(channels)) == pytest.approx(busy_s / elapsed_s / channels, rel=0.02)


@given(disks=st.integers(2, 24))
def test_divisions_give_each_side_at_least_a_disk_and_leave_none_over(disks: int) -> None:
    found = divisions(disks)
    assert len(set(found)) == disks - 1
    for division in found:
        assert min(division.input_output_disks, division.intermediate_disks) >= 1
        assert division.input_output_disks + division.intermediate_disks == disks


SORT = MapReduce("sort", 1_000_000.0)
ON_EBS = replace(SORT, durability=Durability("infrastructure"))


@pytest.mark.parametrize(
    ("layout", "job", "groups"),
    [
        (InstanceStore(3, 1), SORT, ((2_700_000.0, 2_000_000.0), (900_000.0, 1_000_000.0))),
        (InstanceStore(4, 0), SORT, ((3_600_000.0, 3_000_000.0),)),
        (ObjectStore(), SORT, ((3_600_000.0, 1_000_000.0),)),
        (ObjectStore(), replace(SORT, map_selectivity=0.0), ()),
        (Ebs("gp2", 100, 2), ON_EBS, ((200 * MB_PER_GIB, 2_000_000.0), (3_600_000.0, 1_000_000.0))),
        (Ebs("gp2", 100, 2), Hdfs("hdfs-write", 500.0), ((200 * MB_PER_GIB, 1_500.0),)),
    ],
    ids=["divided", "shared", "object store", "nothing between", "EBS", "HDFS on EBS"],
)
def test_what_a_node_holds_and_what_must_be_held(
    layout: Layout, job: MapReduce | Hdfs, groups: tuple[tuple[float, float], ...]
) -> None:
    assert capacity_groups_mb(layout, TYPES["r5d.24xlarge"], job, "divided") == groups


def test_pooled_disks_hold_anything() -> None:
    found = capacity_groups_mb(InstanceStore(3, 1), TYPES["r5d.24xlarge"], SORT, "pooled")
    assert found == ((3_600_000.0, 3_000_000.0),)


@given(per_node=st.floats(1e-3, 1e9), needed=st.floats(1e-3, 1e12), copies=st.integers(1, 9))
def test_the_fewest_nodes_hold_everything_and_one_less_does_not(per_node: float, needed: float, copies: int) -> None:
    nodes = nodes_needed(((per_node, needed),), copies)
    assert nodes * per_node >= needed
    assert nodes >= copies
    assert nodes == copies or (nodes - 1) * per_node < needed


@pytest.mark.parametrize(
    ("per_node", "needed", "nodes"),
    [(96.2, 270610.60000000003, 2813), (28.072186585433975, 63358.92512332449, 2258)],
    ids=["quotient rounds up", "quotient rounds down"],
)
def test_what_counts_is_whether_the_nodes_hold_it_not_how_the_quotient_rounds(
    per_node: float, needed: float, nodes: int
) -> None:
    assert nodes_needed(((per_node, needed),), 1) == nodes
    assert nodes * per_node >= needed > (nodes - 1) * per_node


HDFS_OF_200_TB = Workload("", Hdfs("hdfs-write", 200e6, Durability("application", 3)))


@pytest.mark.parametrize(
    ("limits", "nodes"),
    [
        (Limits(), 167),
        (Limits(lost_nodes=1), 168),
        (Limits(free_space=0.25), 223),
        (Limits(free_space=0.2, lost_nodes=1), 209),
        (Limits(free_space=0.2, lost_nodes=60), 227),
    ],
    ids=["full", "one may be lost", "a quarter free", "free space is more", "losses are more"],
)
def test_free_space_and_lost_nodes_ask_for_more_nodes(limits: Limits, nodes: int) -> None:
    # 600 TB of copies on nodes of 3.6 TB.
    workload = replace(HDFS_OF_200_TB, limits=limits)
    assert fewest_nodes(InstanceStore(4, 0), TYPES["r5d.24xlarge"], workload) == nodes


def test_a_single_copy_is_lost_with_its_node_however_much_room_there_is() -> None:
    one_copy = replace(HDFS_OF_200_TB, job=Hdfs("hdfs-write", 200e6, Durability("application", 1)))
    roomy = replace(one_copy, limits=Limits(lost_nodes=3))
    layout = InstanceStore(4, 0)
    assert fewest_nodes(layout, TYPES["r5d.24xlarge"], roomy) == fewest_nodes(layout, TYPES["r5d.24xlarge"], one_copy)


def test_copies_stay_on_nodes_of_their_own_after_a_loss() -> None:
    small = Workload("", Hdfs("hdfs-write", 1.0, Durability("application", 3)), limits=Limits(lost_nodes=2))
    assert fewest_nodes(InstanceStore(4, 0), TYPES["r5d.24xlarge"], small) == 5


@given(
    data_mb=st.floats(1.0, 1e9),
    count=st.integers(1, 28),
    nodes=st.integers(1, 300),
    free_space=st.floats(0.0, 0.9),
)
def test_the_smallest_volumes_leave_the_space_that_is_asked_for(
    data_mb: float, count: int, nodes: int, free_space: float
) -> None:
    job = Hdfs("hdfs-write", data_mb, Durability("infrastructure", 3))
    # A volume outlives its node: the loss of a node needs no spare room.
    workload = Workload("", job, limits=Limits(free_space=free_space, lost_nodes=1))
    size_gib = float(smallest_volume_gib(workload, VOLUMES["st1"], count, nodes))

    def holds(gib: float) -> bool:
        return nodes * (count * gib * MB_PER_GIB) >= job.input_output_mb / (1.0 - free_space)

    assert holds(size_gib)
    assert size_gib == 125 or not holds(size_gib - 1)


@pytest.mark.parametrize(
    ("limits", "room"), [(Limits(), False), (Limits(free_space=0.1), True), (Limits(lost_nodes=1), True)]
)
def test_limits_say_whether_more_than_the_data_must_fit(limits: Limits, *, room: bool) -> None:
    assert limits.keeps_room is room


def test_a_volume_is_a_gib_larger_where_its_size_would_round_down() -> None:
    data_mb = 37247030.132736005
    job = Hdfs("hdfs-write", data_mb, Durability("infrastructure", 1))
    assert math.ceil(data_mb / (31 * MB_PER_GIB)) == 1_119
    assert smallest_volume_gib(Workload("", job), VOLUMES["st1"], 1, 31) == 1_120


def test_a_volume_is_no_gib_larger_where_its_size_would_round_up() -> None:
    data_mb = 241 * (23 * 100.0 * MB_PER_GIB)
    job = Hdfs("hdfs-write", data_mb, Durability("infrastructure", 1))
    assert math.ceil(data_mb / (241 * 23 * MB_PER_GIB)) == 101
    assert smallest_volume_gib(Workload("", job), VOLUMES["gp2"], 23, 241) == 100


@given(data_mb=st.floats(1.0, 1e9), count=st.integers(1, 28), nodes=st.integers(1, 300))
def test_the_smallest_volumes_hold_everything_and_a_gib_less_does_not(data_mb: float, count: int, nodes: int) -> None:
    job = Hdfs("hdfs-write", data_mb, Durability("infrastructure", 1))
    size_gib = smallest_volume_gib(Workload("", job), VOLUMES["st1"], count, nodes)
    assert size_gib >= 125
    assert nodes * (count * size_gib * MB_PER_GIB) >= job.input_output_mb
    assert size_gib == 125 or nodes * (count * (size_gib - 1) * MB_PER_GIB) < job.input_output_mb


def test_a_volume_type_must_be_looked_up_before_its_layout_is_checked() -> None:
    with pytest.raises(ValueError, match="gp2 was not looked up"):
        check_layout(Ebs("gp2", 100, 1), TYPES[R5], None, Hdfs("hdfs-write", 1.0))


def test_what_one_flow_carries_limits_traffic_between_nodes_and_not_the_object_store() -> None:
    rates = Rates(network=1_250.0, flows_between_nodes=625.0, object_store=10_000.0)
    out, into, *_ = node_resources(rates, IDEAL)
    assert out.time_s({Role.NETWORK_OUT: 1_250.0}) == 2.0
    assert into.time_s({Role.INPUT_READ: 1_250.0}) == 1.0
    assert into.time_s({Role.INPUT_READ: 1_250.0, Role.NETWORK_IN: 625.0}) == 1.5
