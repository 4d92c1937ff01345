"""The search against a compiled loop over every candidate, in spaces of the newest catalog.

They are far larger than those that the oracle of `test_exact` can enumerate, and real: types with and without disks,
on Nitro and before, links with and without credits. The loop computes a candidate with the kernel's own arithmetic,
which `test_exact` compares with the model; this file tests what the search excludes: bounds, boxes, numbers of
volumes, and unprofitable IOPS and throughput (the loop tries them all).
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from optimizer.brute_force import compiler, count, every
from optimizer.certificate import assert_certified
from soaking import everyday
from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.choice import Quotas, Selection, VolumeQuota
from stowage.model.hardware.steps import Steps
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Limits, Place, Workload
from stowage.model.uncertainty.straggler import Stragglers
from stowage.optimizer.kernel import Answer
from stowage.optimizer.problem import SearchProblem

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler")

KNOWLEDGE = packaged(LATEST)
CATALOG = KNOWLEDGE.in_region("us-east-1")
COARSE = Steps(1.3)
ON_EBS = Durability("infrastructure")

SORT = Workload(
    "",
    MapReduce("sort", 8e6, durability=ON_EBS),
    limits=Limits(max_nodes=30),
    selection=Selection(families=("i3", "m5d"), not_sizes=("metal",)),
)
HDFS = replace(SORT, job=Hdfs("hdfs-write", 20e6, ON_EBS), selection=Selection(families=("r5", "d2", "m4")))
LOG = replace(SORT, job=AppendLog(2e5, 4.0, "always", durability=ON_EBS), selection=Selection(families=("c5", "t3")))
RANDOM = replace(
    SORT, job=RandomIo(5e6, 16.0, 0.5, 8.0, 2e7, ON_EBS), selection=Selection(families=("r6i", "m7g", "c4"))
)

SPACES = {
    "sort on EBS, cheapest": SORT,
    "sort on EBS, fastest within a budget": replace(SORT, objective="time", limits=Limits(None, 30.0, 30)),
    "sort on EBS, cheapest month": replace(SORT, objective="month", runs_per_month=30.0),
    "sort on EBS, a skewed one": replace(SORT, job=MapReduce("sort", 8e6, durability=ON_EBS, skew=2.5)),
    "sort on EBS, spot": replace(SORT, place=Place(purchase="spot")),
    "sort on EBS, likely to be in time": replace(SORT, limits=Limits(20_000.0, None, 30, 0.9)),
    "sort on EBS, slow nodes": replace(SORT, stragglers=Stragglers(0.05, 3.0)),
    "HDFS on EBS, cheapest": HDFS,
    "HDFS on EBS, by a deadline": replace(HDFS, limits=Limits(9_000.0, None, 30)),
    "HDFS on EBS, fastest, empty credits": replace(HDFS, objective="time", credits=0.0),
    "HDFS on EBS, with a framework's efficiency": replace(HDFS, framework="hadoop-dfsio"),
    "HDFS on EBS, few data lost": replace(HDFS, limits=Limits(None, None, 30, loss=0.03)),
    "HDFS on EBS, within quotas": replace(
        HDFS, quotas=Quotas(volumes={"gp3": VolumeQuota(60_000.0, 90_000.0), "st1": VolumeQuota(40_000.0, None)})
    ),
    "log on EBS, cheapest": LOG,
    "log on EBS, slow volumes": replace(LOG, stragglers=Stragglers(0.05, 3.0), straggling="volumes"),
    "random I/O on EBS, cheapest": RANDOM,
    "random I/O on EBS, fastest within a budget": replace(RANDOM, objective="time", limits=Limits(None, 60.0, 30)),
    "sort on own disks": replace(SORT, job=MapReduce("sort", 8e6), selection=Selection(), limits=Limits(max_nodes=300)),
    "sort from S3": replace(SORT, job=MapReduce("sort", 8e6, durability=Durability("object-store"))),
}


def many_nodes(workload: Workload, instance: str, *volumes: str) -> Workload:
    """Return a workload on so many nodes that similar node counts cover each other."""
    selection = Selection(instances=(instance,), volumes=volumes)
    return replace(workload, selection=selection, limits=replace(workload.limits, max_nodes=1_500))


MANY_NODES = {
    "HDFS": many_nodes(HDFS, "r5.xlarge", "gp3"),
    "random I/O, fastest within a budget": many_nodes(
        replace(RANDOM, objective="time", limits=Limits(None, 200.0)), "r6i.xlarge", "io2", "gp3"
    ),
    "sort": many_nodes(SORT, "m5d.4xlarge", "gp2", "st1"),
    "sort, cheapest month": many_nodes(SPACES["sort on EBS, cheapest month"], "i3.4xlarge", "gp3"),
    "log, slow volumes": many_nodes(SPACES["log on EBS, slow volumes"], "c5.xlarge", "gp3", "sc1"),
}
FEW_SIZES = ("xlarge", "8xlarge")


def points(workload: Workload, answer: Answer) -> NDArray[np.float64]:
    """Return times and costs on the frontier."""
    cost = "value9" if workload.objective == "month" else "cost9"
    return np.stack([answer.frontier["time9"], answer.frontier[cost]])


def is_limited(workload: Workload) -> bool:
    return workload.limits != Limits(max_nodes=workload.limits.max_nodes) or workload.quotas != Quotas()


@pytest.mark.parametrize("sizes", everyday((FEW_SIZES,), (FEW_SIZES, ()), "spaces"))
@pytest.mark.parametrize(
    ("name", "most_rows"), [*((name, None) for name in SPACES), *((name, 10) for name in SPACES if "cheapest" in name)]
)
def test_search_finds_what_computing_every_candidate_finds(
    name: str, most_rows: int | None, sizes: tuple[str, ...]
) -> None:
    workload = replace(SPACES[name], selection=replace(SPACES[name].selection, sizes=sizes))
    problem = laid_out(workload)
    found = problem.answer(most_rows)
    expected = every(lambda: laid_out(workload), most_rows)
    walked = problem.lanes.rows["row"] >= 0
    over_quota = expected.refused["quota"].sum()
    assert expected.computed + over_quota == expected.size[walked].sum() > 50
    assert found.computed < expected.computed
    assert np.array_equal(found.size, expected.size)
    assert found.threshold == expected.threshold
    listed = (expected.best["lane"] >= 0) & (expected.best["value9"] <= expected.threshold)
    assert listed.sum() > 0
    assert np.array_equal(found.best[listed], expected.best[listed])
    if most_rows is None:
        assert np.array_equal(found.best, expected.best)
    assert_certified(points(workload, found), points(workload, expected))


@pytest.mark.parametrize("name", everyday(("HDFS",), MANY_NODES, "spaces"))
def test_similar_node_counts_cover_each_other_within_the_resolution(name: str) -> None:
    found = laid_out(MANY_NODES[name]).answer(1)
    expected = every(lambda: laid_out(MANY_NODES[name]), 1)
    assert found.best["value9"].min() == expected.best["value9"].min()
    assert_certified(points(MANY_NODES[name], found), points(MANY_NODES[name], expected))
    counts = found.frontier["nodes"]
    similar = np.count_nonzero(counts > 1_000.0)
    assert 0 < similar < 400, "some of 500 similar node counts, but not all"


@pytest.mark.parametrize("name", [name for name, workload in SPACES.items() if is_limited(workload)])
def test_bounds_never_count_more_out_than_breaks_a_limit(name: str) -> None:
    workload = replace(SPACES[name], selection=replace(SPACES[name].selection, sizes=("xlarge",)))
    found, expected = laid_out(workload).answer(None), every(lambda: laid_out(workload))
    broken = np.sum([*expected.refused.values()], axis=0)
    assert np.all(np.sum([*found.refused.values()], axis=0) <= broken)


@pytest.mark.parametrize(
    "workload",
    [
        *(HDFS, RANDOM, LOG, replace(HDFS, credits=0.3), replace(HDFS, framework="hadoop-dfsio")),
        *(SORT, replace(SORT, place=Place(service="emr")), replace(SORT, limits=Limits(20_000.0, 20.0, 30))),
        replace(LOG, stragglers=Stragglers(0.05, 3.0), straggling="volumes"),
    ],
)
def test_the_fastest_loop_counts_and_finds_what_the_plain_one_does(workload: Workload) -> None:
    narrow = replace(workload, selection=replace(workload.selection, sizes=("xlarge", "16xlarge")))
    plain = every(lambda: laid_out(narrow))
    fast = count(lambda: laid_out(narrow))()
    within = plain.best["lane"] >= 0
    assert fast.plain < fast.computed == plain.computed
    assert fast.within == plain.computed - sum(refused.sum() for refused in plain.refused.values()) > 0
    assert fast.cost_usd == plain.best["cost_usd"][within].min()


def laid_out(workload: Workload) -> SearchProblem:
    return SearchProblem(workload, CATALOG, KNOWLEDGE.profiles, COARSE)
