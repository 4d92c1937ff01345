"""The search over real catalogs against the plain loop, and its message if nothing fits."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import pytest

from knowledge import AWS_2026, PAPER, TABLE_2, TB, Known, known, predicted, published, sort
from model.disks import EACH_WAY
from optimizer.certificate import assert_equal
from optimizer.oracle import enumerate_all
from optimizer.spaces import Dice, a_workload, space
from soaking import everyday
from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.choice import Objective, Quotas, Selection, VolumeQuota
from stowage.model.cluster import Ebs, InstanceStore, data_volumes
from stowage.model.forecast import REWORK
from stowage.model.hardware.steps import Steps
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.task_slots import TaskSlots
from stowage.model.jobs.workload import Assumptions, Limits, Measured, Place, Workload
from stowage.model.money.spot import NEVER_FINISHES
from stowage.model.plan import Candidate, NearMiss, Plan
from stowage.model.prediction import Prediction, predict, with_sources
from stowage.model.sizes import MB_PER_GIB
from stowage.model.uncertainty.straggler import Stragglers
from stowage.optimizer.near_misses import near_misses
from stowage.optimizer.search import search

COARSE = Steps(4.0)
"""Few sizes and few IOPS, so that the plain loop ends."""

NEWEST = known(LATEST)


def every(nth: int, known: Known, first: int = 0) -> Known:
    """Return every n-th type of a catalog."""
    names = sorted(known.catalog.instance_types)[first::nth]
    types = {name: known.catalog.instance_types[name] for name in names}
    return replace(known, catalog=replace(known.catalog, instance_types=types))


PART = every(10, NEWEST)


def answer(workload: Workload) -> Plan:
    return search(workload, PAPER.catalog, PAPER.profiles)


def nearest(workload: Workload) -> tuple[NearMiss, ...]:
    return near_misses((workload,), PAPER.catalog, PAPER.profiles)


def compared(workload: Workload, known: Known) -> Plan:
    """Search, and compare the plan with the plain loop."""
    found = search(workload, known.catalog, known.profiles, steps=COARSE)
    assert_equal(found, enumerate_all(workload, known.catalog, known.profiles, COARSE, at_once=True))
    return found


def with_few_volumes(known: Known, most: int = 3) -> Known:
    """Limit the volumes of every type: a plain loop over 27 takes too long."""
    few = published("most_volumes", float(most + 1))
    types = {name: replace(one, most_volumes=few) for name, one in known.catalog.instance_types.items()}
    return replace(known, catalog=replace(known.catalog, instance_types=types))


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
    assert compared(workload, PAPER).ranked


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
    found = compared(workload, with_few_volumes(AWS_2026))
    known = with_few_volumes(AWS_2026)
    assert found.ranked or near_misses((workload,), known.catalog, known.profiles, COARSE)


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
    assert compared(workload, with_few_volumes(EACH_WAY)).ranked


@pytest.mark.parametrize("objective", ["time", "month"])
@pytest.mark.parametrize(
    "workload",
    [
        sort(5 * TB, limits=Limits(budget_usd=60.0, max_nodes=60)),
        Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(deadline_s=40_000.0, chance=0.9, max_nodes=12)),
        Workload("", AppendLog(2 * TB, 1.0, durability=ON_EBS), credits=0.0, limits=Limits(max_nodes=10)),
    ],
    ids=["within a budget", "by a chance", "log on empty volumes"],
)
def test_other_objectives_equal_the_plain_loop(workload: Workload, objective: Objective) -> None:
    known_types = PAPER if workload.job.kind == "sort" else with_few_volumes(AWS_2026)
    compared(replace(workload, objective=objective), known_types)


@pytest.mark.parametrize("most", [1, 3, 100])
def test_the_first_rows_are_those_that_a_full_ranking_begins_with(most: int) -> None:
    """Ties included: many types cost the same if only capacity matters."""
    for workload in (sort(30 * TB, assume=TABLE_2), sort(0.001 * TB)):
        whole = answer(workload)
        first = search(workload, PAPER.catalog, PAPER.profiles, most)
        assert first.ranked == whole.ranked[:most]
        assert len(first.ranked) <= first.rows <= whole.rows == len(whole.ranked)
        assert first.candidates == whole.candidates
        assert first.curves == whole.curves[:most]


def test_on_more_nodes_emr_keeps_more_copies_and_the_search_knows() -> None:
    """Each row equals `predict` for its cluster, whose number of copies follows from its size."""
    workload = Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(max_nodes=20))
    plan = search(workload, AWS_2026.catalog, AWS_2026.profiles)
    sizes = {candidate.configuration.nodes for candidate in plan.frontier}
    assert min(sizes) < 4
    assert max(sizes) >= 10
    for candidate in plan.frontier:
        alone = predicted(candidate.configuration, workload, AWS_2026)
        assert (candidate.time_s, candidate.cost_usd) == (alone.time_s.p50, alone.cost_usd.p50)


@pytest.mark.parametrize("durability", [Durability("application", 3), ON_EBS], ids=["own disks", "EBS"])
def test_the_frontier_of_a_month_ends_at_the_cheapest_month(durability: Durability) -> None:
    """Time against the cost of a month: the winner is on the frontier."""
    workload = Workload("", replace(HDFS, durability=durability), limits=Limits(max_nodes=40), objective="month")
    plan = search(workload, AWS_2026.catalog, AWS_2026.profiles, 1)
    months = [point.sought_usd for point in plan.frontier]
    assert months == sorted(months, reverse=True)
    winner = plan.ranked[0]
    assert (plan.frontier[-1].configuration, months[-1]) == (winner.configuration, winner.always_on_usd)


def test_random_io_on_disks_of_unknown_iops_is_refused_by_name() -> None:
    plan = search(Workload("", RandomIo(1e3, 16.0), measured=Measured(900.0)), AWS_2026.catalog, AWS_2026.profiles)
    assert {row.limit for row in plan.rejected} == {"storage IOPS unknown"}


def test_types_whose_memory_holds_no_task_are_refused_and_others_run_fewer_tasks() -> None:
    """Half of the 128 GiB of r5d.4xlarge holds no task of 100 GiB; half of the 768 GiB of r5d.24xlarge three."""
    job = MapReduce("sort", 1e6, tasks=TaskSlots(4, 100 * MB_PER_GIB))
    workload = Workload("", job, measured=Measured(900.0), limits=Limits(max_nodes=20))
    plan = search(workload, AWS_2026.catalog, AWS_2026.profiles)
    [refused] = [row for row in plan.rejected if row.limit == "task memory"]
    assert refused.reason == "50% of its memory is less than the 100 GiB in which a task sorts"
    assert "r5d.4xlarge" in refused.instances
    ranked = {row.configuration.instance for row in plan.ranked}
    assert "r5d.24xlarge" in ranked
    assert ranked.isdisjoint(refused.instances)
    three = search(replace(workload, job=replace(job, tasks=TaskSlots(3))), AWS_2026.catalog, AWS_2026.profiles)
    [few], [as_many] = (
        [row.time_s for row in found.ranked if row.configuration.instance == "r5d.24xlarge"] for found in (plan, three)
    )
    assert few == as_many


def test_every_row_and_frontier_point_is_what_predict_says() -> None:
    workload = sort(limits=Limits(deadline_s=3600.0))
    plan = answer(workload)
    for made, row in zip(plan.ranked, plan.ranked.rows, strict=True):
        assert predict(made.configuration, workload, PAPER.catalog, PAPER.profiles) == with_sources(made, row)
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
    backwards = replace(PAPER.catalog, instance_types=dict(reversed(list(PAPER.catalog.instance_types.items()))))
    assert search(workload, backwards, PAPER.profiles) == answer(workload)
    on_ebs = Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(max_nodes=12))
    turned = replace(AWS_2026.catalog, volume_types=dict(reversed(list(AWS_2026.catalog.volume_types.items()))))
    assert search(on_ebs, turned, AWS_2026.profiles) == search(on_ebs, AWS_2026.catalog, AWS_2026.profiles)


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
    misses = nearest(sort(limits=limits))
    assert {miss.limits for miss in misses} == relaxed
    for miss in misses:
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
    [miss] = nearest(sort(limits=limits))
    just_below = replace(limits, deadline_s=miss.candidate.time_s * (1 - 1e-9))
    assert answer(sort(limits=just_below)).ranked == ()


def test_where_only_the_network_is_unknown_the_bound_without_it_is_the_nearest_miss() -> None:
    on_ebs = sort(durability=Durability("infrastructure"))
    [miss] = nearest(on_ebs)
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
    assert nearest(sort(1e13, limits=Limits(max_nodes=1000)))


def test_a_node_gets_as_many_volumes_as_its_type_takes_and_no_more() -> None:
    """AWS counts the root volume: of 4 there are 3 for data, of 1 there is none."""
    workload = Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(max_nodes=6), objective="time")
    types = dict(AWS_2026.catalog.instance_types)
    for name, most in (("r5.xlarge", 2.0), ("r5d.4xlarge", 4.0), ("r5d.24xlarge", 1.0)):
        types[name] = replace(types[name], most_volumes=published("most_volumes", most))
    few = replace(AWS_2026, catalog=replace(AWS_2026.catalog, instance_types=types))
    plan = compared(workload, few)
    assert {row.configuration.instance for row in plan.ranked} == {"r5.xlarge", "r5d.xlarge", "r5d.4xlarge"}
    for point in plan.frontier:
        layout = point.configuration.layout
        assert isinstance(layout, Ebs)
        assert layout.count <= data_volumes(types[point.configuration.instance])


def test_dense_storage_of_2026_takes_two_volumes() -> None:
    types = {name: NEWEST.catalog.instance_types[name] for name in ("d3.8xlarge", "d3.4xlarge")}
    workload = Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(max_nodes=6))
    plan = compared(workload, replace(NEWEST, catalog=replace(NEWEST.catalog, instance_types=types)))
    counts = {
        row.configuration.layout.count
        for row in plan.ranked
        if row.configuration.instance == "d3.8xlarge" and isinstance(row.configuration.layout, Ebs)
    }
    assert counts
    assert max(counts) <= 2


def test_no_winner_breaks_a_quota() -> None:
    quotas = Quotas(vcpus=400, nodes_per_zone=20, volumes={"gp3": VolumeQuota(size_gib=20_000.0, iops=90_000.0)})
    workload = Workload("", replace(HDFS, durability=ON_EBS, data_mb=5 * TB), quotas=quotas, objective="time")
    plan = search(workload, PART.catalog, PART.profiles)
    assert plan.ranked
    for configuration in {row.configuration for row in plan.ranked} | {one.configuration for one in plan.frontier}:
        nodes, layout = configuration.nodes, configuration.layout
        assert isinstance(layout, Ebs)
        assert nodes <= 20
        assert (nodes + 1) * PART.catalog.instance_types[configuration.instance].vcpus.value <= 400
        if layout.volume_type == "gp3":
            assert nodes * layout.count * layout.size_gib <= 20_000
            assert nodes * layout.count * (layout.iops or 3_000) <= 90_000


def test_what_spot_instances_would_never_finish_is_no_answer() -> None:
    """Thousands of nodes for days start over at each interruption; the fewer and larger ones that finish are ranked."""
    workload = sort(20_000 * TB, assume=Assumptions(network="unlimited"))
    on_spot = replace(workload, place=Place(purchase="spot"))
    ranked = search(on_spot, NEWEST.catalog, NEWEST.profiles).ranked
    assert ranked
    assert all(stretched(row) <= NEVER_FINISHES for row in ranked)
    finishing = {row.configuration.instance for row in ranked}
    lost = [
        row.configuration
        for row in search(workload, NEWEST.catalog, NEWEST.profiles).ranked
        if row.configuration.instance not in finishing
    ]
    never = [predict(one, on_spot, NEWEST.catalog, NEWEST.profiles, sources=False) for one in lost]
    factors = [stretched(row) for row in never if isinstance(row, Prediction)]
    assert factors
    assert min(factors) > NEVER_FINISHES


def stretched(row: Prediction) -> float:
    return row.time_s.p50 / sum(float(phase.time_s) for phase in row.phases if phase.name != REWORK)


def test_a_selection_leaves_only_what_it_takes() -> None:
    chosen = Selection(families=("i3", "i3en", "r5d"), not_sizes=("metal",), not_instances=("i3.16xlarge",))
    plan = search(replace(sort(5 * TB), selection=chosen), NEWEST.catalog, NEWEST.profiles)
    names = {row.configuration.instance for row in plan.ranked}
    assert {name.partition(".")[0] for name in names} <= {"i3", "i3en", "r5d"}
    assert names
    assert not any(name.endswith("metal") or name == "i3.16xlarge" for name in names)
    on_ebs = Workload("", replace(HDFS, durability=ON_EBS), selection=Selection(volumes=("st1", "gp3")))
    plan = search(on_ebs, NEWEST.catalog, NEWEST.profiles)
    layouts = {row.configuration.layout for row in plan.ranked}
    assert {layout.volume_type for layout in layouts if isinstance(layout, Ebs)} == {"st1", "gp3"}


def absurd() -> dict[str, Workload]:
    every_family = tuple({instance.family for instance in NEWEST.catalog.instance_types.values()})
    on_ebs = Workload("", replace(HDFS, durability=ON_EBS))
    return {
        "a deadline of 1 s": sort(limits=Limits(deadline_s=1.0)),
        "a budget of 1 cent": sort(limits=Limits(budget_usd=0.01)),
        "both on EBS": replace(on_ebs, limits=Limits(deadline_s=1.0, budget_usd=0.01)),
        "10 EB": sort(1e13, limits=Limits(max_nodes=1000)),
        "10 EB on EBS": replace(on_ebs, job=replace(HDFS, data_mb=1e13, durability=ON_EBS), limits=Limits(max_nodes=9)),
        "10 EB within a second": sort(1e13, limits=Limits(deadline_s=1.0)),
        "a chance of 99.99 %": sort(limits=Limits(deadline_s=20.0, chance=0.9999)),
        "one vCPU": replace(on_ebs, quotas=Quotas(vcpus=1.0)),
        "one GiB of any volume": replace(
            on_ebs, quotas=Quotas(volumes={name: VolumeQuota(1.0) for name in NEWEST.catalog.volume_types})
        ),
        "every family denied": replace(sort(), selection=Selection(not_families=every_family)),
        "no volume type": replace(on_ebs, selection=Selection(not_volumes=tuple(NEWEST.catalog.volume_types))),
        "no loss at all": replace(on_ebs, limits=Limits(loss=0.0, max_nodes=9)),
    }


@pytest.mark.parametrize("what", absurd())
def test_absurd_requests_are_answered_with_the_nearest_misses(what: str) -> None:
    workload = absurd()[what]
    on_ebs = workload.job.durability == ON_EBS
    of = every(40, NEWEST) if on_ebs else NEWEST
    plan = search(workload, of.catalog, of.profiles, 50)
    assert not plan.ranked
    assert not plan.frontier
    if what in {"every family denied", "no volume type"}:
        # No limit with an amount that could be relaxed is violated.
        return
    assert near_misses((workload,), of.catalog, of.profiles)
    assert all(row.count > 0 for row in plan.rejected)


def random_workload(number: int) -> Workload:
    dice = Dice(50_000 + number)
    return replace(a_workload(dice, wild=number % 2 == 1), limits=Limits(max_nodes=dice.one(None, 10, 100)))


@pytest.mark.parametrize("first", everyday((0,), range(0, 300, 10), "spaces"))
def test_random_winners_are_what_predict_says(first: int) -> None:
    """Compare every row, and some points of each frontier and curve, over a part of the types sold in 2026."""
    winners = points = 0
    for number in range(first, first + 10):
        workload = random_workload(number)
        of = AWS_2026 if number % 5 == 4 else every(15, NEWEST, number % 15)
        steps = Steps() if number % 4 == 0 else Steps(1.1)
        plan = search(workload, of.catalog, of.profiles, 30, steps=steps)
        for row in plan.ranked:
            assert predict(row.configuration, workload, of.catalog, of.profiles, sources=False) == row
        winners += len(plan.ranked)
        drawn = [point for curve in plan.curves for point in curve.points]
        for point in (*some(plan.frontier), *some(drawn)):
            alone = predict(point.configuration, workload, of.catalog, of.profiles, sources=False)
            assert isinstance(alone, Prediction)
            month_usd = alone.always_on_usd if workload.objective == "month" else None
            found = (point.time_s, point.cost_usd, point.month_usd)
            assert found == (alone.time_s.p50, alone.cost_usd.p50, month_usd), (number, point)
            points += 1
    assert winners >= 50
    assert points >= 50


def some(points: Sequence[Candidate]) -> Sequence[Candidate]:
    return points[:: max(1, len(points) // 20)]


@pytest.mark.parametrize(
    ("workload", "why"),
    [
        (replace(sort(), spares=2), "spares"),
        (replace(sort(limits=Limits(deadline_s=9e3, chance=0.9)), stragglers=Stragglers(0.05, 3.0)), "slow nodes"),
    ],
    ids=["spares", "the chance of slow nodes"],
)
def test_what_no_search_knows_is_said(workload: Workload, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        answer(workload)


def test_ten_runs_give_one_answer() -> None:
    of = space(3, wild=False)
    plans = [search(of.workload, of.catalog, of.profiles, steps=of.steps) for _ in range(10)]
    assert plans[0].ranked
    assert all(plan == plans[0] for plan in plans)


def in_parallel() -> list[Workload]:
    on_ebs = Workload("", replace(HDFS, durability=ON_EBS), limits=Limits(max_nodes=40))
    return [sort(limits=Limits(deadline_s=7_200.0)), on_ebs, replace(on_ebs, objective="time")] * 2


def test_threads_give_the_answer_of_one() -> None:
    def searched(workload: Workload) -> Plan:
        return search(workload, PART.catalog, PART.profiles, 20)

    alone = [searched(workload) for workload in in_parallel()]
    assert all(plan.ranked for plan in alone)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(searched, in_parallel() * 2)) == alone * 2


def written(workload: Workload) -> str:
    """Return a plan as text, which can be sent between processes."""
    return repr(search(workload, AWS_2026.catalog, AWS_2026.profiles, 20))


@pytest.mark.soak("spaces")
def test_processes_give_the_answer_of_one() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(written, in_parallel())) == list(map(written, in_parallel()))


def test_credits_of_later_phases_tighten_the_bound_on_volumes() -> None:
    """Loading 400 TB spends credits; the bounds by phase alone kept a thousand candidates of each cluster."""
    knowledge = packaged(LATEST)
    job = MapReduce(
        "mapreduce", 4e8, map_selectivity=0.01, reduce_selectivity=0.1, durability=Durability("infrastructure")
    )
    workload = Workload("", job, framework="hadoop-dfsio", limits=Limits(max_nodes=50), input="object-store")
    plan = search(workload, knowledge.in_region("us-east-1"), knowledge.profiles, 1)
    assert plan.ranked
    assert plan.computed < plan.candidates / 100_000
