"""Cost over months: compared with single predictions, a scan of every node count, and sums by hand."""

from dataclasses import replace
from datetime import date
from itertools import accumulate
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import PAPER
from stowage.model.choice import Quotas, VolumeQuota
from stowage.model.cluster import Configuration, Ebs, InstanceStore, ObjectStore
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.workload import Limits, Measured, Place, Workload
from stowage.model.money.outlook import MOST_NODES, Outlook, Spending, grown, outlook
from stowage.model.money.price import Purchase
from stowage.model.prediction import Prediction, predict
from stowage.model.uncertainty.straggler import Stragglers
from stowage.model.units import HOURS_PER_MONTH

HOURLY = {"usd_per_hour": 6.82, "spot_usd_per_hour": 2.0, "one_year_usd_per_hour": 4.0, "three_year_usd_per_hour": 2.5}
TERMS: dict[str, int] = {"1-year": 12, "3-year": 36}


def priced(prices: dict[str, float]) -> Catalog:
    """Return the paper's catalog with every type sold in every way."""

    day = date(2014, 10, 1)
    figures: Any = {name: Figure(name, usd, "USD/h", "made up", "given", day) for name, usd in prices.items()}
    types = {name: replace(found, **figures) for name, found in PAPER.catalog.instance_types.items()}
    return replace(PAPER.catalog, instance_types=types)


CATALOG = priced(HOURLY)
LOCAL = InstanceStore(4, 4)
SORT = Workload("sort", MapReduce("sort", 100e6), runs_per_month=30.0)


def ahead(
    workload: Workload = SORT, nodes: int = 178, layout: Any = LOCAL, catalog: Catalog = CATALOG, **more: Any
) -> Outlook:
    asked = {"growth": 0.0, "months": 36, **more}
    return outlook(Configuration("i2.8xlarge", nodes, layout), workload, catalog, PAPER.profiles, **asked)


def under(found: Outlook, purchase: Purchase) -> Spending:
    spending = found.under(purchase)
    assert spending is not None
    return spending


def predicted(workload: Workload, nodes: int, purchase: Purchase, commitment: Any = "alone") -> Prediction | Infeasible:
    place = replace(workload.place, purchase=purchase, commitment=commitment)
    configuration = Configuration("i2.8xlarge", nodes, LOCAL)
    return predict(configuration, replace(workload, place=place), CATALOG, PAPER.profiles, sources=False)


def limited(**limits: Any) -> Workload:
    return replace(SORT, limits=Limits(**limits))


@pytest.mark.parametrize("commitment", ["alone", "used"])
@pytest.mark.parametrize("purchase", get_args(Purchase))
def test_each_month_is_what_the_model_predicts_for_its_data(purchase: Purchase, commitment: Any) -> None:
    found = under(ahead(growth=0.05, months=14, commitment=commitment), purchase)
    assert found.usd_per_hour == pytest.approx(dict(zip(get_args(Purchase), HOURLY.values(), strict=True))[purchase])
    for month in found.months:
        job = replace(SORT.job, data_mb=100e6 * 1.05 ** (month.number - 1))
        alone = predicted(replace(SORT, job=job), month.nodes, purchase, commitment)
        assert isinstance(alone, Prediction)
        assert (month.data_mb, month.time_s, month.run_usd) == (job.data_mb, alone.time_s, alone.cost_usd)
        assert month.month_usd.p50 == 30.0 * alone.cost_usd.p50
        assert month.month_usd.p10 == 30.0 * alone.cost_usd.p10
        assert month.used == pytest.approx(30.0 * alone.billed_s / (730.0 * 3600.0))


def test_without_growth_all_months_are_alike() -> None:
    for spending in ahead(months=5).spendings:
        assert {replace(month, number=0, owed_usd=0.0) for month in spending.months} == {
            replace(spending.months[0], number=0, owed_usd=0.0)
        }
        assert spending.sums_usd == tuple(accumulate(month.month_usd.p50 for month in spending.months))


def fewest(workload: Workload, since: int, purchase: Purchase = "on-demand") -> int:
    """Return the fewest sufficient nodes by trying each."""
    for nodes in range(since, 4000):
        found = predicted(workload, nodes, purchase)
        if isinstance(found, Infeasible):
            continue
        limits = workload.limits
        chance = found.meets_deadline
        late = limits.deadline_s is not None and (
            found.time_s.p50 > limits.deadline_s
            if limits.chance is None
            else chance is not None and chance < limits.chance
        )
        if not late:
            return nodes
    raise AssertionError("none does")


