"""Jobs on real volumes, disks and stores: times that can be computed by hand."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import AWS_2026, predicted, published
from stowage.model.cluster import Configuration, Ebs, InstanceStore, ObjectStore
from stowage.model.jobs.append_log import DIRTY_RATIO, AppendLog, Fsync
from stowage.model.jobs.flows import Durability, Nodes, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Assumptions, Limits, Measured, Place, Workload
from stowage.model.money.price import Purchase
from stowage.model.prediction import Prediction
from stowage.model.sizes import MB_PER_GIB, MB_PER_MIB

EBS = Durability("infrastructure")
OBJECTS = Durability("object-store")
PLAIN = Assumptions(network="unlimited", cpu="ignored", spread="ignored", launch="ignored")
KIB_MB = MB_PER_MIB / 1024.0
DIRTY_MB = DIRTY_RATIO.value * 32 * MB_PER_GIB
"""Data that the page cache of r5.xlarge takes before a writer waits [MB]."""


def on(
    layout: Ebs | InstanceStore | ObjectStore,
    job: AppendLog | RandomIo | FreePhases | Hdfs | MapReduce,
    nodes: int = 1,
    instance: str = "r5.xlarge",
    **changes: object,
) -> Prediction:
    workload = replace(Workload("", job, assume=PLAIN), **changes)  # type: ignore[arg-type]
    return predicted(Configuration(instance, nodes, layout), workload, AWS_2026)


def log(data_mb: float, fsync: Fsync = "every second", **changes: object) -> AppendLog:
    return replace(AppendLog(data_mb, 1.0, fsync, durability=EBS), **changes)  # type: ignore[arg-type]


GP3 = Ebs("gp3", 1_000, 1)
GP3_MB_PER_S = 125 * MB_PER_MIB
LINK_BASE = 143.75
"""1,150 Mbit/s, the sustained EBS rate of r5.xlarge [MB/s]."""


def test_a_client_does_not_see_the_disk_until_the_dirty_limit() -> None:
    """x = r T + dirty: the data written in T is what the disk takes in T, plus what memory holds at its end."""
    assert on(GP3, log(DIRTY_MB)).time_s.p50 == 0.0
    assert on(GP3, log(DIRTY_MB + 100 * GP3_MB_PER_S)).time_s.p50 == pytest.approx(100.0)
    on_disk = on(GP3, log(DIRTY_MB + 100 * GP3_MB_PER_S, "at the end"))
    assert on_disk.time_s.p50 == pytest.approx(100.0 + DIRTY_MB / GP3_MB_PER_S)


def test_what_takes_no_time_keeps_every_deadline_and_no_budget_that_pays_for_nothing() -> None:
    """The cluster is launched anyway: 180 s of 0.252 USD/h."""
    for budget_usd, chance in ((1.0, 1.0), (0.001, 0.0)):
        limits = Limits(deadline_s=1.0, budget_usd=budget_usd)
        found = on(GP3, log(1.0), limits=limits, assume=replace(PLAIN, launch="billed"))
        assert found.time_s.p50 == 0.0
        assert (found.meets_deadline, found.meets_budget) == (1.0, chance)


def test_what_a_program_keeps_in_memory_is_no_page_cache() -> None:
    """All of x in memory as well: x = r T + 0.15 (memory - x)."""
    data_mb = 20_000.0
    cache_mb = DIRTY_RATIO.value * (32 * MB_PER_GIB - data_mb)
    found = on(GP3, log(data_mb, in_memory=1.0))
    assert found.time_s.p50 == pytest.approx((data_mb - cache_mb) / GP3_MB_PER_S)


def test_the_network_and_the_cpu_are_not_cached() -> None:
    slow = on(GP3, log(3_000.0), measured=Measured(network_mb_per_s=100.0), assume=replace(PLAIN, network="measured"))
    assert slow.time_s.p50 == pytest.approx(30.0)
    assert slow.phases[0].bottleneck == "network in"
    busy = on(GP3, log(3_000.0), assume=replace(PLAIN, cpu="modelled"))
    assert busy.time_s.p50 == pytest.approx(3_000.0 / 400.0)
    assert busy.phases[0].bottleneck == "CPU"


def test_waiting_at_each_record_takes_an_io_for_each() -> None:
    """Records of 1 KiB at 3,000 IOPS: 2.9 MiB/s, where the volume could write 125."""
    records = 3_000_000
    found = on(GP3, log(records * KIB_MB, "always"))
    assert found.time_s.p50 == pytest.approx(1_000.0)
    # A record of 1 MiB is four I/Os of 256 KiB, and 3,000 of them are beyond the 125 MiB/s.
    large = on(GP3, replace(log(12_500 * MB_PER_MIB, "always"), record_kib=1024.0))
    assert large.time_s.p50 == pytest.approx(100.0)


def test_a_snapshot_waits_for_the_disk_after_the_log() -> None:
    found = on(GP3, log(10_000.0, in_memory=0.5, snapshot=True))
    append, snapshot = found.phases
    assert float(snapshot.time_s) == pytest.approx(5_000.0 / GP3_MB_PER_S)
    cache_mb = DIRTY_RATIO.value * (32 * MB_PER_GIB - 5_000.0)
    assert float(append.time_s) == pytest.approx((10_000.0 - cache_mb) / GP3_MB_PER_S)


@pytest.mark.parametrize(
    ("layout", "iops"),
    [
        (Ebs("gp3", 1_000, 1), 3_000),
        (Ebs("gp3", 1_000, 2), 6_000),
        (Ebs("gp3", 1_000, 1, iops=10_000), 10_000),
        (Ebs("gp2", 2_000, 1), 6_000),
        (Ebs("io2", 100, 1, iops=5_000), 5_000),
        (Ebs("standard", 100, 3), 300),
    ],
)
def test_random_io_runs_at_the_iops_of_its_volumes_and_waits_as_little_says(layout: Ebs, iops: float) -> None:
    """L = X W: in a queue of 32 at 3,000 IOPS each waits 10.7 ms."""
    job = RandomIo(iops * 60 * 4 * KIB_MB, 4.0, 0.5, 32.0, working_set_mb=1_000.0, durability=EBS)
    found = on(layout, job)
    assert found.phases[0].bottleneck == "EBS volumes"
    assert found.time_s.p50 == pytest.approx(60.0)
    assert found.latency is not None
    assert found.latency.io_per_s == pytest.approx(iops)
    assert found.latency.mean_s == pytest.approx(32.0 / iops)


def test_io_per_second_are_those_of_one_node() -> None:
    job = RandomIo(4 * 3_000 * 60 * 4 * KIB_MB, 4.0, working_set_mb=1_000.0, durability=EBS)
    found = on(GP3, job, nodes=4)
    assert found.latency is not None
    assert found.time_s.p50 == pytest.approx(60.0)
    assert found.latency.io_per_s == pytest.approx(3_000.0)


def test_a_large_io_counts_as_several_and_keeps_to_the_throughput() -> None:
    """256 KiB at 3,000 IOPS would be 750 MiB/s: 125 are included. 512 KiB count as two."""
    volumes = Ebs("gp3", 1_000, 1, iops=3_000, throughput_mib_per_s=750)
    job = RandomIo(7_500 * MB_PER_MIB, 256.0, working_set_mb=1_000.0, durability=EBS)
    assert on(Ebs("gp3", 1_000, 1), job).time_s.p50 == pytest.approx(60.0)
    # The link of r5.xlarge could not carry 750 MiB/s.
    assert on(volumes, job, instance="r5d.24xlarge").time_s.p50 == pytest.approx(10.0)
    assert on(volumes, replace(job, io_kib=512.0), instance="r5d.24xlarge").time_s.p50 == pytest.approx(10.0)


def test_a_small_random_read_of_an_hdd_spends_a_full_mib_of_credit() -> None:
    """st1 of 1 TiB: 250 I/Os per second while credits last, 40 after that; a bucket of 1 TiB."""
    seconds = 600
    job = RandomIo(250 * seconds * 16 * KIB_MB, 16.0, 1.0, working_set_mb=1_000.0, durability=EBS)
    st1 = Ebs("st1", 1_024, 1)
    assert on(st1, job).time_s.p50 == pytest.approx(seconds)
    assert on(st1, job, credits=0.0).time_s.p50 == pytest.approx(250 * seconds / 40)


def test_only_random_io_has_a_latency() -> None:
    assert on(GP3, log(20_000.0)).latency is None


def test_free_phases_meet_the_same_resources() -> None:
    """Two phases of 12,500 MiB: read at 125 MiB/s, then written at the same."""
    moved = 12_500 * MB_PER_MIB
    job = FreePhases(
        1_000.0, (("scan", {Role.INPUT_READ: moved}), ("store", {Role.OUTPUT_WRITE: moved})), durability=EBS
    )
    found = on(GP3, job)
    assert [phase.name for phase in found.phases] == ["scan", "store"]
    assert [float(phase.time_s) for phase in found.phases] == pytest.approx([100.0, 100.0])
    together = FreePhases(1_000.0, (("both", {Role.INPUT_READ: moved, Role.OUTPUT_WRITE: moved}),), durability=EBS)
    assert on(GP3, together).time_s.p50 == pytest.approx(200.0)


def test_intermediate_data_that_a_phase_moves_is_never_free() -> None:
    """The data that must fit is not stated; intermediate data shares the disks with input and output."""
    measured = Measured(storage_mb_per_s=450.0)
    job = FreePhases(1_000.0, (("spill", {Role.INTERMEDIATE_WRITE: 90_000.0}),))
    found = on(InstanceStore(2, 0), job, instance="r5d.4xlarge", measured=measured)
    assert found.time_s.p50 == pytest.approx(100.0)
    assert found.phases[0].bottleneck == "shared disks"
    on_ebs = on(GP3, replace(job, durability=EBS), instance="r5d.4xlarge", measured=measured)
    assert on_ebs.time_s.p50 == pytest.approx(100.0)
    assert on_ebs.phases[0].bottleneck == "intermediate disks"


def sort_in_store(data_mb: float, **changes: object) -> MapReduce:
    return replace(MapReduce("sort", data_mb, durability=OBJECTS), **changes)  # type: ignore[arg-type]


def test_an_object_store_feeds_85_mb_per_s_to_each_vcpu_over_the_network() -> None:
    """16 vCPUs: 1,360 MB/s. With 625 MB/s of network the sort's shuffle and input share its way in."""
    measured = Measured(storage_mb_per_s=90_000.0)
    found = on(ObjectStore(), sort_in_store(40_000.0), 4, "r5d.4xlarge", measured=measured)
    assert [phase.bottleneck for phase in found.phases] == ["object store", "object store"]
    assert [float(phase.time_s) for phase in found.phases] == pytest.approx([10_000.0 / 1_360.0] * 2)
    networked = replace(PLAIN, network="measured")
    found = on(ObjectStore(), sort_in_store(40_000.0), 4, "r5d.4xlarge", measured=measured, assume=networked)
    assert [phase.bottleneck for phase in found.phases] == ["network in", "network out"]
    assert float(found.phases[0].time_s) == pytest.approx((10_000.0 + 7_500.0) / 625.0)
    assert float(found.phases[1].time_s) == pytest.approx(10_000.0 / 625.0)


