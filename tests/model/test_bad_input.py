"""Impossible configurations: each answer names the violated limit, and a value that would be possible."""

from dataclasses import replace

import pytest

from knowledge import AWS_2026, IN_2014, Known, refused
from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout, ObjectStore, check_layout
from stowage.model.hardware.catalog import volume_type
from stowage.model.hardware.profile import Profile, ScalingCurve
from stowage.model.hardware.volume_limits import alternatives, provisioning
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.inputs import gather
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Assumptions, Job, Measured, Place, Workload
from stowage.model.sizes import MB_PER_GIB
from stowage.model.units import UnitError, parse_size

EBS, OBJECTS = Durability("infrastructure"), Durability("object-store")
DISKS = Measured(storage_mb_per_s=900.0)
SORT = MapReduce("sort", 100_000.0)
HDFS = Hdfs("hdfs-write", 100_000.0, EBS)
RANDOM = RandomIo(1_000.0, 16.0, working_set_mb=1_000.0)


def on(layout: Layout, job: Job, nodes: int = 5, instance: str = "r5d.4xlarge", **changes: object) -> Infeasible:
    workload = replace(Workload("", job, measured=DISKS), **changes)  # type: ignore[arg-type]
    return refused(Configuration(instance, nodes, layout), workload, AWS_2026)


@pytest.mark.parametrize(
    ("layout", "job", "limit", "reason", "nearest"),
    [
        (
            Ebs("gp2", 20_000, 1),
            HDFS,
            "volume size",
            "a gp2 volume cannot have 20,000 GiB: 16,384 GiB at most",
            "2 volumes of 10,000 GiB",
        ),
        (Ebs("st1", 100, 1), HDFS, "volume size", "an st1 volume cannot have 100 GiB: 125 GiB at least", "125 GiB"),
        (Ebs("gp2", 0, 1), HDFS, "volume size", "sizes are whole GiB", "1 to 16,384 GiB"),
        (
            Ebs("io2", 10, 1, 20_000),
            HDFS,
            "volume IOPS",
            "20,000 IOPS are too many for 10 GiB of io2: 1,000 IOPS per GiB at most",
            "20 GiB, or 10,000 IOPS",
        ),
        (Ebs("io2", 10, 1), HDFS, "volume IOPS", "io2 needs provisioned IOPS", "iops from 100 on"),
        (
            Ebs("gp2", 10, 1, 3_000),
            HDFS,
            "volume IOPS",
            "gp2 takes no provisioned IOPS",
            f"no iops, or {alternatives(provisioning('iops'))}",
        ),
        (
            Ebs("gp3", 10, 1, 90_000),
            HDFS,
            "volume IOPS",
            "a gp3 volume cannot have 90,000 IOPS",
            "a whole number from 3,000 to 80,000 IOPS",
        ),
        (
            Ebs("st1", 500, 1, None, 300),
            HDFS,
            "volume throughput",
            "st1 takes no provisioned throughput",
            f"no throughput, or {alternatives(provisioning('throughput'))}",
        ),
        (
            Ebs("gp3", 500, 1, 3_000, 1_000),
            HDFS,
            "volume throughput",
            "1,000 MiB/s are too many for 3,000 IOPS of gp3: 0.25 MiB/s per IOPS at most",
            "4,000 IOPS, or 750 MiB/s",
        ),
        (
            Ebs("gp3", 500, 28),
            HDFS,
            "attachments",
            "28 volumes are asked of each r5d.4xlarge, which takes 27 beside its root volume",
            "1 to 27 volumes a node",
        ),
        (
            Ebs("gp3", 500, 0),
            HDFS,
            "attachments",
            "0 volumes are asked of each r5d.4xlarge, which takes 27 beside its root volume",
            "1 to 27 volumes a node",
        ),
        (
            InstanceStore(2, 1),
            SORT,
            "disk division",
            "3 disks are asked of r5d.4xlarge, which has 2",
            "at most 2 disks",
        ),
        (InstanceStore(0, 2), SORT, "disk division", "0 disks hold no input or output", "at least 1 disk"),
        (
            InstanceStore(2, 0),
            RANDOM,
            "storage IOPS unknown",
            "how many random I/Os the disks of r5d.4xlarge do is not known",
            "measured.storage_iops",
        ),
        (
            InstanceStore(2, 0),
            AppendLog(1e3, 1.0, "always"),
            "storage IOPS unknown",
            "how many random I/Os the disks of r5d.4xlarge do is not known",
            "measured.storage_iops",
        ),
        (
            ObjectStore(),
            FreePhases(1e3, (("seek", {Role.RANDOM_READ: 1e3}),), random_io_kib=16.0, durability=OBJECTS),
            "storage IOPS unknown",
            "an object store takes whole objects, no random I/O",
            "the nodes' own disks, or EBS volumes",
        ),
        (
            InstanceStore(1, 1),
            replace(SORT, durability=Durability("application", 9)),
            "copies",
            "9 copies need as many nodes; there are 5",
            "9 nodes",
        ),
        (
            Ebs("gp3", 500, 1),
            replace(HDFS, durability=replace(EBS, replicas=6)),
            "copies",
            "6 copies need as many nodes; there are 5",
            "6 nodes",
        ),
    ],
)
def test_what_cannot_be_ordered_or_divided(layout: Layout, job: Job, limit: Limit, reason: str, nearest: str) -> None:
    found = on(layout, job)
    assert (found.limit, found.nearest) == (limit, nearest)
    assert reason in found.reason


