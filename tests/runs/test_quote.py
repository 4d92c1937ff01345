"""Quotes of runs: compared with AWS' arithmetic written out, and as an upper bound."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import known
from runs.simulated import RUN, START, approved
from stowage.features.monitoring.watched_metrics import USD_PER_METRIC, of_instance, of_volume
from stowage.features.monitoring.watching import LATE
from stowage.model.hardware.catalog import Catalog
from stowage.model.infeasible import Infeasible
from stowage.platform.jobs.queue import METRICS_EVERY_S
from stowage.runs.cost import ended_by, reserve, spent, usd_per_hour
from stowage.runs.observation import ResourceKind
from stowage.runs.quote import Prices, prices_of, quote
from stowage.runs.run import Resource, Run
from stowage.runs.spec import OwnDisks, RunSpec, Volumes

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
CATALOG = known("aws-2026-07-06").catalog


def spec(**changed: object) -> RunSpec:
    of = RunSpec("diskbench", "i4i.large", 4, "us-east-1", zone="us-east-1a", storage=OwnDisks(), time_limit_s=1800.0)
    return replace(of, **changed)  # type: ignore[arg-type] # fields of a test


def prices(of: RunSpec, catalog: Catalog = CATALOG) -> Prices:
    found = prices_of(of, catalog)
    assert isinstance(found, Prices)
    return found


def test_a_quote_is_the_sum_of_its_parts_rounded_up_to_the_cent() -> None:
    of = spec()
    found = quote(of, prices(of), NOW)
    on_demand = CATALOG.instance_types["i4i.large"].usd_per_hour
    assert on_demand is not None
    parts = {part.name: part.usd for part in found.parts}
    assert parts["instances"] == pytest.approx(4 * 0.5 * on_demand.value)
    assert parts["addresses"] == pytest.approx(4 * 0.5 * 0.005)
    assert parts["start volumes"] == pytest.approx(4 * 0.5 * 8 * 0.08 / 730)
    assert parts["traffic"] == 0.0
    exact = sum(parts.values())
    assert float(found.total_usd) - 0.01 < exact <= float(found.total_usd)
    assert found.total_usd == found.total_usd.quantize(Decimal("0.01"))
    assert found.valid_until == NOW + timedelta(hours=24)


def test_every_part_says_what_it_counts_and_who_says_its_price() -> None:
    of = spec(storage=Volumes("gp3", 500, iops=6000, throughput_mib_per_s=250, count=2), market="spot")
    for part in quote(of, prices(of), NOW).parts:
        assert part.words
        assert part.source
        assert part.as_of is not None


def test_metrics_are_paid_for_until_they_are_not_read_any_more() -> None:
    of = spec(nodes=200, zone="us-east-1a", time_limit_s=600.0, storage=Volumes("io2", 500, iops=6000))
    each = len(of_instance(bursts=True)) + 2 * len(of_volume("io2"))
    reads = (of.time_limit_s + LATE.total_seconds()) / METRICS_EVERY_S
    parts = {part.name: part.usd for part in quote(of, prices(of), NOW).parts}
    assert parts["CloudWatch"] >= 200 * each * reads * USD_PER_METRIC


def test_requests_in_other_regions_are_bounded_from_above() -> None:
    here, there = prices(spec()), prices(spec(region="sa-east-1"), replace(CATALOG, region="sa-east-1"))
    assert there.put.value >= 1.4 * here.put.value
    assert there.get.kind == "estimated"


def test_volumes_cost_what_is_provisioned_beyond_what_is_included() -> None:
    of = spec(storage=Volumes("gp3", 500, iops=6000, throughput_mib_per_s=250, count=2))
    found = quote(of, prices(of), NOW)
    monthly = 500 * 0.08 + 3000 * 0.005 + 125 * 0.04
    parts = {part.name: part.usd for part in found.parts}
    assert parts["volumes"] == pytest.approx(4 * 2 * 0.5 * monthly / 730)
    assert found.volume_usd_per_hour == pytest.approx(monthly / 730)


def test_further_attempts_are_paid_for_where_more_than_one_zone_may_be_tried() -> None:
    pinned, free = spec(), spec(zone=None)
    one, other = quote(pinned, prices(pinned), NOW), quote(free, prices(free), NOW)
    assert (one.attempts, other.attempts) == (1, 3)
    hours = (other.parts[0].usd - one.parts[0].usd) / prices(free).instance.value
    assert hours == pytest.approx(4 * 2 * 60 / 3600)


def test_a_spot_instance_is_bounded_by_what_is_offered_for_it() -> None:
    of = spec(market="spot")
    found = quote(of, prices(of), NOW)
    sold = CATALOG.instance_types["i4i.large"]
    assert sold.usd_per_hour is not None
    assert found.spot_usd_per_hour == prices(of).instance.value <= sold.usd_per_hour.value
    if sold.spot_usd_per_hour is not None:
        assert found.spot_usd_per_hour >= min(sold.usd_per_hour.value, 1.5 * sold.spot_usd_per_hour.value)


def catalog_with(**changed: object) -> Catalog:
    instance = replace(CATALOG.instance_types["i4i.large"], **changed)  # type: ignore[arg-type] # fields of a test
    return replace(CATALOG, instance_types={**CATALOG.instance_types, "i4i.large": instance})


def test_an_unknown_spot_price_is_bounded_by_the_one_on_demand() -> None:
    found = prices(spec(market="spot"), catalog_with(spot_usd_per_hour=None))
    on_demand = CATALOG.instance_types["i4i.large"].usd_per_hour
    assert on_demand is not None
    assert found.instance.value == on_demand.value
    assert found.instance.kind == "estimated"


def test_what_has_no_price_is_not_quoted() -> None:
    without_gp3 = replace(CATALOG, volume_types={})
    for of, catalog in (
        (spec(instance="i9.none"), CATALOG),
        (spec(), catalog_with(usd_per_hour=None)),
        (spec(), without_gp3),
        (spec(storage=Volumes("gp9", 100)), CATALOG),
    ):
        found = prices_of(of, catalog)
        assert isinstance(found, Infeasible)
        assert found.limit == "price unknown"


def test_a_cluster_of_emr_pays_its_fee() -> None:
    of = spec(benchmark="testdfsio", storage=None)
    parts = {part.name: part.usd for part in quote(of, prices(of), NOW).parts}
    assert parts["EMR"] == pytest.approx(0.25 * parts["instances"])
    assert parts["start volumes"] == pytest.approx(4 * 0.5 * 15 * 0.08 / 730)


@given(
    st.integers(1, 200),
    st.floats(600.0, 14_400.0),
    st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), max_size=8),
)
def test_nodes_that_live_within_the_time_limit_never_cost_more_than_the_quote(
    nodes: int, limit_s: float, lives: list[tuple[float, float]]
) -> None:
    of = spec(nodes=nodes, time_limit_s=limit_s)
    found = quote(of, prices(of), NOW)
    run = Run(RUN, of, found, "done", NOW, agreed_usd=found.total_usd, launched_at=NOW, verified=True)
    spans = [sorted(life) for life in lives[:nodes]]
    resources = tuple(
        Resource(
            "instance",
            f"i-{place}",
            found.node_usd_per_hour,
            NOW + timedelta(seconds=begin * (limit_s - 60.0)),
            ended_at=NOW + timedelta(seconds=end * limit_s),
        )
        for place, (begin, end) in enumerate(spans)
    )
    assert spent(replace(run, resources=resources), NOW + timedelta(days=1)) <= float(found.total_usd)


def a_run(*resources: Resource) -> Run:
    run = approved()
    return replace(run, launched_at=START, ends_at=START + timedelta(seconds=840), resources=resources)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_nothing_is_spent_before_anything_is_launched() -> None:
    assert spent(approved(), at(100)) == 0.0


def test_a_minute_is_billed_at_least_and_then_the_second() -> None:
    short = Resource("instance", "i-0", 3.6, START, ended_at=at(10))
    assert spent(a_run(short), at(500)) == pytest.approx(0.05 + 60 * 0.001)
    longer = replace(short, ended_at=at(100))
    assert spent(a_run(longer), at(500)) == pytest.approx(0.05 + 100 * 0.001)
    assert spent(a_run(replace(short, ended_at=None)), at(500)) == pytest.approx(0.05 + 500 * 0.001)


@pytest.mark.parametrize(
    ("kind", "seen_s", "until_s"),
    [
        # A node that was not observed past its own timer counts as ended by that; an EMR cluster has none.
        ("instance", None, 840.0),
        ("instance", 800.0, 840.0),
        ("instance", 900.0, 5000.0),
        ("emr-cluster", 800.0, 5000.0),
    ],
)
def test_what_is_not_known_to_have_ended_counts_until_its_timer(
    kind: ResourceKind, seen_s: float | None, until_s: float
) -> None:
    resource = Resource(kind, "x", 3.6, START, seen_at=None if seen_s is None else at(seen_s))
    assert ended_by(a_run(resource), resource, at(5000)) == at(until_s)


def test_if_the_launched_resources_are_unknown_the_approved_sum_counts() -> None:
    run = replace(a_run(), state="failed", asked=1)
    assert spent(run, at(2000)) == float(run.quote.total_usd)
    assert spent(replace(run, agreed_usd=None), at(2000)) == 0.0


def test_a_reserve_is_what_all_that_is_there_costs_for_a_while() -> None:
    run = a_run(Resource("instance", "i-0", 3.6, START), Resource("instance", "i-1", 3.6, START, ended_at=at(1)))
    assert usd_per_hour(run) == 3.6
    assert reserve(run, 100.0) == pytest.approx(0.1)
