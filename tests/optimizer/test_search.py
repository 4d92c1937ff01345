"""The search against the oracle, and what it says when nothing fits."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from knowledge import AWS_2026, PAPER, TABLE_2, TB, known, predicted, published, sort
from model.disks import EACH_WAY
from optimizer.oracle import enumerate_all
from optimizer.spaces import workloads, worlds
from stowage.catalog.snapshot import LATEST
from stowage.model.append_log import AppendLog
from stowage.model.catalogue import Catalogue
from stowage.model.cluster import InstanceStore
from stowage.model.flows import Durability
from stowage.model.hdfs import Hdfs
from stowage.model.mapreduce import MapReduce
from stowage.model.plan import Plan
from stowage.model.prediction import predict
from stowage.model.profile import Profiles
from stowage.model.random_io import RandomIo
from stowage.model.workload import Assumptions, Limits, Measured, Place, Workload
from stowage.optimizer.search import search


def answer(workload: Workload) -> Plan:
    return search(workload, PAPER.catalogue, PAPER.profiles)


@given(world=worlds(), workload=workloads())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_search_finds_what_a_plain_loop_over_every_candidate_finds(
    world: tuple[Catalogue, Profiles], workload: Workload
) -> None:
    catalogue, profiles = world
    found = search(workload, catalogue, profiles)
    expected = enumerate_all(workload, catalogue, profiles)
    assert list(found.ranked) == expected.rows
    assert list(found.frontier) == expected.frontier
    assert found.candidates == found.computed + found.excluded_by_bound == expected.candidates
    assert Counter({row.limit: row.count for row in found.rejected}) == expected.rejected


@pytest.mark.parametrize(
    "workload",
    [
        sort(limits=Limits(max_nodes=120)),
        sort(5 * TB, limits=Limits(deadline_s=900.0, budget_usd=60.0, max_nodes=40)),
        sort(20 * TB, durability=Durability("application", 2), limits=Limits(max_nodes=60)),
        sort(10 * TB, durability=Durability("infrastructure"), assume=TABLE_2, limits=Limits(max_nodes=40)),
        sort(30 * TB, assume=TABLE_2, limits=Limits(max_nodes=60)),
        sort(0.001 * TB, limits=Limits(max_nodes=5)),
    ],
    ids=["100 TB", "5 TB within limits", "two copies", "EBS", "ties everywhere", "1 GB"],
)
def test_search_over_the_paper_s_types_equals_the_plain_loop(workload: Workload) -> None:
    found, expected = answer(workload), enumerate_all(workload, PAPER.catalogue, PAPER.profiles)
    assert list(found.ranked) == expected.rows
    assert list(found.frontier) == expected.frontier
    assert found.candidates == expected.candidates
    assert Counter({row.limit: row.count for row in found.rejected}) == expected.rejected


HDFS = Hdfs("hdfs-write", 3 * TB, default_copies=True)
ON_EBS = Durability("infrastructure")


@pytest.mark.parametrize(
    "workload",
    [
        Workload("", HDFS, limits=Limits(max_nodes=14)),
        Workload("", replace(HDFS, data_mb=0.2 * TB), limits=Limits(max_nodes=11), measured=Measured(900.0)),
        Workload("", replace(HDFS, data_mb=0.5 * TB), limits=Limits(max_nodes=3), measured=Measured(900.0)),
        Workload("", replace(HDFS, durability=ON_EBS, data_mb=200 * TB), limits=Limits(max_nodes=12)),
        Workload("", replace(HDFS, durability=ON_EBS, kind="hdfs-read", local_share=0.5), limits=Limits(max_nodes=10)),
        Workload("", MapReduce("sort", 1 * TB, durability=Durability("object-store")), limits=Limits(max_nodes=20)),
        Workload("", AppendLog(2 * TB, 1.0, durability=ON_EBS), credits=0.5, limits=Limits(max_nodes=10)),
        Workload("", RandomIo(0.1 * TB, 16.0, working_set_mb=9 * TB, durability=ON_EBS), limits=Limits(max_nodes=10)),
        Workload("", AppendLog(1e3, 1.0), limits=Limits(max_nodes=2), place=Place(purchase="spot", service="emr")),
    ],
    ids=[
        "all ranges of EMR's copies",
        "ranges that fill up before they end",
        "only the first range",
        "EMR on EBS",
        "EMR reads on EBS",
        "object store",
        "log on half empty volumes",
        "random I/O",
        "spot on EMR",
    ],
)
def test_search_over_types_of_2026_equals_the_plain_loop(workload: Workload) -> None:
    found = search(workload, AWS_2026.catalogue, AWS_2026.profiles)
    expected = enumerate_all(workload, AWS_2026.catalogue, AWS_2026.profiles)
    assert list(found.ranked) == expected.rows
    assert expected.rows or found.near_misses
    assert list(found.frontier) == expected.frontier
    assert found.candidates == found.computed + found.excluded_by_bound == expected.candidates
    assert Counter({row.limit: row.count for row in found.rejected}) == expected.rejected


@pytest.mark.parametrize(
    "workload",
    [
        sort(2 * TB, limits=Limits(max_nodes=30)),
        sort(0.5 * TB, durability=ON_EBS, limits=Limits(max_nodes=30)),
        Workload("", RandomIo(0.1 * TB, 4.0, working_set_mb=9 * TB), limits=Limits(max_nodes=12)),
        Workload("", replace(HDFS, data_mb=9 * TB), limits=Limits(max_nodes=12), framework="hadoop-dfsio"),
        Workload("", replace(HDFS, kind="hdfs-read", durability=ON_EBS), limits=Limits(max_nodes=12)),
    ],
    ids=["own disks", "intermediate data beside EBS", "random I/O", "HDFS", "types that burst, on EBS"],
)
def test_search_over_disks_measured_each_way_equals_the_plain_loop(workload: Workload) -> None:
    found = search(workload, EACH_WAY.catalogue, EACH_WAY.profiles)
    expected = enumerate_all(workload, EACH_WAY.catalogue, EACH_WAY.profiles)
    assert expected.rows
    assert list(found.ranked) == expected.rows
    assert list(found.frontier) == expected.frontier
    assert found.candidates == found.computed + found.excluded_by_bound == expected.candidates
    assert Counter({row.limit: row.count for row in found.rejected}) == expected.rejected


@pytest.mark.parametrize("most", [1, 3, 100])
def test_the_first_rows_are_those_that_a_full_ranking_begins_with(most: int) -> None:
    """Ties included: many types cost the same where nothing but capacity counts."""
    for workload in (sort(30 * TB, assume=TABLE_2), sort(0.001 * TB)):
        whole = answer(workload)
        first = search(workload, PAPER.catalogue, PAPER.profiles, most)
        assert first.ranked == whole.ranked[:most]
        assert first.rows == whole.rows == len(whole.ranked)
        assert (first.frontier, first.candidates) == (whole.frontier, whole.candidates)
        assert first.curves == whole.curves[:most]


def test_on_more_nodes_emr_keeps_more_copies_and_the_search_knows() -> None:
    """Each row is what `predict` says of its cluster, whose copies follow from its size."""
    workload = Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(max_nodes=20))
    plan = search(workload, AWS_2026.catalogue, AWS_2026.profiles)
    sizes = {candidate.configuration.nodes for candidate in plan.frontier}
    assert min(sizes) < 4
    assert max(sizes) >= 10
    for candidate in plan.frontier:
        alone = predicted(candidate.configuration, workload, AWS_2026)
        assert (candidate.time_s, candidate.cost_usd) == (alone.time_s.p50, alone.cost_usd.p50)


def test_random_io_on_disks_of_unknown_iops_is_refused_by_name() -> None:
    plan = search(Workload("", RandomIo(1e3, 16.0), measured=Measured(900.0)), AWS_2026.catalogue, AWS_2026.profiles)
    assert {row.limit for row in plan.rejected} == {"storage IOPS unknown"}


def test_every_row_and_frontier_point_is_what_predict_says() -> None:
    workload = sort(limits=Limits(deadline_s=3600.0))
    plan = answer(workload)
    for row in plan.ranked:
        assert predict(row.configuration, workload, PAPER.catalogue, PAPER.profiles) == row
    for candidate in plan.frontier[::50]:
        alone = predicted(candidate.configuration, workload)
        assert (candidate.time_s, candidate.cost_usd) == (alone.time_s.p50, alone.cost_usd.p50)


def test_table_2_of_the_paper() -> None:
    """Node counts exact, costs within 1 USD (cr1.8xlarge 3)."""
    rows = [
        (row.configuration.instance, row.configuration.nodes, row.cost_usd.p50)
        for row in answer(sort(assume=TABLE_2)).ranked
    ]
    assert [(instance, nodes) for instance, nodes, _ in rows] == [
        ("c3.large", 9375),
        ("m3.large", 9375),
        ("m3.medium", 75000),
        ("m1.xlarge", 179),
        ("i2.4xlarge", 94),
        ("i2.8xlarge", 47),
        ("hs1.8xlarge", 7),
        ("cr1.8xlarge", 1250),
    ]
    published = [28, 65, 66, 155, 211, 218, 248, 2966]
    for (instance, _, usd), expected in zip(rows, published, strict=True):
        assert usd == pytest.approx(expected, abs=3.0 if instance == "cr1.8xlarge" else 1.0)


def test_divided_disks_need_63_nodes_where_pooled_ones_need_47() -> None:
    pooled = answer(sort(assume=TABLE_2))
    divided = answer(sort(assume=replace(TABLE_2, capacity="divided")))
    nodes = {
        name: row.configuration.nodes
        for name, plan in (("pooled", pooled), ("divided", divided))
        for row in plan.ranked
        if row.configuration.instance == "i2.8xlarge"
    }
    assert nodes == {"pooled": 47, "divided": 63}
    # 50 nodes would do with 5 + 3 disks, which cost more time than they save nodes.
    at_50 = answer(sort(assume=replace(TABLE_2, capacity="divided"), limits=Limits(max_nodes=50)))
    [i2] = [row for row in at_50.ranked if row.configuration.instance == "i2.8xlarge"]
    assert (i2.configuration.nodes, i2.configuration.layout) == (50, InstanceStore(5, 3))


def test_order_of_types_and_profiles_does_not_matter() -> None:
    workload = sort(assume=TABLE_2, limits=Limits(max_nodes=300))
    backwards = replace(PAPER.catalogue, instance_types=dict(reversed(list(PAPER.catalogue.instance_types.items()))))
    assert search(workload, backwards, PAPER.profiles) == answer(workload)


@pytest.mark.parametrize(
    ("limits", "relaxed"),
    [
        (Limits(deadline_s=60.0, max_nodes=200), {("deadline",)}),
        (Limits(budget_usd=1.0, max_nodes=200), {("budget",)}),
        (Limits(deadline_s=800.0, max_nodes=150), {("deadline",), ("max nodes",)}),
        (Limits(deadline_s=1.0, budget_usd=0.01, max_nodes=20), {("deadline", "budget", "max nodes")}),
    ],
    ids=["deadline", "budget", "deadline or nodes", "all three"],
)
def test_nearest_misses_name_the_fewest_limits_and_relaxing_them_admits_the_candidate(
    limits: Limits, relaxed: set[tuple[str, ...]]
) -> None:
    plan = answer(sort(limits=limits))
    assert plan.ranked == ()
    assert plan.frontier == ()
    assert {miss.limits for miss in plan.near_misses} == relaxed
    for miss in plan.near_misses:
        candidate = miss.candidate
        enough = replace(
            limits,
            deadline_s=candidate.time_s if "deadline" in miss.limits else limits.deadline_s,
            budget_usd=candidate.cost_usd if "budget" in miss.limits else limits.budget_usd,
            max_nodes=candidate.configuration.nodes if "max nodes" in miss.limits else limits.max_nodes,
        )
        admitted = answer(sort(limits=enough))
        assert candidate in admitted.frontier or any(
            row.configuration == candidate.configuration for row in admitted.ranked
        )


def test_a_nearest_miss_is_the_nearest() -> None:
    """The least deadline that the other limits allow: nothing just below it fits."""
    limits = Limits(deadline_s=60.0, budget_usd=500.0, max_nodes=200)
    [miss] = answer(sort(limits=limits)).near_misses
    just_below = replace(limits, deadline_s=miss.candidate.time_s * (1 - 1e-9))
    assert answer(sort(limits=just_below)).ranked == ()


def test_where_only_the_network_is_unknown_the_bound_without_it_is_the_nearest_miss() -> None:
    on_ebs = sort(durability=Durability("infrastructure"))
    [miss] = answer(on_ebs).near_misses
    assert miss.limits == ("network bandwidth unknown",)
    boundless = answer(replace(on_ebs, assume=Assumptions(network="unlimited"))).ranked[0]
    assert miss.candidate.configuration == boundless.configuration
    assert (miss.candidate.time_s, miss.candidate.cost_usd) == (boundless.time_s.p50, boundless.cost_usd.p50)


def test_types_without_figures_are_counted_by_what_is_missing() -> None:
    rejected = {row.limit: row.instances for row in answer(sort()).rejected}
    assert "hs1.8xlarge" in rejected["network bandwidth unknown"]
    assert "cc2.8xlarge" in rejected["price unknown"]
    assert rejected["storage bandwidth unknown"] == ("c3.4xlarge", "r3.4xlarge")


def test_absurd_data_is_answered_too() -> None:
    plan = answer(sort(1e13))
    assert plan.ranked[0].configuration.nodes > 1_000_000
    assert answer(sort(1e13, limits=Limits(max_nodes=1000))).near_misses


def test_a_type_that_does_not_take_the_volumes_of_a_node_is_named_and_not_ranked() -> None:
    """AWS counts the root volume: of 9 there are 8 for data, of 8 there are 7."""
    workload = Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(max_nodes=6))
    types = dict(AWS_2026.catalogue.instance_types)
    for name, most in (("r5d.4xlarge", 9.0), ("r5d.24xlarge", 8.0), ("r5d.xlarge", 3.0)):
        types[name] = replace(types[name], most_volumes=published("most_volumes", most))
    catalogue = replace(AWS_2026.catalogue, instance_types=types)
    found = search(workload, catalogue, AWS_2026.profiles)
    expected = enumerate_all(workload, catalogue, AWS_2026.profiles)
    assert {row.configuration.instance for row in found.ranked} == {"r5.xlarge", "r5d.4xlarge"}
    assert list(found.ranked) == expected.rows
    assert found.candidates == found.computed + found.excluded_by_bound == expected.candidates
    assert Counter({row.limit: row.count for row in found.rejected}) == expected.rejected
    [left_out] = [row for row in found.rejected if row.limit == "attachments"]
    assert left_out.instances == ("r5d.24xlarge", "r5d.xlarge")
    assert "8 volumes beside its root volume" in left_out.reason


def test_dense_storage_of_2026_takes_two_volumes_and_does_not_break_the_search() -> None:
    newest = known(LATEST)
    types = {name: newest.catalogue.instance_types[name] for name in ("d3.8xlarge", "d3.4xlarge")}
    workload = Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(max_nodes=6))
    found = search(workload, replace(newest.catalogue, instance_types=types), newest.profiles)
    assert {row.configuration.instance for row in found.ranked} == {"d3.4xlarge"}
    assert [row.instances for row in found.rejected if row.limit == "attachments"] == [("d3.8xlarge",)]