@pytest.mark.parametrize(
    ("workload", "nodes"),
    [
        (SORT, 94),
        (limited(deadline_s=1_500.0), 178),
        (limited(deadline_s=1_500.0, chance=0.9), 178),
    ],
    ids=["capacity", "deadline", "chance"],
)
@pytest.mark.parametrize("purchase", ["on-demand", "spot"])
def test_nodes_are_the_fewest_that_hold_the_data_and_meet_the_deadline(
    workload: Workload, nodes: int, purchase: Purchase
) -> None:
    found = under(ahead(workload, nodes, growth=0.08, months=9), purchase)
    since = nodes
    for month in found.months:
        since = fewest(replace(workload, job=replace(SORT.job, data_mb=month.data_mb)), since, purchase)
        assert month.nodes == since
    assert since > nodes


def test_a_cluster_that_is_late_today_begins_with_more_nodes() -> None:
    found = under(ahead(limited(deadline_s=900.0), 150, months=2), "on-demand")
    assert found.months[0].nodes == fewest(limited(deadline_s=900.0), 150) > 150


def test_data_that_shrinks_gives_no_node_back() -> None:
    found = under(ahead(growth=-0.2, months=24), "1-year")
    assert {month.nodes for month in found.months} == {178}
    assert found.months[-1].data_mb == pytest.approx(100e6 * 0.8**23)


@pytest.mark.parametrize("purchase", ["1-year", "3-year"])
def test_what_is_owed_is_the_rest_of_each_nodes_own_term(purchase: Purchase) -> None:
    found = under(ahead(growth=0.04, months=40, nodes=94), purchase)
    term, usd = TERMS[purchase], found.usd_per_hour * HOURS_PER_MONTH
    since = [
        next(month.number for month in found.months if month.nodes >= node)
        for node in range(1, 10_000)
        if node <= found.months[-1].nodes
    ]
    for month in found.months:
        rests = [(term - 1 - (month.number - first) % term) for first in since if first <= month.number]
        assert month.owed_usd == pytest.approx(usd * sum(rests))
    assert len(set(since)) > 5
    assert found.stopped_usd[-1] == found.sums_usd[-1] + found.months[-1].owed_usd


def test_a_term_that_is_used_to_its_end_leaves_nothing_owed() -> None:
    found = under(ahead(months=24), "1-year")
    assert [month.number for month in found.months if month.owed_usd == 0.0] == [12, 24]
    assert found.stopped_usd[0] == pytest.approx(found.stopped_usd[11])


def test_nothing_is_owed_on_demand_at_spot_prices_or_where_others_use_the_rest() -> None:
    assert {month.owed_usd for name in ("on-demand", "spot") for month in under(ahead(), name).months} == {0.0}
    assert {m.owed_usd for spending in ahead(commitment="used").spendings for m in spending.months} == {0.0}


def busy(share: float) -> Workload:
    """Return the sort with as many runs as take a share of the hours."""
    first = under(ahead(months=1), "on-demand").months[0]
    return replace(SORT, runs_per_month=share / first.used * SORT.runs_per_month)


@pytest.mark.parametrize(("share", "month"), [(0.95, 8), (0.60, 12), (0.50, None)])
def test_a_commitment_has_paid_when_on_demand_has_cost_its_whole_term(share: float, month: int | None) -> None:
    """An hour costs 4.00 instead of 6.82 USD: a year of it is worth 7.04 months of all hours on demand."""
    found = ahead(busy(share), months=12)
    evens = {(even.commitment, even.against): even.month for even in found.break_evens}
    assert evens["1-year", "on-demand"] == month
    if month is not None:
        year, paid = under(found, "1-year"), under(found, "on-demand")
        assert year.stopped_usd[month - 1] <= paid.sums_usd[month - 1]
        assert all(year.stopped_usd[n] > paid.sums_usd[n] for n in range(month - 1))


def test_where_others_use_the_rest_a_cheaper_hour_has_paid_at_once() -> None:
    evens = {(even.commitment, even.against): even.month for even in ahead(commitment="used").break_evens}
    assert evens["1-year", "on-demand"] == 1
    assert evens["1-year", "spot"] is None
    assert len(evens) == 4