def test_a_measured_object_store_is_used_as_it_is() -> None:
    measured = Measured(storage_mb_per_s=90_000.0, object_store_mb_per_s=500.0)
    found = on(ObjectStore(), sort_in_store(40_000.0), 4, "r5d.4xlarge", measured=measured)
    assert found.time_s.p50 == pytest.approx(2 * 10_000.0 / 500.0)


def test_an_object_store_charges_requests_of_128_mib_and_what_is_kept() -> None:
    """40,000 MB are 299 requests each way; a month of 40,000 MB is 37.25 GB x 0.023 USD."""
    measured = Measured(storage_mb_per_s=90_000.0)
    found = on(ObjectStore(), sort_in_store(40_000.0), 4, "r5d.4xlarge", measured=measured)
    requests = 299 / 1000 * (0.005 + 0.0004)
    assert found.cost.object_store == pytest.approx(requests)
    month_s = 730 * 3600.0
    kept = on(ObjectStore(), sort_in_store(40_000.0), 4, "r5d.4xlarge", measured=measured, kept_s=month_s)
    assert kept.cost.object_store == pytest.approx(requests + 40_000.0 / MB_PER_GIB * 0.023)
    # Cost and loss probability refer to the same time.
    assert found.loss_exposure_s == found.time_s.p50
    assert kept.loss_exposure_s == month_s


