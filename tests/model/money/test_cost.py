"""Properties of every cost: monotone in usage, additive, and equal for scalars and arrays."""

import math
import random
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.model.money.cost import Charges, Cost, Prices, always_on_cost, run_cost, tariff
from stowage.model.money.price import (
    ObjectStorePrices,
    Tier,
    VolumePrices,
    requests_usd,
    stored_usd,
    tiered,
    traffic_usd,
)
from stowage.model.money.price import volume_usd_per_month as volume
from stowage.model.money.spot import NEVER_FINISHES, Recovery, Spot
from stowage.model.units import Quantity

S3 = ObjectStorePrices((Tier(51_200.0, 0.023), Tier(512_000.0, 0.022), Tier(512_001.0, 0.021)), 0.005, 0.0004)
IO2 = VolumePrices(0.125, (Tier(32_000.0, 0.065), Tier(64_000.0, 0.0455), Tier(256_000.0, 0.03185)))
GP3 = VolumePrices(0.08, (Tier(80_000.0, 0.005),), 3000.0, 0.04, 125.0)

usd = st.one_of(st.just(0.0), st.floats(1e-4, 100.0))
counts = st.integers(1, 1000).map(float)
times = st.floats(1e-3, 1e7)
amounts = st.one_of(st.just(0.0), st.floats(1e-3, 1e6))
seconds = st.sampled_from([0.0, 60.0, 180.0])
prices_of_a_node = st.builds(
    Prices, st.floats(1e-3, 100.0), usd, seconds, seconds, amounts, usd, counts, usd, usd, st.floats(0.05, 1.0)
)
committed_nodes = st.builds(lambda prices, month_s: replace(prices, committed_s=month_s), prices_of_a_node, times)
charges_of_a_run = st.builds(Charges, amounts, amounts, amounts)
runs = st.tuples(prices_of_a_node, counts, times, charges_of_a_run, amounts)
runs_on_commitments = st.tuples(committed_nodes, counts, times, charges_of_a_run, amounts)
spots = st.builds(Spot, st.floats(1e-7, 1.0), st.sampled_from(["restart", "tasks"]), st.floats(0.0, 3600.0))
factors = st.floats(1.0, 1e3)


def total(cost: Cost) -> float:
    return float(cost.total)


def not_less(more: Quantity, less: Quantity) -> bool:
    """Compare costs after one quantity was scaled: rounding of the other steps may differ by an ulp."""
    return float(more) >= float(less) * (1 - 1e-14)


@given(run=runs | runs_on_commitments, factor=factors)
def test_more_of_anything_never_costs_less(run: Any, factor: float) -> None:
    prices, nodes, duration_s, charges, rework_s = run
    cost = total(run_cost(*run))
    more_data = Charges(*(getattr(charges, field.name) * factor for field in fields(Charges)))
    assert not_less(total(run_cost(prices, nodes * factor, duration_s, charges, rework_s)), cost)
    assert not_less(total(run_cost(prices, nodes, duration_s * factor, charges, rework_s)), cost)
    assert not_less(total(run_cost(prices, nodes, duration_s, more_data, rework_s)), cost)
    assert not_less(total(run_cost(prices, nodes, duration_s, charges, rework_s * factor)), cost)
    for field in fields(Prices):
        changed = replace(prices, **{field.name: getattr(prices, field.name) * factor})
        assert not_less(total(run_cost(changed, nodes, duration_s, charges, rework_s)), cost)


@given(run=runs | runs_on_commitments)
def test_parts_add_up_and_none_is_negative(run: Any) -> None:
    cost = run_cost(*run)
    parts = [float(getattr(cost, field.name)) for field in fields(Cost)]
    assert parts == [float(part) for part in cost.parts]
    assert min(parts) >= 0.0
    assert total(cost) == pytest.approx(math.fsum(parts), rel=1e-14)


