"""Random small worlds to search: tame ones, and wild ones with gaps, ties and odd profiles."""

from dataclasses import replace
from datetime import date
from typing import Any

from hypothesis import strategies as st

from stowage.model.append_log import AppendLog
from stowage.model.catalogue import Catalogue, volume_type
from stowage.model.figure import Figure
from stowage.model.flows import Durability
from stowage.model.hdfs import Hdfs
from stowage.model.instance import InstanceType
from stowage.model.mapreduce import MapReduce
from stowage.model.profile import Metric, Profile, Profiles
from stowage.model.random_io import RandomIo
from stowage.model.workload import Assumptions, Job, Limits, Measured, Place, Workload

TODAY = date(2026, 11, 20)

# Few distinct values, so that ties in cost, time and nodes happen.
PRICES = st.sampled_from([0.1, 0.2, 0.25, 0.5, 1.0, 2.0])
RATES = st.sampled_from([50.0, 100.0, 200.0, 333.3, 1000.0])
SIZES = st.sampled_from([10.0, 100.0, 800.0, 3_200.0])
NAMES = ("a1.large", "a1.xlarge", "b2.large", "c3.large")


def mostly(known: st.SearchStrategy[Figure]) -> st.SearchStrategy[Figure | None]:
    """Leave a gap now and then."""
    return st.integers(0, 5).flatmap(lambda number: known if number else st.none())


def figure(quantity: str, value: float, unit: str = "1") -> Figure:
    return Figure(quantity, value, unit, "made up for a test", "estimated", TODAY)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Catalogue, Profiles]:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    types = {name: draw(instance_types(name)) for name in names}
    rows = [row for name in names for row in draw(profiles(name))]
    if draw(st.booleans()):
        # A type that differs in nothing but its name: every candidate of it is a tie.
        original, double = names[0], "d4.large"
        types[double] = replace(types[original], name=double)
        rows += [replace(row, target=double) for row in rows if row.target == original]
    sizes = {
        "smallest_gib": figure("smallest_gib", 1.0, "GiB"),
        "largest_gib": figure("largest_gib", draw(st.sampled_from([16.0, 100.0, 1024.0])), "GiB"),
    }
    prices = {
        "usd_per_gib_month": figure("usd_per_gib_month", 0.1, "USD per GiB and month"),
        "annual_failure_rate": figure("annual_failure_rate", 0.002, "1/a"),
    }
    more = {
        "gp3": prices
        | {
            "usd_per_iops_month": figure("usd_per_iops_month", 0.005, "USD per IOPS and month"),
            "usd_per_mib_per_s_month": figure("usd_per_mib_per_s_month", 0.04, "USD per MiB/s and month"),
        },
        "st1": prices,
        "standard": prices | {"usd_per_million_io": figure("usd_per_million_io", 0.05, "USD")},
        "io2": prices | {"usd_per_iops_month": figure("usd_per_iops_month", 0.065, "USD per IOPS and month")},
    }
    volumes = {"gp2": volume_type("gp2", sizes | prices, TODAY)}
    for name in draw(st.lists(st.sampled_from(list(more)), max_size=2, unique=True)):
        volumes[name] = volume_type(name, more[name], TODAY)
    return Catalogue("test", "made up", TODAY, "us-east-1", types, volumes), Profiles(tuple(rows))


@st.composite
def instance_types(draw: st.DrawFn, name: str) -> InstanceType:
    disks = draw(st.integers(0, 4))
    return InstanceType(
        name=name,
        vcpus=figure("vcpus", float(draw(st.sampled_from([1, 2, 16])))),
        memory_gib=figure("memory_gib", 16.0, "GiB"),
        disk_count=figure("disk_count", float(disks)),
        disk_size_gb=figure("disk_size_gb", draw(SIZES), "GB") if disks else None,
        disk_media="ssd" if disks else None,
        placement_group=True,
        usd_per_hour=draw(mostly(PRICES.map(lambda usd: figure("usd_per_hour", usd, "USD/h")))),
        ebs_usd_per_hour=draw(st.none() | st.just(figure("ebs_usd_per_hour", 0.1, "USD/h"))),
        gaps=draw(st.sampled_from([{}, {}, {"ebs_usd_per_hour": "costs extra"}])),
        most_volumes=draw(
            st.none() | st.none() | st.sampled_from([8.0, 9.0]).map(lambda most: figure("most_volumes", most))
        ),
        spot_usd_per_hour=draw(mostly(PRICES.map(lambda usd: figure("spot_usd_per_hour", usd, "USD/h")))),
        cpu_baseline_share=draw(st.none() | st.none() | st.just(figure("cpu_baseline_share", 0.2))),
        traits=frozenset(draw(st.sampled_from([(), ("nitro",), ("previous generation",), ("nitro", "burstable")]))),
        **draw(st.just({}) | links()),
    )


