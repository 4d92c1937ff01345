"""Open choices: the merged answer equals a search for every choice, with the best of each row."""

from dataclasses import replace
from itertools import combinations

import pytest

from knowledge import AWS_2026, Known
from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.cluster import InstanceStore
from stowage.model.hardware.steps import Steps
from stowage.model.infeasible import Limit
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Limits, Measured, Place, Workload
from stowage.model.money.price import Purchase
from stowage.model.plan import Candidate, NearMiss, Plan, nine_digits, rank_key, row_key
from stowage.model.prediction import Prediction, predict
from stowage.optimizer.columns.rates import KEPT as GROUNDS_KEPT
from stowage.optimizer.columns.rates import columns_of
from stowage.optimizer.merge import search_open
from stowage.optimizer.search import search

MEASURED = Measured(storage_mb_per_s=900.0, network_mb_per_s=500.0)
KEPT = (Durability("none"), Durability("application", 2), Durability("object-store"))
"""No volumes: with them, so many choices are possible that a search takes far longer."""
PAID: tuple[Purchase, ...] = ("on-demand", "spot", "1-year")


def asked(
    durabilities: tuple[Durability, ...] = KEPT,
    purchases: tuple[Purchase, ...] = PAID,
    **changes: object,
) -> list[Workload]:
    whole = Workload("", MapReduce("sort", 2e6), runs_per_month=300.0, measured=MEASURED, limits=Limits(max_nodes=40))
    return [
        replace(
            whole,
            job=MapReduce("sort", 2e6, durability=kept),
            place=Place(purchase=purchase, commitment="alone"),
            **changes,  # type: ignore[arg-type]  # any field of the workload
        )
        for kept in durabilities
        for purchase in purchases
    ]


def searched(workloads: list[Workload], most_rows: int | None = None) -> Plan:
    return search_open(workloads, AWS_2026.catalog, AWS_2026.profiles, most_rows)


def apart(workloads: list[Workload]) -> list[tuple[Workload, Plan]]:
    known = AWS_2026
    return [(one, search(one, known.catalog, known.profiles)) for one in workloads]


def test_a_row_is_the_best_of_its_key_over_all_choices() -> None:
    workloads = asked((*KEPT, Durability("infrastructure")), ("on-demand", "spot"))
    rows = [row for _, plan in apart(workloads) for row in plan.ranked]
    best: dict[object, Prediction] = {}
    for row in rows:
        key = row_key(row.configuration)
        if key not in best or rank_key(row, "cost") < rank_key(best[key], "cost"):
            best[key] = row
    found = searched(workloads)
    assert found.rows == len(best) == len(found.ranked)
    assert {row_key(row.configuration): row for row in found.ranked} == best
    ranks = [rank_key(row, "cost") for row in found.ranked]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_the_first_rows_are_those_of_the_whole_ranking(most: int) -> None:
    workloads = asked()
    assert searched(workloads, most).ranked == searched(workloads).ranked[:most]


def test_the_size_of_the_space_and_what_is_rejected_add_up() -> None:
    workloads = asked()
    plans, found = [plan for _, plan in apart(workloads)], searched(workloads)
    assert found.candidates == sum(plan.candidates for plan in plans)
    assert found.candidates == found.computed + found.excluded_by_bound
    counts: dict[Limit, int] = {}
    for plan in plans:
        for row in plan.rejected:
            counts[row.limit] = counts.get(row.limit, 0) + row.count
    assert {row.limit: row.count for row in found.rejected} == counts
    assert [row.count for row in found.rejected] == sorted(counts.values(), reverse=True)


def loss_of(candidate: Candidate, workloads: list[Workload], known: Known = AWS_2026) -> float:
    workload = next(
        one
        for one in workloads
        if (one.place.purchase, one.at(candidate.configuration.nodes).job.durability)
        == (candidate.purchase, candidate.durability)
    )
    found = predict(candidate.configuration, workload, known.catalog, known.profiles, sources=False)
    assert isinstance(found, Prediction)
    assert (found.time_s.p50, found.cost_usd.p50) == (candidate.time_s, candidate.cost_usd)
    return found.loss_probability


def corner(candidate: Candidate) -> tuple[float, float, float]:
    loss = 0.0 if candidate.loss is None else candidate.loss
    return float(nine_digits(candidate.time_s)), float(nine_digits(candidate.cost_usd)), loss


