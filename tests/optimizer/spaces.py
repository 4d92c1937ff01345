"""Random small worlds to search: tame ones, and wild ones with gaps, ties and odd profiles."""

from dataclasses import replace
from datetime import date

from hypothesis import strategies as st

from stowage.model.figure import Figure
from stowage.model.instance import Catalogue, InstanceType, VolumeType
from stowage.model.profile import Metric, Profile, Profiles
from stowage.model.workload import Assumptions, Durability, Job, Limits, Workload

TODAY = date(2026, 11, 20)

# Few distinct values, so that ties in cost, time and nodes happen.
PRICES = st.sampled_from([0.1, 0.2, 0.25, 0.5, 1.0, 2.0])
RATES = st.sampled_from([50.0, 100.0, 200.0, 333.3, 1000.0])
SIZES = st.sampled_from([10.0, 20.0, 100.0, 800.0])
NAMES = ("a1.large", "b2.large", "c3.large")


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
    gp2 = VolumeType(
        "gp2",
        figure("smallest_gib", 1.0, "GiB"),
        figure("largest_gib", draw(st.sampled_from([16.0, 100.0, 1024.0])), "GiB"),
        figure("usd_per_gib_month", 0.1, "USD per GiB and month"),
        figure("annual_failure_rate", 0.002, "1/a"),
    )
    return Catalogue("test", "made up", TODAY, "us-east-1", types, {"gp2": gp2}), Profiles(tuple(rows))


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
        usd_per_hour=draw(st.none() | PRICES.map(lambda usd: figure("usd_per_hour", usd, "USD/h"))),
        ebs_usd_per_hour=draw(st.none() | st.just(figure("ebs_usd_per_hour", 0.1, "USD/h"))),
        gaps={},
    )


@st.composite
def profiles(draw: st.DrawFn, name: str) -> list[Profile]:
    rows = []

    def add(metric: Metric, mean: float, cluster_nodes: int | None = None) -> None:
        spread = draw(st.none() | st.sampled_from([0.0, 0.05, 0.5])) if metric == "storage_mb_per_s" else None
        rows.append(
            Profile(name, metric, mean, spread, 3, cluster_nodes, "average", None, "made up", "measured", TODAY)
        )

    if draw(st.integers(0, 9)):
        add("storage_mb_per_s", draw(RATES))
    # Points that rise and fall at will: time need not fall with the number of nodes.
    for count in draw(st.lists(st.sampled_from([2, 5, 9, 20]), max_size=3, unique=True)):
        add("network_mb_per_s", draw(RATES), count)
    if draw(st.booleans()):
        add("ebs_read_mb_per_s", draw(RATES))
        add("ebs_write_mb_per_s", draw(RATES))
    return rows


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    durability = draw(
        st.sampled_from(
            [Durability(), Durability("application", 2), Durability("application", 3), Durability("infrastructure")]
        )
    )
    kind = draw(st.sampled_from(["sort", "mapreduce"]))
    data_mb = draw(st.sampled_from([1.0, 10_000.0, 100_000.0, 333_333.0, 2_000_000.0]))
    selectivity = draw(st.sampled_from([0.5, 1.0, 2.0])) if kind == "mapreduce" else 1.0
    return Workload(
        name="",
        job=Job("sort" if kind == "sort" else "mapreduce", data_mb, selectivity, 1.0, durability),
        limits=Limits(
            deadline_s=draw(st.none() | st.sampled_from([10.0, 500.0, 5000.0])),
            budget_usd=draw(st.none() | st.sampled_from([0.5, 5.0, 50.0])),
            max_nodes=draw(st.sampled_from([1, 2, 7, 30, 60])),
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