def test_ways_to_pay_without_a_price_are_named() -> None:
    found = ahead(catalog=PAPER.catalog)
    assert [spending.purchase for spending in found.spendings] == ["on-demand"]
    assert [(purchase, why.limit) for purchase, why in found.missing] == [
        (purchase, "price unknown") for purchase in ("spot", "1-year", "3-year")
    ]
    assert found.break_evens == ()
    assert found.under("spot") is None


def test_only_the_ways_to_pay_that_are_asked_for_are_told() -> None:
    found = ahead(purchases=("spot", "3-year"))
    assert [spending.purchase for spending in found.spendings] == ["spot", "3-year"]
    assert [(even.commitment, even.against) for even in found.break_evens] == [("3-year", "spot")]


STAYS = Workload("kept", Hdfs("hdfs-write", 50e6), objective="month", runs_per_month=4.0)


def test_a_cluster_that_stays_is_paid_all_month_and_not_at_spot_prices() -> None:
    found = ahead(STAYS, growth=0.02, months=15)
    assert [purchase for purchase, _ in found.missing] == ["spot"]
    for spending in found.spendings:
        for month in spending.months:
            usd = spending.usd_per_hour * HOURS_PER_MONTH * (month.nodes + 1)
            assert month.month_usd == month.run_usd
            assert month.month_usd.p50 == pytest.approx(usd)
            assert month.used == 1.0
    owed = under(found, "1-year").months[0].owed_usd
    assert owed == pytest.approx(11 * 4.0 * HOURS_PER_MONTH * 179)
    assert under(ahead(STAYS, commitment="used"), "1-year").months[0].owed_usd == pytest.approx(owed)


def test_copies_that_go_with_the_cluster_are_counted_in_what_it_must_hold() -> None:
    job = Hdfs("hdfs-write", 20e6, Durability("application", 3), default_copies=True)
    workload = Workload("hdfs", job)
    found = under(ahead(workload, nodes=2, layout=InstanceStore(8, 0), growth=0.3, months=10), "on-demand")
    for month in found.months:
        configuration = Configuration("i2.8xlarge", month.nodes, InstanceStore(8, 0))
        of_month = replace(workload, job=grown(job, month.data_mb / job.data_mb))
        assert isinstance(predict(configuration, of_month, CATALOG, PAPER.profiles, sources=False), Prediction)
    assert found.months[-1].nodes > 10


GP2 = Ebs("gp2", 1_000, 4)


@pytest.mark.parametrize(
    ("workload", "layout", "most"),
    [
        (limited(max_nodes=200), LOCAL, 200),
        (replace(SORT, quotas=Quotas(nodes={"i2.8xlarge": 190})), LOCAL, 190),
        (replace(SORT, quotas=Quotas(vcpus=32.0 * 185)), LOCAL, 185),
        (replace(SORT, quotas=Quotas(volumes={"gp2": VolumeQuota(size_gib=4_000.0 * 183)})), GP2, 183),
        (replace(SORT, quotas=Quotas(volumes={"gp2": VolumeQuota(iops=12_000.0 * 181)})), GP2, 181),
        (replace(SORT, quotas=Quotas(volumes={"io1": VolumeQuota(iops=1.0)})), GP2, MOST_NODES),
    ],
    ids=["nodes", "quota of nodes", "vcpus", "size", "iops", "another volume"],
)
def test_it_ends_where_limits_and_quotas_do(workload: Workload, layout: Any, most: int) -> None:
    if layout is GP2:
        job = replace(SORT.job, durability=Durability("infrastructure"))
        workload = replace(workload, job=job, measured=Measured(ebs_read_mb_per_s=243.0, ebs_write_mb_per_s=226.0))
    found = under(ahead(workload, 178, layout, growth=0.5, months=60), "on-demand")
    assert found.end is not None
    assert found.end.limit == "max nodes"
    assert f"at most {most:,} are accepted" in found.end.reason
    assert found.end.needed_nodes is not None
    assert found.end.needed_nodes > most >= found.months[-1].nodes
    assert 1 <= len(found.months) < 60


def test_it_ends_where_no_number_of_nodes_is_in_time() -> None:
    found = under(ahead(limited(deadline_s=1_200.0, max_nodes=400), growth=0.1, months=60), "on-demand")
    assert found.end is not None
    assert (found.end.limit, found.end.reason) == (
        "deadline",
        "no number of nodes up to 400 × i2.8xlarge meets the deadline",
    )
    assert found.months[-1].nodes <= 400