def beats(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return all(mine <= its for mine, its in zip(one, other, strict=True))


def test_no_point_of_the_frontier_is_beaten_in_time_cost_and_loss_and_no_other_is_left_out() -> None:
    workloads = asked()
    found = searched(workloads).frontier
    assert len({candidate.durability for candidate in found}) > 1
    corners = [corner(candidate) for candidate in found]
    assert corners == sorted(corners)
    assert not any(beats(one, other) or beats(other, one) for one, other in combinations(corners, 2))
    assert all(candidate.loss == loss_of(candidate, workloads) for candidate in found)
    for durability in KEPT:
        for candidate in searched([one for one in workloads if one.job.durability == durability]).frontier:
            assert candidate.loss is None
            point = corner(replace(candidate, loss=loss_of(candidate, workloads)))
            assert any(beats(one, point) for one in corners)


def test_copies_of_what_stays_are_repaired_and_their_loss_is_that_of_a_prediction() -> None:
    place = Place(purchase="on-demand")
    jobs = [Hdfs("hdfs-write", 2e5, Durability("application", copies)) for copies in (1, 2, 3)]
    of_emr = Hdfs("hdfs-write", 2e5, Durability("none"), default_copies=True)
    workloads = [
        Workload("", job, place=place, measured=MEASURED, limits=Limits(max_nodes=12)) for job in (*jobs, of_emr)
    ]
    found = searched(workloads).frontier
    assert {candidate.durability.replicas for candidate in found} == {1, 2, 3}
    assert all(candidate.loss == loss_of(candidate, workloads) for candidate in found)


def test_with_one_choice_the_answer_is_that_of_the_search() -> None:
    [workload] = asked((Durability("none"),), ("spot",))
    plan = search(workload, AWS_2026.catalog, AWS_2026.profiles)
    assert search_open([workload], AWS_2026.catalog, AWS_2026.profiles) == plan
    assert {candidate.purchase for candidate in plan.frontier} == {"spot"}


@pytest.mark.parametrize("most", [1e-9, 1e-7, 1e-5])
def test_nothing_likelier_to_lose_data_than_allowed_is_an_answer(most: float) -> None:
    workloads = asked(limits=Limits(max_nodes=40, loss=most))
    found = searched(workloads)
    assert found.ranked
    assert all(row.loss_probability <= most for row in found.ranked)
    assert found.frontier
    assert all(candidate.loss is not None and candidate.loss <= most for candidate in found.frontier)


def test_where_every_choice_loses_too_much_the_least_likely_is_the_nearest_miss() -> None:
    workloads = asked(KEPT[:2], limits=Limits(max_nodes=40, loss=1e-300))
    found = searched(workloads)
    assert not found.ranked
    assert not found.frontier
    assert found.rows == 0
    assert [row.limit for row in found.rejected if row.limit == "loss"] == ["loss"]
    [miss] = found.near_misses
    assert miss.limits == ("loss",)
    assert miss.candidate.durability == Durability("application", 2)
    assert miss.candidate.loss == loss_of(miss.candidate, workloads)


def test_what_is_looked_up_of_types_is_shared_by_all_copies_and_kept_for_every_region() -> None:
    """A question over all regions with open durability then finds it when it is asked again."""
    ways = (Durability("none"), Durability("application", 2), Durability("application", 3))
    elsewhere = (Durability("infrastructure"), Durability("object-store"))
    known = AWS_2026
    columns = [
        columns_of(one, known.catalog, known.profiles, Steps()) for one in asked((*ways, *elsewhere), ("on-demand",))
    ]
    assert columns[0] is columns[1] is columns[2]
    places = len({id(rate_columns) for rate_columns in columns})
    assert places == 3
    assert places * len(packaged(LATEST).regions) <= GROUNDS_KEPT


def test_the_fastest_and_the_cheapest_month_are_looked_for_over_all_choices() -> None:
    for objective in ("time", "month"):
        workloads = asked(objective=objective, purchases=("on-demand", "1-year"))
        rows = [row for _, plan in apart(workloads) for row in plan.ranked]
        best = min(rows, key=lambda row: rank_key(row, workloads[0].objective))
        assert rank_key(searched(workloads, 1).ranked[0], workloads[0].objective) == rank_key(
            best, workloads[0].objective
        )


def miss_of(plan: Plan) -> list[tuple[tuple[Limit, ...], float]]:
    def most(miss: NearMiss) -> float:
        return max(miss.candidate.time_s, miss.candidate.cost_usd)

    return [(miss.limits, most(miss)) for miss in plan.near_misses]


def test_of_what_comes_near_the_nearest_is_told_for_each_limit() -> None:
    limits = Limits(max_nodes=40, deadline_s=1.0, budget_usd=1e-3)
    workloads = asked(limits=limits)
    found = searched(workloads)
    assert found.ranked == ()
    [miss] = found.near_misses
    assert miss.limits == ("deadline", "budget")
    each = [miss for one in workloads for miss in searched([one]).near_misses]

    def excess(miss: NearMiss) -> float:
        return max(miss.candidate.time_s / 1.0, miss.candidate.cost_usd / 1e-3)

    assert excess(miss) == min(excess(one) for one in each if one.limits == miss.limits)


def test_own_disks_tie_with_themselves_in_the_order_of_the_ways_to_pay() -> None:
    """If the spot price equals the on-demand price, and no interruptions occur, on-demand is chosen."""
    catalog = AWS_2026.catalog
    types = {
        name: replace(one, one_year_usd_per_hour=one.usd_per_hour, three_year_usd_per_hour=one.usd_per_hour)
        for name, one in catalog.instance_types.items()
    }
    same = replace(catalog, instance_types=types)
    workloads = [
        replace(one, place=replace(one.place, commitment="used"))
        for one in asked((Durability("none"),), ("3-year", "1-year", "on-demand"))
    ]
    found = search_open(workloads, same, AWS_2026.profiles)
    assert {row.purchase for row in found.ranked} == {"on-demand"}
    assert {candidate.purchase for candidate in found.frontier} == {"on-demand"}
    assert any(isinstance(row.configuration.layout, InstanceStore) for row in found.ranked)