def links() -> st.SearchStrategy[dict[str, Any]]:
    """Links as AWS publishes them: a baseline, and a maximum for half an hour."""
    names = ("ebs_baseline_mb_per_s", "ebs_maximum_mb_per_s", "network_baseline_mb_per_s", "network_peak_mb_per_s")
    iops = {
        "ebs_baseline_iops": figure("ebs_baseline_iops", 500.0),
        "ebs_maximum_iops": figure("ebs_maximum_iops", 4e3),
    }
    rates = st.tuples(st.sampled_from([20.0, 80.0]), st.sampled_from([80.0, 400.0]), RATES, RATES)
    published: st.SearchStrategy[dict[str, Any]] = rates.map(
        lambda found: {name: figure(name, rate) for name, rate in zip(names, found, strict=True)}
    )
    return published | published.map(lambda found: found | iops)


@st.composite
def profiles(draw: st.DrawFn, name: str) -> list[Profile]:
    rows = []

    def add(metric: Metric, mean: float, cluster_nodes: int | None = None) -> None:
        spread = draw(st.none() | st.sampled_from([0.0, 0.05, 0.5])) if metric.startswith("storage") else None
        rows.append(
            Profile(name, metric, mean, spread, 3, cluster_nodes, "average", None, "made up", "measured", TODAY)
        )

    known = draw(st.sampled_from(["at once", "at once", "at once", "each way", "each way", "both", "nothing"]))
    if known in {"at once", "both"}:
        add("storage_mb_per_s", draw(RATES))
    if known in {"each way", "both"}:
        add("storage_read_mb_per_s", draw(RATES))
        add("storage_write_mb_per_s", draw(RATES))
    if draw(st.booleans()):
        add("storage_read_iops", draw(st.sampled_from([500.0, 20_000.0])))
        add("storage_write_iops", draw(st.sampled_from([500.0, 9_000.0])))
    # Points that rise and fall at will: time need not fall with the number of nodes.
    for count in draw(st.lists(st.sampled_from([2, 5, 9, 20]), max_size=3, unique=True)):
        add("network_mb_per_s", draw(RATES), count)
    if draw(st.booleans()):
        add("ebs_read_mb_per_s", draw(RATES))
        add("ebs_write_mb_per_s", draw(RATES))
    return rows


ON_EBS, IN_STORE = Durability("infrastructure"), Durability("object-store")
KEPT = st.sampled_from([Durability(), Durability("application", 2), Durability("application", 3), ON_EBS])
DATA_MB = st.sampled_from([1.0, 5_000.0, 10_000.0, 100_000.0, 333_333.0, 2_000_000.0])
COPIES = st.sampled_from([Durability("application", 1), Durability("application", 3), ON_EBS])

SORTS = st.builds(
    MapReduce,
    st.just("sort"),
    DATA_MB,
    durability=KEPT | st.just(IN_STORE),
    skew=st.sampled_from([1.0, 1.0, 2.5]),
    partitions=st.sampled_from([None, None, 50]),
)
MAP_REDUCES = st.builds(
    MapReduce, st.just("mapreduce"), DATA_MB, st.sampled_from([0.5, 1.0, 2.0]), durability=KEPT | st.just(IN_STORE)
)
HDFS = st.builds(
    Hdfs,
    st.sampled_from(["hdfs-write", "hdfs-read"]),
    DATA_MB,
    COPIES,
    local_share=st.sampled_from([1.0, 0.3]),
    default_copies=st.booleans(),
)
LOGS = st.builds(
    AppendLog,
    DATA_MB,
    st.just(4.0),
    st.sampled_from(["always", "every second", "at the end"]),
    st.sampled_from([0.0, 0.5]),
    st.booleans(),
    KEPT,
)
RANDOM = st.builds(RandomIo, DATA_MB, st.just(16.0), st.sampled_from([0.0, 0.7]), st.just(8.0), DATA_MB, KEPT)
JOBS: st.SearchStrategy[Job] = st.one_of(SORTS, MAP_REDUCES, HDFS, HDFS, LOGS, RANDOM)


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    return Workload(
        name="",
        job=draw(JOBS),
        framework=draw(st.sampled_from(["ideal", "ideal", "hadoop-dfsio", "unknown"])),
        place=Place(
            service=draw(st.sampled_from(["ec2", "emr"])),
            purchase=draw(st.sampled_from(["on-demand", "on-demand", "spot"])),
            zones=draw(st.sampled_from([1, 1, 3])),
            placement_group=draw(st.booleans()),
        ),
        measured=Measured(
            storage_iops=draw(st.sampled_from([None, 3_000.0])),
            network_credit_mb=draw(st.sampled_from([None, 1_000.0])),
        ),
        credits=draw(st.sampled_from([1.0, 0.0, 0.4])),
        limits=Limits(
            deadline_s=draw(st.none() | st.sampled_from([10.0, 500.0, 5000.0])),
            budget_usd=draw(st.none() | st.sampled_from([0.5, 5.0, 50.0])),
            max_nodes=draw(st.sampled_from([1, 2, 7, 12, 30])),
        ),
        assume=Assumptions(
            network=draw(st.sampled_from(["measured", "baseline", "unlimited"])),
            shuffle=draw(st.sampled_from(["exact", "whole"])),
            capacity=draw(st.sampled_from(["divided", "pooled"])),
            cpu=draw(st.sampled_from(["modelled", "ignored"])),
            spread=draw(st.sampled_from(["modelled", "ignored"])),
            launch=draw(st.sampled_from(["billed", "ignored"])),
            billing=draw(st.sampled_from(["by-second", "prorated"])),
        ),
    )