@pytest.mark.parametrize("job", [SORT, HDFS, replace(HDFS, default_copies=True)], ids=["sort", "HDFS", "HDFS of EMR"])
@pytest.mark.parametrize("nodes", [0, -3])
def test_no_nodes(job: Job, nodes: int) -> None:
    layout = InstanceStore(1, 1) if job is SORT else Ebs("gp3", 500, 1)
    assert on(layout, job, nodes) == Infeasible("capacity", f"{nodes} nodes hold nothing", "at least 1 node")


@pytest.mark.parametrize(
    ("layout", "durability", "what"),
    [
        (InstanceStore(1, 0), Durability(), ""),
        (Ebs("gp3", 500, 1), EBS, ", and intermediate data needs them"),
        (ObjectStore(), OBJECTS, ", and intermediate data needs them"),
    ],
)
def test_a_type_without_disks_has_no_room_for_intermediate_data(
    layout: Layout, durability: Durability, what: str
) -> None:
    found = on(layout, replace(SORT, durability=durability), instance="r5.xlarge")
    expected = Infeasible("no disks", f"r5.xlarge has no disks of its own{what}", "a type with local disks")
    assert found == expected


def test_figures_of_a_type_without_disks_are_not_looked_for() -> None:
    """The search reads figures before it reads a layout."""
    workload = Workload("", replace(SORT, durability=EBS))
    catalog = AWS_2026.catalog
    instance, volume = catalog.instance_types["r5.xlarge"], catalog.volume_types["gp3"]
    found = gather(instance, volume, workload, catalog, AWS_2026.profiles)
    assert isinstance(found, Infeasible)
    assert (found.limit, found.nearest) == ("no disks", "a type with local disks")