@given(
    usd_per_hour=usd,
    link=usd,
    launch=seconds,
    least=seconds,
    nodes=counts,
    volumes_month=amounts,
    duration_s=times,
)
def test_the_four_first_parts_are_to_the_bit_what_they_were_before_there_were_ten(
    usd_per_hour: float,
    link: float,
    launch: float,
    least: float,
    nodes: float,
    volumes_month: float,
    duration_s: float,
) -> None:
    billed_s = max(duration_s + launch, least)
    instances = nodes * usd_per_hour * duration_s / 3600.0
    launched = nodes * usd_per_hour * (billed_s - duration_s) / 3600.0
    links = nodes * link * billed_s / 3600.0
    volumes = nodes * (volumes_month / (730.0 * 3600.0)) * billed_s
    cost = run_cost(Prices(usd_per_hour, link, launch, least, volumes_month), nodes, duration_s)
    assert (cost.instances, cost.launch, cost.ebs_link, cost.ebs_volumes) == (instances, launched, links, volumes)
    assert cost.total == instances + launched + links + volumes


def at(quantity: Quantity, index: int) -> float:
    """Return an element; a term that does not apply is one float for all."""
    return quantity if isinstance(quantity, float) else float(quantity[index])


@given(
    prices=st.lists(prices_of_a_node | committed_nodes, min_size=3, max_size=3),
    nodes=st.lists(counts, min_size=3, max_size=3),
    work=st.lists(times, min_size=3, max_size=3),
    charges=st.lists(charges_of_a_run, min_size=3, max_size=3),
    spot=spots,
    budget=st.floats(1e-3, 1e9),
)
def test_an_array_gives_what_its_elements_give_bit_for_bit(
    prices: list[Prices],
    nodes: list[float],
    work: list[float],
    charges: list[Charges],
    spot: Spot,
    budget: float,
) -> None:
    def each(found: list[Any], name: str) -> Any:
        return np.array([getattr(element, name) for element in found])

    scalars = {"launch_s", "minimum_billed_s", "committed_s"}
    prices = [replace(one, **{name: getattr(prices[0], name) for name in scalars}) for one in prices]
    all_prices = replace(
        prices[0], **{field.name: each(prices, field.name) for field in fields(Prices) if field.name not in scalars}
    )
    all_charges = Charges(*(each(charges, field.name) for field in fields(Charges)))
    expected_s = spot.expected_s(np.array(nodes), np.array(work))
    run = run_cost(all_prices, np.array(nodes), np.array(work), all_charges, expected_s - np.array(work))
    always = always_on_cost(all_prices, np.array(nodes), all_charges, 30.0)
    line = tariff(all_prices, np.array(nodes), all_charges)
    longest_s = line.longest_s(budget)
    for i, one in enumerate(prices):
        alone_s = spot.expected_s(nodes[i], work[i])
        assert type(alone_s) is float
        assert alone_s == at(expected_s, i)
        alone = run_cost(one, nodes[i], work[i], charges[i], alone_s - work[i])
        assert type(alone.total) is float
        for together, single in (
            (run, alone),
            (always, always_on_cost(one, nodes[i], charges[i], 30.0)),
        ):
            assert [at(part, i) for part in together.parts] == list(single.parts)
            assert at(together.total, i) == single.total
        own_line = tariff(one, nodes[i], charges[i])
        assert own_line.usd(work[i]) == at(line.usd(np.array(work)), i)
        assert own_line.longest_s(budget) == at(longest_s, i)


@pytest.mark.parametrize("recovery", ["restart", "tasks"])
def test_long_arrays_too_give_what_their_elements_give(recovery: Recovery) -> None:
    """Number for numpy's exponentials: long arrays take its vector path, and 4,099 leaves a tail."""
    random_numbers = np.random.default_rng(2015)
    nodes = np.floor(10 ** random_numbers.uniform(0, 3, 4099))
    work = 10 ** random_numbers.uniform(0, 7, 4099)
    spot = Spot(1e-3, recovery, 300.0)
    expected = np.asarray(spot.expected_s(nodes, work))
    for n, w, e in zip(nodes.tolist(), work.tolist(), expected.tolist(), strict=True):
        assert spot.expected_s(n, w) == e


