"""The width of a predicted time: closed forms against simulations."""

import math
from collections.abc import Mapping
from functools import cache, reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stowage.model.uncertainty.range import (
    AGE_PER_ROOT_YEAR,
    EXTRAPOLATION_PER_DOUBLING,
    Ruling,
    Source,
    age_doubt,
    extrapolation_doubt,
    job_deviation,
    job_sources,
    measurement_doubt,
    quantiles,
    shares,
    total_deviation,
)
from stowage.model.uncertainty.scale import Z90, chance_within, slowdown
from stowage.model.units import Quantity, longer

DRAWS = 200_000

widths = st.floats(min_value=0.0, max_value=0.5)
parts = st.floats(min_value=0.0, max_value=1.0)
node_counts = st.integers(min_value=1, max_value=100_000)
times_s = st.floats(min_value=0.0, max_value=1e9)


@cache
def largest_of(nodes: int, resource: str) -> NDArray[np.float32]:
    """Draw the largest of many normal values repeatedly: without order statistics, only a maximum."""
    random = np.random.default_rng((2015, nodes, *resource.encode()))
    return np.concatenate([random.standard_normal((DRAWS // 20, nodes), np.float32).max(axis=1) for _ in range(20)])


def slowest_of(nodes: int, spread: float, resource: str) -> NDArray[np.float64]:
    """Draw the slowest of many lognormal nodes repeatedly."""
    return np.exp(spread * largest_of(nodes, resource).astype(np.float64))


def doubted(width: float, random: np.random.Generator) -> NDArray[np.float64]:
    return np.exp(width * random.standard_normal(DRAWS))


def deciles(times: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.quantile(times, [0.1, 0.5, 0.9])


def listed(values: Quantity) -> list[float]:
    assert isinstance(values, np.ndarray)
    found: list[float] = values.tolist()
    return found


# Against simulations


@pytest.mark.parametrize(
    ("nodes", "framework_error", "storage_doubt", "network_doubt"),
    [(178, 0.13, 0.05, 0.1), (100, 0.0, 0.02, 0.02), (10, 0.09, 0.1, 0.0), (1, 0.13, 0.05, 0.05)],
)
def test_a_job_whose_phases_each_have_one_bottleneck_is_within_1_percent(
    nodes: int, framework_error: float, storage_doubt: float, network_doubt: float
) -> None:
    random = np.random.default_rng(2015)
    spread, network_spread = 0.0523, 0.03
    disk = slowest_of(nodes, spread, "disk") * doubted(storage_doubt, random)
    link = slowest_of(nodes, network_spread, "link") * doubted(network_doubt, random)
    # Three phases: both of storage use the same disks; the resource that is not the bottleneck has a third of the time.
    phases = (
        np.maximum(400.0 * disk, 130.0 * link),
        np.maximum(100.0 * disk, 300.0 * link),
        np.maximum(200.0 * disk, 60.0 * link),
    )
    simulated = sum(phases) * doubted(framework_error, random)

    slow_disk, slow_link = slowdown(spread, nodes), slowdown(network_spread, nodes)
    alone = ((400.0, 130.0), (100.0, 300.0), (200.0, 60.0))
    medians_s = [[("storage", a * slow_disk), ("network", b * slow_link)] for a, b in alone]
    ruled = shares([(max(time_s for _, time_s in phase), phase) for phase in medians_s])
    rulings = (
        Ruling("storage", ruled["storage"], spread, (Source("age", storage_doubt),)),
        Ruling("network", ruled["network"], network_spread, (Source("age", network_doubt),)),
    )
    deviation = job_deviation(rulings, nodes, framework_error)
    median_s = sum(max(time_s for _, time_s in phase) for phase in medians_s)
    closed = np.array(quantiles(median_s, deviation))
    assert np.max(np.abs(closed / deciles(simulated) - 1.0)) < 0.01
    for limit_s in deciles(simulated):
        assert chance_within(limit_s, median_s, deviation) == pytest.approx(np.mean(simulated <= limit_s), abs=0.03)


@pytest.mark.parametrize(("doubt", "too_low_percent"), [(0.0, 1.2), (0.05, 3.1), (0.1, 5.7)])
def test_where_two_resources_tie_the_median_is_as_much_too_low_as_documented(
    doubt: float, too_low_percent: float
) -> None:
    random = np.random.default_rng(2015)
    nodes, spread = 100, 0.0523
    one, other = (slowest_of(nodes, spread, resource) * doubted(doubt, random) for resource in ("disk", "link"))
    low, middle, high = deciles(np.maximum(one, other))
    alone = Ruling("storage", 1.0, spread, (Source("age", doubt),))
    deviation = float(job_deviation([alone], nodes, 0.0))
    closed = quantiles(slowdown(spread, nodes), deviation)
    assert 100.0 * (1.0 - closed.p50 / middle) == pytest.approx(too_low_percent, abs=0.15)
    assert middle / closed.p50 == pytest.approx(math.exp(0.545 * deviation), rel=0.005)
    # The whole range is too low, p10 most.
    assert closed.p10 / low < closed.p50 / middle < 1.0
    assert closed.p90 < high


# Sources


@given(st.lists(st.tuples(parts, widths, widths, widths), max_size=4), node_counts, widths)
def test_the_sources_add_up_to_the_width(
    resources: list[tuple[float, float, float, float]], nodes: int, error: float
) -> None:
    rulings = [
        Ruling(f"resource {index}", share, spread, (Source("age", age), Source("few measurements", few)))
        for index, (share, spread, age, few) in enumerate(resources)
    ]
    sources = job_sources(rulings, nodes, error)
    assert total_deviation(sources) == pytest.approx(job_deviation(rulings, nodes, error), rel=1e-12)
    assert sources[0] == Source("framework error", error)
    assert len({source.name for source in sources}) == len(sources) == 1 + 3 * len(resources)


@given(parts, widths, widths, widths, node_counts)
def test_nothing_that_is_uncertain_narrows_the_range(
    share: float, spread: float, age: float, error: float, nodes: int
) -> None:
    base = job_deviation([Ruling("storage", share, spread, (Source("age", age),))], nodes, error)
    for more in (
        job_deviation([Ruling("storage", 1.0, spread, (Source("age", age),))], nodes, error),
        job_deviation([Ruling("storage", share, spread + 0.1, (Source("age", age),))], nodes, error),
        job_deviation([Ruling("storage", share, spread, (Source("age", age + 0.1),))], nodes, error),
        job_deviation([Ruling("storage", share, spread, (Source("age", age),))], nodes, error + 0.1),
    ):
        assert error <= base + 1e-12
        assert base <= more * (1.0 + 1e-15)


def test_nothing_uncertain_gives_no_width() -> None:
    assert total_deviation([]) == 0.0
    assert job_deviation([], 178, 0.0) == 0.0
    assert tuple(quantiles(888.0, 0.0)) == (888.0, 888.0, 888.0)


@given(st.lists(st.tuples(node_counts, parts, times_s), min_size=1, max_size=12), widths, widths)
def test_arrays_give_what_their_elements_give_to_the_last_bit(
    cases: list[tuple[int, float, float]], spread: float, error: float
) -> None:
    nodes, share, median = (np.array(column, dtype=np.float64) for column in zip(*cases, strict=True))

    def rulings(share: Quantity, nodes: Quantity) -> tuple[Ruling, ...]:
        doubts = (Source("age", 0.05), Source("extrapolation", extrapolation_doubt(nodes, (1, 178))))
        return (Ruling("storage", share, spread, doubts), Ruling("network", 1.0 - share, 0.0, doubts[:1]))

    widths_of_all = job_deviation(rulings(share, nodes), nodes, error)
    totals = total_deviation(job_sources(rulings(share, nodes), nodes, error))
    together = quantiles(median, widths_of_all)
    for index, (count, part, time_s) in enumerate(cases):
        alone = rulings(part, float(count))
        width = job_deviation(alone, float(count), error)
        assert type(width) is float
        assert listed(widths_of_all)[index] == width
        assert listed(totals)[index] == total_deviation(job_sources(alone, float(count), error))
        assert [listed(quantile)[index] for quantile in together] == list(quantiles(time_s, width))


# Quantiles


@given(st.floats(min_value=1e-3, max_value=1e9), st.floats(min_value=1e-3, max_value=1.0))
def test_a_quantile_is_kept_with_its_chance(median: float, width: float) -> None:
    for quantile, value in zip((0.1, 0.5, 0.9), quantiles(median, width), strict=True):
        assert chance_within(value, median, width) == pytest.approx(quantile, abs=1e-9)


def test_a_deviation_of_013_is_a_factor_of_14_from_p10_to_p90() -> None:
    low, _, high = quantiles(1.0, 0.13)
    assert high / low == pytest.approx(math.exp(2.0 * Z90 * 0.13)) == pytest.approx(1.40, abs=0.005)


# Share of the time in which a resource is the bottleneck


def positive(parts: Mapping[str, Quantity]) -> dict[str, float]:
    return {name: float(part) for name, part in parts.items() if np.any(part > 0.0)}


def timed(phases: list[list[tuple[str, Quantity]]]) -> list[tuple[Quantity, list[tuple[str, Quantity]]]]:
    return [(reduce(longer, (time_s for _, time_s in phase)), phase) for phase in phases]


def test_the_first_of_those_that_tie_rules_a_phase() -> None:
    phases = [(5.0, [("disk", 5.0), ("link", 5.0)]), (5.0, [("link", 5.0), ("disk", 5.0), ("cpu", 5.0)])]
    assert shares(phases) == {"disk": 0.5, "link": 0.5}


def test_a_job_without_time_is_ruled_by_nothing() -> None:
    assert shares([]) == {}
    assert shares([(0.0, [("disk", 0.0)]), (0.0, [])]) == {"disk": 0.0}


@given(st.lists(st.tuples(times_s, times_s, times_s, times_s), min_size=1, max_size=9))
def test_shares_are_the_longest_times_and_add_up_to_one(cases: list[tuple[float, float, float, float]]) -> None:
    a, b, c, d = (np.array(column) for column in zip(*cases, strict=True))
    together = shares(timed([[("disk", a), ("link", b), ("cpu", 7.0)], [("link", c), ("disk", d)]]))
    for index, (disk, link, link_again, disk_again) in enumerate(cases):
        phases: list[list[tuple[str, Quantity]]] = [
            [("disk", disk), ("link", link), ("cpu", 7.0)],
            [("link", link_again), ("disk", disk_again)],
        ]
        alone = shares(timed(phases))
        in_array = {name: listed(part)[index] for name, part in together.items()}
        assert positive(in_array) == positive(alone)
        assert sum(alone.values()) == pytest.approx(1.0)
        total_s = sum(max(float(time_s) for _, time_s in phase) for phase in phases)
        expected: dict[str, float] = {}
        for phase in phases:
            name, time_s = max(phase, key=lambda pair: pair[1])
            expected[name] = expected.get(name, 0.0) + float(time_s) / total_s
        assert positive(alone) == pytest.approx(positive(expected))


# Doubts


def test_doubt_falls_with_the_root_of_the_number_of_measurements() -> None:
    assert measurement_doubt(0.0523, 4) == 0.0523 / 2.0
    assert measurement_doubt(0.0523, None) == measurement_doubt(0.0523, 1) == 0.0523


def test_doubt_grows_with_the_root_of_age() -> None:
    assert age_doubt(0.0) == age_doubt(-1.0) == 0.0
    assert age_doubt(1.0) == AGE_PER_ROOT_YEAR.value
    assert age_doubt(9.0, 0.1) == pytest.approx(0.3)


def test_doubt_grows_with_the_distance_from_measured_sizes() -> None:
    one_doubling = EXTRAPOLATION_PER_DOUBLING.value
    measured = (4, 64)
    nodes = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0])
    doubts = extrapolation_doubt(nodes, measured)
    assert listed(doubts) == pytest.approx([one_doubling * away for away in (2, 1, 0, 1, 2, 1, 0, 1, 2)], abs=1e-15)
    assert [doubt for doubt, count in zip(listed(doubts), nodes, strict=True) if count in measured] == [0.0, 0.0]
    assert extrapolation_doubt(6.0, (3,), 0.2) == pytest.approx(0.2)


@given(node_counts, st.lists(node_counts, min_size=1, max_size=4), node_counts)
def test_one_more_measured_size_never_adds_doubt(nodes: int, measured: list[int], another: int) -> None:
    assert extrapolation_doubt(float(nodes), [*measured, another]) <= extrapolation_doubt(float(nodes), measured)
