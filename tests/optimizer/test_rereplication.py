"""The search within a limit on the time until the copies of a failed node exist again, against the plain loop."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from knowledge import known
from optimizer.certificate import assert_equal
from optimizer.oracle import Answer, enumerate_all
from optimizer.spaces import Space, profile, space
from optimizer.test_exact import check
from soaking import everyday
from stowage.catalog.snapshot import LATEST
from stowage.model.cluster import Configuration, InstanceStore
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import gather
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Limits, Measured, Workload
from stowage.model.loss.exposure import rereplication_s
from stowage.model.offer import offer_of
from stowage.model.units import SECONDS_PER_HOUR
from stowage.optimizer.merge import search_open
from stowage.optimizer.outcome import Outcome, outcome_of
from stowage.optimizer.problem import SearchProblem
from stowage.optimizer.rereplication import rereplicated_in_time
from stowage.optimizer.search import search

NEWEST = known(LATEST)
ARCHIVE = Workload("", Hdfs("hdfs-write", 200e6))
TYPES = NEWEST.catalog.instance_types
DENSE = "d3en.12xlarge"


CHOSEN = (54, 64, 99, 111, 208, 295, 300, 353, 387, 457, 492, 523, 553, 557, 567, 578)
"""The spaces below 600 in which some candidates are excluded only because of their repair time."""


def slow_to_repair(numbers: Sequence[int]) -> Iterator[tuple[int, Space, Answer]]:
    """Find the spaces in which some candidates are excluded only because of their repair time."""
    for number in numbers:
        of = space(number)
        if of.workload.limits.rereplication_s is None:
            continue
        found = enumerate_all(of.workload, of.catalog, of.profiles, of.steps, at_once=True)
        if found.refused["re-replication"]:
            yield number, of, found


@pytest.mark.parametrize(
    "numbers",
    everyday((CHOSEN,), (CHOSEN, range(600), range(40_000, 46_000)), "spaces"),
    ids=["chosen", "below 600", "from 40000"],
)
def test_what_is_repaired_too_slowly_is_refused_and_nothing_else(numbers: Sequence[int]) -> None:
    ranked = refused = 0
    for number, of, found in slow_to_repair(numbers):
        refused += 1
        ranked += bool(found.rows)
        check(number, of)
    assert ranked > 5
    assert refused > ranked


def repair_s(instance: str, nodes: int) -> float:
    """Compute the limit with all disks of a type."""
    inputs = gather(TYPES[instance], None, ARCHIVE, NEWEST.catalog, NEWEST.profiles)
    assert not isinstance(inputs, Infeasible)
    layout = InstanceStore(int(TYPES[instance].disk_count.value), 0)
    return float(rereplication_s(ARCHIVE, offer_of(inputs, layout, ARCHIVE, float(nodes)).repair_mb_per_s, nodes))


def limited(within_s: float) -> Workload:
    return replace(ARCHIVE, limits=Limits(rereplication_s=within_s, max_nodes=60))


def test_the_limit_holds_to_the_last_bit() -> None:
    exact = repair_s(DENSE, 4)
    only = replace(ARCHIVE, selection=replace(ARCHIVE.selection, instances=(DENSE,)))

    def fewest(within_s: float) -> int:
        workload = replace(only, limits=Limits(rereplication_s=within_s))
        [(_, (first, _))] = lanes_of(workload, NEWEST.catalog, NEWEST.profiles)
        return first

    assert exact > SECONDS_PER_HOUR
    assert fewest(exact) == 4
    assert fewest(np.nextafter(exact, 0.0)) == 5


@pytest.mark.parametrize("measured", [Measured(), Measured(network_credit_mb=1e6)], ids=["baseline", "peak and credit"])
def test_of_every_type_the_columns_come_to_what_the_model_says(measured: Measured) -> None:
    asked, nodes = replace(ARCHIVE, measured=measured), np.array([10.0])
    rate_columns = SearchProblem(asked, NEWEST.catalog, NEWEST.profiles, Steps()).rate_columns
    of_types = [
        np.flatnonzero(rate_columns.disks > 0),
        *(np.flatnonzero(unknown) for unknown in rate_columns.unknown.values()),
    ]
    types = np.setdiff1d(of_types[0], np.concatenate(of_types[1:]))
    exact_s = []
    for position in types.tolist():
        layout = InstanceStore(int(rate_columns.disks[position]), 0)
        offered = offer_of(rate_columns.inputs(position), layout, asked, 10.0)
        exact_s.append(float(rereplication_s(asked, offered.repair_mb_per_s, 10.0)))
    assert len(exact_s) > 100
    for limit_s, expected in ((exact_s, True), (np.nextafter(exact_s, 0.0).tolist(), False)):
        within = [
            rereplicated_in_time(
                replace(asked, limits=Limits(rereplication_s=one)),
                rate_columns,
                types[[at]],
                rate_columns.disks[types[[at]]],
                nodes,
            ).item()
            for at, one in enumerate(limit_s)
        ]
        assert set(within) == {expected}


def test_a_plan_says_what_was_too_slow_to_repair() -> None:
    plan = search(limited(1_000.0), NEWEST.catalog, NEWEST.profiles, 5)
    [refused] = [row for row in plan.rejected if row.limit == "re-replication"]
    assert refused.count > 0
    assert DENSE in refused.instances
    assert all(repair_s(row.configuration.instance, row.configuration.nodes) <= 1_000.0 for row in plan.ranked)


@pytest.mark.parametrize("within_s", [600.0, 900.0])
def test_what_nothing_repairs_in_time_is_a_near_miss_of_that_limit_alone(within_s: float) -> None:
    few = replace(limited(within_s), limits=Limits(rereplication_s=within_s, max_nodes=6))
    for workloads in ((few,), (few, few)):
        plan = search_open(workloads, NEWEST.catalog, NEWEST.profiles, 1)
        assert plan.ranked == ()
        assert ("re-replication",) in [miss.limits for miss in plan.near_misses]


@pytest.mark.parametrize(
    "workload",
    [
        replace(ARCHIVE, job=Hdfs("hdfs-write", 200e6, Durability("application", 1))),
        replace(ARCHIVE, job=Hdfs("hdfs-write", 20e6, Durability("infrastructure", 2))),
        replace(ARCHIVE, job=MapReduce("sort", 20e6, durability=Durability("application", 2))),
    ],
    ids=["a single copy", "volumes outlive their node", "a job's own minutes"],
)
def test_the_limit_has_no_effect_where_nothing_is_copied_again(workload: Workload) -> None:
    unlimited = replace(workload, limits=Limits(max_nodes=40))
    impossible = replace(workload, limits=Limits(max_nodes=40, rereplication_s=1.0))
    plans = [search(of, NEWEST.catalog, NEWEST.profiles, 3) for of in (unlimited, impossible)]
    assert plans[0] == plans[1]


def test_a_faster_network_makes_copies_again_sooner() -> None:
    configuration = Configuration(DENSE, 4, InstanceStore(24, 0))

    def broken(within_s: float) -> list[tuple[str, float | None, float | None]]:
        found = outcome_of(configuration, limited(within_s), NEWEST.catalog, NEWEST.profiles)
        assert isinstance(found, Outcome)
        return [(row.limit, row.value, row.bound) for row in found.broken]

    exact = repair_s(DENSE, 4)
    assert broken(exact) == []
    assert broken(1_000.0) == [("re-replication", exact, 1_000.0)]


def test_a_network_that_falls_leaves_gaps_between_the_nodes_that_are_enough() -> None:
    steep = tuple(
        profile(DENSE, "network_mb_per_s", mean, at=at) for at, mean in ((8, 1_000.0), (9, 100.0), (40, 100.0))
    )
    catalog = replace(NEWEST.catalog, instance_types={DENSE: TYPES[DENSE]})
    profiles = Profiles((*NEWEST.profiles.rows, *steep))
    workload = limited(20_000.0)
    plan = search(workload, catalog, profiles)
    assert_equal(plan, enumerate_all(workload, catalog, profiles, at_once=True))
    # n (n - 1) x rate >= 600 TB / (20,000 s - 630 s): 42 >= 31 > 30 at 1,000 MB/s, 342 >= 310 > 306 at 100 MB/s.
    assert [span for _, span in lanes_of(workload, catalog, profiles)] == [(7, 8), (19, 60)]


def lanes_of(workload: Workload, catalog: Catalog, profiles: Profiles) -> list[tuple[int, tuple[int, int]]]:
    lanes = SearchProblem(workload, catalog, profiles, Steps()).lanes
    return [
        (int(row["type"]), (int(lanes.nodes[row["first"]]), int(lanes.nodes[row["last"]])))
        for row in lanes.rows
        if row["row"] >= 0
    ]