def sort_on_disks(data_mb: float, **changes: object) -> MapReduce:
    return replace(MapReduce("sort", data_mb), **changes)  # type: ignore[arg-type]


OWN_DISKS = InstanceStore(1, 1)
"""Number of disks of r5d.4xlarge: two."""
FAST_DISKS = Measured(storage_mb_per_s=90_000.0, object_store_mb_per_s=500.0)


def test_what_lies_in_the_object_store_is_loaded_first_and_unloaded_last() -> None:
    """40,000 MB on 4 nodes: 20 s each way at 500 MB/s, and the requests of both."""
    in_place = on(OWN_DISKS, sort_on_disks(40_000.0), 4, "r5d.4xlarge", measured=FAST_DISKS)
    copied = on(
        OWN_DISKS,
        sort_on_disks(40_000.0),
        4,
        "r5d.4xlarge",
        measured=FAST_DISKS,
        input="object-store",
        output="object-store",
    )
    assert [(phase.name, phase.bottleneck) for phase in (copied.phases[0], copied.phases[-1])] == [
        ("load from the object store", "object store"),
        ("unload to the object store", "object store"),
    ]
    assert [phase.name for phase in copied.phases[1:-1]] == [phase.name for phase in in_place.phases]
    assert copied.time_s.p50 == pytest.approx(in_place.time_s.p50 + 2 * 20.0)
    assert copied.cost.object_store == pytest.approx(299 / 1000 * (0.005 + 0.0004))
    assert in_place.cost.object_store == 0.0
    assert copied.loss_exposure_s == copied.time_s.p50