def test_where_slow_nodes_are_assumed_nodes_are_the_fewest_too() -> None:
    now = predicted(replace(SORT, stragglers=Stragglers(0.02, 2.0)), 130, "on-demand")
    assert isinstance(now, Prediction)
    slow = replace(limited(deadline_s=now.time_s.p50), stragglers=Stragglers(0.02, 2.0))
    found = under(ahead(slow, 110, months=1, purchases=("on-demand",)), "on-demand")
    assert found.months[0].nodes == fewest(slow, 110) > 120


def test_where_slow_nodes_are_assumed_a_deadline_out_of_reach_is_found_out_soon() -> None:
    slow = replace(limited(deadline_s=60.0, max_nodes=300), stragglers=Stragglers(0.02, 2.0))
    assert {why.limit for _, why in ahead(slow, months=2).missing} == {"deadline"}


def test_what_is_not_possible_in_the_first_month_is_no_spending() -> None:
    found = ahead(limited(deadline_s=1.0, max_nodes=200), months=3)
    assert found.spendings == ()
    assert {why.limit for _, why in found.missing} == {"deadline"}


def test_what_more_nodes_do_not_help_against_is_said_as_it_is() -> None:
    found = ahead(layout=InstanceStore(40, 4), months=3)
    assert {why.limit for _, why in found.missing} == {"disk division"}


def test_more_data_than_can_be_counted_ends_it() -> None:
    phases = FreePhases(1e17, (("read", {Role.INPUT_READ: 1e6}),), durability=Durability("object-store"))
    found = ahead(Workload("phases", phases), 4, ObjectStore(), growth=0.99, months=20)
    for spending in found.spendings:
        assert spending.end is not None
        assert "cannot be counted" in spending.end.reason
        assert len(spending.months) == 4


def test_a_job_that_spot_instances_never_finish_is_not_told() -> None:
    found = ahead(replace(SORT, measured=Measured(storage_mb_per_s=0.1)), months=1)
    assert [(purchase, why.limit) for purchase, why in found.missing] == [("spot", "never finishes")]


JOBS: list[Any] = [
    MapReduce("mapreduce", 1e6, 2.0, 0.5),
    Hdfs("hdfs-read", 1e6),
    AppendLog(1e6, 1.0),
    RandomIo(1e6, 16.0, working_set_mb=2e6),
    FreePhases(1e6, (("read", {Role.INPUT_READ: 1e6, Role.CPU: 2e6}),), 3e5),
]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.kind)
def test_a_job_grows_in_all_that_it_moves_and_holds(job: Any) -> None:
    once: Any = job
    tenfold: Any = grown(job, 10.0)
    assert grown(job, 1.0) == job
    for field in ("data_mb", "input_output_mb", "intermediate_mb"):
        assert getattr(tenfold, field) == pytest.approx(10.0 * getattr(once, field))
    if isinstance(job, RandomIo):
        assert tenfold.working_set_mb == 2e7
    if isinstance(job, FreePhases):
        assert tenfold.spelled == (("read", {Role.INPUT_READ: 1e7, Role.CPU: 2e7}),)


@settings(max_examples=12)
@given(
    growth=st.floats(-0.5, 1.0),
    months=st.integers(1, 16),
    nodes=st.integers(60, 300),
    deadline_s=st.none() | st.floats(600.0, 1e5),
)
def test_sums_never_fall_and_no_more_is_paid_with_less_to_do(
    growth: float, months: int, nodes: int, deadline_s: float | None
) -> None:
    found = ahead(limited(deadline_s=deadline_s, max_nodes=3_000), nodes, growth=growth, months=months)
    for spending in found.spendings:
        assert (len(spending.months) == months) == (spending.end is None)
        counts = [month.nodes for month in spending.months]
        assert counts == sorted(counts)
        assert counts[0] >= nodes
        assert list(spending.sums_usd) == sorted(spending.sums_usd)
        for month in spending.months:
            usd = month.month_usd
            # A commitment that is paid in full has no range, except for the last digit.
            assert usd.p10 * (1.0 - 1e-12) <= usd.p50 <= usd.p90 * (1.0 + 1e-12)
            assert deadline_s is None or month.time_s.p50 <= deadline_s
            assert month.owed_usd >= 0.0


def test_the_place_of_the_workload_stays_but_for_how_it_is_paid() -> None:
    workload = replace(SORT, place=Place(service="emr", purchase="any"))
    assert len(ahead(workload, months=2).spendings) == 4