@given(values=st.lists(st.floats(1.0, 1e7), min_size=1, max_size=9), kept_s=st.floats(1.0, 1e8), runs_a_month=counts)
def test_prices_of_an_array_are_those_of_its_elements(values: list[float], kept_s: float, runs_a_month: float) -> None:
    prices: list[Callable[[Any], Any]] = [
        lambda x: volume(IO2, x, x),
        lambda x: volume(GP3, 100.0, x, x),
        lambda x: volume(GP3, x),
        lambda x: stored_usd(S3, x * 1e3, kept_s),
        lambda x: stored_usd(S3, 1e6, x, runs_a_month),
        lambda x: requests_usd(S3, x, 2 * x, 128.0),
        lambda x: traffic_usd(x, 0.5),
    ]
    for price in prices:
        together = price(np.array(values))
        alone = [price(value) for value in values]
        assert all(type(one) is float for one in alone)
        assert [at(together, i) for i in range(len(values))] == alone


@given(size=times, iops=times, throughput=times, factor=factors)
def test_a_larger_volume_never_costs_less(size: float, iops: float, throughput: float, factor: float) -> None:
    for prices in (GP3, IO2):
        price = volume(prices, size, iops, throughput)
        assert volume(prices, size * factor, iops, throughput) >= price
        assert volume(prices, size, iops * factor, throughput) >= price
        assert volume(prices, size, iops, throughput * factor) >= price


@given(size_mb=st.floats(1.0, 1e12), kept_s=st.floats(1.0, 1e9), factor=factors)
def test_more_data_kept_longer_never_costs_less(size_mb: float, kept_s: float, factor: float) -> None:
    price = stored_usd(S3, size_mb, kept_s)
    assert not_less(stored_usd(S3, size_mb * factor, kept_s), price)
    assert not_less(stored_usd(S3, size_mb, kept_s * factor), price)
    assert requests_usd(S3, size_mb * factor, 0.0, 64.0) >= requests_usd(S3, size_mb, 0.0, 64.0)
    assert traffic_usd(size_mb * factor, 0.3) >= traffic_usd(size_mb, 0.3)


@given(amount=st.floats(1.0, 1e6), other=st.floats(1.0, 1e6), weight=st.floats(0.0, 1.0))
def test_tiers_are_continuous_and_concave(amount: float, other: float, weight: float) -> None:
    for tiers in (IO2.iops_month, S3.gb_month):
        between = tiered(weight * amount + (1 - weight) * other, tiers)
        chord = weight * float(tiered(amount, tiers)) + (1 - weight) * float(tiered(other, tiers))
        assert between >= chord * (1 - 1e-12)
        dearest = max(tier.usd for tier in tiers)
        step = float(tiered(amount + 1e-3, tiers)) - float(tiered(amount, tiers))
        assert 0.0 <= step <= 1e-3 * dearest * (1 + 1e-3)
    assert tiered(amount, ()) == 0.0


@given(run=runs | runs_on_commitments)
def test_the_straight_line_is_the_cost(run: Any) -> None:
    prices, nodes, duration_s, charges, _ = run
    line = tariff(prices, nodes, charges)
    cost = total(run_cost(prices, nodes, duration_s, charges))
    assert line.usd(duration_s) == pytest.approx(cost, rel=1e-12)


@given(run=runs, budget=st.floats(1e-3, 1e9))
def test_the_longest_job_of_a_budget_costs_the_budget(run: Any, budget: float) -> None:
    prices, nodes, _, charges, _ = run
    line = tariff(prices, nodes, charges)
    longest_s = float(line.longest_s(budget))
    if longest_s > 0.0:
        assert line.usd(longest_s) == pytest.approx(budget, rel=1e-9)
        assert float(line.usd(longest_s * 1.01 + 1.0)) > budget
    else:
        assert float(line.usd(0.0)) >= budget * (1 - 1e-9)


@given(run=runs_on_commitments, budget=st.floats(1e-3, 1e9), shorter=st.floats(0.0, 1.0))
def test_the_longest_job_of_a_budget_on_commitments_costs_the_budget(run: Any, budget: float, shorter: float) -> None:
    prices, nodes, _, charges, _ = run
    line = tariff(prices, nodes, charges)
    longest_s = float(line.longest_s(budget))
    if longest_s > 0.0:
        assert line.usd(longest_s) == pytest.approx(budget, rel=1e-9)
        assert float(line.usd(longest_s * 1.01 + 1.0)) >= budget * (1 - 1e-12)
        assert line.usd(longest_s * shorter) <= line.usd(longest_s)
    else:
        assert float(line.usd(0.0)) >= budget * (1 - 1e-9)