@pytest.mark.parametrize(("given_mb_per_s", "bottleneck"), [(100.0, "input/output disks"), (None, "network in")])
def test_loading_takes_what_disks_and_network_leave(given_mb_per_s: float | None, bottleneck: str) -> None:
    """One of two disks at DiskBench's 100 MB/s; or 625 MB/s of network, below what 16 vCPUs fetch."""
    measured = Measured(storage_mb_per_s=given_mb_per_s or 90_000.0)
    networked = replace(PLAIN, network="measured")
    found = on(
        OWN_DISKS,
        sort_on_disks(40_000.0),
        4,
        "r5d.4xlarge",
        measured=measured,
        assume=networked,
        input="object-store",
    )
    assert found.phases[0].bottleneck == bottleneck
    assert float(found.phases[0].time_s) == pytest.approx(10_000.0 / min(given_mb_per_s or 625.0, 625.0))


def test_one_copy_is_unloaded_from_the_node_with_the_most_keys() -> None:
    job = sort_on_disks(40_000.0, skew=2.0, durability=Durability("application", 2))
    found = on(OWN_DISKS, job, 4, "r5d.4xlarge", measured=FAST_DISKS, output="object-store")
    assert float(found.phases[-1].time_s) == pytest.approx(2.0 * 10_000.0 / 500.0)
    assert found.cost.object_store == pytest.approx(299 / 1000 * 0.005)


def test_a_job_that_reads_the_object_store_itself_loads_nothing() -> None:
    measured = Measured(storage_mb_per_s=90_000.0)
    itself = on(ObjectStore(), sort_in_store(40_000.0), 4, "r5d.4xlarge", measured=measured)
    said = on(ObjectStore(), sort_in_store(40_000.0), 4, "r5d.4xlarge", measured=measured, input="object-store")
    assert said == itself


def test_what_volumes_hold_is_loaded_onto_them() -> None:
    """One gp3 volume a node takes 125 MiB/s."""
    job = sort_on_disks(40_000.0, durability=EBS)
    found = on(GP3, job, 4, "r5d.4xlarge", measured=FAST_DISKS, input="object-store", output="object-store")
    ends = (found.phases[0], found.phases[-1])
    assert [phase.bottleneck for phase in ends] == ["EBS volumes", "EBS volumes"]
    assert [float(phase.time_s) for phase in ends] == pytest.approx([10_000.0 / GP3_MB_PER_S] * 2)


@given(skew=st.floats(1.0, 50.0))
@settings(max_examples=20)
def test_skew_makes_a_job_slower_and_its_bytes_no_more(skew: float) -> None:
    measured = Measured(storage_mb_per_s=90_000.0)
    even = on(ObjectStore(), sort_in_store(40_000.0), 4, "r5d.4xlarge", measured=measured, place=Place(zones=2))
    uneven = sort_in_store(40_000.0, skew=skew)
    found = on(ObjectStore(), uneven, 4, "r5d.4xlarge", measured=measured, place=Place(zones=2))
    assert found.cost.object_store == even.cost.object_store
    assert found.cost.traffic == even.cost.traffic
    assert found.time_s.p50 >= even.time_s.p50


