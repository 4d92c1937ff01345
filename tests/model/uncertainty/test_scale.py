"""The slowest of many nodes, alone and among stragglers, with and without spare nodes."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from stowage.model.uncertainty.scale import (
    LARGEST_TABLE,
    Z90,
    chance_within,
    exp_of,
    log_of,
    normal_cdf,
    slowdown,
    slowest_deviation,
    slowest_z,
)
from stowage.model.uncertainty.straggler import (
    NO_STRAGGLERS,
    STRAGGLER_FACTOR,
    STRAGGLER_SHARE,
    Stragglers,
    slowest,
    slowest_log_deviation,
)
from stowage.model.units import Quantity

QUANTILES = (0.1, 0.5, 0.9)

counts = st.integers(min_value=1, max_value=1_000)
many = st.integers(min_value=1, max_value=3 * LARGEST_TABLE)
spreads = st.floats(min_value=0.0, max_value=0.5)
quantiles = st.sampled_from(QUANTILES)
some_shares = st.floats(min_value=0.0, max_value=1.0)
factors = st.floats(min_value=1.0, max_value=10.0)
few_spares = st.integers(min_value=0, max_value=5)

# Bisection ends within some last digits of the tail that a normal distribution function of 1e-10 permits.
CLOSE = 1.0 + 1e-8


def floats(values: list[int]) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def listed(values: Quantity) -> list[float]:
    assert isinstance(values, np.ndarray)
    found: list[float] = values.tolist()
    return found


def layouts(values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The same values in another memory layout: numpy uses other code paths for some of them."""
    strided = np.zeros((values.size, 3))
    strided[:, 1] = values
    unaligned = np.zeros(values.size * 8 + 1, dtype=np.uint8)[1:].view(np.float64)
    unaligned[:] = values
    return [values, strided[:, 1], values[::-1].copy()[::-1], unaligned]


# One value and an array of them


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 8, 9, 17, 31, 1_001])
def test_exponentials_and_logarithms_of_arrays_are_those_of_their_elements(length: int) -> None:
    values = np.random.default_rng(length).uniform(0.001, 30.0, length)
    for array in layouts(values):
        assert listed(exp_of(array)) == [exp_of(value) for value in values.tolist()]
        assert listed(log_of(array)) == [log_of(value) for value in values.tolist()]
        assert listed(normal_cdf(array - 15.0)) == [normal_cdf(value - 15.0) for value in values.tolist()]


@given(st.lists(many, min_size=1, max_size=20), spreads, st.sampled_from([0.1, 0.5, 0.9, 0.123]))
@settings(max_examples=50)  # tables are computed once
def test_arrays_of_node_counts_give_what_each_gives_alone_to_the_last_bit(
    nodes: list[int], spread: float, quantile: float
) -> None:
    together = floats(nodes)
    for array in layouts(together):
        assert listed(slowest_z(array, quantile)) == [slowest_z(count, quantile) for count in nodes]
        assert listed(slowdown(spread, array, quantile)) == [slowdown(spread, float(n), quantile) for n in nodes]
        assert listed(slowest_deviation(array)) == [slowest_deviation(float(count)) for count in nodes]
    assert type(slowdown(spread, float(nodes[0]), quantile)) is float


def test_no_node_counts_are_no_trouble_and_neither_are_tables_of_them() -> None:
    assert np.asarray(slowest_z(np.empty(0))).shape == (0,)
    assert np.asarray(slowest_z(np.ones((2, 3)))).shape == (2, 3)
    spread_of_each = np.array([0.0, 0.1])
    assert listed(slowdown(spread_of_each, 10.0)) == [1.0, slowdown(0.1, 10.0)]


# The slowest of n


def test_the_median_slowest_of_178_is_2_66_deviations_away() -> None:
    assert slowest_z(178) == pytest.approx(2.66, abs=0.005)
    assert slowest_z(1) == 0.0
    assert slowest_deviation(1) == pytest.approx(1.0, abs=1e-15)


