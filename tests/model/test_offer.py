"""Many configurations in one call: each gets the same floats as alone, in any combination."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bench.predictions import CHUNK, Forecasts, forecast_into
from knowledge import AWS_2026, IN_2014, Known
from soaking import everyday
from stowage.model.cluster import Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.forecast import Forecast, forecast
from stowage.model.inputs import Inputs, gather
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Assumptions, Job, Limits, Measured, Place, Workload
from stowage.model.offer import Offer, offer_of
from stowage.model.uncertainty.straggler import Stragglers

EBS, OBJECTS = Durability("infrastructure"), Durability("object-store")
MEASURED = Measured(storage_mb_per_s=900.0, storage_iops=9_000.0, network_credit_mb=40_000.0)
LIMITS = Limits(deadline_s=600.0, budget_usd=30.0)
GB = 1e3


def a_workload(job: Job, **changes: object) -> Workload:
    return replace(Workload("", job, limits=LIMITS, measured=MEASURED), **changes)  # type: ignore[arg-type]


EMR_IN_ZONES = Place(service="emr", zones=3, placement_group=False)
SPOT = Place(purchase="spot", zones=2)

CASES: dict[str, tuple[Layout, Workload]] = {
    "sort on own disks": (InstanceStore(1, 1), a_workload(MapReduce("sort", 900 * GB))),
    "skewed Hadoop job on spot": (
        InstanceStore(1, 1),
        a_workload(MapReduce("mapreduce", 900 * GB, 0.7, 2.0, skew=4.0), framework="hadoop-dfsio", place=SPOT),
    ),
    "partitions that exceed memory": (
        InstanceStore(1, 1),
        a_workload(MapReduce("sort", 90_000 * GB, partitions=100), framework="unknown"),
    ),
    "two copies on EMR in three zones": (
        InstanceStore(1, 1),
        a_workload(MapReduce("sort", 900 * GB, durability=Durability("application", 2)), place=EMR_IN_ZONES),
    ),
    "object store that keeps": (
        ObjectStore(),
        a_workload(MapReduce("sort", 900 * GB, durability=OBJECTS), place=EMR_IN_ZONES, kept_s=1e7, runs_per_month=7.0),
    ),
    "HDFS on st1 half empty": (
        Ebs("st1", 2_000, 3),
        a_workload(Hdfs("hdfs-write", 900 * GB, replace(EBS, replicas=3)), framework="hadoop-dfsio", credits=0.5),
    ),
    "HDFS read from afar": (Ebs("gp2", 300, 3), a_workload(Hdfs("hdfs-read", 900 * GB, EBS, local_share=0.2))),
    "log on gp3": (
        Ebs("gp3", 500, 2, 5_000, 600),
        a_workload(AppendLog(900 * GB, 1.0, in_memory=0.5, snapshot=True, durability=EBS)),
    ),
    "log that waits on io2": (Ebs("io2", 500, 1, 20_000), a_workload(AppendLog(9 * GB, 1.0, "always", durability=EBS))),
    "random I/O on standard": (
        Ebs("standard", 500, 4),
        a_workload(RandomIo(9 * GB, 8.0, 0.9, 4.0, 100.0, EBS), place=SPOT),
    ),
    "random I/O on own disks": (InstanceStore(2, 0), a_workload(RandomIo(900 * GB, 8.0, 0.9, 4.0, 100.0))),
    "phases one after the other on gp2": (
        Ebs("gp2", 120, 3),
        a_workload(
            FreePhases(
                9.0,
                (
                    ("scan", {Role.INPUT_READ: 900 * GB, Role.CPU: 90 * GB}),
                    ("think", {Role.CPU: 900 * GB}),
                    ("store", {Role.OUTPUT_WRITE: 900 * GB, Role.NETWORK_IN: 90 * GB}),
                ),
                durability=EBS,
            ),
            credits=0.1,
        ),
    ),
    "log that memory takes at once, for a budget that pays for nothing": (
        Ebs("gp3", 500, 2),
        a_workload(
            AppendLog(1.0, 1.0, durability=EBS),
            limits=Limits(1.0, 1e-3),
            assume=Assumptions(network="unlimited", cpu="ignored"),
        ),
    ),
    "slow volumes and spares": (
        Ebs("gp2", 120, 3),
        a_workload(
            Hdfs("hdfs-write", 90 * GB, EBS),
            stragglers=Stragglers(0.05, 3.0),
            straggling="volumes",
            spares=3,
        ),
    ),
    "nothing but arithmetic": (
        InstanceStore(1, 1),
        a_workload(
            MapReduce("sort", 900 * GB),
            assume=Assumptions("unlimited", "whole", "pooled", "ignored", "ignored", "ignored", "prorated"),
        ),
    ),
}
SLOW = "slow volumes and spares"
NODES = np.array([1.0, 2.0, 3.0, 7.0, 40.0, 178.0, 1_000.0, 70_000.0])


@pytest.fixture(params=list(CASES.values()), ids=list(CASES))
def case(request: pytest.FixtureRequest) -> tuple[Layout, Workload]:
    layout, workload = request.param
    return layout, workload


def inputs_of(instance: str, layout: Layout, workload: Workload, known: Known = AWS_2026) -> Inputs:
    catalog = known.catalog
    volume = catalog.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
    found = gather(catalog.instance_types[instance], volume, workload, catalog, known.profiles)
    assert isinstance(found, Inputs), found
    return found


def values(found: Forecast) -> dict[str, Any]:
    """Name every number of a forecast."""
    evaluation = found.evaluation
    phases = {f"{phase.name}: {name}": time_s for phase in evaluation.phases for name, time_s in phase.resource_times_s}
    costs = {field.name: getattr(evaluation.cost, field.name) for field in fields(evaluation.cost)}
    return {
        **phases,
        **costs,
        "time": evaluation.time_s,
        "work": evaluation.work_s,
        "total": evaluation.cost.total,
        "deviation": found.log_deviation,
        **{f"time {name}": value for name, value in found.time_s._asdict().items()},
        **{f"cost {name}": value for name, value in found.cost_usd._asdict().items()},
        "deadline": found.meets_deadline,
        "budget": found.meets_budget,
    }


def hold_each_to_itself(together: Forecast, alone: Sequence[Forecast]) -> None:
    found = {name: np.broadcast_to(np.asarray(value), len(alone)) for name, value in values(together).items()}
    for index, one in enumerate(alone):
        for name, value in values(one).items():
            assert found[name][index] == value, (name, index)


@pytest.mark.parametrize(
    "of",
    # With slow volumes the work grows with the nodes: 70,000 of them take 25 s.
    everyday([*((name, 7e4) for name in CASES if name != SLOW), (SLOW, 178.0)], product(CASES, (178.0, 7e4)), "spaces"),
    ids=str,
)
def test_node_counts_at_once_are_what_each_is_alone(of: tuple[str, float]) -> None:
    name, most = of
    layout, workload = CASES[name]
    inputs, nodes = inputs_of("r5d.4xlarge", layout, workload), NODES[most >= NODES]
    together = forecast(offer_of(inputs, layout, workload, nodes), workload, nodes)
    alone = [
        forecast(offer_of(inputs, layout, workload, float(count)), workload, float(count)) for count in nodes.tolist()
    ]
    hold_each_to_itself(together, alone)


@pytest.mark.parametrize("name", [name for name, (layout, _) in CASES.items() if isinstance(layout, Ebs)])
def test_volume_sizes_at_once_are_what_each_is_alone(name: str) -> None:
    layout, workload = CASES[name]
    assert isinstance(layout, Ebs)
    inputs = inputs_of("r5d.4xlarge", layout, workload)
    sizes = np.array([125.0, 170.0, 171.0, 334.0, 1_000.0, 1_024.0])
    counts = NODES[: sizes.size]
    together = forecast(offer_of(inputs, layout, workload, counts, sizes), workload, counts)
    alone = [
        forecast(offer_of(inputs, replace(layout, size_gib=int(size)), workload, float(count)), workload, float(count))
        for size, count in zip(sizes, counts, strict=True)
    ]
    hold_each_to_itself(together, alone)


def stacked(parts: Sequence[Any], *, always: bool) -> Any:
    """Combine the numbers of several offers into arrays; equal ones stay scalars unless ``always``."""
    first = parts[0]
    if isinstance(first, float | int) and not isinstance(first, bool):
        assert all(isinstance(part, float | int) for part in parts), parts
        # The float 0.0 stands for "does not apply", and must stay a scalar if it applies to none.
        if len(set(parts)) == 1 and not (always and first != 0.0):
            return first
        return np.array(parts, dtype=np.float64)
    if hasattr(first, "_make"):
        return first._make(stacked(items, always=always) for items in zip(*parts, strict=True))
    if isinstance(first, tuple):
        return tuple(stacked(items, always=always) for items in zip(*parts, strict=True))
    if isinstance(first, Mapping):
        assert all(part.keys() == first.keys() for part in parts)
        return {key: stacked([part[key] for part in parts], always=always) for key in first}
    if is_dataclass(first) and not isinstance(first, type):
        kept = {"framework", "launch_s", "minimum_billed_s", "object_mb", "replacement_s"}
        changed = {
            field.name: stacked([getattr(part, field.name) for part in parts], always=always)
            for field in fields(first)
            if field.name not in kept
        }
        return replace(first, **changed)
    assert all(part == first for part in parts), parts
    return first


TYPES = ("r5d.xlarge", "r5d.4xlarge", "r5d.24xlarge")


def on_types(
    layout: Layout, workload: Workload, picked: Sequence[tuple[str, int]]
) -> tuple[list[Offer], NDArray[np.float64]]:
    if isinstance(layout, InstanceStore):
        layout = InstanceStore(1, layout.intermediate_disks)
    offers = [
        offer_of(inputs_of(instance, layout, workload), layout, workload, float(count)) for instance, count in picked
    ]
    return offers, np.array([float(count) for _, count in picked])


@pytest.mark.parametrize("always", [False, True], ids=["where they differ", "everywhere"])
def test_types_stacked_into_arrays_are_what_each_is_alone(case: tuple[Layout, Workload], *, always: bool) -> None:
    layout, workload = case
    # The largest type has one constant network rate, so that there is no burst credit to combine.
    measured = replace(MEASURED, network_credit_mb=None)
    workload = replace(workload, measured=measured, place=replace(workload.place, purchase="on-demand"))
    picked = [(instance, count) for instance in TYPES for count in (2, 19)]
    offers, counts = on_types(layout, workload, picked)
    together = forecast(stacked(offers, always=always), workload, counts)
    alone = [forecast(offer, workload, float(count)) for offer, count in zip(offers, counts, strict=True)]
    hold_each_to_itself(together, alone)


@given(
    picked=st.lists(st.tuples(st.sampled_from(TYPES[:2]), st.integers(2, 3_000)), min_size=2, max_size=6),
    name=st.sampled_from(list(CASES)),
)
@settings(max_examples=40)
def test_types_that_fall_back_are_stacked_into_arrays_too(picked: list[tuple[str, int]], name: str) -> None:
    layout, workload = CASES[name]
    offers, counts = on_types(layout, workload, picked)
    together = forecast(stacked(offers, always=False), workload, counts)
    alone = [forecast(offer, workload, float(count)) for offer, count in zip(offers, counts, strict=True)]
    hold_each_to_itself(together, alone)


@pytest.mark.parametrize("limits", [LIMITS, Limits()], ids=["within limits", "without"])
def test_many_chunks_are_what_each_configuration_is_alone(limits: Limits) -> None:
    """Two chunks and a remainder, in preallocated arrays."""
    layout, workload = CASES["HDFS on st1 half empty"]
    workload = replace(workload, limits=limits)
    counts = np.arange(1.0, 2.0 * CHUNK + 4.0)
    offered = offer_of(inputs_of("r5d.4xlarge", layout, workload), layout, workload, counts)
    into = Forecasts.empty(counts.size)
    into.meets_budget[:] = -1.0
    forecast_into(into, offered, workload, counts)
    whole = forecast(offered, workload, counts)
    for found, expected in zip((into.time_p10_s, into.time_p50_s, into.time_p90_s), whole.time_s, strict=True):
        assert np.array_equal(found, np.broadcast_to(expected, counts.shape))
    for found, expected in zip((into.cost_p10_usd, into.cost_p50_usd, into.cost_p90_usd), whole.cost_usd, strict=True):
        assert np.array_equal(found, np.broadcast_to(expected, counts.shape))
    if whole.meets_budget is None:
        assert (into.meets_budget == -1.0).all()
    else:
        assert whole.meets_deadline is not None
        assert np.array_equal(into.meets_deadline, np.broadcast_to(whole.meets_deadline, counts.shape))
        assert np.array_equal(into.meets_budget, np.broadcast_to(whole.meets_budget, counts.shape))


def test_chunks_of_offers_without_arrays_are_those_of_one_offer() -> None:
    layout, workload = CASES["nothing but arithmetic"]
    offered = offer_of(inputs_of("r5d.4xlarge", layout, workload), layout, workload, 5.0)
    counts = np.array([3.0, 5.0, 9.0])
    into = Forecasts.empty(counts.size)
    forecast_into(into, offered, workload, counts)
    assert into.time_p50_s.tolist() == [
        float(forecast(offered, workload, count).time_s.p50) for count in counts.tolist()
    ]


def test_measured_networks_and_links_of_2014_are_what_each_is_alone() -> None:
    workload = Workload("", MapReduce("sort", 1e8, durability=Durability("infrastructure")), measured=Measured(900.0))
    layout = Ebs("gp2", 135, 8)
    workload = replace(workload, assume=Assumptions(network="unlimited"), limits=LIMITS)
    inputs = inputs_of("i2.4xlarge", layout, workload, IN_2014)
    together = forecast(offer_of(inputs, layout, workload, NODES), workload, NODES)
    alone = [forecast(offer_of(inputs, layout, workload, count), workload, count) for count in NODES.tolist()]
    hold_each_to_itself(together, alone)