def test_what_crosses_zones_is_paid_twice_and_whole_shuffles_cross_whole() -> None:
    """Over 2 zones half of 3/4 of 40,000 MB crosses, at 0.01 USD per GB in each direction."""
    measured = Measured(storage_mb_per_s=90_000.0)
    zones = Place(zones=2)
    found = on(InstanceStore(1, 1), MapReduce("sort", 40_000.0), 4, "r5d.4xlarge", measured=measured, place=zones)
    assert found.cost.traffic == pytest.approx(40_000.0 * 0.75 / 2 / MB_PER_GIB * 0.02)
    whole = replace(PLAIN, shuffle="whole")
    found = on(
        InstanceStore(1, 1),
        MapReduce("sort", 40_000.0),
        4,
        "r5d.4xlarge",
        measured=measured,
        place=zones,
        assume=whole,
    )
    assert found.cost.traffic == pytest.approx(40_000.0 / 2 / MB_PER_GIB * 0.02)


def test_standard_volumes_charge_for_each_io() -> None:
    """2 million I/Os of 4 KiB at 0.05 USD a million; sequential data is billed in merged I/Os of 1 MiB."""
    job = RandomIo(2e6 * 4 * KIB_MB, 4.0, working_set_mb=1_000.0, durability=EBS)
    assert on(Ebs("standard", 100, 4), job, nodes=3).cost.volume_io == pytest.approx(0.10)
    written = on(Ebs("standard", 100, 4), log(10_000 * MB_PER_MIB), nodes=3)
    assert written.cost.volume_io == pytest.approx(10_000 / 1e6 * 0.05)


def test_emr_adds_its_fee_to_each_node_and_a_primary_with_a_fee_of_its_own() -> None:
    """25% of the on-demand price, at most 0.27 USD/h: r5d.24xlarge 0.27, r5.xlarge 0.063."""
    job = log(GP3_MB_PER_S * 3_600 + DIRTY_MB, "at the end")
    hours = on(GP3, job, instance="r5d.24xlarge").time_s.p50 / 3_600
    emr = Place(service="emr", primary="r5.xlarge")
    found = on(GP3, job, instance="r5d.24xlarge", place=emr)
    assert found.cost.emr_fee == pytest.approx((0.27 + 0.063) * hours)
    assert found.cost.head_nodes == pytest.approx(0.252 * hours)
    alike = on(GP3, job, instance="r5d.24xlarge", place=Place(service="emr"))
    assert alike.cost.emr_fee == pytest.approx(2 * 0.27 * hours)
    assert alike.cost.head_nodes == pytest.approx(6.912 * hours)


def test_hdfs_has_a_namenode_even_without_emr() -> None:
    found = on(GP3, Hdfs("hdfs-write", 100_000.0, Durability("infrastructure", 1)))
    assert found.cost.head_nodes == pytest.approx(0.252 * found.time_s.p50 / 3_600)
    assert found.cost.emr_fee == 0.0


def test_spot_costs_its_own_price_and_the_expected_rework() -> None:
    job = log(GP3_MB_PER_S * 36_000, "at the end")
    bought: tuple[Purchase, Purchase] = ("on-demand", "spot")
    on_demand, spot = (on(Ebs("gp3", 5_000, 1), job, place=Place(purchase=option)) for option in bought)
    assert on_demand.cost.instances == pytest.approx(2.52)
    assert spot.cost.instances == pytest.approx(0.78)
    assert spot.time_s.p50 > on_demand.time_s.p50
    assert float(spot.cost.rework) > 0.0
    assert spot.cost.total == pytest.approx(spot.cost_usd.p50)


def test_hdfs_on_emr_keeps_one_two_or_three_copies_by_its_size() -> None:
    """100 GB on st1, with EMR's own copies: bytes written by a node rise with the number of copies."""
    job = Hdfs("hdfs-write", 100_000.0, EBS, default_copies=True)
    copies = {3: 1, 4: 2, 9: 2, 10: 3, 20: 3}
    written_mb = [on(GP3, job, nodes).time_s.p50 * GP3_MB_PER_S * nodes for nodes in copies]
    assert written_mb == pytest.approx([100_000.0 * kept for kept in copies.values()])