@given(many, quantiles)
def test_the_slowest_of_n_agrees_with_the_distribution_of_the_maximum(nodes: int, quantile: float) -> None:
    upper_tail = math.erfc(slowest_z(nodes, quantile) / math.sqrt(2.0)) / 2.0
    assert math.exp(nodes * math.log1p(-upper_tail)) == pytest.approx(quantile, rel=1e-9)


@pytest.mark.parametrize("quantile", QUANTILES)
def test_each_node_more_makes_the_slowest_slower_and_less_uncertain(quantile: float) -> None:
    nodes = np.arange(1.0, LARGEST_TABLE + 1.0)
    assert np.all(np.diff(np.asarray(slowest_z(nodes, quantile))) > 0.0)
    assert np.all(np.diff(np.asarray(slowest_deviation(nodes))) < 0.0)


@given(spreads, spreads, counts)
def test_more_spread_makes_the_slowest_slower(one: float, other: float, nodes: int) -> None:
    low, high = sorted((one, other))
    assert 1.0 <= slowdown(low, nodes) <= slowdown(high, nodes)


# The normal distribution


def test_the_distribution_function_is_that_of_the_c_library() -> None:
    x = np.linspace(-37.0, 37.0, 20_001)
    exact = np.array([math.erfc(-value / math.sqrt(2.0)) / 2.0 for value in x])
    ours = np.asarray(normal_cdf(x))
    assert np.max(np.abs(ours - exact)) < 1e-15
    for lowest, error in ((-3.0, 1e-13), (-5.0, 1e-10), (-7.0, 1e-8), (-37.0, 1e-5)):
        here = (x >= lowest) & (x <= 0.0)
        assert np.max(np.abs(ours[here] / exact[here] - 1.0)) < error