def test_a_commitment_made_for_a_job_alone_is_paid_to_its_end() -> None:
    of_month = Prices(36.0, 0.0, 0.0, 60.0, committed_s=3600.0)
    short, long = (run_cost(of_month, 2.0, duration_s) for duration_s in (1800.0, 7200.0))
    assert (short.instances, short.idle_commitment, short.total) == (36.0, 36.0, 72.0)
    assert (long.idle_commitment, long.total) == (0.0, 144.0)
    assert always_on_cost(of_month, 2.0).idle_commitment == 0.0
    rework = run_cost(of_month, 2.0, 1800.0, rework_s=900.0)
    assert (rework.rework, rework.idle_commitment) == (18.0, 18.0)


def test_a_budget_for_a_commitment_pays_for_any_time_within_it() -> None:
    line = tariff(Prices(36.0, 0.0, 0.0, 60.0, committed_s=3600.0), 1.0)
    assert [line.longest_s(budget) for budget in (35.99, 36.0, 72.0)] == [0.0, 3600.0, 7200.0]
    assert np.all(np.asarray(line.longest_s(np.array([35.99, 36.0, 72.0]))) == [0.0, 3600.0, 7200.0])
    with_volumes = tariff(Prices(36.0, 3.6, 0.0, 60.0, committed_s=3600.0), 1.0)
    assert with_volumes.longest_s(36.36) == pytest.approx(360.0)
    assert with_volumes.longest_s(43.2) == pytest.approx(43.2 / 39.6 * 3600.0)


def test_a_budget_below_the_minimum_pays_for_nothing() -> None:
    line = tariff(Prices(36.0, 0.0, 0.0, 60.0), 1.0)
    assert line.longest_s(0.59) == 0.0
    assert line.longest_s(0.61) == pytest.approx(61.0)
    assert np.all(np.asarray(line.longest_s(np.array([0.59, 0.61]))) == [line.longest_s(0.59), line.longest_s(0.61)])
    assert run_cost(Prices(36.0, 0.0, 0.0, 60.0), 1.0, 1.0).total == pytest.approx(0.60)