def test_repairs_of_volumes_share_what_their_nodes_can_give() -> None:
    """Copies of the same data on as many volumes: four to a node are repaired more slowly than one to a node."""
    job = Hdfs("hdfs-write", 1e6, Durability("infrastructure", 2))
    many_nodes = on(Ebs("gp3", 4_000, 1), replace(job, data_mb=3e7), 40)
    few_nodes = on(Ebs("gp3", 4_000, 4), replace(job, data_mb=3e7), 10)
    # 630 s to notice, and 1.5 TB a volume from 39 times the volume's 131 MB/s, or a quarter of the link's 143.75 MB/s.
    noticed_s, by_volume_s, by_link_s = 630.0, 1.5e6 / (39 * GP3_MB_PER_S), 1.5e6 / (39 * LINK_BASE)
    slower = (noticed_s + 4 * by_link_s) / (noticed_s + by_volume_s)
    assert few_nodes.loss_probability / many_nodes.loss_probability == pytest.approx(slower, rel=0.01)


def test_repairs_outlast_the_credit_of_a_network() -> None:
    """1.5 TB a volume from 39 others: at the 131 MB/s of the volume, or half of the link's where the network falls."""
    job = Hdfs("hdfs-write", 3e7, Durability("infrastructure", 2))
    networked = replace(PLAIN, network="measured")
    slow_for_long = AWS_2026.catalog.instance_types["r5.xlarge"]
    slow_for_long = replace(
        slow_for_long, network_baseline_mb_per_s=published("network_baseline_mb_per_s", LINK_BASE / 2)
    )
    known = replace(AWS_2026, catalog=replace(AWS_2026.catalog, instance_types={"r5.xlarge": slow_for_long}))
    configuration = Configuration("r5.xlarge", 40, Ebs("gp3", 4_000, 1))
    workload = Workload("", job, assume=networked, measured=Measured(network_credit_mb=1e6))
    fast, slow = (predicted(configuration, workload, of) for of in (AWS_2026, known))
    by_volume_s, by_network_s = 1.5e6 / (39 * GP3_MB_PER_S), 1.5e6 / (39 * LINK_BASE / 2)
    slower = (630.0 + by_network_s) / (630.0 + by_volume_s)
    assert slow.loss_probability / fast.loss_probability == pytest.approx(slower, rel=0.01)


def test_a_block_in_fewer_pieces_lies_in_fewer_places() -> None:
    small, large = (
        on(Ebs("gp3", 1_000, 2), Hdfs("hdfs-write", 1e6, Durability("infrastructure", 3), block_mb=block), 40)
        for block in (134.0, 13_400.0)
    )
    assert large.loss_probability < small.loss_probability / 10


def test_compressed_intermediate_data_takes_less_of_disks_and_links_and_leaves_cpus_and_output_as_they_are() -> None:
    nodes, plain = Nodes(10.0, 64e3, 8.0), MapReduce("mapreduce", 1e6, 2.0, 0.5)
    packed = replace(plain, compressed_to=0.25)
    smaller = {Role.NETWORK_OUT, Role.NETWORK_IN, Role.INTERMEDIATE_WRITE, Role.INTERMEDIATE_READ}
    for before, after in zip(plain.phases(nodes), packed.phases(nodes), strict=True):
        for role, flow_mb in before.flows_mb.items():
            assert after.flows_mb[role] == pytest.approx(flow_mb * (0.25 if role in smaller else 1.0)), role
    assert (packed.intermediate_mb, packed.output_mb, packed.mapped_mb) == (0.5e6, 1e6, 2e6)
    assert "workload.compressed_to" in {figure.quantity for figure in packed.figures()}


def test_a_compressed_partition_is_merged_as_large_as_it_was() -> None:
    """A quarter of the bytes on disk, and as many passes: memory holds uncompressed data for the sort."""
    nodes, job = Nodes(4.0, 4e3, 4.0), MapReduce("sort", 1e6, partitions=16)
    packed = replace(job, compressed_to=0.25)
    assert packed.merge_passes(nodes) == job.merge_passes(nodes) > 0.0