def test_too_little_room_says_how_many_nodes_have_enough() -> None:
    found = on(Ebs("gp3", 10, 1), HDFS, 1)
    nodes = -(-100_000.0 // (10 * MB_PER_GIB))
    assert (found.limit, found.needed_nodes) == ("capacity", int(nodes))
    assert found.nearest == "10 nodes with this layout"


@pytest.mark.parametrize("purchase", ["spot", "1-year", "3-year"])
def test_a_price_that_is_not_known_is_told_with_those_that_are(purchase: str) -> None:
    bare = replace(SORT, data_mb=1_000.0)
    place = replace(Place(), purchase=purchase)  # type: ignore[arg-type]
    found = on(InstanceStore(1, 1), bare, instance="r5d.24xlarge", place=place)
    expected = f"r5d.24xlarge: no {purchase} price is known"
    assert found == Infeasible("price unknown", expected, "on-demand")


def without_price(name: str) -> Known:
    catalog = AWS_2026.catalog
    unpriced = replace(catalog.instance_types[name], usd_per_hour=None, gaps={"usd_per_hour": "it is new"})
    types = {**catalog.instance_types, name: unpriced}
    return replace(AWS_2026, catalog=replace(catalog, instance_types=types))


@pytest.mark.parametrize(
    ("place", "unpriced"),
    [
        (Place(), "r5d.4xlarge"),
        (Place(service="emr", primary="r5.xlarge"), "r5.xlarge"),
        # EMR's fee is a part of the on-demand price, for every purchase option.
        (Place(service="emr", primary="r5.xlarge", purchase="spot"), "r5d.4xlarge"),
    ],
    ids=["nodes", "primary", "fee of spot nodes"],
)
def test_what_has_no_price_has_no_cost(place: Place, unpriced: str) -> None:
    known = without_price(unpriced)
    workload = Workload("", SORT, measured=DISKS, place=place)
    found = refused(Configuration("r5d.4xlarge", 5, InstanceStore(1, 1)), workload, known)
    assert (found.limit, found.nearest) == ("price unknown", f"the price of {unpriced}")
    assert found.reason == f"the price of {unpriced} is not known: it is new"


def test_unmeasured_disks_are_estimated_only_from_a_type_with_similar_disks() -> None:
    """r5d.xlarge has disks of half the size of r5d.4xlarge, r5d.24xlarge of three times."""
    workload = Workload("", SORT, assume=Assumptions(spread="ignored"))
    catalog = AWS_2026.catalog
    alike = gather(catalog.instance_types["r5d.xlarge"], None, workload, catalog, AWS_2026.profiles)
    assert not isinstance(alike, Infeasible)
    assert alike.storage is not None
    assert (alike.storage.value, alike.storage.kind) == (450.0, "estimated")
    found = on(InstanceStore(1, 1), SORT, instance="r5d.24xlarge", measured=Measured())
    assert found.limit == "storage bandwidth unknown"


def test_disks_of_unknown_size_are_like_no_others() -> None:
    catalog = AWS_2026.catalog
    sizeless = replace(catalog.instance_types["r5d.xlarge"], disk_size_gb=None)
    found = gather(sizeless, None, Workload("", SORT), catalog, AWS_2026.profiles)
    assert isinstance(found, Infeasible)
    assert found.limit == "storage bandwidth unknown"


def test_a_link_without_a_measured_or_published_rate_is_unknown() -> None:
    workload = Workload("", HDFS, measured=Measured(ebs_read_mb_per_s=100.0))
    catalog = IN_2014.catalog
    instance, volume = catalog.instance_types["i2.8xlarge"], catalog.volume_types["gp2"]
    found = gather(instance, volume, workload, catalog, IN_2014.profiles)
    assert isinstance(found, Infeasible)
    assert found.limit == "EBS bandwidth unknown"


def test_a_volume_type_of_another_time_cannot_be_put_together() -> None:
    with pytest.raises(KeyError, match="gp3 did not exist on 2014-10-01"):
        volume_type("gp3", {}, IN_2014.catalog.as_of.replace(year=2014, month=10, day=1))


def test_a_curve_needs_profiles_that_name_their_cluster() -> None:
    row = IN_2014.profiles.of("i2.8xlarge", "network_mb_per_s")[0]
    assert isinstance(row, Profile)
    with pytest.raises(ValueError, match="does not say at how many nodes"):
        ScalingCurve((replace(row, cluster_nodes=None),)).support(5)


def test_a_layout_that_fits_has_no_obstacle() -> None:
    catalog = AWS_2026.catalog
    instance, volume = catalog.instance_types["r5d.4xlarge"], catalog.volume_types["gp3"]
    assert check_layout(Ebs("gp3", 500, 27), instance, volume, HDFS) is None
    assert check_layout(InstanceStore(1, 1), instance, None, SORT) is None
    assert check_layout(ObjectStore(), instance, None, SORT) is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("5 Tb", "'Tb' would be bits; for bytes write TB"),
        ("5 TXB", "'TXB' is not a unit of size"),
        ("0.0000001 B", "out of range; accepted: 1 B to 1,000 EB"),
        ("5", "has no unit"),
        ("-5 kB", "is not above 0"),
        ("0 TB", "is not above 0"),
    ],
)
def test_sizes_that_cannot_be_are_told_with_what_can(text: str, part: str) -> None:
    with pytest.raises(UnitError, match=part):
        parse_size(text)
    assert parse_size("1 byte") == parse_size("1 B") == 1e-6