def test_what_does_not_apply_costs_no_array() -> None:
    cost = run_cost(Prices(1.0, 0.0, 0.0, 0.0), np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    assert all(isinstance(part, float) for part in (cost.ebs_link, cost.ebs_volumes, cost.head_nodes, cost.emr_fee))


def test_a_cluster_that_stays_costs_a_month_of_everything_and_runs_add_what_they_move() -> None:
    prices = Prices(1.0, 0.1, 180.0, 60.0, 17.0, 0.25, 2.0, 0.5, 0.125)
    charges = Charges(object_store=3.0, traffic=2.0, volume_io=1.0)
    cost = always_on_cost(prices, 10.0, charges, 30.0)
    expected = Cost(
        instances=7300.0,
        launch=0.0,
        ebs_link=730.0,
        ebs_volumes=10 * 17,
        head_nodes=730.0,
        emr_fee=10 * 0.25 * 730 + 2 * 0.125 * 730,
        object_store=90.0,
        traffic=60.0,
        volume_io=30.0,
    )
    assert cost.parts == pytest.approx(expected.parts)


# Spot: expected times, against simulations that share only the interruption policy with the formulas.


def simulated_restart(rng: random.Random, nodes: int, rate: float, work: float, wait: float) -> float:
    elapsed = 0.0
    while True:
        lost_after = min(rng.expovariate(rate) for _ in range(nodes))
        if lost_after >= work:
            return elapsed + work
        elapsed += lost_after + wait


def simulated_tasks(rng: random.Random, nodes: int, rate: float, work: float, wait: float) -> float:
    """Each node holds its own results and loses them; a replacement starts without any."""
    held, away_until, now = [0.0] * nodes, [0.0] * nodes, 0.0
    lost_at = [rng.expovariate(rate) for _ in range(nodes)]
    while True:
        until = min(lost_at + [time for time in away_until if time > now])
        working = [k for k in range(nodes) if away_until[k] <= now]
        missing = nodes * work - sum(held)
        if working and missing <= len(working) * (until - now):
            return now + missing / len(working)
        for k in working:
            held[k] += until - now
        now = until
        for k in range(nodes):
            if lost_at[k] <= now:
                held[k], away_until[k] = 0.0, now + wait
                lost_at[k] = away_until[k] + rng.expovariate(rate)


@pytest.mark.parametrize(
    ("recovery", "nodes", "rate", "work", "wait"),
    [
        ("restart", 1, 0.5, 1.0, 0.0),
        ("restart", 5, 0.2, 1.0, 0.1),
        ("restart", 20, 0.1, 1.0, 0.05),
        ("tasks", 1, 0.5, 1.0, 0.1),
        ("tasks", 40, 0.1, 1.0, 0.1),
        ("tasks", 40, 0.3, 1.0, 0.0),
    ],
)
def test_expected_times_are_those_of_a_simulation(
    recovery: Recovery, nodes: int, rate: float, work: float, wait: float
) -> None:
    rng = random.Random(2015)  # noqa: S311 - a simulation, no secret
    simulate = simulated_restart if recovery == "restart" else simulated_tasks
    trials = 4000 if recovery == "restart" or nodes == 1 else 1000
    found = [simulate(rng, nodes, rate, work, wait) for _ in range(trials)]
    mean = math.fsum(found) / trials
    error = math.sqrt(math.fsum((time - mean) ** 2 for time in found) / trials / trials)
    expected = float(Spot(rate, recovery, wait * 3600.0).expected_s(float(nodes), work * 3600.0)) / 3600.0
    assert abs(expected - mean) < 4 * error + 0.01 * (mean - work)


@pytest.mark.parametrize("nodes", [2, 3, 10, 100])
@pytest.mark.parametrize("hazard", [0.01, 0.1, 0.5])
def test_losing_a_share_is_bounded_by_its_exact_series(nodes: int, hazard: float) -> None:
    """f(T) = sum of (n i)^(k-1) prod(1 - q^j, j < k) T^k / k!, q = 1 - 1/n, solves f' + n i (f(q s) - f(s)) = 1."""
    term, exact, k = hazard, 0.0, 1
    while term > exact * 1e-17:
        exact += term
        term *= nodes * hazard * (1 - (1 - 1 / nodes) ** k) / (k + 1)
        k += 1
    bound = float(Spot(hazard, "tasks", 0.0).expected_s(float(nodes), 3600.0)) / 3600.0
    assert exact / hazard <= bound * (1 + 1e-12)
    assert bound <= exact / hazard * (1 + hazard**2 / nodes)


@given(spot=spots, nodes=counts, work=times, factor=factors)
def test_interruptions_never_save_time_and_tasks_never_lose_more_than_everything(
    spot: Spot, nodes: float, work: float, factor: float
) -> None:
    expected = float(spot.expected_s(nodes, work))
    assert work <= expected < math.inf
    for more in (
        spot.expected_s(nodes, work * factor),
        spot.expected_s(nodes * factor, work),
        replace(spot, interruptions_per_hour=spot.interruptions_per_hour * factor).expected_s(nodes, work),
        replace(spot, replacement_s=spot.replacement_s * factor).expected_s(nodes, work),
    ):
        assert not_less(more, expected)
    tasks, restart = (float(replace(spot, recovery=r).expected_s(nodes, work)) for r in ("tasks", "restart"))
    assert not_less(restart, tasks)


def test_without_interruptions_spot_takes_its_own_time() -> None:
    never = Spot(0.0, "restart", 300.0)
    assert never.expected_s(178.0, 888.0) == 888.0
    assert Spot(1e-3, "tasks", 300.0).expected_s(178.0, 0.0) == 0.0


@pytest.mark.parametrize("recovery", ["restart", "tasks"])
def test_a_job_that_will_not_finish_says_so_without_an_overflow(recovery: Recovery) -> None:
    spot = Spot(1.0, recovery, 300.0)
    assert float(spot.expected_s(1000.0, 7200.0)) > NEVER_FINISHES * 7200.0
    assert np.all(np.isfinite(np.asarray(spot.expected_s(np.array([1.0, 1e6]), np.array([1e9, 1e9])))))