def test_the_distribution_function_ends_in_0_and_1() -> None:
    assert [normal_cdf(x) for x in (-math.inf, -1e300, 0.0, 1e300, math.inf)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert math.isnan(normal_cdf(math.nan))


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_distribution_function_rises_and_is_symmetrical(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= normal_cdf(low) <= normal_cdf(high) + 1e-15 <= 1.0 + 1e-15
    assert normal_cdf(low) + normal_cdf(-low) == 1.0


# The probability of staying within a limit


def test_a_limit_at_a_quantile_is_kept_with_its_chance() -> None:
    assert chance_within(1000.0 * math.exp(0.13 * Z90), 1000.0, 0.13) == pytest.approx(0.9, abs=1e-14)
    assert chance_within(1000.0 * math.exp(-0.13 * Z90), 1000.0, 0.13) == pytest.approx(0.1, abs=1e-14)


def test_without_deviation_a_limit_is_kept_or_not() -> None:
    assert [chance_within(limit, 10.0, 0.0) for limit in (0.0, 9.0, 10.0, 11.0, math.inf)] == [0.0, 0.0, 1.0, 1.0, 1.0]
    limits = np.array([-1.0, 0.0, 9.0, 10.0, 11.0, math.inf])
    assert listed(chance_within(limits, 10.0, 0.0)) == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert listed(chance_within(limits[[0, 1, 5]], 10.0, 0.1)) == [0.0, 0.0, 1.0]
    assert chance_within(math.inf, 10.0, 0.1) == 1.0
    assert chance_within(-1.0, 10.0, 0.1) == 0.0


limits_s = st.one_of(st.just(math.inf), st.floats(min_value=-1.0, max_value=1e300))
medians_s = st.floats(min_value=1e-3, max_value=1e12)
deviations = st.one_of(st.just(0.0), st.floats(min_value=1e-6, max_value=3.0))


@given(st.lists(st.tuples(limits_s, medians_s, deviations), min_size=1, max_size=9))
def test_chances_of_arrays_are_those_of_their_elements(cases: list[tuple[float, float, float]]) -> None:
    limit, median, deviation = (np.array(column) for column in zip(*cases, strict=True))
    chances = [chance_within(*case) for case in cases]
    assert all(0.0 <= chance <= 1.0 and type(chance) is float for chance in chances)
    for limits, medians, widths in zip(layouts(limit), layouts(median), layouts(deviation), strict=True):
        assert listed(chance_within(limits, medians, widths)) == chances
    first = cases[0][0]
    assert listed(chance_within(first, median, deviation)) == [chance_within(first, m, d) for _, m, d in cases]


@given(limits_s, limits_s, medians_s, deviations)
def test_a_later_limit_is_kept_more_surely(one: float, other: float, median: float, deviation: float) -> None:
    early, late = sorted((one, other))
    assert chance_within(early, median, deviation) <= chance_within(late, median, deviation) + 1e-15


# Stragglers and spares


def test_both_readings_of_figure_12_can_be_said() -> None:
    share, factor = STRAGGLER_SHARE.value, STRAGGLER_FACTOR.value
    assert Stragglers(share, factor) == Stragglers.of_volumes(share, factor, 1)
    of_volumes = Stragglers.of_volumes(share, factor, 4)
    assert of_volumes.share == pytest.approx(1.0 - 0.95**4)
    assert Stragglers.of_volumes(1.0, factor, 4).share == 1.0
    # Of 326 nodes both interpretations leave some slow: the paper's 1,400 s become the 4,000 s that it reports.
    for stragglers in (Stragglers(share, factor), of_volumes):
        assert 1_400.0 * slowest(0.0, 326, 0.1, stragglers=stragglers) == 4_200.0


def test_without_spread_the_slowest_is_a_straggler_or_it_is_not() -> None:
    rare = Stragglers(0.01, 3.0)  # 0.99^n is 0.9 at n = 10.5 and 0.5 at n = 69.0
    nodes = floats([10, 11, 68, 69, 229, 230, 5_000])
    assert listed(slowest(0.0, nodes, 0.9, stragglers=rare)) == [1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    assert listed(slowest(0.0, nodes, 0.5, stragglers=rare)) == [1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0]
    assert listed(slowest(0.0, nodes, 0.1, stragglers=rare)) == [1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0]


@given(counts, spreads, quantiles)
@settings(max_examples=30)
def test_no_stragglers_change_nothing(nodes: int, spread: float, quantile: float) -> None:
    plain = slowdown(spread, nodes, quantile)
    for none in (NO_STRAGGLERS, Stragglers(0.0, 3.0), Stragglers(0.3, 1.0)):
        assert slowest(spread, nodes, quantile, stragglers=none) == plain
    all_slow = slowest(spread, nodes, quantile, stragglers=Stragglers(1.0, 2.0))
    assert all_slow == pytest.approx(2.0 * plain, rel=1e-8)


@pytest.mark.parametrize("nodes", [[178], [1, 2, 178, 1_024], [1_025, 3, 1, 4_000]])
def test_slowest_of_arrays_is_that_of_their_elements_to_the_last_bit(nodes: list[int]) -> None:
    for stragglers, spares in ((Stragglers(0.05, 3.0), 0), (Stragglers(0.05, 3.0), 2), (NO_STRAGGLERS, 1)):
        alone = [slowest(0.05, count, 0.9, stragglers=stragglers, spares=spares) for count in nodes]
        together = slowest(0.05, floats(nodes), 0.9, stragglers=stragglers, spares=spares)
        assert listed(together) == alone
        assert all(type(value) is float for value in alone)


def test_clusters_beyond_all_tables_are_computed_one_by_one() -> None:
    beyond = 2.0 * LARGEST_TABLE
    assert listed(slowest_z(floats([1, int(beyond)]))) == [0.0, slowest_z(beyond)]
    rare = Stragglers(1e-6, 3.0)
    assert listed(slowest(0.0, np.array([beyond]), 0.9, stragglers=rare)) == [3.0]
    assert slowest(0.0, beyond, 0.5, stragglers=rare) == 1.0


@given(counts, spreads, quantiles, some_shares, factors, few_spares, st.data())
def test_more_of_what_slows_is_never_faster_and_a_spare_more_never_slower(
    nodes: int, spread: float, quantile: float, share: float, factor: float, spares: int, data: st.DataObject
) -> None:
    base = slowest(spread, nodes, quantile, stragglers=Stragglers(share, factor), spares=spares)
    more_nodes, more_share, more_factor = (
        data.draw(st.integers(min_value=nodes, max_value=1_000)),
        data.draw(st.floats(min_value=share, max_value=1.0)),
        data.draw(st.floats(min_value=factor, max_value=10.0)),
    )
    worse = (
        slowest(spread, more_nodes, quantile, stragglers=Stragglers(share, factor), spares=spares),
        slowest(spread, nodes, quantile, stragglers=Stragglers(more_share, factor), spares=spares),
        slowest(spread, nodes, quantile, stragglers=Stragglers(share, more_factor), spares=spares),
    )
    assert base <= min(worse) * CLOSE
    assert slowest(spread, nodes, quantile, stragglers=Stragglers(share, factor), spares=spares + 1) <= base * CLOSE


@given(counts, spreads, spreads, st.floats(min_value=0.0, max_value=1.0), factors)
@settings(max_examples=30)
def test_more_spread_makes_the_slowest_slower_where_it_is_a_slow_straggler(
    nodes: int, one: float, other: float, above: float, factor: float
) -> None:
    # If the slowest is a fast one of the stragglers, more spread makes it faster: no monotonicity there.
    half_of_them = 1.0 - 0.9 ** (1.0 / nodes)
    share = 2.0 * half_of_them + above * (1.0 - 2.0 * half_of_them)
    low, high = (slowest(spread, nodes, 0.9, stragglers=Stragglers(share, factor)) for spread in sorted((one, other)))
    assert low <= high * CLOSE


@pytest.mark.parametrize(
    ("spread", "nodes", "stragglers", "spares"),
    [
        (0.0523, 178, NO_STRAGGLERS, 0),
        (0.0523, 178, NO_STRAGGLERS, 9),
        (0.05, 50, Stragglers(0.02, 3.0), 0),
        (0.05, 50, Stragglers(0.02, 3.0), 3),
        (0.2, 20, Stragglers(0.05, 2.0), 1),
        (0.1, 1, Stragglers(0.3, 2.0), 5),
    ],
)
def test_quantiles_of_the_slowest_that_stays_are_those_of_a_simulation(
    spread: float, nodes: int, stragglers: Stragglers, spares: int
) -> None:
    random = np.random.default_rng(178)
    shape = (20_000, nodes + spares)
    slow = np.where(random.random(shape) < stragglers.share, stragglers.factor, 1.0)
    times = np.sort(np.exp(spread * random.standard_normal(shape)) * slow, axis=1)[:, nodes - 1]
    for quantile in QUANTILES:
        predicted = slowest(spread, nodes, quantile, stragglers=stragglers, spares=spares)
        assert np.mean(times <= predicted) == pytest.approx(quantile, abs=0.012)  # 3.4 standard errors
    low, high = (slowest(spread, nodes, q, stragglers=stragglers, spares=spares) for q in (0.1, 0.9))
    deviation = slowest_log_deviation(spread, nodes, stragglers=stragglers, spares=spares)
    assert deviation == pytest.approx(math.log(high / low) / (2.0 * Z90), rel=1e-12)


def test_deviations_of_arrays_are_those_of_their_elements_and_of_no_spares_the_plain_ones() -> None:
    nodes = floats([1, 10, 178, 1_000])
    together = slowest_log_deviation(0.05, nodes, stragglers=Stragglers(0.05, 3.0), spares=1)
    alone = [slowest_log_deviation(0.05, n, stragglers=Stragglers(0.05, 3.0), spares=1) for n in nodes.tolist()]
    assert listed(together) == alone
    assert slowest_log_deviation(0.05, 178) == pytest.approx(0.05 * slowest_deviation(178), rel=1e-12)


def test_spares_enough_for_all_stragglers_take_the_factor_away() -> None:
    stragglers = Stragglers(STRAGGLER_SHARE.value, STRAGGLER_FACTOR.value)
    times = [slowest(0.0523, 326, stragglers=stragglers, spares=spares) for spares in (0, 5, 10, 17, 30)]
    assert all(more < fewer for fewer, more in pairwise(times))
    assert times[1] > 0.9 * times[0]
    assert times[-1] < 0.35 * times[0]
